/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.jni.Chunker;
import io.hdrf.jni.ChunkerAlgorithm;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DedupSettingsTest {

  private final Configuration conf = new Configuration(false);

  private Chunker chunker() throws BadSettingException {
    return new DedupSettings(new PluginSettings(conf, "dedup")).chunker();
  }

  @Test
  void maximumOfRamlIsThatOfTheKey() throws BadSettingException {
    conf.set("hdrf.dedup.chunker", "raml");
    conf.set("hdrf.dedup.chunk.size", "4k");
    for (String own : new String[] {"", "8k", "10000", "16m"}) {
      conf.set("hdrf.dedup.chunk.max", own);
      Chunker expected =
          own.isEmpty()
              ? Chunker.of(ChunkerAlgorithm.RAML, 4096)
              : Chunker.of(
                  ChunkerAlgorithm.RAML,
                  4096,
                  own.equals("8k") ? 8192 : own.equals("16m") ? 16 << 20 : 10_000);
      assertThat(chunker()).hasToString(expected.toString());
    }
  }

  /** Twice the average is the least, the limit of the formats the most. */
  @ParameterizedTest
  @ValueSource(strings = {"8191", "4k", "0", "-1", "16777217", "4g", "long"})
  void maximumOutOfRangeIsRefused(String maximum) {
    conf.set("hdrf.dedup.chunker", "raml");
    conf.set("hdrf.dedup.chunk.size", "4k");
    conf.set("hdrf.dedup.chunk.max", maximum);
    assertThatThrownBy(this::chunker)
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.dedup.chunk.max is \"" + maximum + "\"")
        .hasMessageContaining("from 8192 to 16777216");
  }

  @Test
  void noOtherRuleTakesAMaximum() {
    conf.set("hdrf.dedup.chunk.max", "64k");
    for (ChunkerAlgorithm algorithm : ChunkerAlgorithm.values()) {
      if (algorithm != ChunkerAlgorithm.RAML) {
        conf.set("hdrf.dedup.chunker", algorithm.configurationName());
        assertThatThrownBy(this::chunker)
            .isInstanceOf(BadSettingException.class)
            .hasMessageContaining("hdrf.dedup.chunk.max is \"64k\"")
            .hasMessageContaining("the maximum of " + algorithm.configurationName());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bloom", "off", "dba,cuckoo"})
  void otherIndexesAreRefused(String index) {
    conf.set("hdrf.dedup.index", index);
    assertThatThrownBy(this::chunker)
        .isInstanceOf(BadSettingException.class)
        .hasMessage("hdrf.dedup.index is \"" + index + "\", but must be dba or cuckoo");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65535", "1025m", "much"})
  void memoryOfAnIndexIsBounded(String memory) {
    conf.set("hdrf.dedup.index.memory", memory);
    assertThatThrownBy(this::chunker)
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.dedup.index.memory is \"" + memory + "\"");
  }

  /** Those that only the benchmarks have now are wrong values like any other. */
  @ParameterizedTest
  @ValueSource(strings = {"ae", "LMC", "rabin", "gear", "buzhash"})
  void chunkersThatAreNotThereAreRefused(String name) {
    conf.set("hdrf.dedup.chunker", name);
    assertThatThrownBy(this::chunker)
        .isInstanceOf(BadSettingException.class)
        .hasMessage(
            "hdrf.dedup.chunker is \""
                + name.toLowerCase(Locale.ROOT)
                + "\", but must be one of [ram, raml, fastcdc, fixed, vhash]");
  }

  /** 16 groups as they are by default, and more where a frame is large. */
  @Test
  void basesMayTakeTwiceTheFrame() throws BadSettingException {
    for (String frame : new String[] {"4k", "256k", "2m", "3m", "16m"}) {
      conf.set("hdrf.dedup.frame.size", frame);
      DedupSettings settings = new DedupSettings(new PluginSettings(conf, "dedup"));
      assertThat(settings.baseMemory())
          .isEqualTo(frame.equals("3m") ? 6 << 20 : frame.equals("16m") ? 32 << 20 : 4 << 20);
    }
  }
}
