/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.BlockDescription;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.conf.HdrfConf;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.CheckResult;
import io.hdrf.metadata.MetadataStores;
import io.hdrf.metadata.RecordCheck;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/** Opens the volumes of a DataNode that does not run. */
final class StoppedDataNode implements RecordSource {
  private static final int PAGE = 1000;

  private final String name;
  private final Map<String, StoppedVolume> volumes = new LinkedHashMap<>();
  private final Map<String, MetadataStore> stores = new LinkedHashMap<>();
  private final Map<StoppedVolume, long[]> blockIds = new HashMap<>();
  private final Configuration conf;
  private final List<Path> directories;
  private final List<String> leftOut = new ArrayList<>();
  private final Map<Path, VolumeLock> locks = new HashMap<>();
  private MetadataStoreProvider provider;
  private boolean providerIsKnown;

  /**
   * @param conf the DataNode's configuration
   * @param directories those of {@code dfs.datanode.data.dir}
   */
  StoppedDataNode(String name, Configuration conf, List<Path> directories) {
    this.name = name;
    this.conf = conf;
    this.directories = List.copyOf(directories);
    for (Path directory : directories) {
      try {
        if (StoppedVolume.isInUse(directory)) {
          leftOut.add(VolumeLock.inUse(directory));
          continue;
        }
        for (StoppedVolume volume : StoppedVolume.poolsOf(directory, leftOut::add)) {
          volumes.put(volume.storageId() + "/" + volume.poolId(), volume);
        }
      } catch (IOException e) {
        leftOut.add(directory + ": " + Main.message(e));
      }
    }
  }

  @Override
  public List<String> leftOut() {
    return List.copyOf(leftOut);
  }

  @Override
  public boolean isRunning() {
    return false;
  }

  /** Returns the kind of store, or null. */
  private MetadataStoreProvider provider() throws IOException {
    if (!providerIsKnown) {
      provider = MetadataStores.chosen(new HdrfConf(conf));
      providerIsKnown = true;
    }
    return provider;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<VolumeInfo> volumes() throws IOException {
    List<VolumeInfo> infos = new ArrayList<>();
    if (provider() != null) {
      for (StoppedVolume volume : volumes.values()) {
        infos.add(
            new VolumeInfo(
                volume.storageId(),
                volume.poolId(),
                volume.directory().toString(),
                provider.name(),
                "not in service",
                0));
      }
    }
    return infos;
  }

  @Override
  public Map<String, Long> storeBytes(Consumer<String> gaps) {
    Map<String, Long> all = new LinkedHashMap<>();
    for (StoppedVolume volume : volumes.values()) {
      try {
        all.put(
            StoreBytes.key(volume.storageId(), volume.poolId()), StoreBytes.of(volume.directory()));
      } catch (IOException e) {
        gaps.accept(volume.directory() + ": HDRF's files can't be looked at: " + e);
      }
    }
    return all;
  }

  private StoppedVolume volume(VolumeInfo info) {
    return volumes.get(info.storageId() + "/" + info.poolId());
  }

  /** Returns all block ids: the directories are walked once, not for every page. */
  private long[] blockIds(StoppedVolume volume) throws IOException {
    long[] ids = blockIds.get(volume);
    if (ids == null) {
      ids = volume.blockIds();
      blockIds.put(volume, ids);
    }
    return ids;
  }

  private MetadataStore store(StoppedVolume volume) throws IOException {
    return store(volume, false);
  }

  private MetadataStore store(StoppedVolume volume, boolean toRebuild) throws IOException {
    String key = volume.storageId() + "/" + volume.poolId();
    MetadataStore store = stores.get(key);
    if (store == null) {
      lock(volume.volume());
      store =
          MetadataStores.openOffline(
              provider(),
              StoreContext.of(
                  conf, provider.name(), volume.directory(), volume.storageId(), volume.poolId()),
              volume.key(),
              toRebuild);
      stores.put(key, store);
    }
    return store;
  }

  /** Locks a volume: no other process may use its store, and no DataNode may start meanwhile. */
  private void lock(Path volume) throws IOException {
    if (!locks.containsKey(volume)) {
      locks.put(volume, VolumeLock.take(volume));
    }
  }

  @Override
  public Map<Long, BlockRecord> records(VolumeInfo info, long after) throws IOException {
    StoppedVolume volume = volume(info);
    List<Long> ids = new ArrayList<>();
    for (long id : blockIds(volume)) {
      if (id > after && ids.size() < PAGE) {
        ids.add(id);
      }
    }
    List<byte[]> keys = ids.stream().map(BlockRecord::key).toList();
    List<byte[]> values = store(volume).get(Table.BLOCKS, keys);
    Map<Long, BlockRecord> records = new TreeMap<>();
    for (int i = 0; i < ids.size(); i++) {
      byte[] value = values.get(i);
      records.put(ids.get(i), value == null ? null : decoded(ids.get(i), value));
    }
    return records;
  }

  /** Decodes a record; a damaged one counts as none, as on a running DataNode. */
  private static BlockRecord decoded(long blockId, byte[] value) {
    try {
      return BlockRecord.decode(blockId, value);
    } catch (MetadataException e) {
      return null;
    }
  }

  @Override
  public List<String> block(long blockId) throws IOException {
    List<String> lines = new ArrayList<>();
    for (StoppedVolume volume : volumes.values()) {
      lines.addAll(
          BlockDescription.lines(
              volume.directory().toString(),
              volume.storageId(),
              volume.poolId(),
              () -> volume.look(blockId, BlockRecord.NO_REASON),
              () -> record(volume, blockId)));
    }
    return lines;
  }

  private BlockRecord record(StoppedVolume volume, long blockId) throws IOException {
    if (provider() == null) {
      return null;
    }
    byte[] value = store(volume).get(Table.BLOCKS, List.of(BlockRecord.key(blockId))).get(0);
    return value == null ? null : BlockRecord.decode(blockId, value);
  }

  @Override
  public CheckResult check(VolumeInfo info, boolean repair, Progress progress) throws IOException {
    StoppedVolume volume = volume(info);
    return new RecordCheck(store(volume), volume, repair, () -> false, progress::raise).run();
  }

  /** Returns none: only a running DataNode opens the stores of schemes. */
  @Override
  public List<VolumeInfo> schemeStores() {
    return List.of();
  }

  @Override
  public List<String> reclaim(VolumeInfo volume, Progress progress) throws IOException {
    throw new IOException(name() + " does not run");
  }

  @Override
  public ReferenceReport checkReferences(VolumeInfo volume) throws IOException {
    throw new IOException(name() + " does not run");
  }

  @Override
  public void startJob(JobKind kind, long rate, double fraction) throws IOException {
    throw new IOException(
        name()
            + " does not run, and only a running DataNode can "
            + kind.command()
            + " its blocks; start it with "
            + "dfs.datanode.fsdataset.factory set to HDRF's");
  }

  @Override
  public void stopJob(JobKind kind) throws IOException {
    throw new IOException(name() + " does not run");
  }

  @Override
  public List<JobInfo> jobs(JobKind kind) {
    return List.of();
  }

  @Override
  public List<ReducedBlocks> reducedBlocks() throws IOException {
    List<ReducedBlocks> counts = new ArrayList<>();
    for (Path directory : directories) {
      try {
        if (StoppedVolume.isInUse(directory)) {
          counts.add(ReducedBlocks.notCounted(directory.toString(), VolumeLock.inUse(directory)));
          continue;
        }
      } catch (IOException e) {
        counts.add(ReducedBlocks.notCounted(directory.toString(), Main.message(e)));
        continue;
      }
      counts.addAll(StoppedVolume.reducedBlocks(directory, () -> {}));
    }
    return counts;
  }

  @Override
  public CheckResult rebuild(VolumeInfo info, Progress progress) throws IOException {
    StoppedVolume volume = volume(info);
    return RecordCheck.rebuild(store(volume, true), volume, progress::raise);
  }

  @Override
  public void close() throws IOException {
    try {
      for (MetadataStore store : stores.values()) {
        store.close();
      }
    } finally {
      for (VolumeLock lock : locks.values()) {
        lock.close();
      }
    }
  }
}
