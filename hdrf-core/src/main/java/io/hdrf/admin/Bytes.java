/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.util.Locale;

/** Numbers of bytes for people. */
public final class Bytes {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private Bytes() {}

  /** Formats a number, for instance {@code 512 B}, {@code 1.5 MiB}. */
  public static String text(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
  }

  /** Formats a part of a whole, for instance {@code 43.2 %}. */
  public static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }
}
