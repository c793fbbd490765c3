/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PluginSettingsTest {

  private static final double LEAST = 1.0 / (1L << 40);

  private final Configuration conf = new Configuration(false);
  private final PluginSettings settings = new PluginSettings(conf, "some");

  private long longSize(String value) throws BadSettingException {
    conf.set("hdrf.some.size", value);
    return settings.getLongSize("size", 7, 1, Long.MAX_VALUE);
  }

  private double fraction(String value) throws BadSettingException {
    conf.set("hdrf.some.fraction", value);
    return settings.getFraction("fraction", 0.25, LEAST, 0.5);
  }

  @Test
  void longSizes() throws BadSettingException {
    assertThat(settings.getLongSize("none", 7, 1, 9)).isEqualTo(7);
    assertThat(longSize("")).isEqualTo(7);
    assertThat(longSize(" 5G ")).isEqualTo(5L << 30);
    assertThat(longSize("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "much", "9223372036854775808"})
  void wrongLongSizes(String value) {
    assertThatThrownBy(() -> longSize(value))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.some.size")
        .hasMessageContaining(value)
        .hasMessageContaining("at least 1");
  }

  @ParameterizedTest
  @CsvSource({"0.25,''", "0.5,0.5", "0.5,2^-1", "0.125,2^-3", "0.001,1e-3"})
  void fractions(double expected, String value) throws BadSettingException {
    assertThat(fraction(value)).isEqualTo(expected);
    assertThat(fraction("2^-40")).isEqualTo(LEAST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0.51", "NaN", "2^-0", "2^-41", "2^--1", "2^-", "half"})
  void wrongFractions(String value) {
    assertThatThrownBy(() -> fraction(value))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.some.fraction")
        .hasMessageContaining(value)
        .hasMessageContaining("from 2^-40 to 0.5");
  }
}
