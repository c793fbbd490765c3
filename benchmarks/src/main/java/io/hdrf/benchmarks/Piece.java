/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.nio.file.Path;

/**
 * Local data to be written: a file, to each of whose bytes a number is added. The result compresses
 * like the file, but deduplication finds nothing of it under another number.
 *
 * @param shift what is added, modulo 256
 */
record Piece(Path file, int shift) {}
