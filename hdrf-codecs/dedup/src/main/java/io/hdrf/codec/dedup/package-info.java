/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The scheme {@code dedup}: cuts blocks into chunks and stores each chunk once on a volume. A
 * block's file then holds a recipe, the list of its chunks.
 */
package io.hdrf.codec.dedup;
