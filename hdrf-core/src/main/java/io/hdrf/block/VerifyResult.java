/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

/** The result of a block's verification. Immutable. */
public final class VerifyResult {

  /** The possible outcomes. */
  public enum Outcome {
    /** Every byte is as it was written. */
    OK,
    /** Some byte is not; see {@link VerifyResult#offset}. */
    MISMATCH,
    /** The {@code .meta} file has too few checksums for the block; nothing else was wrong. */
    CHECKSUMS_INCOMPLETE,
    /** The block has no checksums (their type is NULL) and there was nothing to compare it with. */
    NO_CHECKSUMS
  }

  static final VerifyResult OK = new VerifyResult(Outcome.OK, -1);
  static final VerifyResult INCOMPLETE = new VerifyResult(Outcome.CHECKSUMS_INCOMPLETE, -1);
  static final VerifyResult NO_CHECKSUMS = new VerifyResult(Outcome.NO_CHECKSUMS, -1);

  private final Outcome outcome;
  private final long offset;

  private VerifyResult(Outcome outcome, long offset) {
    this.outcome = outcome;
    this.offset = offset;
  }

  static VerifyResult mismatch(long offset) {
    return new VerifyResult(Outcome.MISMATCH, offset);
  }

  public Outcome outcome() {
    return outcome;
  }

  /** Returns whether every byte is as it was written. */
  public boolean isOk() {
    return outcome == Outcome.OK;
  }

  /**
   * For {@link Outcome#MISMATCH}, where the first chunk with a wrong byte begins in the block, or
   * the byte itself where the block was compared with another file; otherwise -1.
   */
  public long offset() {
    return offset;
  }

  @Override
  public String toString() {
    return outcome == Outcome.MISMATCH ? outcome + " at " + offset : outcome.toString();
  }
}
