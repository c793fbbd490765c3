/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/** The keys {@code hdrf.<section>.*}: typed access with errors that name the key. */
public final class PluginSettings {

  private static final String POWER = "2^-";

  private final Configuration configuration;
  private final String prefix;

  /**
   * @param configuration the DataNode's configuration
   * @param section the scheme, or part of HDRF, whose keys are read
   */
  public PluginSettings(Configuration configuration, String section) {
    this.configuration = configuration;
    this.prefix = "hdrf." + section + ".";
  }

  /** Returns the whole configuration, for schemes that wrap a Hadoop class. */
  public Configuration configuration() {
    return configuration;
  }

  /** Returns the full key of a setting, for messages. */
  public String key(String name) {
    return prefix + name;
  }

  /** Returns a string, trimmed. */
  public String getString(String name, String defaultValue) {
    return configuration.getTrimmed(key(name), defaultValue);
  }

  /** Returns a whole number from {@code min} to {@code max}. */
  public int getInt(String name, int defaultValue, int min, int max) throws BadSettingException {
    return (int) inRange(name, defaultValue, min, max, false);
  }

  /**
   * Returns a size in bytes from {@code min} to {@code max}; the value may end in k, m or g
   * (binary).
   */
  public int getSize(String name, int defaultValue, int min, int max) throws BadSettingException {
    return (int) inRange(name, defaultValue, min, max, true);
  }

  /** As {@link #getSize}, for sizes that may be 2 GiB and more. */
  public long getLongSize(String name, long defaultValue, long min, long max)
      throws BadSettingException {
    return inRange(name, defaultValue, min, max, true);
  }

  /** Returns a decimal fraction, or 2^-N for a whole N, from {@code min} to {@code max}. */
  public double getFraction(String name, double defaultValue, double min, double max)
      throws BadSettingException {
    String value = configuration.getTrimmed(key(name));
    if (value == null || value.isEmpty()) {
      return defaultValue;
    }
    double number;
    try {
      number =
          value.startsWith(POWER)
              ? Math.scalb(1.0, -Integer.parseInt(value.substring(POWER.length())))
              : Double.parseDouble(value);
    } catch (NumberFormatException e) {
      number = Double.NaN;
    }
    if (number >= min && number <= max) {
      return number;
    }
    throw new BadSettingException(
        key(name), value, "a decimal fraction, or 2^-N, from " + text(min) + " to " + text(max));
  }

  /** Returns the fraction for messages; very small powers of two are shown as such. */
  private static String text(double fraction) {
    int exponent = Math.getExponent(fraction);
    return exponent < -9 && fraction == Math.scalb(1.0, exponent)
        ? POWER + -exponent
        : Double.toString(fraction);
  }

  /** Returns either {@code true} or {@code false}. */
  public boolean getBoolean(String name, boolean defaultValue) throws BadSettingException {
    String value = configuration.getTrimmed(key(name));
    if (value == null || value.isEmpty()) {
      return defaultValue;
    }
    switch (value.toLowerCase(Locale.ROOT)) {
      case "true":
        return true;
      case "false":
        return false;
      default:
        throw new BadSettingException(key(name), value, "true or false");
    }
  }

  private long inRange(String name, long defaultValue, long min, long max, boolean size)
      throws BadSettingException {
    String value = configuration.getTrimmed(key(name));
    if (value == null || value.isEmpty()) {
      return defaultValue;
    }
    long number;
    try {
      number =
          size
              ? TraditionalBinaryPrefix.string2long(value.toLowerCase(Locale.ROOT))
              : Long.parseLong(value);
    } catch (IllegalArgumentException e) {
      throw outOfRange(name, value, min, max, size);
    }
    if (number < min || number > max) {
      throw outOfRange(name, value, min, max, size);
    }
    return number;
  }

  private BadSettingException outOfRange(
      String name, String value, long min, long max, boolean size) {
    String kind = size ? "a size in bytes (k, m, g may follow)" : "a whole number";
    String range = max == Long.MAX_VALUE ? " of at least " + min : " from " + min + " to " + max;
    return new BadSettingException(key(name), value, kind + range);
  }
}
