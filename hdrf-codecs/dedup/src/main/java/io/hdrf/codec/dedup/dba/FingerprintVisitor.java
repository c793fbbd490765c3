/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

/** Takes the fingerprints of a segment, one by one. */
@FunctionalInterface
public interface FingerprintVisitor {

  /**
   * Takes one fingerprint, without keeping the array.
   *
   * @param bytes holds the fingerprint's first 16 bytes, which is what filters know of it
   * @param offset where they begin
   * @return whether to go on; if not, the scan returns at once
   */
  boolean visit(byte[] bytes, int offset);
}
