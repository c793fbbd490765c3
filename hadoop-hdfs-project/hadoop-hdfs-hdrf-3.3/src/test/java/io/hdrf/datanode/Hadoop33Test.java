/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.io.TestBytes;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.util.AutoCloseableLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What DataNodes of Hadoop 3.3 do and those of 3.1 don't. */
class Hadoop33Test {

  /** The dataset's lock has become one that readers share. */
  @Test
  void looksAndReadsShareTheLockWithReaders() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(HdrfCluster.configuration(), 1)) {
      byte[] data = TestBytes.text(300_000, 1);
      cluster.write("/reduced", data, 1);
      cluster.awaitReduced("/reduced");
      byte[] noise = TestBytes.noise(300_000, 2);
      cluster.write("/plain", noise, 1);
      cluster.awaitReduced();
      FutureTask<Void> reads =
          new FutureTask<>(
              () -> {
                read(cluster, cluster.block("/reduced"), data);
                read(cluster, cluster.block("/plain"), noise);
                // Looks through all blocks first.
                VolumeJobs jobs = cluster.service(0).jobs();
                jobs.start(JobKind.VERIFY, 0, 1);
                HdrfCluster.await(
                    "the verification",
                    () ->
                        jobs.infos(JobKind.VERIFY).stream()
                            .allMatch(job -> job.state() == JobInfo.State.DONE));
                return null;
              });
      try (AutoCloseableLock lock = cluster.dataset(0).acquireDatasetReadLock()) {
        new Thread(reads, "reads").start();
        reads.get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void aUsageClassThatIsSetLaterIsChecked(@TempDir Path directory) throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(HdrfCluster.configuration(), 1)) {
      UsageReconfiguration.assertChecked(cluster, directory);
    }
  }

  private static void read(HdrfCluster cluster, ExtendedBlock block, byte[] expected)
      throws Exception {
    try (InputStream stream = cluster.dataset(0).getBlockInputStream(block, 0)) {
      TestBytes.assertSame(block.getBlockName(), stream.readAllBytes(), expected);
    }
  }
}
