/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The collection of chunks that no block needs. Uses {@code container}, {@code heal} and {@code
 * index} only.
 */
package io.hdrf.codec.dedup.gc;
