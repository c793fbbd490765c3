/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaBeingWritten;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaUnderRecovery;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which replicas HDRF handles, and when one has changed. */
class ReplicaSnapshotTest {

  private static final int LENGTH = 1000;

  @TempDir Path directory;

  private SwapVolume volume;

  @BeforeEach
  void open() throws IOException {
    volume = new SwapVolume(directory, new byte[LENGTH]);
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private ReplicaInfo beingWritten() {
    return new ReplicaBeingWritten(
        SwapVolume.BLOCK.blockId(),
        SwapVolume.STAMP,
        volume,
        volume.blockFile().getParent().toFile(),
        0);
  }

  private static ReplicaInfo recovered(ReplicaInfo original) {
    return new ReplicaUnderRecovery(original, SwapVolume.STAMP + 1);
  }

  private void assertEligible(ReplicaInfo replica) throws IOException {
    assertThat(ReplicaSnapshot.isEligible(replica)).isTrue();
    ReplicaSnapshot snapshot = ReplicaSnapshot.of(SwapVolume.BLOCK, replica);
    assertThat(snapshot.isStill(replica)).isTrue();
    assertThat(snapshot.replica()).isSameAs(replica);
    assertThat(snapshot.volume()).isSameAs(volume);
    assertThat(snapshot.linkCount()).isEqualTo(1);
  }

  private static void assertNotEligible(ReplicaInfo replica) throws IOException {
    assertThat(ReplicaSnapshot.isEligible(replica)).isFalse();
    assertThat(ReplicaSnapshot.of(SwapVolume.BLOCK, replica)).isNull();
  }

  @Test
  void finalizedReplicasAre() throws IOException {
    assertEligible(volume.current);
    assertEligible(recovered(volume.current));
  }

  /** Their files are being written. */
  @Test
  void othersAreNot() throws IOException {
    assertNotEligible(null);
    assertNotEligible(beingWritten());
    assertNotEligible(recovered(beingWritten()));
  }

  @Test
  void thoseInMemoryOrElsewhereAreNot() throws IOException {
    volume.isTransient = true;
    assertNotEligible(volume.current);
    volume.isTransient = false;
    volume.storageType = StorageType.PROVIDED;
    assertNotEligible(volume.current);
    assertNotEligible(
        new FinalizedReplica(SwapVolume.BLOCK.blockId(), LENGTH, SwapVolume.STAMP, null, null));
  }

  /** An append begins with another replica of the same block and file. */
  @Test
  void aReplicaThatIsBeingWrittenIsNotWhatItWas() throws IOException {
    ReplicaSnapshot snapshot = volume.snapshot();
    assertThat(snapshot.isStill(volume.current)).isTrue();
    assertThat(snapshot.isStill(beingWritten())).isFalse();
    assertThat(snapshot.isStill(null)).isFalse();
  }

  @Test
  void aFileThatIsGoneOrMovedIsNotWhatItWas() throws IOException {
    ReplicaSnapshot snapshot = volume.snapshot();
    Path moved = directory.resolve("moved");
    Files.move(volume.blockFile(), moved);
    assertThat(snapshot.isStill(volume.current)).isFalse();
    Files.copy(moved, volume.blockFile());
    assertThat(snapshot.isStill(volume.current)).as("a copy").isFalse();
    Files.move(moved, volume.blockFile(), StandardCopyOption.REPLACE_EXISTING);
    assertThat(snapshot.isStill(volume.current)).as("the same again").isTrue();
    Path other = Files.createDirectory(directory.resolve("other"));
    volume.current.updateWithReplica(StorageLocation.parse(other.toString()));
    Files.createLink(other.resolve(volume.blockFile().getFileName()), volume.blockFile());
    assertThat(snapshot.isStill(volume.current)).as("in another directory").isFalse();
  }

  @Test
  void namesOfTheFileAreCounted() throws IOException {
    Files.createLink(directory.resolve("second"), volume.blockFile());
    assertThat(volume.snapshot().linkCount()).isEqualTo(2);
  }
}
