/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThirdPartySchemeTest {

  @TempDir Path plugins;

  @Test
  void aSchemeUsesTheLibraryInItsJar(@TempDir Path store) throws Exception {
    assertThatThrownBy(() -> Class.forName("com.acme.AcmeLz4Scheme"))
        .isInstanceOf(ClassNotFoundException.class);
    Path jar = ThirdPartySchemeJar.build(plugins);

    Configuration configuration = new Configuration(false);
    configuration.set("hdrf.schemes", ThirdPartySchemeJar.NAME);
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    SchemeChain chain =
        SchemeChain.parse("hdrf.schemes", configuration.get("hdrf.schemes"), registry);

    Random random = TestSeed.random("third party");
    byte[] block = TestData.TEXT.bytes(300_000, random);
    try (Volume volume = new Volume(registry, configuration, store)) {
      List<StoredFrame> frames = Volume.encode(volume.codec(chain), block, random);
      assertThat(frames).hasSize(5);
      assertThat(frames)
          .allMatch(frame -> frame.stages() == 1)
          .allMatch(frame -> frame.bytes()[0] == ThirdPartySchemeJar.OTHER_LZ4);
      ChainCodec reader = volume.codec(ThirdPartySchemeJar.ID);
      assertThat(Volume.decode(reader, frames, random)).isEqualTo(block);
    }
    assertThat(lz4Of(chain.schemes().get(0))).isEqualTo(jar.toRealPath());
  }

  private static Path lz4Of(ReductionScheme scheme) throws Exception {
    Class<?> lz4 = scheme.getClass().getClassLoader().loadClass("net.jpountz.lz4.LZ4Factory");
    return Path.of(lz4.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void aSchemeThatDoesNotCompileIsReported() {
    assertThatThrownBy(
            () -> new PluginJarBuilder().source("A", "class B {").write(plugins.resolve("a.jar")))
        .isInstanceOf(IOException.class);
  }
}
