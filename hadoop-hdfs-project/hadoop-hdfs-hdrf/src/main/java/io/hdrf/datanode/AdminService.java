/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.AdminTasks;
import io.hdrf.admin.BlockDescription;
import io.hdrf.admin.HdrfAdminProtocol;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.MetricLines;
import io.hdrf.admin.RecordPage;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.TaskKind;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.volume.DirectoryCounts;
import io.hdrf.datanode.volume.SchemeStores;
import io.hdrf.metadata.CheckResult;
import io.hdrf.metadata.RecordTask;
import io.hdrf.metadata.VolumeRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * Answers administrators about one DataNode; who calls, {@link io.hdrf.admin.AdminEndpoint} has
 * checked. Thread-safe.
 */
public final class AdminService implements HdrfAdminProtocol {

  private final BlockRecords records;
  private final SchemeStores schemeStores;
  private final VolumeJobs jobs;
  private final DirectoryCounts counts;
  private final SpaceUse use;
  private final ReplicaForms replicas;
  private final HdrfMetrics metrics;
  private final AdminTasks tasks = new AdminTasks();

  AdminService(
      BlockRecords records,
      SchemeStores schemeStores,
      VolumeJobs jobs,
      DirectoryCounts counts,
      SpaceUse use,
      ReplicaForms replicas,
      HdrfMetrics metrics) {
    this.jobs = jobs;
    this.counts = counts;
    this.records = records;
    this.schemeStores = schemeStores;
    this.use = use;
    this.replicas = replicas;
    this.metrics = metrics;
  }

  private VolumeRecords volume(String storageId, String poolId) throws IOException {
    VolumeRecords volume = records.find(storageId, poolId);
    if (volume != null) {
      return volume;
    }
    throw new IOException(
        "No records are kept of pool "
            + poolId
            + " on storage "
            + storageId
            + " (metadata store: "
            + records.storeName()
            + ")");
  }

  @Override
  public String[] volumes() throws IOException {
    return infos().stream().map(VolumeInfo::encode).toArray(String[]::new);
  }

  /** The states of the metadata stores. Never waits. */
  List<VolumeInfo> infos() {
    List<VolumeInfo> volumes = new ArrayList<>();
    for (VolumeRecords volume : records.volumes()) {
      volumes.add(
          new VolumeInfo(
              volume.storageId(),
              volume.poolId(),
              volume.directory().toString(),
              records.storeName(),
              volume.status().toString(),
              volume.pending()));
    }
    return volumes;
  }

  @Override
  public byte[] records(String storageId, String poolId, long after, int limit) throws IOException {
    VolumeRecords volume = volume(storageId, poolId);
    int count = Math.max(1, Math.min(limit, RecordPage.MAX_BLOCKS));
    List<Long> ids = volume.blockIdsAfter(after, count);
    List<byte[]> values = volume.encoded(ids);
    Map<Long, byte[]> page = new LinkedHashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      if (values.get(i) != null || isThere(volume, ids.get(i))) {
        page.put(ids.get(i), values.get(i));
      }
    }
    return RecordPage.encode(page);
  }

  /** Blocks go while they are listed. */
  private static boolean isThere(VolumeRecords volume, long blockId) {
    try {
      return volume.look(blockId) != null;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public String[] block(long blockId) throws IOException {
    List<String> lines = new ArrayList<>();
    for (VolumeRecords volume : records.volumes()) {
      lines.addAll(
          BlockDescription.lines(
              volume.directory().toString(),
              volume.storageId(),
              volume.poolId(),
              () -> volume.look(blockId),
              () -> volume.get(blockId)));
    }
    return lines.toArray(new String[0]);
  }

  @Override
  public String startTask(String kind, String storageId, String poolId) throws IOException {
    TaskKind wanted = TaskKind.of(kind);
    String what = wanted.word() + " " + storageId + " " + poolId;
    switch (wanted) {
      case CHECK:
      case REPAIR:
      case REBUILD:
        VolumeRecords volume = volume(storageId, poolId);
        AtomicReference<RecordTask> begun = new AtomicReference<>();
        return tasks.start(
            what,
            () -> {
              begun.set(volume.begin(RecordTask.Kind.valueOf(wanted.name())));
              CheckResult result = begun.get().await();
              if (result == null) {
                throw new IOException("The DataNode stops");
              }
              return result.encode();
            },
            () -> begun.get() == null ? "" : begun.get().progress().encode());
      case RECLAIM:
        return tasks.start(
            what,
            () -> schemeStores.reclaim(storageId, poolId),
            () -> schemeStores.progress(storageId, poolId));
      case REFERENCES:
        return tasks.start(what, () -> schemeStores.check(storageId, poolId), () -> "");
      case COUNT:
      case LEFT_OUT:
        return tasks.start(
            wanted.word(),
            () ->
                (wanted == TaskKind.COUNT ? counts.reducedBlocks() : counts.leftOut())
                    .stream().map(ReducedBlocks::encode).collect(Collectors.toList()),
            () -> "");
      case SUM:
        return tasks.start(wanted.word(), use::lines, use::progress);
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  @Override
  public String[] task(String id) throws IOException {
    return tasks.poll(id);
  }

  @Override
  public String[] schemeStores() throws IOException {
    return schemeStores.list().stream().map(VolumeInfo::encode).toArray(String[]::new);
  }

  @Override
  public void startJob(String kind, long rate, double fraction) throws IOException {
    jobs.start(JobKind.of(kind), rate, fraction);
  }

  @Override
  public void stopJob(String kind) throws IOException {
    jobs.stop(JobKind.of(kind));
  }

  @Override
  public String[] jobs(String kind) throws IOException {
    return jobs.infos(JobKind.of(kind)).stream().map(JobInfo::encode).toArray(String[]::new);
  }

  @Override
  public byte[] replicas(String poolId, byte[] blockIds) throws IOException {
    return replicas.page(poolId, blockIds);
  }

  @Override
  public String[] metrics() throws IOException {
    return MetricLines.encode(metrics.values());
  }
}
