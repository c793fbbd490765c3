/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.util.Locale;

/**
 * Rules by which a {@link Chunker} cuts a stream of bytes.
 *
 * <p>p[i] is the byte at offset i, unsigned, and s the offset of a chunk's first byte; 'cut after
 * i' ends the chunk with p[i]. A, the average size, is the mean on random bytes. Every rule also
 * cuts a chunk that has reached its maximum, and the end of the stream ends the last chunk.
 */
public enum ChunkerAlgorithm {
  /**
   * RAM, rapid asymmetric maximum: M is the largest of the chunk's first w bytes; cut after the
   * first i ≥ s + w with p[i] ≥ M. Minimum w + 1, maximum {@link Chunker#SIZE_LIMIT}; w is about A
   * − 256.
   */
  RAM(0),

  /** RAM with a maximum of 4 w, or a given one. */
  RAML(1),

  /**
   * FastCDC: the Gear hash of the last 64 bytes, which cuts with a probability of 1/(4 A) per byte
   * up to about 0.82 A, of 4/A from there on (normalised chunking, level 2). A/4 to 8 A bytes.
   */
  FASTCDC(6),

  /** Chunks of A bytes: for comparison. */
  FIXED(7),

  /**
   * VHASH: a hash of the 32 bytes that end with p[i], which has no state and consists of operations
   * that suit vector units. With arithmetic modulo 65536 and little-endian 16-bit words, H4 of 4
   * bytes is their second word minus the first, H8 of 8 bytes 0x72b1·H4(left half) + H4(right
   * half), H16 of 16 bytes 0xc7af·H8(left half) + H8(right half), and the narrow hash
   * 0x2047·H16(left half) + H16(right half) + 32768. A wide hash of 32 bits supplies the low bits
   * and decides between equal narrow ones. From w = A/1.746 bytes on, cut where the hash, of 48
   * bits, is below 2^48/(3 w); and where it is below 2^47, lower than at all lengths tested before,
   * and not higher than at the w lengths after. Runs of one byte have the narrow hash 32768 and are
   * cut at the maximum, 4 A; a chunk that reaches it otherwise is cut where its hash is lowest.
   */
  VHASH(8);

  /** The number in enum hdrf_chunk_algorithm; never reuse 2 to 5. */
  final int nativeNumber;

  ChunkerAlgorithm(int nativeNumber) {
    this.nativeNumber = nativeNumber;
  }

  /** Returns the name in configurations, such as {@code ram}. */
  public String configurationName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the implementation that cuts direct buffers here, for logs: {@code native, avx512};
   * {@code native, portable}; {@code java}.
   */
  public String implementation() {
    return Chunker.implementation(this);
  }
}
