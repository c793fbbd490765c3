/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.sample.DeflateScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.sample.StoreScheme;
import io.hdrf.sample.WholeBlockScheme;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.Volume;
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

/** LZ4 behind schemes of every kind, and before another. */
class Lz4StackingTest {

  @TempDir Path directory;

  private final Random random = TestSeed.random("lz4 stacking");

  @Test
  void worksWithSchemesOfEveryKind() throws IOException {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(
                new Lz4Scheme(),
                new DeflateScheme(),
                new RunScheme(),
                new StoreScheme(),
                new WholeBlockScheme()));
    String[] chains = {
      "lz4",
      "run,lz4",
      "store,lz4",
      "whole-block,lz4",
      "deflate,lz4",
      "lz4,deflate",
      "run,lz4,deflate",
      "run,deflate,lz4"
    };
    try (Volume volume = new Volume(registry, new Configuration(false), directory)) {
      for (String names : chains) {
        ChainCodec codec = volume.codec(SchemeChain.parse("hdrf.schemes", names, registry));
        for (TestData kind : TestData.values()) {
          byte[] block = kind.bytes(1 + random.nextInt(400_000), random);
          List<StoredFrame> frames = Volume.encode(codec, block, random);
          assertThat(Volume.decode(codec, frames, random))
              .as("%s, %s", names, kind)
              .isEqualTo(block);
        }
      }
    }
  }

  @Test
  void reducesWhatTheSchemeBeforeItEmits() throws IOException {
    SchemeRegistry registry = SchemeRegistry.of(List.of(new Lz4Scheme(), new RunScheme()));
    byte[] block = TestData.TEXT.bytes(400_000, random);
    try (Volume volume = new Volume(registry, new Configuration(false), directory)) {
      ChainCodec alone = volume.codec(new RunScheme().id());
      ChainCodec stacked = volume.codec(new RunScheme().id(), new Lz4Scheme().id());
      List<StoredFrame> frames = Volume.encode(stacked, block, random);
      assertThat(frames).allMatch(frame -> frame.stages() == 0b11);
      assertThat(size(frames)).isLessThan(size(Volume.encode(alone, block, random)) * 6 / 10);
    }
  }

  private static long size(List<StoredFrame> frames) {
    return frames.stream().mapToLong(frame -> frame.bytes().length).sum();
  }
}
