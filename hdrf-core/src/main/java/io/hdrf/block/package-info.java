/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The reduced block's file: format, writer, reader, verifier, and the walk over all blocks of a
 * pool on a volume. Knows neither the DataNode nor any scheme; frames are decoded by the codec that
 * the caller has.
 */
package io.hdrf.block;
