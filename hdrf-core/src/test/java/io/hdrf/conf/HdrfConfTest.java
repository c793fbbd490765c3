/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HdrfConfTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hdrf.reduce.threads        | -1      | 0 to 1024",
        "hdrf.reduce.threads        | 1025    | 0 to 1024",
        "hdrf.reduce.threads        | two     | whole number",
        "hdrf.reduce.threads        | 2.5     | whole number",
        "hdrf.reduce.queue.length   | 0       | 1 to 1048576",
        "hdrf.reduce.queue.length   | -7      | 1 to 1048576",
        "hdrf.reduce.min.block.size | -1      | 0 to 1073741824",
        "hdrf.reduce.min.block.size | 2g      | 0 to 1073741824",
        "hdrf.reduce.min.block.size | 16 kb   | size in bytes",
        "hdrf.reduce.nice           | 20      | 0 to 19",
        "hdrf.reduce.nice           | -1      | 0 to 19",
        "hdrf.reduce.delay          | -1      | 0 to 60000",
        "hdrf.reduce.delay          | 60001   | 0 to 60000",
        "hdrf.reduce.scan.interval  | 0       | 1 to 604800",
        "hdrf.reduce.scan.interval  | 10m     | whole number",
        "hdrf.reduce.during.upgrade | 1       | true or false",
        "hdrf.reduce.existing       | never   | \"scan\" or \"convert\"",
        "hdrf.read.cache.size       | 9999999999999999999 | size in bytes",
        "hdrf.memory                | 0%      | from 1% to 100% of the maximum heap",
        "hdrf.memory                | 101%    | from 1% to 100% of the maximum heap",
        "hdrf.memory                | -1      | a size in bytes",
        "hdrf.memory                | much    | a size in bytes",
        "hdrf.read.cache.size       | big     | size in bytes",
        "hdrf.read.ahead.threads    | 257     | 0 to 256",
        "hdrf.read.ahead.threads    | -1      | 0 to 256",
        "hdrf.filter.min.age        | -1      | 0 to 31536000",
        "hdrf.filter.min.age        | 1h      | whole number",
        "hdrf.filter.exclude.regex  | a(b     | RE2 syntax: error parsing regexp: missing closing )",
        "hdrf.filter.include.regex  | (a)\\1  | RE2 syntax",
        "hdrf.filter.include.regex  | ((a{100}){100}){2} | at most 10000",
        "hdrf.filter.exclude.keywords | \u0141\u00F3d\u017A | characters up to U+00FF",
      })
  void aWrongValueIsNamedWithItsKeyAndWhatIsAccepted(String key, String value, String accepted) {
    Configuration conf = new Configuration(false);
    conf.set(key, value);
    assertThatThrownBy(() -> new HdrfConf(conf))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining(key)
        .hasMessageContaining(value)
        .hasMessageContaining(accepted);
  }

  @Test
  void valuesAreRead() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.reduce.threads", " 3 ");
    conf.set("hdrf.reduce.queue.length", "7");
    conf.set("hdrf.reduce.min.block.size", "1m");
    conf.set("hdrf.reduce.nice", "0");
    conf.set("hdrf.reduce.scan.interval", "1");
    conf.set("hdrf.reduce.during.upgrade", "true");
    conf.set("hdrf.reduce.existing", " convert ");
    conf.set("hdrf.read.cache.size", "0");
    conf.set("hdrf.read.ahead.threads", "0");
    conf.set("hdrf.plugins.dir", " /some/where ");
    HdrfConf hdrf = new HdrfConf(conf);
    assertThat(hdrf.reduceThreads()).isEqualTo(3);
    assertThat(hdrf.queueLength()).isEqualTo(7);
    assertThat(hdrf.minBlockSize()).isEqualTo(1 << 20);
    assertThat(hdrf.nice()).isZero();
    assertThat(hdrf.scanIntervalSeconds()).isEqualTo(1);
    assertThat(hdrf.duringUpgrade()).isTrue();
    assertThat(hdrf.scanReducesExisting()).isFalse();
    assertThat(new HdrfConf(new Configuration(false)).scanReducesExisting()).isTrue();
    assertThat(hdrf.readCacheSize()).isZero();
    assertThat(hdrf.readAheadThreads()).isZero();
    assertThat(hdrf.pluginsDirectory()).hasToString("/some/where");
  }

  @Test
  void theMemoryIsASizeOrAShareOfTheHeap() throws Exception {
    Configuration conf = new Configuration(false);
    assertThat(new HdrfConf(conf).memory()).isEqualTo(MemoryBudget.UNLIMITED);
    conf.set("hdrf.memory", " 3G ");
    assertThat(new HdrfConf(conf).memory()).isEqualTo(3L << 30);
    conf.set("hdrf.memory", "25%");
    assertThat(new HdrfConf(conf).memory()).isEqualTo(Runtime.getRuntime().maxMemory() / 100 * 25);
  }

  @Test
  void theFilterIsRead() throws Exception {
    Configuration conf = new Configuration(false);
    assertThat(new HdrfConf(conf).filterSettings().includesAll()).isTrue();
    conf.set("hdrf.filter.exclude.keywords", " one, two words ,,\n three \n");
    conf.set("hdrf.filter.include.regex", "\n  a{1,2}\n\n  b|c  \n");
    conf.set("hdrf.filter.min.age", "60");
    FilterSettings filter = new HdrfConf(conf).filterSettings();
    assertThat(filter.excludedKeywords()).containsExactly("one", "two words", "three");
    assertThat(filter.excludedPatterns()).isEmpty();
    assertThat(filter.includedKeywords()).isEmpty();
    assertThat(filter.includedPatterns()).hasToString("[a{1,2}, b|c]");
    assertThat(filter.minAgeSeconds()).isEqualTo(60);
    assertThat(new HdrfConf(conf).unknownKeys(Collections.emptySet())).isEmpty();
  }

  @Test
  void aSchemesLimitIsTheLowerOne() throws Exception {
    HookedScheme own = new HookedScheme("own", 65100, 3);
    HookedScheme any = new HookedScheme("any", 65101, Integer.MAX_VALUE);
    SchemeRegistry registry = SchemeRegistry.of(List.of(own, any));
    Configuration conf = new Configuration(false);
    assertThat(new HdrfConf(conf).maxBlocks(own)).isEqualTo(3);
    assertThat(new HdrfConf(conf).maxBlocks(any)).isEqualTo(Integer.MAX_VALUE);
    conf.set("hdrf.own.max.blocks", "9");
    conf.set("hdrf.any.max.blocks", "2");
    HdrfConf hdrf = new HdrfConf(conf);
    hdrf.checkMaxBlocks(registry);
    assertThat(hdrf.maxBlocks(own)).isEqualTo(3);
    assertThat(hdrf.maxBlocks(any)).isEqualTo(2);
    for (String wrong : List.of("-1", "1025", "few")) {
      conf.set("hdrf.any.max.blocks", wrong);
      assertThatThrownBy(() -> new HdrfConf(conf).checkMaxBlocks(registry))
          .isInstanceOf(BadSettingException.class)
          .hasMessageContaining("hdrf.any.max.blocks")
          .hasMessageContaining(wrong);
    }
  }

  @Test
  void aStorageTypesOwnChainGoesFirst() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.schemes", "lz4");
    conf.set("hdrf.schemes.ARCHIVE", "dedup,zstd");
    conf.set("hdrf.schemes.SSD", "none");
    conf.set("hdrf.schemes.RAM_DISK", " ");
    HdrfConf hdrf = new HdrfConf(conf);
    assertThat(hdrf.chain("DISK")).isEqualTo("lz4");
    assertThat(hdrf.chainKey("DISK")).isEqualTo("hdrf.schemes");
    assertThat(hdrf.chain("ARCHIVE")).isEqualTo("dedup,zstd");
    assertThat(hdrf.chainKey("ARCHIVE")).isEqualTo("hdrf.schemes.ARCHIVE");
    assertThat(hdrf.chain("SSD")).isEqualTo("none");
    assertThat(hdrf.chainKey("SSD")).isEqualTo("hdrf.schemes.SSD");
    assertThat(hdrf.chainKey("RAM_DISK")).isEqualTo("hdrf.schemes");
  }

  @Test
  void aMissingPluginDirectoryIsNull() throws Exception {
    assertThat(new HdrfConf(new Configuration(false)).pluginsDirectory()).isNull();
  }

  @Test
  void keyWithoutADefaultIsKnown() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set(HdrfKeys.METADATA_STORE, "embedded");
    conf.set(HdrfKeys.PLUGINS_DIR, "plugins");
    assertThat(new HdrfConf(conf).unknownKeys(Collections.emptySet())).isEmpty();
  }

  /** Reducing before the acknowledgement was removed; its key gets a warning. */
  @Test
  void aKeyOfEarlierVersionsIsUnknown() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.reduce.inline", "true");
    assertThat(new HdrfConf(conf).unknownKeys(Collections.emptySet()))
        .containsExactly("hdrf.reduce.inline");
  }
}
