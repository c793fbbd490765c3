/* SPDX-License-Identifier: Apache-2.0 */
/** Wrappers of file operations; uses {@code io.hdrf.spi.io} only. */
package io.hdrf.io;
