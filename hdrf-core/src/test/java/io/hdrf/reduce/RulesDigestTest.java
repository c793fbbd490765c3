/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.metadata.BlockRecord;
import io.hdrf.sample.StoreScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

  /** As operators share values among settings. */
  @Test
  void isAnotherWithAnotherValueOfAVariable() {
    conf.set("hdrf.filter.exclude.keywords", "${our.keywords}");
    conf.set("our.keywords", "a");
    int before = digest(hooked);
    conf.set("our.keywords", "b");
    assertThat(digest(hooked)).isNotEqualTo(before);
  }

  /** A scheme in two builds of a jar whose manifest names no version, or that of a snapshot. */
  @Test
  void isAnotherWithAnotherBuild(@TempDir Path dir) throws Exception {
    int one = digest(chainOf(jar(dir.resolve("one.jar"), "one")));
    assertThat(digest(chainOf(jar(dir.resolve("copy.jar"), "one")))).isEqualTo(one);
    assertThat(digest(chainOf(jar(dir.resolve("two.jar"), "two")))).isNotEqualTo(one);
  }

  private static Path jar(Path jar, String build) throws IOException {
    String name = HookedScheme.class.getName().replace('.', '/');
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String entry : List.of(name, name + "$Codec", name + "$Hook")) {
        out.putNextEntry(new ZipEntry(entry + ".class"));
        try (InputStream in = ClassLoader.getSystemResourceAsStream(entry + ".class")) {
          in.transferTo(out);
        }
      }
      out.putNextEntry(new ZipEntry("build"));
      out.write(build.getBytes(StandardCharsets.UTF_8));
    }
    return jar;
  }

  private static SchemeChain chainOf(Path jar) throws Exception {
    String name = HookedScheme.class.getName();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}) {
          @Override
          protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
            if (!type.startsWith(name)) {
              return super.loadClass(type, resolve);
            }
            Class<?> loaded = findLoadedClass(type);
            return loaded == null ? findClass(type) : loaded;
          }
        }) {
      FrameScheme scheme =
          (FrameScheme)
              loader
                  .loadClass(name)
                  .getConstructor(String.class, int.class, int.class)
                  .newInstance("hooked", 65100, 1);
      return SchemeChain.parse("chain", "hooked", SchemeRegistry.of(List.of(scheme)));
    }
  }

  /** A scheme with a store may take later what it declines now. */
  @Test
  void whatDependsOnAStoreIsNotByTheRules() throws Exception {
    SchemeChain stored =
        SchemeChain.parse("chain", "store", SchemeRegistry.of(List.of(new StoreScheme())));
    RulesDigest digest = new RulesDigest(conf);
    for (SkipReason reason : SkipReason.values()) {
      boolean filtered =
          reason == SkipReason.EXCLUDED_BY_KEYWORD
              || reason == SkipReason.EXCLUDED_BY_REGEX
              || reason == SkipReason.NOT_INCLUDED;
      boolean tried = reason == SkipReason.INCOMPRESSIBLE || reason == SkipReason.DECLINED;
      assertThat(digest.of(stored, reason))
          .isEqualTo(filtered ? digest.of(stored) : BlockRecord.NO_RULES);
      assertThat(digest.of(hooked, reason))
          .isEqualTo(filtered || tried ? digest.of(hooked) : BlockRecord.NO_RULES);
    }
  }
}
