/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.spi.TaskProgress;
import java.util.Locale;

/** The words in which all long work tells how far it is, how fast it goes, and the time left. */
public final class Pace {

  /** Less time than this is no basis for a rate. */
  private static final long MIN_MILLIS = 3_000;

  private static final double MANY = 10;
  private static final long SECONDS_SHOWN = 100;
  private static final long MINUTES_SHOWN = 100;
  private static final long HOURS_SHOWN = 48;
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Pace() {}

  /** Formats an amount, for instance {@code 512}, {@code 1.5 MiB}. */
  public static String amount(TaskProgress.Unit unit, long amount) {
    return unit == TaskProgress.Unit.BYTES ? Bytes.text(amount) : Long.toString(amount);
  }

  /** Formats progress, for instance {@code rewriting containers: 1.5 MiB of 4.0 MiB}. */
  public static String words(TaskProgress progress) {
    if (progress.done() == 0 && progress.total() == 0) {
      return progress.step();
    }
    return (progress.step().isEmpty() ? "" : progress.step() + ": ")
        + share(progress.unit(), progress.done(), progress.total());
  }

  /**
   * Formats a part of a whole, for instance {@code 1.5 MiB of 4.0 MiB}.
   *
   * @param total 0 if that is not known
   */
  public static String share(TaskProgress.Unit unit, long done, long total) {
    return total > 0 ? amount(unit, done) + " of " + amount(unit, total) : amount(unit, done);
  }

  /**
   * Formats a rate, for instance {@code , 50.0 MiB/s}; empty where there is no basis for one.
   *
   * @param moved how much was done in {@code millis}
   */
  public static String rate(TaskProgress.Unit unit, long moved, long millis) {
    if (!isBasis(moved, millis)) {
      return "";
    }
    double perSecond = 1000.0 * moved / millis;
    if (unit == TaskProgress.Unit.BYTES) {
      return ", " + Bytes.text(Math.round(perSecond)) + "/s";
    }
    return String.format(Locale.ROOT, perSecond < MANY ? ", %.1f/s" : ", %.0f/s", perSecond);
  }

  /**
   * Formats the time that the rest takes at the same rate, for instance {@code , 2:05 min left};
   * empty where there is no basis for an estimate, or no rest.
   *
   * @param moved how much was done in {@code millis}
   * @param left how much is to be done; at most 0 if that is not known
   */
  public static String timeLeft(long moved, long millis, long left) {
    return left > 0 && isBasis(moved, millis)
        ? ", " + duration(Math.round(millis / 1000.0 * left / moved)) + " left"
        : "";
  }

  private static boolean isBasis(long moved, long millis) {
    return moved > 0 && millis >= MIN_MILLIS;
  }

  private static String duration(long seconds) {
    if (seconds < SECONDS_SHOWN) {
      return seconds + " s";
    } else if (seconds < MINUTES_SHOWN * MINUTE) {
      return String.format(Locale.ROOT, "%d:%02d min", seconds / MINUTE, seconds % MINUTE);
    } else if (seconds < HOURS_SHOWN * HOUR) {
      return String.format(Locale.ROOT, "%d:%02d h", seconds / HOUR, seconds % HOUR / MINUTE);
    }
    return seconds / DAY + " days";
  }
}
