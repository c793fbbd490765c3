/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.metadata.BlockRecord;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RulesDigestTest {

  private SchemeChain hooked;
  private SchemeChain other;
  private final Configuration conf = new Configuration(false);

  @BeforeEach
  void parseChains() throws Exception {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(new HookedScheme("hooked", 65100, 1), new HookedScheme("other", 65101, 1)));
    hooked = SchemeChain.parse("chain", "hooked", registry);
    other = SchemeChain.parse("chain", "other", registry);
  }

  private int digest(SchemeChain chain) {
    int digest = new RulesDigest(conf).of(chain);
    assertThat(digest).isBetween(1, BlockRecord.MAX_RULES);
    return digest;
  }

  @Test
  void isTheSameForTheSameRules() {
    conf.set("hdrf.filter.exclude.keywords", "a");
    conf.set("hdrf.hooked.level", "3");
    int before = digest(hooked);
    assertThat(digest(hooked)).isEqualTo(before);
    conf.set("hdrf.mirror.enabled", "false");
    conf.set("hdrf.other.level", "4");
    conf.set("dfs.blocksize", "1");
    assertThat(digest(hooked)).as("nothing that decides").isEqualTo(before);
    assertThat(digest(other)).isNotEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hdrf.filter.include.regex",
        "hdrf.reduce.min.block.size",
        "hdrf.hooked.level",
        "io.compression.codec.bzip2.library",
        "zlib.compress.level"
      })
  void isAnotherWithAnotherSetting(String key) {
    int without = digest(hooked);
    conf.set(key, "1");
    int with = digest(hooked);
    assertThat(with).isNotEqualTo(without);
    conf.set(key, "2");
    assertThat(digest(hooked)).isNotIn(with, without);
  }

  @Test
  void settingsAreNotTakenForEachOther() {
    conf.set("hdrf.hooked.a", "b");
    int one = digest(hooked);
    conf.unset("hdrf.hooked.a");
    conf.set("hdrf.hooked.ab", "");
    assertThat(digest(hooked)).isNotEqualTo(one);
  }
}
