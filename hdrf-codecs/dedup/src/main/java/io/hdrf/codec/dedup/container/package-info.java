/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Containers, the append-only files in which chunks lie: written, read, checked, compacted,
 * recovered after a crash; and the pins that keep chunks from being collected while a block under
 * way may need them. Uses {@code format} below only.
 */
package io.hdrf.codec.dedup.container;
