/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class HdrfDefaultsTest {

  @Test
  void theDescribedDefaultsAreTheOnesInForce() throws Exception {
    Configuration described = new Configuration(false);
    described.addResource(HdrfConf.DEFAULTS);
    HdrfConf explicit = new HdrfConf(described);
    HdrfConf implicit = new HdrfConf(new Configuration(false));
    for (Method getter : HdrfConf.class.getDeclaredMethods()) {
      if (Modifier.isPublic(getter.getModifiers())
          && getter.getParameterCount() == 0
          && !getter.getName().equals("configuration")) {
        assertThat(getter.invoke(explicit))
            .as(getter.getName())
            .usingRecursiveComparison()
            .isEqualTo(getter.invoke(implicit));
      }
    }
  }

  @Test
  void misspeltKeysAreFound() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.scheme", "lz4");
    conf.set("hdrf.schemes", "lz4");
    conf.set("hdrf.reduce.thread", "1");
    conf.set("hdrf.mine.level", "1");
    conf.set("hdrf.lz4.frame.size", "64k");
    conf.set("hdrf.metadata.redis.uri", "redis://server");
    conf.set("hdrf.metadata.redis.address", "server:6379");
    conf.set("hdrf.metadata.redis.user", "someone");
    conf.set("hdrf.filter.exclude.keywords", "word");
    conf.set("hdrf.plugins.dir", "/plugins");
    conf.set("hdrf.dedup.chunk.sise", "8k");
    conf.set("hdrf.metadata.mine.level", "1");
    conf.set("hdrf.schemes.SSD", "lz4");
    assertThat(new HdrfConf(conf).unknownKeys(Set.of("dedup", "lz4", "mine")))
        .containsExactly(
            "hdrf.dedup.chunk.sise",
            "hdrf.metadata.mine.level",
            "hdrf.metadata.redis.uri",
            "hdrf.reduce.thread",
            "hdrf.scheme");
  }

  @Test
  void keysOfAForeignStoreAreItsOwn() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.metadata.store", "mine");
    conf.set("hdrf.metadata.mine.level", "1");
    conf.set("hdrf.metadata.redis.uri", "redis://server");
    assertThat(new HdrfConf(conf).unknownKeys(Set.of())).containsExactly("hdrf.metadata.redis.uri");
  }
}
