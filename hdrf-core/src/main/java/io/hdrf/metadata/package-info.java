/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Metadata stores, which are plug-ins, and the records of blocks that are kept there. Records are
 * an index: the blocks' files are the truth, and records are made from them again when lost.
 */
package io.hdrf.metadata;
