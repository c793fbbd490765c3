/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DbaSettingsTest {

  private static DbaSettings from(Map<String, String> values) throws BadSettingException {
    Configuration configuration = new Configuration(false);
    values.forEach((name, value) -> configuration.set("hdrf.dedup.dba." + name, value));
    return DbaSettings.from(new PluginSettings(configuration, "dedup"));
  }

  @Test
  void defaults() throws BadSettingException {
    DbaSettings settings = from(Map.of());
    assertThat(settings.errorRate()).isEqualTo(1.0 / 16384);
    assertThat(settings.capacity()).isEqualTo(1 << 19);
    assertThat(settings.filters()).isEqualTo(64);
    assertThat(settings.group()).isEqualTo(DbaSettings.AUTO);
    assertThat(settings.growth()).isEqualTo(3);
    assertThat(settings.control()).isEqualTo(DbaSettings.Control.TIGHTEN);
    assertThat(settings.staleShare()).isEqualTo(0.25);
    assertThat(settings.memory()).isEqualTo(256L << 20);
  }

  @Test
  void valuesAreTaken() throws BadSettingException {
    DbaSettings settings =
        from(
            Map.of(
                "error.rate", "2^-10",
                "capacity", "1000",
                "filters", "12",
                "group", "128",
                "growth", "2",
                "control", "Enlarge",
                "stale.share", "0.5",
                "memory", "5g"));
    assertThat(settings.errorRate()).isEqualTo(1.0 / 1024);
    assertThat(settings.capacity()).isEqualTo(1000);
    assertThat(settings.filters()).isEqualTo(12);
    assertThat(settings.group()).isEqualTo(128);
    assertThat(settings.growth()).isEqualTo(2);
    assertThat(settings.control()).isEqualTo(DbaSettings.Control.ENLARGE);
    assertThat(settings.staleShare()).isEqualTo(0.5);
    assertThat(settings.memory()).isEqualTo(5L << 30);
    assertThat(from(Map.of("error.rate", "0.001")).errorRate()).isEqualTo(0.001);
    assertThat(from(Map.of("group", "auto")).group()).isEqualTo(DbaSettings.AUTO);
    assertThat(from(Map.of("memory", "0")).memory()).isEqualTo(DbaSettings.UNLIMITED);
  }

  @ParameterizedTest
  @CsvSource({
    "error.rate, 0",
    "error.rate, 2^-41",
    "error.rate, 2^x",
    "error.rate, NaN",
    "capacity, 0",
    "capacity, 134217729",
    "filters, 0",
    "group, 2",
    "group, 24",
    "group, 1024",
    "group, wide",
    "growth, 1",
    "control, both",
    "stale.share, 0",
    "stale.share, 1.1",
    "memory, -1",
    "memory, much"
  })
  void wrongValuesAreNamed(String name, String value) {
    assertThatThrownBy(() -> from(Map.of(name, value)))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.dedup.dba." + name)
        .hasMessageContaining(value);
  }

  @Test
  void wrongValuesAreRefused() {
    assertThatThrownBy(() -> DbaSettings.builder().group(4).build())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> DbaSettings.builder().memory(-1).build())
        .isInstanceOf(IllegalArgumentException.class);
  }
}
