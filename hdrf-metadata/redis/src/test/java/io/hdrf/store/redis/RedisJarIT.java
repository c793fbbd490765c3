/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.RedisServer;
import io.hdrf.metadata.MetadataStores;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it is dropped into a plug-in directory. */
class RedisJarIT {

  private static final Path JAR = Path.of(System.getProperty("hdrf.plugin.jar"));

  @TempDir Path directory;

  private MetadataStoreProvider provider;

  @BeforeEach
  void install() throws IOException {
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Files.copy(JAR, plugins.resolve(JAR.getFileName()));
    provider = MetadataStores.load(plugins).named("hdrf.metadata.store", "redis");
    assertThat(provider.getClass()).isNotEqualTo(RedisStoreProvider.class);
  }

  private MetadataStore open(PluginSettings settings) throws IOException {
    return provider.open(new StoreContext(settings, directory, "DS-1", "BP-1"));
  }

  @Test
  void storesWithWhatIsInTheJarAlone() throws IOException {
    RedisServer server = new RedisServer(directory.resolve("redis"));
    server.start();
    try {
      PluginSettings settings =
          new PluginSettings(RedisStores.configuration(server), "metadata.redis");
      provider.checkSettings(settings);
      try (MetadataStore store = open(settings)) {
        byte[] key = {1};
        store.write(new StoreBatch().put(Table.BLOCKS, key, key).put(Table.CHUNKS, key, key));
        assertThat(store.get(Table.CHUNKS, List.of(key))).containsExactly(key);
        List<byte[]> shown = new ArrayList<>();
        store.scan(Table.BLOCKS, new byte[0], (k, value) -> shown.add(value));
        assertThat(shown).containsExactly(key);
        assertThat(store.estimatedCount(Table.BLOCKS)).isEqualTo(1);
        store.clear();
        server.kill();
        assertThatThrownBy(() -> store.get(Table.CHUNKS, List.of(key)))
            .isInstanceOf(StoreUnreachableException.class);
      }
      assertThatThrownBy(() -> open(settings)).isInstanceOf(StoreUnreachableException.class);
    } finally {
      server.kill();
    }
  }

  @Test
  void holdsJedisAndItsLicenceAndNothingElse() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")))
          .contains(
              "redis/clients/jedis/Connection.class",
              "io/hdrf/store/redis/RedisStoreProvider.class")
          .allMatch(
              name -> name.startsWith("redis/clients/") || name.startsWith("io/hdrf/store/redis/"));
      for (String text : List.of("LICENSE", "NOTICE", "licenses/Jedis.txt")) {
        assertThat(jar.getEntry("META-INF/" + text)).as(text).isNotNull();
      }
    }
  }
}
