/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.ThirdPartySchemeJar;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import net.jpountz.lz4.LZ4Factory;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as it is dropped into a plug-in directory, next to one with another lz4-java. */
class Lz4JarIT {

  private static final Path JAR = Path.of(System.getProperty("hdrf.plugin.jar"));

  @TempDir Path plugins;

  private final Configuration configuration = new Configuration(false);
  private SchemeRegistry registry;

  @BeforeEach
  void install() throws IOException {
    Files.copy(JAR, plugins.resolve(JAR.getFileName()));
    ThirdPartySchemeJar.build(plugins);
    registry = SchemeRegistry.load(plugins);
  }

  @Test
  void eachSchemeRunsItsOwnLz4Natively() throws Exception {
    assertThat(registry.names()).containsExactly(ThirdPartySchemeJar.NAME, "lz4");
    FrameScheme ours = (FrameScheme) registry.byName("lz4");
    FrameScheme theirs = (FrameScheme) registry.byName(ThirdPartySchemeJar.NAME);
    Class<?> ourLz4 = ours.getClass().getClassLoader().loadClass(LZ4Factory.class.getName());
    Class<?> theirLz4 = theirs.getClass().getClassLoader().loadClass(LZ4Factory.class.getName());
    assertThat(ourLz4).isNotEqualTo(theirLz4).isNotEqualTo(LZ4Factory.class);
    assertThat(ours.newCodec(new PluginSettings(configuration, "lz4")))
        .hasToString("LZ4Factory:JNI");

    byte[] frame = TestData.TEXT.bytes(100_000, TestSeed.random("jar"));
    assertThat(roundTrip(ours, frame)[0]).isNotEqualTo(ThirdPartySchemeJar.OTHER_LZ4);
    assertThat(roundTrip(theirs, frame)[0]).isEqualTo(ThirdPartySchemeJar.OTHER_LZ4);
  }

  @Test
  void bothStandInOneChain() throws IOException {
    SchemeChain chain = SchemeChain.parse("hdrf.schemes", "lz4,acme-lz4", registry);
    assertThat(chain.ids()).containsExactly(1, ThirdPartySchemeJar.ID);
    List<FrameScheme> schemes = new ArrayList<>();
    chain.schemes().forEach(scheme -> schemes.add((FrameScheme) scheme));
    try (FrameChain frames = FrameChain.of(schemes, configuration)) {
      for (TestData kind : TestData.values()) {
        roundTrip(frames, kind.bytes(70_000, TestSeed.random(kind.name())));
      }
    }
  }

  private byte[] roundTrip(FrameScheme scheme, byte[] frame) throws IOException {
    try (FrameChain chain = FrameChain.of(List.of(scheme), configuration)) {
      return roundTrip(chain, frame);
    }
  }

  private static byte[] roundTrip(FrameChain chain, byte[] frame) throws IOException {
    ByteBuffer src = ByteBuffer.allocateDirect(frame.length).put(frame).flip();
    ByteBuffer dst = ByteBuffer.allocateDirect(chain.maxEncodedLength(frame.length));
    int stages = chain.encode(src, dst);
    byte[] encoded = new byte[dst.flip().remaining()];
    dst.get(encoded).rewind();
    ByteBuffer back = ByteBuffer.allocateDirect(frame.length);
    chain.decode(stages, dst, back);
    assertThat(back.flip()).isEqualTo(ByteBuffer.wrap(frame));
    return encoded;
  }

  @Test
  void holdsLz4AndItsLicencesAndNothingElse() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")))
          .contains("net/jpountz/lz4/LZ4Factory.class", "io/hdrf/codec/lz4/Lz4Scheme.class")
          .allMatch(
              name -> name.startsWith("net/jpountz/") || name.startsWith("io/hdrf/codec/lz4/"));
      for (String text : List.of("LICENSE", "NOTICE", "licenses/LZ4-and-xxHash.txt")) {
        assertThat(jar.getEntry("META-INF/" + text)).as(text).isNotNull();
      }
    }
  }
}
