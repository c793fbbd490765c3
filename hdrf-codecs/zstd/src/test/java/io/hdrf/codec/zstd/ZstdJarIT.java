/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.zstd;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it is dropped into a plug-in directory. */
class ZstdJarIT {

  private static final Path JAR = Path.of(System.getProperty("hdrf.plugin.jar"));

  @TempDir Path plugins;

  @Test
  void worksBehindALoaderOfItsOwn() throws IOException {
    Files.copy(JAR, plugins.resolve(JAR.getFileName()));
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    FrameScheme scheme = (FrameScheme) registry.byName("zstd");
    assertThat(scheme.getClass()).isNotEqualTo(ZstdScheme.class);
    ByteBuffer zeros = ByteBuffer.allocateDirect(100_000);
    try (FrameCodec codec = scheme.newCodec(new PluginSettings(new Configuration(false), "zstd"))) {
      ByteBuffer encoded = ByteBuffer.allocateDirect(codec.maxEncodedLength(zeros.capacity()));
      codec.encode(zeros, encoded);
      ByteBuffer back = ByteBuffer.allocateDirect(zeros.capacity());
      codec.decode(encoded.flip(), back);
      assertThat(back.flip()).isEqualTo(zeros.flip());
    }
  }

  @Test
  void holdsZstdAndItsLicencesAndNothingElse() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")))
          .contains("com/github/luben/zstd/Zstd.class", "io/hdrf/codec/zstd/ZstdScheme.class")
          .allMatch(
              name ->
                  name.startsWith("com/github/luben/zstd/")
                      || name.startsWith("io/hdrf/codec/zstd/"));
      for (String text :
          List.of("LICENSE", "NOTICE", "licenses/zstd.txt", "licenses/zstd-jni.txt")) {
        assertThat(jar.getEntry("META-INF/" + text)).as(text).isNotNull();
      }
    }
  }
}
