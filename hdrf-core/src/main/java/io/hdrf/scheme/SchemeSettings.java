/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;

/** The keys {@code hdrf.<section>.*}: typed access with errors that name the key. */
public final class SchemeSettings {

  private final Configuration configuration;
  private final String prefix;

  /**
   * @param configuration the DataNode's configuration
   * @param section the scheme, or part of HDRF, whose keys are read
   */
  public SchemeSettings(Configuration configuration, String section) {
    this.configuration = configuration;
    this.prefix = "hdrf." + section + ".";
  }

  /** The whole configuration, for schemes that wrap a Hadoop class. */
  public Configuration configuration() {
    return configuration;
  }

  /** The full key of a setting, for messages. */
  public String key(String name) {
    return prefix + name;
  }

  /** A string, trimmed. */
  public String getString(String name, String defaultValue) {
    return configuration.getTrimmed(key(name), defaultValue);
  }

  /** A whole number from {@code min} to {@code max}. */
  public int getInt(String name, int defaultValue, int min, int max) throws BadSettingException {
    return inRange(name, defaultValue, min, max, false);
  }

  /** A size in bytes from {@code min} to {@code max}; the value may end in k, m or g (binary). */
  public int getSize(String name, int defaultValue, int min, int max) throws BadSettingException {
    return inRange(name, defaultValue, min, max, true);
  }

  /** Either {@code true} or {@code false}. */
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

  private int inRange(String name, int defaultValue, int min, int max, boolean size)
      throws BadSettingException {
    String value = configuration.getTrimmed(key(name));
    if (value == null || value.isEmpty()) {
      return defaultValue;
    }
    long number;
    try {
      number =
          size
              ? org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix.string2long(
                  value.toLowerCase(Locale.ROOT))
              : Long.parseLong(value);
    } catch (IllegalArgumentException e) {
      throw outOfRange(name, value, min, max, size);
    }
    if (number < min || number > max) {
      throw outOfRange(name, value, min, max, size);
    }
    return (int) number;
  }

  private BadSettingException outOfRange(
      String name, String value, int min, int max, boolean size) {
    String kind = size ? "a size in bytes (k, m, g may follow)" : "a whole number";
    return new BadSettingException(key(name), value, kind + " from " + min + " to " + max);
  }
}
