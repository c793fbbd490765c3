/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * HDRF refuses the same operations as stock HDFS, by the same exceptions, also for reduced blocks.
 */
@Timeout(180)
class StockRefusalsTest {

  private static final int LENGTH = 300_000;

  /** A block of a separate file for an illegal operation. */
  private static final class Victim {
    final HdrfCluster cluster;
    final FsDatasetSpi<?> dataset;
    final ExtendedBlock block;
    final long gs;

    Victim(HdrfCluster cluster, String path) throws Exception {
      this.cluster = cluster;
      this.dataset = cluster.dataset(0);
      this.block = cluster.block(path);
      this.gs = block.getGenerationStamp();
    }

    ExtendedBlock withStamp(long stamp) {
      return new ExtendedBlock(
          block.getBlockPoolId(), block.getBlockId(), block.getNumBytes(), stamp);
    }

    ExtendedBlock withLength(long length) {
      return new ExtendedBlock(block.getBlockPoolId(), block.getBlockId(), length, gs);
    }

    ExtendedBlock unknown() {
      return new ExtendedBlock(block.getBlockPoolId(), 7, LENGTH, gs);
    }

    ReplicaInfo replica() {
      return cluster.replica(0, block);
    }

    Victim withoutData() throws Exception {
      Files.delete(java.nio.file.Path.of(replica().getBlockURI()));
      return this;
    }

    Victim withoutMeta() throws Exception {
      Files.delete(java.nio.file.Path.of(replica().getMetadataURI()));
      return this;
    }

    Victim underRecovery() throws Exception {
      dataset.initReplicaRecovery(new RecoveringBlock(block, new DatanodeInfo[0], gs + 10));
      return this;
    }

    FsVolumeSpi otherVolume() throws Exception {
      for (FsVolumeSpi volume : cluster.volumes(0)) {
        if (volume != replica().getVolume()) {
          return volume;
        }
      }
      throw new AssertionError("one volume only");
    }
  }

  private interface Call {
    Object on(Victim victim) throws Exception;
  }

  private static Map<String, Call> calls() {
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("append, unknown", v -> v.dataset.append(v.unknown(), v.gs + 1, LENGTH));
    calls.put("append, stamp goes back", v -> v.dataset.append(v.block, v.gs - 1, LENGTH));
    calls.put(
        "append, newer stamp", v -> v.dataset.append(v.withStamp(v.gs + 1), v.gs + 2, LENGTH));
    calls.put(
        "append, older stamp", v -> v.dataset.append(v.withStamp(v.gs - 1), v.gs + 2, LENGTH));
    calls.put("append, length", v -> v.dataset.append(v.block, v.gs + 1, LENGTH - 1));
    calls.put(
        "append, under recovery", v -> v.underRecovery().dataset.append(v.block, v.gs + 1, LENGTH));
    calls.put("append, no data", v -> v.withoutData().dataset.append(v.block, v.gs + 1, LENGTH));
    calls.put("append, no meta", v -> v.withoutMeta().dataset.append(v.block, v.gs + 1, LENGTH));

    calls.put(
        "recoverAppend, unknown", v -> v.dataset.recoverAppend(v.unknown(), v.gs + 1, LENGTH));
    calls.put(
        "recoverAppend, stamp goes back", v -> v.dataset.recoverAppend(v.block, v.gs - 1, LENGTH));
    calls.put(
        "recoverAppend, newer stamp",
        v -> v.dataset.recoverAppend(v.withStamp(v.gs + 1), v.gs + 2, LENGTH));
    calls.put("recoverAppend, length", v -> v.dataset.recoverAppend(v.block, v.gs + 1, 1));
    calls.put(
        "recoverAppend, under recovery",
        v -> v.underRecovery().dataset.recoverAppend(v.block, v.gs + 1, LENGTH));
    calls.put(
        "recoverAppend, no data",
        v -> v.withoutData().dataset.recoverAppend(v.block, v.gs + 1, LENGTH));
    calls.put(
        "recoverAppend, no meta",
        v -> v.withoutMeta().dataset.recoverAppend(v.block, v.gs + 1, LENGTH));

    calls.put("recoverClose, unknown", v -> v.dataset.recoverClose(v.unknown(), v.gs + 1, LENGTH));
    calls.put(
        "recoverClose, newer stamp",
        v -> v.dataset.recoverClose(v.withStamp(v.gs + 1), v.gs + 2, LENGTH));
    calls.put("recoverClose, length", v -> v.dataset.recoverClose(v.block, v.gs + 1, 1));

    calls.put("update, unknown", v -> update(v, v.unknown(), v.gs + 10, 1000));
    calls.put("update, not under recovery", v -> update(v, v.block, v.gs + 10, 1000));
    calls.put(
        "update, length on disk", v -> update(v.underRecovery(), v.withLength(1), v.gs + 10, 1000));
    calls.put("update, other recovery", v -> update(v.underRecovery(), v.block, v.gs + 9, 1000));
    calls.put("update, longer", v -> update(v.underRecovery(), v.block, v.gs + 10, LENGTH + 1));
    calls.put(
        "update, no data", v -> update(v.underRecovery().withoutData(), v.block, v.gs + 10, 1000));
    calls.put(
        "update, no meta", v -> update(v.underRecovery().withoutMeta(), v.block, v.gs + 10, 1000));

    calls.put("read, unknown", v -> v.dataset.getBlockInputStream(v.unknown(), 0));
    calls.put("read, newer stamp", v -> v.dataset.getBlockInputStream(v.withStamp(v.gs + 1), 0));
    calls.put("read, no data", v -> v.withoutData().dataset.getBlockInputStream(v.block, 0));

    calls.put("move, unknown", v -> v.dataset.moveBlockAcrossVolumes(v.unknown(), v.otherVolume()));
    calls.put(
        "move, newer stamp",
        v -> v.dataset.moveBlockAcrossVolumes(v.withStamp(v.gs + 1), v.otherVolume()));
    calls.put(
        "move, under recovery",
        v -> v.underRecovery().dataset.moveBlockAcrossVolumes(v.block, v.otherVolume()));
    calls.put(
        "move, no data",
        v -> {
          FsVolumeSpi target = v.otherVolume();
          return v.withoutData().dataset.moveBlockAcrossVolumes(v.block, target);
        });
    calls.put(
        "move, no meta",
        v -> {
          FsVolumeSpi target = v.otherVolume();
          return v.withoutMeta().dataset.moveBlockAcrossVolumes(v.block, target);
        });

    calls.put(
        "finalize, unknown",
        v -> {
          v.dataset.finalizeBlock(v.unknown(), false);
          return null;
        });
    calls.put("finalize, older stamp", v -> finalizeBlock(v, v.gs - 1));
    calls.put("finalize, newer stamp", v -> finalizeBlock(v, v.gs + 1));
    calls.put(
        "finalize copy, closed meanwhile",
        v -> finalizeCopyAfter(v, () -> v.dataset.recoverClose(v.block, v.gs + 1, LENGTH)));
    calls.put(
        "finalize copy, appended to meanwhile",
        v -> finalizeCopyAfter(v, () -> v.dataset.append(v.block, v.gs + 1, LENGTH).close()));
    calls.put(
        "invalidate, newer stamp",
        v -> {
          Block[] blocks = {v.withStamp(v.gs + 1).getLocalBlock()};
          v.dataset.invalidate(v.block.getBlockPoolId(), blocks);
          return null;
        });
    calls.put(
        "delete pool, has blocks",
        v -> {
          v.dataset.deleteBlockPool(v.block.getBlockPoolId(), false);
          return null;
        });
    return calls;
  }

  private static Object finalizeBlock(Victim victim, long stamp) throws IOException {
    victim.dataset.finalizeBlock(victim.withStamp(stamp), false);
    return null;
  }

  /** Something that gives the replica a newer generation stamp. */
  private interface Change {
    void run() throws IOException;
  }

  /** The copy of a move is older than the replica in place when it should replace it. */
  private static Object finalizeCopyAfter(Victim victim, Change change) throws Exception {
    ReplicaInfo copy =
        HdrfDatasets.copy(victim.dataset, victim.block, victim.replica(), victim.otherVolume());
    change.run();
    ReplicaInfo inPlace = victim.replica();
    try {
      HdrfDatasets.finalizeCopy(victim.dataset, copy, victim.block);
    } finally {
      assertThat(victim.replica()).isSameAs(inPlace);
    }
    return null;
  }

  private static Object update(Victim victim, ExtendedBlock block, long recoveryId, long length)
      throws Exception {
    return victim.dataset.updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), length);
  }

  private static Map<String, String> answers(Configuration conf, boolean reduced) throws Exception {
    Map<String, String> answers = new LinkedHashMap<>();
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1, 2)) {
      Map<String, Call> calls = calls();
      for (String name : calls.keySet()) {
        String path = "/" + name.replaceAll("[ ,]+", "-");
        cluster.write(path, TestBytes.text(LENGTH, 3), 1);
        if (reduced) {
          cluster.awaitReduced(path);
        }
      }
      String directory = cluster.volumes(0).get(0).getBaseURI().getPath();
      String data = directory.replaceAll("/data/data\\d+/?$", "");
      calls.forEach((name, call) -> answers.put(name, answer(cluster, name, call, data)));
    }
    return answers;
  }

  private static String answer(HdrfCluster cluster, String name, Call call, String data) {
    try {
      Object result = call.on(new Victim(cluster, "/" + name.replaceAll("[ ,]+", "-")));
      if (result instanceof Closeable) {
        ((Closeable) result).close();
      }
      return "accepted";
    } catch (Exception | AssertionError e) {
      return e.getClass().getName()
          + ": "
          + String.valueOf(e.getMessage()).replace(data, "DIR").replaceAll("BP-[-.0-9]+", "BP");
    }
  }

  @Test
  void whatStockCodeRefusesIsRefusedInItsWords() throws Exception {
    Map<String, String> stock = answers(HdrfCluster.stockConfiguration(), false);
    assertThat(stock).as("the calls are illegal").doesNotContainValue("accepted");
    assertThat(stock.values()).noneMatch(answer -> answer.contains("AssertionError"));
    assertThat(answers(HdrfCluster.configuration(), true)).containsExactlyEntriesOf(stock);
  }
}
