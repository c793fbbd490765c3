/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

/** Why a finalized block stays plain, for now or for good. */
public enum SkipReason {
  /** Shorter than {@code hdrf.reduce.min.block.size}, or too short for a header. */
  SMALL(true),
  /** It would not save enough. */
  INCOMPRESSIBLE(true),
  /** The scheme declined it. */
  DECLINED(true),
  /** It was reduced before. */
  ALREADY_REDUCED(true),
  /** Its checksums cover less than the block, or there are none. */
  CHECKSUMS_INCOMPLETE(true),
  /** The plain block does not match its own checksums. */
  MISMATCH(true),
  /** The decoded form did not match the block's checksums although the plain form does. */
  VERIFICATION_FAILED(true),
  /** It was appended to, truncated, moved or deleted meanwhile, or another thread has it. */
  CHANGED(false),
  /** It is cached, or held plain for another operation. */
  HELD_PLAIN(false),
  /** Another name (an upgrade's {@code previous/}) links to the same file. */
  LINKED(false),
  /** The queue was full. */
  QUEUE_FULL(false),
  /** An upgrade is open. */
  UPGRADE(false),
  /** The volume has too little space for the reduced copy. */
  NO_SPACE(false),
  /** Its volume is leaving, or the DataNode stops. */
  STOPPING(false),
  /** Reading, encoding or writing failed; the log says how. */
  FAILED(false);

  private final boolean lasting;

  SkipReason(boolean lasting) {
    this.lasting = lasting;
  }

  /** Whether trying again makes no sense until the block is written to. */
  public boolean isLasting() {
    return lasting;
  }

  /** The name as part of a metric, such as {@code QueueFull}. */
  public String metricName() {
    StringBuilder name = new StringBuilder();
    for (String word : name().split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return name.toString();
  }
}
