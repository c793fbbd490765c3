/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of Hadoop in whose DataNodes HDRF runs. A version is the whole string: vendors
 * backport changes, so that their 3.4.1-x is not 3.4.1.
 */
public final class HadoopVersions {

  /** Those in whose DataNodes HDRF was run, oldest first. */
  public static final List<String> TESTED =
      Collections.unmodifiableList(
          Arrays.asList("3.1.4", "3.3.6", "3.4.1", "3.4.2", "3.4.3", "3.5.0"));

  /** Older ones lack classes and methods that HDRF uses. */
  private static final int[] OLDEST = {3, 1, 4};

  private static final Pattern NUMBERS =
      Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})(?!\\d).*");

  private HadoopVersions() {}

  public static boolean isTested(String version) {
    return TESTED.contains(version);
  }

  /**
   * Whether HDRF can't run in it, accepted or not. What has no three numbers in front can't be
   * compared, and is not too old.
   */
  public static boolean isTooOld(String version) {
    Matcher numbers = NUMBERS.matcher(version);
    if (!numbers.matches()) {
      return false;
    }
    for (int i = 0; i < OLDEST.length; i++) {
      int number = Integer.parseInt(numbers.group(i + 1));
      if (number != OLDEST[i]) {
        return number < OLDEST[i];
      }
    }
    return false;
  }
}
