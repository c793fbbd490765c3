/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.Bytes;
import java.util.Locale;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/** Sizes and ratios for people. */
final class Sizes {
  private Sizes() {}

  /** Formats bytes, for instance {@code 512 B}, {@code 1.5 MiB}. */
  static String bytes(long bytes) {
    return Bytes.text(bytes);
  }

  /**
   * Reads a number of bytes, with k, m, g or t behind it for 1024 and its powers.
   *
   * @param option for messages
   */
  static long parse(String option, String text) {
    try {
      long bytes = TraditionalBinaryPrefix.string2long(text.trim().toLowerCase(Locale.ROOT));
      if (bytes >= 0) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Refused below, with the option's name.
    }
    throw new IllegalArgumentException(
        option + " is \"" + text + "\"; a number of bytes is needed (k, m, g may follow)");
  }

  /** Formats a share, for instance {@code 43.2 %}. */
  static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  /** Formats seconds, for instance {@code 3.4 s}, {@code 2:05 min}. */
  static String seconds(double seconds) {
    if (seconds < 99.95) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d min", whole / 60, whole % 60);
  }
}
