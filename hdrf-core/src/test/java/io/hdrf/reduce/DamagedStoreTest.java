/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.InMemory;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks whose frames refer to damaged data in a scheme's store. */
class DamagedStoreTest {

  private static final int LENGTH = 100_000;
  private static final byte STORED = 7;
  private static final byte DAMAGED = 8;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final StoreOfOneByte scheme = new StoreOfOneByte();

  /** Decodes to the content of its store, which may differ from the encoded data. */
  private static final class StoreOfOneByte implements BlockScheme, BlockCodec {
    private byte store = STORED;
    private boolean mends = true;

    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return "onebyte";
    }

    @Override
    public int id() {
      return 201;
    }

    @Override
    public BlockCodec open(SchemeContext context) {
      return this;
    }

    @Override
    public boolean keepsContentInStore() {
      return true;
    }

    @Override
    public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink)
        throws IOException {
      ByteBuffer data = ByteBuffer.allocateDirect(LENGTH);
      while (source.read(data) >= 0) {
        continue;
      }
      sink.frame(LENGTH, ByteBuffer.allocateDirect(1));
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) {
      payload.position(payload.limit());
      while (frame.hasRemaining()) {
        frame.put(store);
      }
    }

    @Override
    public boolean findDamage(ByteBuffer payload) {
      assertThat(payload.remaining()).isEqualTo(1);
      boolean found = mends && store == DAMAGED;
      store = found ? STORED : store;
      return found;
    }
  }

  private SkipReason reduceTwice(boolean found) throws Exception {
    SchemeRegistry registry = SchemeRegistry.of(java.util.List.of(scheme));
    Configuration configuration = new Configuration(false);
    try (VolumeSchemes schemes =
        new VolumeSchemes(registry, configuration, directory, LocalDurableFiles.INSTANCE)) {
      FileBlocks blocks =
          new FileBlocks(directory, schemes.codec(SchemeChain.parse("chain", "onebyte", registry)));
      byte[] data = new byte[LENGTH];
      java.util.Arrays.fill(data, STORED);
      BlockRef block = blocks.write(1, data, DataChecksum.Type.CRC32C);
      try (Reducer reducer =
          new Reducer(
              "test",
              new HdrfConf(configuration),
              blocks,
              LocalDurableFiles.INSTANCE,
              new ReducerCounters(),
              () -> {})) {
        scheme.mends = found;
        scheme.store = DAMAGED;
        SkipReason first = reducer.reduceNow(block);
        assertThat(Files.readAllBytes(blocks.file(1))).isEqualTo(data);
        if (found) {
          assertThat(reducer.reduceNow(block)).isNull();
          assertThat(blocks.decoded(1)).isEqualTo(data);
        }
        return first;
      }
    }
  }

  @Test
  void anotherAttemptGoesRoundWhatTheSchemeFinds() throws Exception {
    SkipReason first = reduceTwice(true);
    assertThat(first).isEqualTo(SkipReason.FAILED);
    assertThat(first.isLasting()).isFalse();
  }

  @Test
  void withoutDamageTheSchemeIsAtFaultForGood() throws Exception {
    assertThat(reduceTwice(false)).isEqualTo(SkipReason.VERIFICATION_FAILED);
  }
}
