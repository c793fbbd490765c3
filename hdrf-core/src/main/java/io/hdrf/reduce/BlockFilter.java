/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import com.google.re2j.Pattern;
import io.hdrf.conf.FilterSettings;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Leaves alone the blocks that the operator does not want reduced ('block filter' of the thesis,
 * 3.3.3), by their age and by what their first {@link #SEARCHED} bytes hold. Immutable.
 */
public final class BlockFilter {

  /** How much of a block is searched, in bytes: as much as a packet carries. */
  public static final int SEARCHED = 64 << 10;

  private final FilterSettings settings;

  public BlockFilter(FilterSettings settings) {
    this.settings = settings;
  }

  /**
   * Looks at a block's age.
   *
   * @param modified when the block was last written to, in milliseconds since 1970
   * @param now in milliseconds since 1970
   * @throws BlockSkippedException with {@link SkipReason#TOO_YOUNG}
   */
  void checkAge(long modified, long now) throws BlockSkippedException {
    if (isAgeLimited() && now - modified < TimeUnit.SECONDS.toMillis(settings.minAgeSeconds())) {
      throw new BlockSkippedException(
          SkipReason.TOO_YOUNG, "it was written to " + (now - modified) + " ms ago");
    }
  }

  /** Whether blocks must be old enough. */
  boolean isAgeLimited() {
    return settings.minAgeSeconds() > 0;
  }

  /**
   * Looks at a block's beginning.
   *
   * @param length the block's length in bytes
   * @throws BlockSkippedException if the block is to stay plain
   */
  public void checkContent(ReadableFile plain, long length) throws IOException {
    FilterSettings.Search exclude = settings.exclude();
    FilterSettings.Search include = settings.include();
    if (exclude.isEmpty() && include.isEmpty()) {
      return;
    }
    String head = head(plain, length);
    String keyword = keywordIn(head, exclude);
    if (keyword != null) {
      throw new BlockSkippedException(
          SkipReason.EXCLUDED_BY_KEYWORD, "its beginning holds \"" + keyword + "\"");
    }
    Pattern pattern = patternIn(head, exclude);
    if (pattern != null) {
      throw new BlockSkippedException(
          SkipReason.EXCLUDED_BY_REGEX, "its beginning matches " + pattern);
    }
    if (!include.isEmpty()
        && keywordIn(head, include) == null
        && patternIn(head, include) == null) {
      throw new BlockSkippedException(
          SkipReason.NOT_INCLUDED, "its beginning holds nothing that is to be reduced");
    }
  }

  /** One character for each byte. */
  private static String head(ReadableFile plain, long length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(SEARCHED, length));
    plain.read(bytes, 0);
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
  }

  private static String keywordIn(String head, FilterSettings.Search search) {
    for (String keyword : search.keywords()) {
      if (head.contains(keyword)) {
        return keyword;
      }
    }
    return null;
  }

  private static Pattern patternIn(String head, FilterSettings.Search search) {
    for (Pattern pattern : search.patterns()) {
      if (pattern.matcher(head).find()) {
        return pattern;
      }
    }
    return null;
  }
}
