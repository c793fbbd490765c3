/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.zstd;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.ChildJvm;
import io.hdrf.jni.NativeLibrary;
import io.hdrf.spi.PluginSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts on which the JVM's directory for temporary files can't hold a native library. */
class ZstdLibraryTest {

  private static final String LOADED = "loaded";

  @TempDir Path directory;

  /** What the DataNode does with the scheme first. */
  static final class Loader {
    private Loader() {}

    public static void main(String[] args) {
      try {
        new ZstdScheme().newCodec(new PluginSettings(new Configuration(false), "zstd"));
        System.out.println(LOADED);
      } catch (IOException e) {
        System.out.println(e.getMessage().replace('\n', ' '));
      }
    }
  }

  private String load(String... flags) throws IOException {
    List<String> all = new ArrayList<>(List.of("-Djava.io.tmpdir=" + directory.resolve("none")));
    all.addAll(List.of(flags));
    try (ChildJvm child = ChildJvm.start(all, Loader.class)) {
      return child.readLine();
    }
  }

  @Test
  void theDirectoryOfAllNativeLibrariesIsItsToo() throws IOException {
    assertThat(load("-D" + NativeLibrary.DIRECTORY + "=" + directory)).isEqualTo(LOADED);
  }

  @Test
  void withoutItTheMessageNamesTheProperty() throws IOException {
    assertThat(load()).contains("can't be loaded").contains("-D" + NativeLibrary.DIRECTORY);
  }
}
