/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.block.MetaFiles;
import io.hdrf.block.ReducedBlock;
import io.hdrf.read.FrameReader;
import io.hdrf.read.FrameReads;
import io.hdrf.read.ReducedFile;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalReplicaTest {

  private static final int FRAME = HookedScheme.FRAME_LENGTH;
  private static final BlockRef BLOCK = new BlockRef("BP-1-127.0.0.1-1", 1);

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(3 * FRAME, TestSeed.random(LocalReplicaTest.class.getName()));
  private final AtomicInteger cacheHits = new AtomicInteger();
  private final FrameReads reads =
      new FrameReads(
          8 << 20,
          0,
          new BufferPool(1 << 20),
          new FrameReads.Owner() {
            @Override
            public IOException translate(ReducedBlock block, Throwable failure) {
              return new IOException(failure);
            }

            @Override
            public void frameCacheHit() {
              cacheHits.incrementAndGet();
            }
          });
  private ReducedFile file;
  private Path meta;
  private ClientSchemes schemes;

  @BeforeEach
  void write() throws IOException {
    file = new ReducedFile(directory, data);
    meta = directory.resolve("blk_1_1001.meta");
    Files.write(meta, MetaFiles.of(DataChecksum.Type.CRC32C, 512, data));
    schemes =
        new ClientSchemes(
            SchemeRegistry.of(List.of(file.scheme)), directory, new Configuration(false));
  }

  @AfterEach
  void close() throws IOException {
    reads.close();
    file.close();
  }

  private LocalReplica replica() throws IOException {
    return LocalReplica.open(
        BLOCK,
        new FileInputStream(file.path.toFile()),
        new FileInputStream(meta.toFile()),
        schemes);
  }

  private void readSecondFrame(LocalReplica replica, boolean verify) throws IOException {
    try (FrameReader reader = replica.reader(reads, verify)) {
      assertThat(reader.at(FRAME).get()).isEqualTo(data[FRAME]);
    }
  }

  /** All that names a frame is the same on a copied volume, and its bytes are another's to make. */
  @Test
  void noReplicaGivesFramesToAnother() throws IOException {
    LocalReplica one = replica();
    LocalReplica copy = replica();
    readSecondFrame(one, true);
    readSecondFrame(copy, true);
    readSecondFrame(one, false);
    readSecondFrame(copy, false);
    assertThat(cacheHits).hasValue(0);
    readSecondFrame(one, true);
    assertThat(cacheHits).hasValue(1);
    readSecondFrame(copy, false);
    assertThat(cacheHits).hasValue(2);
    one.release();
    copy.release();
  }
}
