/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.ReducedBlock;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.read.ReducedFile;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadFailuresTest {

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(200_000, TestSeed.random(ReadFailuresTest.class.getName()));
  private final ReducerCounters counters = new ReducerCounters();
  private ReducedFile file;
  private ReducedBlock block;

  @BeforeEach
  void open() throws IOException {
    file = new ReducedFile(directory, data);
    block = file.open();
  }

  @AfterEach
  void close() throws IOException {
    block.close();
    file.close();
  }

  private IOException translated(Throwable failure) {
    return ReadFailures.translate(block, failure, counters);
  }

  private Throwable damage() {
    return new CorruptFileException(file.path, "CRC32C", 1, 2);
  }

  @Test
  void damageOfTheReplicaIsCounted() {
    assertThat(translated(damage()))
        .isInstanceOf(DiskFileCorruptException.class)
        .hasMessageContaining("blk_1");
    assertThat(translated(new CorruptFrameException("for a test")))
        .isInstanceOf(DiskFileCorruptException.class);
    assertThat(counters.values()).containsEntry("corruptBlocks", 2L);
  }

  /** What it refers to may have been collected; the replica that is in place now may be sound. */
  @Test
  void damageOfAFileThatIsTheReplicaNoMoreIsNotReported() throws IOException {
    Files.move(file.path, file.path.resolveSibling("moved"));
    assertThat(translated(damage())).isInstanceOf(UnavailableException.class);
    Files.write(file.path, data);
    assertThat(translated(damage())).isInstanceOf(UnavailableException.class);
    assertThat(counters.values()).containsEntry("corruptBlocks", 0L);
  }

  @Test
  void whatIsNoDamageSaysNothingOfTheData() {
    for (Throwable fault :
        new Throwable[] {
          new OutOfMemoryError("for a test"),
          new NoClassDefFoundError(),
          new StackOverflowError("for a test"),
          new AssertionError("for a test"),
          new InternalError("for a test"),
          new IOException((String) null),
          new java.net.SocketException("the store is down")
        }) {
      assertThat(translated(fault))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("blk_1");
    }
    assertThat(counters.values()).containsEntry("corruptBlocks", 0L);
  }
}
