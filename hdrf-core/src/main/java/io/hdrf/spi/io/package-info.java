/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Files as HDRF uses them: positional reads ({@link io.hdrf.spi.io.ReadableFile}), the operations
 * that durability rests on ({@link io.hdrf.spi.io.DurableFiles}), pooled buffers, and the rate of
 * background work. Uses {@code io.hdrf.jni} only.
 */
package io.hdrf.spi.io;
