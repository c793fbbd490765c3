/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfConf;
import io.hdrf.jni.Sha256;
import io.hdrf.sample.StoreScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkLookup;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
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
    StoreScheme store = new StoreScheme();
    BlockScheme scheme =
        (BlockScheme)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {BlockScheme.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("hashCode")) {
                    return 1;
                  }
                  Object result = method.invoke(store, arguments);
                  return !method.getName().equals("open")
                      ? result
                      : Proxy.newProxyInstance(
                          getClass().getClassLoader(),
                          new Class<?>[] {BlockCodec.class},
                          (codec, called, with) ->
                              called.getName().equals("newChunkLookup")
                                  ? lookup()
                                  : called.invoke(result, with));
                });
    SchemeRegistry registry = SchemeRegistry.of(List.of(scheme));
    PoolSlices volumes =
        new PoolSlices(
            new HdrfConf(new Configuration(false)),
            registry,
            Map.of(StorageType.DISK, SchemeChain.parse("chain", "store", registry)),
            LocalDurableFiles.INSTANCE,
            MemoryBudget.unlimited(),
            (volume, pool, bytes) -> {},
            (volume, block, file, why) -> {});
    for (String id : List.of("DS-0", "DS-1", "DS-2")) {
      Files.createDirectories(directory.resolve(id).resolve("current/BP-1/current/finalized"));
      volumes.open(new DirectoryVolume(id, directory.resolve(id)), "BP-1");
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
