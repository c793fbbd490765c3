/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.StoredBlocks;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.io.LogCapture;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which replicas are reported for a damaged chunk. */
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

  private boolean isReported(StoredBlocks.FileCheck check) {
    volume.events.clear();
    new UnreadableReplicas(volume.replicas, volume, SwapVolume.POOL)
        .damaged(SwapVolume.BLOCK.blockId(), check, new CorruptFrameException("for a test"));
    return volume.events.contains("reported for a test");
  }

  @Test
  void oneWhoseFileNeedsItIs() throws IOException {
    volume.reduce();
    assertThat(isReported(volume.blockFile()::equals)).isTrue();
  }

  /** It was reduced again with others, or what needs it lies aside for a rollback. */
  @Test
  void oneWhoseFileDoesNotNeedItIsNot() throws IOException {
    volume.reduce();
    assertThat(isReported(file -> false)).isFalse();
  }

  @Test
  void oneWhoseFileIsReplacedMeanwhileIsNot() throws IOException {
    volume.reduce();
    boolean reported =
        isReported(
            file -> {
              Path other = directory.resolve("other");
              Files.copy(file, other);
              Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
              return true;
            });
    assertThat(reported).isFalse();
  }

  @Test
  void oneOfWhichItCanNotBeToldIsNot() throws IOException {
    volume.reduce();
    boolean reported =
        isReported(
            file -> {
              throw new IOException("Too many open files");
            });
    assertThat(reported).isFalse();
  }

  private boolean isReplaced(Path file) {
    volume.events.clear();
    new UnreadableReplicas(volume.replicas, volume, SwapVolume.POOL)
        .unreadable(file, SwapVolume.BLOCK.blockId(), new CorruptFileException(file, "for a test"));
    return volume.events.stream().anyMatch(event -> event.startsWith("damaged "));
  }

  @Test
  void oneWhoseFileCanNotBeReadIsReplaced() throws IOException {
    Path other = Files.createSymbolicLink(directory.resolve("other"), volume.blockFile());
    assertThat(isReplaced(volume.blockFile())).isTrue();
    assertThat(isReplaced(other)).as("by another way there").isTrue();
  }

  /** An upgrade's previous/ has the same file. */
  @Test
  void oneWithAnotherFileThatIsTheSameInodeIsNot() throws IOException {
    Path previous = Files.createLink(directory.resolve("previous"), volume.blockFile());
    assertThat(isReplaced(previous)).isFalse();
  }

  /** Its volume or pool may be coming or leaving: it may be the last copy. */
  @Test
  void nobodyIsToldToDeleteOneThatIsOnlyUnknown() throws IOException {
    Path pool = PoolSlices.poolDirectory(volume, SwapVolume.POOL);
    try (LogCapture log = new LogCapture(Level.WARN, "UnreadableReplicas")) {
      isReplaced(pool.resolve("current/finalized/subdir0/subdir0/blk_" + 77));
      assertThat(log.messages()).singleElement().asString().doesNotContain("delete");
      isReplaced(pool.resolve("previous/finalized/subdir0/subdir0/blk_" + 77));
      assertThat(log.messages()).last().asString().contains("delete the file");
    }
  }

  @Test
  void oneThatIsGoneIsNot() throws IOException {
    volume.reduce();
    Files.delete(volume.blockFile());
    assertThat(isReported(file -> true)).isFalse();
  }
}
