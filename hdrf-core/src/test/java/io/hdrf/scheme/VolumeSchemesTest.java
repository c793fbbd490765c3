/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeSchemesTest {

  private final List<String> left = new ArrayList<>();
  private final List<String> closed = new ArrayList<>();

  @TempDir Path directory;

  private final class Codec implements BlockCodec {
    private final String name;

    Codec(String name) {
      this.name = name;
    }

    @Override
    public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink) {}

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) {}

    @Override
    public void leave() {
      left.add(name);
      throw new IllegalStateException("as the test wants it");
    }

    @Override
    public void close() {
      closed.add(name);
      throw new OutOfMemoryError("as the test wants it");
    }
  }

  private BlockScheme scheme(String name, int id) {
    return new BlockScheme() {
      @Override
      public int spiVersion() {
        return SpiVersion.CURRENT;
      }

      @Override
      public String name() {
        return name;
      }

      @Override
      public int id() {
        return id;
      }

      @Override
      public BlockCodec open(SchemeContext context) {
        return new Codec(name);
      }
    };
  }

  /** A store that stays open prevents its volume from coming back, and its threads run on. */
  @Test
  void anErrorOfOneStoreDoesNotKeepAnotherOneOpen() throws Exception {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(scheme("one", 65201), scheme("two", 65202), scheme("late", 65203)));
    VolumeSchemes schemes =
        new VolumeSchemes(
            registry, new Configuration(false), directory, LocalDurableFiles.INSTANCE);
    schemes.codec(SchemeChain.parse("chain", "one", registry));
    schemes.codec(SchemeChain.parse("chain", "two", registry));
    schemes.leave();
    assertThat(left).containsExactly("one", "two");
    schemes.codec(SchemeChain.parse("chain", "late", registry));
    assertThat(left).containsExactly("one", "two", "late");
    assertThatThrownBy(schemes::close).isInstanceOf(OutOfMemoryError.class);
    schemes.close();
    assertThat(closed).containsExactly("one", "two", "late");
  }
}
