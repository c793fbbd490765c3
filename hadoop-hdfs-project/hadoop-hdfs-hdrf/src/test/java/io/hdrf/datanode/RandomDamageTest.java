/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockFormat;
import io.hdrf.block.ReducedBlock;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.scheme.TestSeed;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeProbe;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.junit.jupiter.api.Test;

/**
 * Rule 7: flips bits and cuts files at random positions. A client never gets a wrong byte; each
 * damaged replica is reported and replaced.
 */
class RandomDamageTest {

  private static final int BLOCKS = 72;
  private static final int BLOCK_SIZE = 320 << 10;

  private final Random random = TestSeed.random(RandomDamageTest.class.getName());

  private static Configuration configuration() {
    Configuration conf = HdrfCluster.configuration();
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_SIZE);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, 1 << 30);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_MAX_STREAMS_KEY, 50);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_STREAMS_HARD_LIMIT_KEY, 100);
    conf.setInt(HdfsClientConfigKeys.Retry.WINDOW_BASE_KEY, 10);
    conf.setInt("hdrf.lz4.frame.size", 32 << 10);
    return conf;
  }

  /** One damaged replica. */
  private static final class Case {
    private final ExtendedBlock block;
    private final int datanode;
    private final String what;
    private final boolean magicGone;

    Case(ExtendedBlock block, int datanode, String what, boolean magicGone) {
      this.block = block;
      this.datanode = datanode;
      this.what = what;
      this.magicGone = magicGone;
    }

    @Override
    public String toString() {
      return block + " on DataNode " + datanode + ": " + what;
    }
  }

  @Test
  void damageIsNeverSeenAlwaysReportedAndHealed() throws Exception {
    byte[] data = TestBytes.text(BLOCKS * BLOCK_SIZE, 71);
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 3, 1)) {
      cluster.write("/file", data, 2);
      cluster.awaitReduced("/file");
      List<LocatedBlock> blocks = cluster.blocks("/file");
      assertThat(blocks).hasSize(BLOCKS);
      List<Case> cases = new ArrayList<>();
      for (LocatedBlock located : blocks) {
        cases.add(damageOneReplica(cluster, located.getBlock()));
      }
      for (int i = 0; i < BLOCKS; i++) {
        readDamaged(
            cluster, cases.get(i), Arrays.copyOfRange(data, i * BLOCK_SIZE, (i + 1) * BLOCK_SIZE));
      }
      readAsClients(cluster, data);
      for (Case damaged : cases) {
        if (cluster.replica(damaged.datanode, damaged.block) != null) {
          DataNodeProbe.scan(cluster.datanode(damaged.datanode), damaged.block);
        }
      }
      for (int i = 0; i < BLOCKS; i++) {
        byte[] expected = Arrays.copyOfRange(data, i * BLOCK_SIZE, (i + 1) * BLOCK_SIZE);
        Case damaged = cases.get(i);
        HdrfCluster.await(
            "two sound replicas and no other: " + damaged,
            () -> isHealed(cluster, damaged.block, expected));
      }
      assertThat(cluster.mini().getNamesystem().getCorruptReplicaBlocks()).isZero();
      TestBytes.assertSame("the file", cluster.read("/file"), data);
    }
  }

  private Case damageOneReplica(HdrfCluster cluster, ExtendedBlock block) throws Exception {
    int datanode = random.nextInt(3);
    while (cluster.replica(datanode, block) == null) {
      datanode = (datanode + 1) % 3;
    }
    File file = cluster.file(datanode, block);
    long framesEnd;
    long physical;
    try (ReducedBlock reduced =
        ReducedBlock.openUntrusted(file.toPath(), ChannelFile.open(file.toPath()))) {
      framesEnd = reduced.header().tablePosition();
      physical = reduced.physicalLength();
    }
    String what;
    switch (random.nextInt(7)) {
      case 0:
        what = flip(file, 0, 64);
        break;
      case 1:
      case 2:
        what = flip(file, 64, framesEnd);
        break;
      case 3:
        what = flip(file, framesEnd, physical);
        break;
      case 4:
        what = cut(file, random.nextInt((int) physical), true);
        break;
      case 5:
        what = cut(file, random.nextInt((int) physical), false);
        break;
      default:
        what = cut(file, physical + random.nextInt((int) (file.length() - physical)), false);
        break;
    }
    // A file too short for a header counts as a plain block that has lost its end.
    boolean magicGone = !BlockFiles.isReduced(file) || file.length() < BlockFormat.HEADER_LENGTH;
    return new Case(block, datanode, what, magicGone);
  }

  private String flip(File file, long from, long to) throws IOException {
    StringBuilder what = new StringBuilder("flipped");
    byte[] before = Files.readAllBytes(file.toPath());
    do {
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        long position = from + random.nextInt((int) (to - from));
        int bits = 1 + random.nextInt(255);
        Damage.flip(file, position, bits);
        what.append(' ').append(position).append('^').append(bits);
      }
    } while (Arrays.equals(before, Files.readAllBytes(file.toPath())));
    return what.toString();
  }

  private static String cut(File file, long length, boolean refill) throws IOException {
    Damage.truncate(file, length, refill);
    return "cut at " + length + (refill ? " and filled with a hole" : "");
  }

  /** Reads the damaged replica itself: right bytes, or an exception that leads to a report. */
  private static void readDamaged(HdrfCluster cluster, Case damaged, byte[] expected) {
    try {
      byte[] found = cluster.replicaBytes(damaged.datanode, damaged.block);
      if (!damaged.magicGone) {
        TestBytes.assertSame(damaged.toString(), found, expected);
      }
      // Without its magic it is a plain block with wrong bytes, as any damaged block is.
    } catch (IOException e) {
      assertThat(e).as(damaged.toString()).isInstanceOf(DiskFileCorruptException.class);
      assertThat(e.getMessage()).as(damaged.toString()).isNotNull();
    }
  }

  private void readAsClients(HdrfCluster cluster, byte[] data) throws Exception {
    for (int i = 0; i < 150; i++) {
      int from = i < BLOCKS ? i * BLOCK_SIZE : random.nextInt(data.length - 1);
      int length = i < BLOCKS ? BLOCK_SIZE : 1 + random.nextInt(data.length - from);
      byte[] found = readPatiently(cluster, from, Math.min(length, 2 * BLOCK_SIZE));
      TestBytes.assertSame(
          "at " + from, found, Arrays.copyOfRange(data, from, from + found.length));
    }
  }

  /**
   * A client's stream remembers nodes that failed it, for whatever block; with so many damaged ones
   * it may run out of nodes to ask. A new stream starts afresh.
   */
  private static byte[] readPatiently(HdrfCluster cluster, int from, int length)
      throws IOException {
    IOException last = null;
    for (int attempt = 0; attempt < 10; attempt++) {
      byte[] found = new byte[length];
      try (FSDataInputStream in = cluster.fs().open(new Path("/file"))) {
        in.readFully(from, found);
        return found;
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  private static boolean isHealed(HdrfCluster cluster, ExtendedBlock block, byte[] expected) {
    int sound = 0;
    for (int datanode = 0; datanode < 3; datanode++) {
      if (cluster.replica(datanode, block) == null) {
        continue;
      }
      try {
        if (!Arrays.equals(cluster.replicaBytes(datanode, block), expected)) {
          return false;
        }
        sound++;
      } catch (IOException e) {
        return false;
      }
    }
    return sound == 2;
  }
}
