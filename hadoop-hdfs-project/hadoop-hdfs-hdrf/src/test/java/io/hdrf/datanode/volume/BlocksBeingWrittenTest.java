/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.File;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaBeingWritten;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.extdataset.ExternalVolumeImpl;
import org.junit.jupiter.api.Test;

/**
 * Frames are kept only for the block that HDFS's code lets this thread write. A thread that was
 * refused, or names another block, is not registered.
 */
class BlocksBeingWrittenTest {

  private static final BlockRef REF = new BlockRef("BP-1", 1);
  private static final Block BLOCK = new Block(1, 5, 1001);
  private static final File DIRECTORY = new File("/nowhere");

  private static boolean mayKeepFramesOf(ReplicaInfo replica) {
    BlocksBeingWritten storage =
        new BlocksBeingWritten(null, Map.of(), LocalDurableFiles.INSTANCE, block -> replica);
    return storage.written(REF) != null;
  }

  private static ReplicaInfo writtenBy(Thread writer) {
    return new ReplicaBeingWritten(BLOCK, new ExternalVolumeImpl(), DIRECTORY, writer);
  }

  @Test
  void theWriterMayKeepFrames() {
    assertThat(mayKeepFramesOf(writtenBy(Thread.currentThread()))).isTrue();
  }

  @Test
  void othersMayNotWhileSomebodyWrites() {
    Thread writer = new Thread(() -> {});
    ReplicaInfo replica = writtenBy(writer);
    assertThat(mayKeepFramesOf(replica)).isFalse();
    assertThat(((ReplicaBeingWritten) replica).attemptToSetWriter(writer, writer))
        .as("still the writer")
        .isTrue();
    assertThat(mayKeepFramesOf(writtenBy(null))).as("nobody writes").isFalse();
  }

  @Test
  void nobodyMayOfABlockThatIsWholeOrGone() {
    assertThat(mayKeepFramesOf(new FinalizedReplica(BLOCK, new ExternalVolumeImpl(), DIRECTORY)))
        .isFalse();
    assertThat(mayKeepFramesOf(null)).isFalse();
  }
}
