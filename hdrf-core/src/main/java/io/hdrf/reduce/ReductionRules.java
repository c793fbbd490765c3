/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import com.google.re2j.Pattern;
import io.hdrf.conf.FilterSettings;
import io.hdrf.conf.HdrfConf;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides by length, age and content which blocks are reduced: those that save enough and pass the
 * operator's filter ('block filter' of the thesis, 3.3.3). Immutable.
 */
public final class ReductionRules {

  /** The number of bytes searched at a block's beginning. */
  private static final int SEARCHED = 64 << 10;

  /** A block is replaced only where this saves at least one file-system block and 5 %. */
  private static final int FILE_SYSTEM_BLOCK = 4096;

  private static final int MIN_SAVING_DIVISOR = 20;

  private static final int SAMPLES = 4;
  private static final int SAMPLE_LENGTH = 32 << 10;

  /** Shorter blocks are encoded without samples. */
  private static final int MIN_PROBED_LENGTH = 16 * SAMPLES * SAMPLE_LENGTH;

  private final int minBlockSize;
  private final FilterSettings filter;

  public ReductionRules(HdrfConf conf) {
    this.minBlockSize = conf.minBlockSize();
    this.filter = conf.filterSettings();
  }

  /**
   * The greatest length that a block's reduced file may have.
   *
   * @param length the block's length in bytes
   * @return in bytes, at least 1
   * @throws BlockSkippedException with {@link SkipReason#SMALL}
   */
  public long limit(SchemeChain chain, long length) throws BlockSkippedException {
    if (isSmall(chain, length)) {
      throw new BlockSkippedException(SkipReason.SMALL, "it has " + length + " bytes");
    }
    return greatestLength(chain, length);
  }

  /** Returns whether a block of that length, in bytes, stays plain with a chain. */
  public boolean isSmall(SchemeChain chain, long length) {
    return isShort(length) || greatestLength(chain, length) <= 0;
  }

  private static long greatestLength(SchemeChain chain, long length) {
    return chain.keepsContentInStore()
        ? length
        : length - Math.max(FILE_SYSTEM_BLOCK, length / MIN_SAVING_DIVISOR);
  }

  /**
   * Checks a block's age.
   *
   * @param modified when the block was last written to, in milliseconds since 1970
   * @param now in milliseconds since 1970
   * @throws BlockSkippedException with {@link SkipReason#TOO_YOUNG}
   */
  void checkAge(long modified, long now) throws BlockSkippedException {
    if (isAgeLimited() && now - modified < TimeUnit.SECONDS.toMillis(filter.minAgeSeconds())) {
      throw new BlockSkippedException(
          SkipReason.TOO_YOUNG, "it was written to " + (now - modified) + " ms ago");
    }
  }

  /** Returns whether blocks must be old enough. */
  boolean isAgeLimited() {
    return filter.minAgeSeconds() > 0;
  }

  /**
   * Checks a block's beginning.
   *
   * @param length the block's length in bytes
   * @throws BlockSkippedException if the block is to stay plain
   */
  public void checkContent(ReadableFile plain, long length) throws IOException {
    if (!looksAtContent()) {
      return;
    }
    BlockSkippedException refusal = refusal(head(plain, length));
    if (refusal != null) {
      throw refusal;
    }
  }

  /** Returns whether the operator's filter looks at blocks' content. */
  public boolean looksAtContent() {
    return !filter.includesAll()
        || !filter.excludedKeywords().isEmpty()
        || !filter.excludedPatterns().isEmpty();
  }

  /** Returns whether every block of that length, in bytes, stays plain. */
  public boolean isShort(long length) {
    return length < Math.max(minBlockSize, 1);
  }

  /**
   * Returns whether a block stays plain because of its content.
   *
   * @param beginning its first bytes; of them, {@link #SEARCHED} are looked at at most
   * @param length how many there are
   */
  public boolean excludes(byte[] beginning, int length) {
    int searched = Math.min(SEARCHED, length);
    return looksAtContent()
        && refusal(new String(beginning, 0, searched, StandardCharsets.ISO_8859_1)) != null;
  }

  /** Returns why a block that begins so stays plain, or null. */
  private BlockSkippedException refusal(String head) {
    String keyword = keywordIn(head, filter.excludedKeywords());
    if (keyword != null) {
      return new BlockSkippedException(
          SkipReason.EXCLUDED_BY_KEYWORD, "its beginning holds \"" + keyword + "\"");
    }
    Pattern pattern = patternIn(head, filter.excludedPatterns());
    if (pattern != null) {
      return new BlockSkippedException(
          SkipReason.EXCLUDED_BY_REGEX, "its beginning matches " + pattern);
    }
    if (!filter.includesAll()
        && keywordIn(head, filter.includedKeywords()) == null
        && patternIn(head, filter.includedPatterns()) == null) {
      return new BlockSkippedException(
          SkipReason.NOT_INCLUDED, "its beginning holds nothing that is to be reduced");
    }
    return null;
  }

  /** Returns the block's beginning, one character for each byte. */
  private static String head(ReadableFile plain, long length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(SEARCHED, length));
    plain.read(bytes, 0);
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
  }

  private static String keywordIn(String head, List<String> keywords) {
    for (String keyword : keywords) {
      if (head.contains(keyword)) {
        return keyword;
      }
    }
    return null;
  }

  private static Pattern patternIn(String head, List<Pattern> patterns) {
    for (Pattern pattern : patterns) {
      if (pattern.matcher(head).find()) {
        return pattern;
      }
    }
    return null;
  }

  /**
   * Encodes a few samples of a long block where its chain consists of frame schemes.
   *
   * @param length the block's length in bytes
   * @throws BlockSkippedException with {@link SkipReason#INCOMPRESSIBLE} if they become less than 5
   *     % shorter: the rest is not worth the work
   */
  public static void probe(ChainCodec codec, long length, ReadableFile plain) throws IOException {
    SchemeChain chain = codec.chain();
    if (length < MIN_PROBED_LENGTH || !(chain.schemes().get(0) instanceof FrameScheme)) {
      return;
    }
    long stride = (length - SAMPLE_LENGTH) / (SAMPLES - 1);
    long[] stored = new long[1];
    for (int sample = 0; sample < SAMPLES; sample++) {
      long[] position = {sample * stride};
      codec.encode(
          SAMPLE_LENGTH,
          dst -> {
            int count = plain.read(dst, position[0]);
            position[0] += count;
            return count;
          },
          (originalLength, stages, frame) -> stored[0] += frame.remaining());
    }
    long sampled = (long) SAMPLES * SAMPLE_LENGTH;
    if (stored[0] > sampled - sampled / MIN_SAVING_DIVISOR) {
      throw new BlockSkippedException(
          SkipReason.INCOMPRESSIBLE, sampled + " sampled bytes became " + stored[0]);
    }
  }
}
