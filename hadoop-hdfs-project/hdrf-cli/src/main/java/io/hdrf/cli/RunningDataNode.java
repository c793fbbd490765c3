/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.CheckResult;
import io.hdrf.spi.TaskProgress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/** The records of a running DataNode. */
final class RunningDataNode implements RecordSource {
  private final InetSocketAddress address;
  private final AdminClient client;
  private final int timeoutMillis;

  private RunningDataNode(InetSocketAddress address, AdminClient client, int timeoutMillis) {
    this.address = address;
    this.client = client;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Connects to its IPC server.
   *
   * @param timeoutMillis the time within which it must answer a question
   */
  static RunningDataNode connect(InetSocketAddress address, Configuration conf, int timeoutMillis)
      throws IOException {
    return new RunningDataNode(
        address, AdminClient.connect(address, conf, timeoutMillis), timeoutMillis);
  }

  @Override
  public String name() {
    return address.getHostString() + ":" + address.getPort();
  }

  @Override
  public Map<String, Long> storeBytes(Consumer<String> gaps) throws IOException {
    Map<String, Long> all = new HashMap<>();
    for (VolumeUse use : use(timeoutMillis)) {
      if (use.isWhole()) {
        all.put(StoreBytes.key(use.storageId(), use.poolId()), use.fileBytes());
      } else {
        gaps.accept(use.directory() + ": " + use.obstacle());
      }
    }
    return all;
  }

  /** See {@link AdminClient#use}. */
  List<VolumeUse> use(long maxMillis) throws IOException {
    return client.use(maxMillis);
  }

  /** See {@link AdminClient#metrics}. */
  Map<String, Long> metrics() throws IOException {
    return client.metrics();
  }

  /** See {@link AdminClient#replicas}. */
  Map<Long, BlockRecord> replicas(String poolId, long[] blockIds, int count) throws IOException {
    return client.replicas(poolId, blockIds, count).records();
  }

  @Override
  public List<VolumeInfo> volumes() throws IOException {
    return client.volumes();
  }

  @Override
  public List<String> leftOut() throws IOException {
    return leftOut(Long.MAX_VALUE);
  }

  /** As the method above; see {@link AdminClient#leftOut(long)}. */
  List<String> leftOut(long maxMillis) throws IOException {
    return client.leftOut(maxMillis).stream()
        .map(count -> count.directory() + ": " + count.obstacle())
        .toList();
  }

  @Override
  public Map<Long, BlockRecord> records(VolumeInfo volume, long after) throws IOException {
    return client.records(volume, after).records();
  }

  @Override
  public List<String> block(long blockId) throws IOException {
    return Arrays.asList(client.block(blockId));
  }

  @Override
  public CheckResult check(VolumeInfo volume, boolean repair, Progress progress)
      throws IOException {
    return CheckResult.decode(client.check(volume, repair, shownBy(progress)));
  }

  private static Consumer<String> shownBy(Progress progress) {
    return line -> progress.show(TaskProgress.decode(line));
  }

  @Override
  public CheckResult rebuild(VolumeInfo volume, Progress progress) throws IOException {
    return CheckResult.decode(client.rebuild(volume, shownBy(progress)));
  }

  @Override
  public List<VolumeInfo> schemeStores() throws IOException {
    return client.schemeStores();
  }

  @Override
  public List<String> reclaim(VolumeInfo volume, Progress progress) throws IOException {
    return Arrays.asList(client.reclaim(volume, shownBy(progress)));
  }

  @Override
  public ReferenceReport checkReferences(VolumeInfo volume) throws IOException {
    return client.checkReferences(volume);
  }

  @Override
  public void startJob(JobKind kind, long rate, double fraction) throws IOException {
    client.startJob(kind, rate, fraction);
  }

  @Override
  public void stopJob(JobKind kind) throws IOException {
    client.stopJob(kind);
  }

  @Override
  public List<JobInfo> jobs(JobKind kind) throws IOException {
    return client.jobs(kind);
  }

  @Override
  public List<ReducedBlocks> reducedBlocks() throws IOException {
    return client.reducedBlocks();
  }

  @Override
  public void close() {
    client.close();
  }
}
