/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

/**
 * The reason why a finalized block stays plain, for now or for good. The numbers are written into
 * block records and never reused.
 */
public enum SkipReason {
  /** Shorter than {@code hdrf.reduce.min.block.size}, or too short for a header. */
  SMALL(1, true),
  /** It would not save enough. */
  INCOMPRESSIBLE(2, true),
  /** The scheme declined it. */
  DECLINED(3, true),
  /** It was reduced before. */
  ALREADY_REDUCED(4, true),
  /** Its checksums cover less than the block, or there are none. */
  CHECKSUMS_INCOMPLETE(5, true),
  /** The plain block does not match its own checksums. */
  MISMATCH(6, true),
  /** The decoded form did not match the block's checksums although the plain form does. */
  VERIFICATION_FAILED(7, true),
  /** It was appended to, truncated, moved or deleted meanwhile, or another thread has it. */
  CHANGED(8, false),
  /** It is cached, or held plain for another operation. */
  HELD_PLAIN(9, false),
  /** Another name (an upgrade's {@code previous/}) links to the same file. */
  LINKED(10, false),
  /** The queue was full. */
  QUEUE_FULL(11, false),
  /** An upgrade is open, or may be: no active NameNode has said yet that there is none. */
  UPGRADE(12, false),
  /** The volume has too little space for the reduced copy. */
  NO_SPACE(13, false),
  /** Its volume is leaving, or the DataNode stops. */
  STOPPING(14, false),
  /** Reading, encoding or writing failed; the log says how. */
  FAILED(15, false),
  /** It was written to within {@code hdrf.filter.min.age}. */
  TOO_YOUNG(16, false),
  /** Its beginning holds one of {@code hdrf.filter.exclude.keywords}. */
  EXCLUDED_BY_KEYWORD(17, true),
  /** Its beginning matches one of {@code hdrf.filter.exclude.regex}. */
  EXCLUDED_BY_REGEX(18, true),
  /** Its beginning holds nothing of {@code hdrf.filter.include.*}. */
  NOT_INCLUDED(19, true),
  /** An administrator wants all blocks of its volume plain. */
  KEPT_PLAIN(24, false);

  private final int code;
  private final boolean lasting;

  SkipReason(int code, boolean lasting) {
    this.code = code;
    this.lasting = lasting;
  }

  /** The number in block records, from 1 to 255. */
  public int code() {
    return code;
  }

  /** The reason with that number, or null where there is none. */
  public static SkipReason ofCode(int code) {
    for (SkipReason reason : values()) {
      if (reason.code == code) {
        return reason;
      }
    }
    return null;
  }

  /**
   * Returns whether trying again makes no sense until the block is written to, or the DataNode
   * starts with another configuration.
   */
  public boolean isLasting() {
    return lasting;
  }

  /**
   * Returns whether the block's content and the settings alone may decide it: with the same
   * settings trying again makes no sense after a start either, unless {@link RulesDigest#of} says
   * otherwise.
   */
  public boolean isByContent() {
    switch (this) {
      case INCOMPRESSIBLE:
      case DECLINED:
      case EXCLUDED_BY_KEYWORD:
      case EXCLUDED_BY_REGEX:
      case NOT_INCLUDED:
        return true;
      default:
        return false;
    }
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
