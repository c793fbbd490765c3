/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which replicas are examined, or reported where HDFS has no scanner, for a damaged chunk. */
class UnreadableReplicasTest {

  @TempDir Path directory;

  private SwapVolume volume;

  @BeforeEach
  void open() throws IOException {
    volume = new SwapVolume(directory, new byte[100_000]);
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private boolean isExamined() {
    volume.events.clear();
    new UnreadableReplicas(volume.dataset)
        .damaged(volume, SwapVolume.BLOCK, new CorruptFrameException("for a test"));
    return volume.events.contains("damaged for a test");
  }

  @Test
  void aReducedOneIs() throws IOException {
    volume.reduce();
    assertThat(isExamined()).isTrue();
  }

  /** What refers to chunks lies aside for a rollback, or the block was written to meanwhile. */
  @Test
  void aPlainOneIsNot() throws IOException {
    assertThat(isExamined()).isFalse();
  }

  @Test
  void oneThatIsGoneIsNot() throws IOException {
    volume.reduce();
    Files.delete(volume.blockFile());
    assertThat(isExamined()).isFalse();
  }
}
