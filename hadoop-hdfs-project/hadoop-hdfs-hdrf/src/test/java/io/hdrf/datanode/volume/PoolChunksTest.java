/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.jni.Sha256;
import io.hdrf.sample.StoreScheme;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkLookup;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolChunksTest {

  private static final int[] ENDS = {3, 5};

  @TempDir Path directory;

  private final ByteBuffer right = ByteBuffer.allocateDirect(5);
  private final byte[] fingerprints = new byte[2 * Sha256.LENGTH];
  private final AtomicInteger asked = new AtomicInteger();

  /** A store that has the chunks; those of the first one that is asked are wrong, but for one. */
  private ChunkLookup lookup() {
    return (names, ends, count, found, dst) -> {
      boolean first = asked.getAndIncrement() == 0;
      for (int i = 0; i < 5; i++) {
        dst.put(dst.position() + i, (byte) (right.get(i) + (first && i < 3 ? 1 : 0)));
      }
      found.set(0, 2);
    };
  }

  private PoolSlices volumes() throws Exception {
    BlockScheme scheme =
        DirectoryPools.withCodecs(
            new StoreScheme(),
            real ->
                DirectoryPools.proxy(
                    BlockCodec.class,
                    (codec, called, with) ->
                        called.getName().equals("newChunkLookup")
                            ? lookup()
                            : called.invoke(real, with)));
    PoolSlices volumes = DirectoryPools.slices(scheme, LocalDurableFiles.INSTANCE);
    for (String id : List.of("DS-0", "DS-1", "DS-2")) {
      volumes.open(DirectoryPools.volume(directory, id), "BP-1");
    }
    return volumes;
  }

  /** Nor does it tell of what it did not look at. */
  @Test
  void aWrongChunkDoesNotHideARightOne() throws Exception {
    for (int i = 0; i < 5; i++) {
      right.put(i, (byte) (10 * i));
    }
    Sha256.hash(right, new int[] {3, 5}, 2, fingerprints);
    PoolSlices volumes = volumes();
    try {
      ByteBuffer dst = ByteBuffer.allocateDirect(9);
      dst.position(4);
      BitSet found = new BitSet();
      new PoolChunks(volumes, "BP-1", "store", "DS-1", true)
          .find(fingerprints, ENDS, 2, found, dst);
      assertThat(asked).hasValue(2);
      assertThat(found.stream()).containsExactly(0, 1);
      assertThat(dst.position()).isEqualTo(4);
      assertThat(dst).isEqualTo(right);
    } finally {
      volumes.closeAll();
    }
  }

  @Test
  void whoComparesForItselfGetsWhatIsThere() throws Exception {
    PoolSlices volumes = volumes();
    try {
      BitSet found = new BitSet();
      new PoolChunks(volumes, "BP-1", "store", null, false)
          .find(fingerprints, ENDS, 2, found, ByteBuffer.allocateDirect(5));
      assertThat(asked).hasValue(1);
      assertThat(found.stream()).containsExactly(0, 1);
    } finally {
      volumes.closeAll();
    }
  }
}
