/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.plugin.PluginLoadException;
import io.hdrf.sample.DeflateScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.sample.StoreScheme;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.SpiVersion;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemeRegistryTest {

  private static final String SPI_VERSION = "io.hdrf.spi.scheme.SpiVersion";

  @TempDir Path plugins;

  @Test
  void loadsTheSchemesOfAllJars() throws IOException {
    PluginJars.of(plugins, StoreScheme.class);
    PluginJars.of(plugins, RunScheme.class, DeflateScheme.class);
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    assertThat(registry.names()).containsExactly("deflate", "run", "store");
    assertThat(registry.byId(65000)).isSameAs(registry.byName("store"));
    assertThat(registry.byName("store").getClass()).isNotEqualTo(StoreScheme.class);
    assertThat(registry.byName("store").getClass().getName())
        .isEqualTo(StoreScheme.class.getName());
  }

  @Test
  void aLoadedSchemeStoresABlock(@TempDir Path store) throws IOException {
    PluginJars.of(plugins, StoreScheme.class);
    Random random = TestSeed.random("store");
    byte[] block = TestData.RANDOM.bytes(200_000, random);
    try (Volume volume =
        new Volume(SchemeRegistry.load(plugins), new Configuration(false), store)) {
      ChainCodec codec = volume.codec(65000);
      assertThat(codec.chain().keepsContentInStore()).isTrue();
      assertThat(Volume.decode(codec, Volume.encode(codec, block, random), random))
          .isEqualTo(block);
    }
    assertThat(store.resolve("store")).isNotEmptyDirectory();
  }

  @Test
  void oneClassLoaderPerJar() throws Exception {
    PluginJars.of(plugins, StoreScheme.class);
    Path link =
        Files.createSymbolicLink(plugins.resolveSibling("link" + System.nanoTime()), plugins);
    Set<ClassLoader> loaders = ConcurrentHashMap.newKeySet();
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      Callable<Boolean> load =
          () ->
              loaders.add(SchemeRegistry.load(plugins).byName("store").getClass().getClassLoader());
      for (var result : pool.invokeAll(java.util.Collections.nCopies(8, load))) {
        result.get();
      }
    } finally {
      pool.shutdownNow();
    }
    loaders.add(SchemeRegistry.load(link).byName("store").getClass().getClassLoader());
    Files.delete(link);
    assertThat(loaders).hasSize(1);
  }

  @Test
  void aReplacedJarGetsANewClassLoader() throws IOException {
    Path jar = PluginJars.of(plugins, StoreScheme.class);
    ReductionScheme before = SchemeRegistry.load(plugins).byName("store");
    PluginJars.of(plugins, StoreScheme.class);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(System.currentTimeMillis() + 5000));
    ReductionScheme after = SchemeRegistry.load(plugins).byName("store");
    assertThat(after.getClass()).isNotEqualTo(before.getClass());
  }

  @Test
  void aJarSeesTheSpiAndThePlatformButNoOtherClassesOfHdrfsClassPath() throws Exception {
    PluginJars.of(plugins, StoreScheme.class);
    ClassLoader loader = SchemeRegistry.load(plugins).byName("store").getClass().getClassLoader();
    for (Class<?> shared :
        new Class<?>[] {
          FrameChain.class,
          io.hdrf.spi.io.BufferPool.class,
          Configuration.class,
          org.slf4j.Logger.class,
          String.class
        }) {
      assertThat(loader.loadClass(shared.getName())).isSameAs(shared);
    }
    assertThat(loader.loadClass("java.sql.Connection")).isNotNull();
    for (String hidden : new String[] {"io.hdrf.conf.HdrfConf", "com.google.common.base.Joiner"}) {
      assertThat(Class.forName(hidden)).isNotNull();
      assertThatThrownBy(() -> loader.loadClass(hidden)).isInstanceOf(ClassNotFoundException.class);
    }
    assertThat(java.util.Collections.list(loader.getResources(SERVICE))).hasSize(1);
  }

  private static final String SERVICE = "META-INF/services/io.hdrf.spi.scheme.ReductionScheme";

  @Test
  void anEmptyDirectoryHasNoSchemes() throws IOException {
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    assertThat(registry.names()).isEmpty();
    assertThatThrownBy(() -> registry.byName("lz4"))
        .isInstanceOf(SchemeNotFoundException.class)
        .hasMessage("there is no scheme \"lz4\"; installed in " + plugins + ": none");
  }

  @Test
  void aMissingSchemeIsReportedWithWhatIsInstalled() throws IOException {
    PluginJars.of(plugins, StoreScheme.class, RunScheme.class);
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    assertThatThrownBy(() -> registry.byId(7))
        .isInstanceOf(SchemeNotFoundException.class)
        .hasMessage(
            "there is no scheme with id 7; installed in "
                + plugins
                + ": run (id 65004), store (id 65000)");
  }

  @Test
  void whatIsNoJarIsPassedOver() throws IOException {
    Files.writeString(plugins.resolve("README"), "not a jar");
    Files.createDirectory(plugins.resolve("old.jar"));
    assertThat(SchemeRegistry.load(plugins).names()).isEmpty();
  }

  @Test
  void aJarWithoutASchemeIsPassedOver() throws IOException {
    new PluginJarBuilder().file("a.txt", "a").write(plugins.resolve("library.jar"));
    new PluginJarBuilder().file(SERVICE, "# none\n").write(plugins.resolve("none.jar"));
    assertThat(SchemeRegistry.load(plugins).names()).isEmpty();
  }

  @Test
  void aMissingDirectoryIsABadSetting() throws IOException {
    Path file = Files.writeString(plugins.resolve("file"), "");
    for (Path directory : new Path[] {plugins.resolve("nowhere"), file}) {
      assertThatThrownBy(() -> SchemeRegistry.load(directory))
          .isInstanceOf(BadSettingException.class)
          .hasMessage(
              "hdrf.plugins.dir is \""
                  + directory
                  + "\", but must be a directory that the DataNode can read");
    }
  }

  @Test
  void aBrokenJarIsNamed() throws IOException {
    Path jar = Files.writeString(plugins.resolve("broken.jar"), "PK, but no zip file");
    assertRefused("is not a jar that can be read", jar);
  }

  @Test
  void aTruncatedJarIsNamed() throws IOException {
    Path jar = PluginJars.of(plugins, StoreScheme.class);
    byte[] bytes = Files.readAllBytes(jar);
    Files.write(jar, java.util.Arrays.copyOf(bytes, bytes.length / 2));
    assertRefused("is not a jar that can be read", jar);
  }

  @Test
  void aSchemeThatIsNotInItsJarIsNamed() throws IOException {
    Path jar = new PluginJarBuilder().scheme("acme.Gone").write(plugins.resolve("gone.jar"));
    assertRefused("acme.Gone", jar);
  }

  @Test
  void aClassThatIsNoSchemeIsNamed() throws IOException {
    Path jar =
        new PluginJarBuilder()
            .source("acme.Other", "package acme; public class Other {}")
            .scheme("acme.Other")
            .write(plugins.resolve("other.jar"));
    assertRefused("acme.Other", jar);
  }

  @Test
  void aClassThatFailsToInitialiseIsNamed() throws IOException {
    Path jar = frameScheme("acme", 64002, "static { Integer.parseInt(\"no\"); }").write(jar());
    assertRefused("acme.Scheme", jar);
    assertRefused("NumberFormatException", jar);
  }

  @Test
  void aConstructorThatFailsIsNamed() throws IOException {
    Path jar =
        frameScheme("acme", 64002, "{ if (true) throw new RuntimeException(\"no luck\"); }")
            .write(jar());
    assertRefused("acme.Scheme", jar);
    assertRefused("no luck", jar);
  }

  @Test
  void aMissingLibraryIsNamed() throws IOException {
    Path jar =
        frameScheme("acme", 64002, "lib.Library library = new lib.Library();")
            .stub("lib.Library", "package lib; public class Library {}")
            .write(jar());
    assertRefused("acme.Scheme", jar);
    assertRefused("lib/Library", jar);
  }

  @Test
  void aMissingSuperclassIsNamed() throws IOException {
    Path jar =
        new PluginJarBuilder()
            .stub("lib.Base", "package lib; public abstract class Base {}")
            .source(
                "acme.Scheme",
                "package acme; public abstract class Scheme extends lib.Base"
                    + " implements io.hdrf.spi.scheme.ReductionScheme {}")
            .scheme("acme.Scheme")
            .write(jar());
    assertRefused("acme.Scheme", jar);
    assertRefused("lib/Base", jar);
  }

  @Test
  void aSchemeForAnotherSpiVersionIsNamed() throws IOException {
    Path jar =
        frameScheme("acme", 64002, "")
            .stub(
                "io.hdrf.spi.scheme.SpiVersion",
                "package io.hdrf.spi.scheme; public class SpiVersion { public static final int CURRENT"
                    + " = 99; }")
            .write(jar());
    assertRefused(
        "acme.Scheme in "
            + jar
            + " was built for version 99 of the scheme SPI; this HDRF has"
            + " version "
            + SpiVersion.CURRENT,
        jar);
  }

  /** Since then nothing was added that a scheme must have. */
  @Test
  void aSchemeForAnOlderSpiVersionRuns() throws IOException {
    frameScheme("acme", 64002, "").stub(SPI_VERSION, spiVersion(SpiVersion.OLDEST)).write(jar());
    FrameScheme scheme = (FrameScheme) SchemeRegistry.load(plugins).byName("acme");
    assertThat(scheme.spiVersion()).isEqualTo(2);
    assertThat(scheme.keepsLength()).isFalse();
    Path tooOld = frameScheme("acme", 64002, "").stub(SPI_VERSION, spiVersion(1)).write(jar());
    assertRefused("was built for version 1 of the scheme SPI; this HDRF has version 3", tooOld);
  }

  @Test
  void aSchemeForAnOlderSpiVersionDoesNotKeepTheLength() throws IOException {
    Path jar =
        frameScheme("acme", 64002, " public boolean keepsLength() { return true; }")
            .stub(SPI_VERSION, spiVersion(2))
            .write(jar());
    assertRefused("keeps the length, which version 2 of the scheme SPI does not know", jar);
  }

  private static String spiVersion(int version) {
    return "package io.hdrf.spi.scheme; public class SpiVersion { public static final int CURRENT = "
        + version
        + "; }";
  }

  /** Its number is that of its own jar, not that of the base class that it meets. */
  @Test
  void aSizedFrameSchemeForAnotherSpiVersionIsNamed() throws IOException {
    Path jar =
        sizedFrameScheme()
            .stub(
                "io.hdrf.spi.scheme.SpiVersion",
                "package io.hdrf.spi.scheme; public class SpiVersion { public static final int CURRENT"
                    + " = 99; }")
            .write(jar());
    assertRefused("was built for version 99 of the scheme SPI", jar);
  }

  @Test
  void aSizedFrameSchemeIsNamedInItsConstructor() throws IOException {
    sizedFrameScheme().write(jar());
    FrameScheme scheme = (FrameScheme) SchemeRegistry.load(plugins).byName("acme");
    assertThat(scheme.id()).isEqualTo(64002);
    Configuration conf = new Configuration(false);
    PluginSettings settings = new PluginSettings(conf, scheme.name());
    assertThat(scheme.frameLength(settings)).isEqualTo(8192);
    conf.set("hdrf.acme.frame.size", "64m");
    assertThat(scheme.frameLength(settings)).isEqualTo(64 << 20);
    for (String wrong : new String[] {"4095", "67108865", "long"}) {
      conf.set("hdrf.acme.frame.size", wrong);
      assertThatThrownBy(() -> scheme.frameLength(settings))
          .isInstanceOf(BadSettingException.class)
          .hasMessageContaining("hdrf.acme.frame.size is \"" + wrong + "\"");
    }
  }

  private static PluginJarBuilder sizedFrameScheme() {
    return new PluginJarBuilder()
        .source(
            "acme.Scheme",
            "package acme; import io.hdrf.spi.*; import io.hdrf.spi.scheme.*;"
                + " public class Scheme extends SizedFrameScheme {"
                + " public Scheme() { super(SpiVersion.CURRENT, \"acme\", 64002, 8192); }"
                + " public FrameCodec newCodec(PluginSettings s) { return null; } }")
        .scheme("acme.Scheme");
  }

  @Test
  void aJarForAnOlderPackageOfTheSpiIsNamed() throws IOException {
    Path jar =
        new PluginJarBuilder()
            .file("META-INF/services/io.hdrf.scheme.ReductionScheme", "acme.Scheme\n")
            .write(jar());
    assertRefused("was built for an older HDRF", jar);
  }

  @Test
  void aSchemeFromBeforeSpiVersionsIsNamed() throws IOException {
    Path jar =
        new PluginJarBuilder()
            .stub(
                "io.hdrf.spi.scheme.ReductionScheme",
                "package io.hdrf.spi.scheme; public interface ReductionScheme { String name(); }")
            .source(
                "acme.Scheme",
                "package acme; public class Scheme implements io.hdrf.spi.scheme.ReductionScheme {"
                    + " public String name() { return \"acme\"; } }")
            .scheme("acme.Scheme")
            .write(jar());
    assertRefused(
        "acme.Scheme in " + jar + " was built for another version of the scheme SPI", jar);
  }

  @Test
  void twoSchemesWithOneNameAreNamed() throws IOException {
    Path first = frameScheme("acme", 64002, "").write(plugins.resolve("first.jar"));
    Path second = frameScheme("acme", 64003, "").write(plugins.resolve("second.jar"));
    assertRefused("two schemes are named acme", first);
    assertRefused("two schemes are named acme", second);
  }

  @Test
  void twoSchemesWithOneIdAreNamed() throws IOException {
    Path first = frameScheme("acme", 64002, "").write(plugins.resolve("first.jar"));
    Path second = frameScheme("bolt", 64002, "").write(plugins.resolve("second.jar"));
    assertRefused("two schemes have the id 64002: acme of acme.Scheme", first);
    assertRefused("bolt of acme.Scheme", second);
  }

  @Test
  void wrongNamesAreRefused() throws IOException {
    for (String name :
        new String[] {"", "Acme", "acme lz", "9lives", "a,b", "none", "schemes", "x".repeat(33)}) {
      Path jar = frameScheme(name, 64002, "").write(jar());
      assertRefused("acme.Scheme", jar);
      assertRefused("names its scheme \"" + name + "\"", jar);
    }
  }

  @Test
  void wrongIdsAreRefused() throws IOException {
    for (int id : new int[] {0, -1, 65536}) {
      Path jar = frameScheme("acme", id, "").write(jar());
      assertRefused("scheme acme of acme.Scheme", jar);
      assertRefused("has the id " + id, jar);
    }
  }

  @Test
  void aSchemeMustAllowABlock() throws IOException {
    Path jar =
        frameScheme("acme", 64002, "public int maxConcurrentBlocks() { return 0; }").write(jar());
    assertRefused("scheme acme of acme.Scheme", jar);
  }

  @Test
  void aSchemeIsForFramesOrForBlocks() throws IOException {
    Path jar =
        new PluginJarBuilder()
            .source(
                "acme.Scheme",
                "package acme; public class Scheme implements io.hdrf.spi.scheme.ReductionScheme {"
                    + " public int spiVersion() { return io.hdrf.spi.scheme.SpiVersion.CURRENT; }"
                    + " public String name() { return \"acme\"; }"
                    + " public int id() { return 64002; } }")
            .scheme("acme.Scheme")
            .write(jar());
    assertRefused("must be either a FrameScheme or a BlockScheme", jar);
  }

  private Path jar() {
    return plugins.resolve("acme.jar");
  }

  private void assertRefused(String reason, Path jar) {
    assertThatThrownBy(() -> SchemeRegistry.load(plugins))
        .isInstanceOf(PluginLoadException.class)
        .hasMessageContaining(reason)
        .hasMessageContaining(jar.toString());
  }

  private static PluginJarBuilder frameScheme(String name, int id, String more) {
    return new PluginJarBuilder()
        .source(
            "acme.Scheme",
            "package acme; import io.hdrf.spi.*; import io.hdrf.spi.scheme.*;"
                + " public class Scheme implements FrameScheme {"
                + " public int spiVersion() { return SpiVersion.CURRENT; }"
                + " public String name() { return \""
                + name
                + "\"; }"
                + " public int id() { return "
                + id
                + "; }"
                + " public int frameLength(PluginSettings s) { return 4096; }"
                + " public FrameCodec newCodec(PluginSettings s) { return null; }"
                + more
                + " }")
        .scheme("acme.Scheme");
  }
}
