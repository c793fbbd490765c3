/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** Helpers of the tests of this package. */
final class Stores {

  static final String MEMORY = "hdrf.metadata.embedded.memory";

  /** Flags of JVMs that use a store. */
  static final List<String> JVM_FLAGS = List.of("-Xmx256m");

  private Stores() {}

  static MetadataStore open(Path directory) throws MetadataException {
    return open(directory, "8m");
  }

  static MetadataStore open(Path directory, String memory) throws MetadataException {
    Configuration configuration = new Configuration(false);
    configuration.set(MEMORY, memory);
    return new EmbeddedStoreProvider()
        .open(
            new StoreContext(
                new PluginSettings(configuration, "metadata.embedded"), directory, "DS-1", "BP-1"));
  }

  static Map<String, String> contents(MetadataStore store, Table table) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    store.scan(
        table,
        new byte[0],
        (key, value) -> {
          contents.put(text(key), text(value));
          return true;
        });
    return contents;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  /** Copies the files of a directory, in the state that a crash at this moment would leave. */
  static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path file : list(from)) {
      Files.copy(file, to.resolve(file.getFileName()));
    }
    return to;
  }
}
