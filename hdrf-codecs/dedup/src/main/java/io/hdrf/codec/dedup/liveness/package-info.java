/* SPDX-License-Identifier: Apache-2.0 */
/** Keeps chunks from being collected that a block under way is about to need. */
package io.hdrf.codec.dedup.liveness;
