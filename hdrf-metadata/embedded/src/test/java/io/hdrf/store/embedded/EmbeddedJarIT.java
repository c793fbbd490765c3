/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.metadata.MetadataStores;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;

/** The jar as it is dropped into a plug-in directory. */
class EmbeddedJarIT {

  private static final Path JAR = Path.of(System.getProperty("hdrf.plugin.jar"));

  @TempDir Path directory;

  private Path plugins;

  @BeforeEach
  void install() throws IOException {
    plugins = Files.createDirectory(directory.resolve("plugins"));
    Files.copy(JAR, plugins.resolve(JAR.getFileName()));
  }

  @Test
  void worksBehindItsOwnClassLoader() throws Exception {
    MetadataStoreProvider provider =
        MetadataStores.load(plugins).named("hdrf.metadata.store", "embedded");
    assertThat(provider).isNotInstanceOf(EmbeddedStoreProvider.class);
    ClassLoader loader = provider.getClass().getClassLoader();
    assertThat(loader.loadClass(RocksDB.class.getName())).isNotEqualTo(RocksDB.class);
    assertThat(SchemeRegistry.load(plugins).names()).isEmpty();

    PluginSettings settings =
        new PluginSettings(new Configuration(false), "metadata." + provider.name());
    provider.checkSettings(settings);
    StoreContext context = new StoreContext(settings, directory.resolve("store"), "DS-1", "BP-1");
    byte[] key = Stores.bytes("key");
    try (MetadataStore store = provider.open(context)) {
      store.write(new StoreBatch().put(Table.BLOCKS, key, key));
    }
    try (MetadataStore store = provider.open(context)) {
      assertThat(store.get(Table.BLOCKS, List.of(key))).containsExactly(key);
    }
    Files.delete(context.directory().resolve("CURRENT"));
    try (MetadataStore store = provider.open(context)) {
      assertThat(store.get(Table.BLOCKS, List.of(key))).containsExactly((byte[]) null);
    }
  }

  @Test
  void holdsRocksDbAndItsLicencesAndNothingElse() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      List<String> names =
          jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
      assertThat(names.stream().filter(name -> name.endsWith(".class")))
          .contains("org/rocksdb/RocksDB.class", "io/hdrf/store/embedded/EmbeddedStore.class")
          .allMatch(
              name ->
                  name.startsWith("org/rocksdb/") || name.startsWith("io/hdrf/store/embedded/"));
      assertThat(names.stream().filter(name -> name.endsWith(".so")))
          .containsExactlyInAnyOrder("librocksdbjni-linux64.so", "librocksdbjni-linux-aarch64.so");
      for (String text :
          List.of(
              "LICENSE",
              "NOTICE",
              "licenses/LevelDB.txt",
              "licenses/LZ4-and-xxHash.txt",
              "licenses/Snappy.txt",
              "licenses/Zstandard.txt",
              "licenses/bzip2.txt",
              "licenses/zlib.txt")) {
        assertThat(jar.getEntry("META-INF/" + text)).as(text).isNotNull();
      }
    }
  }
}
