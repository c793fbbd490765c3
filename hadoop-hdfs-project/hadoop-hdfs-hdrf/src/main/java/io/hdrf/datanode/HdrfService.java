/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.datanode.job.JobTasks;
import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.datanode.mirror.Mirroring;
import io.hdrf.datanode.page.Status;
import io.hdrf.datanode.read.ReducedReads;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.DelayedTasks;
import io.hdrf.datanode.replica.Hold;
import io.hdrf.datanode.replica.PlainBlockScan;
import io.hdrf.datanode.replica.PlainReplicas;
import io.hdrf.datanode.replica.ReducibleBlocks;
import io.hdrf.datanode.replica.Replicas;
import io.hdrf.datanode.replica.Savings;
import io.hdrf.datanode.replica.UnreadableReplicas;
import io.hdrf.datanode.volume.BlocksBeingWritten;
import io.hdrf.datanode.volume.Chains;
import io.hdrf.datanode.volume.DirectoryCounts;
import io.hdrf.datanode.volume.IoTimes;
import io.hdrf.datanode.volume.PlainProof;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.datanode.volume.SchemeStores;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * HDRF in one DataNode: puts its parts together, and passes calls of the dataset's bridge to them.
 * The parts make the decisions. Thread-safe.
 */
public final class HdrfService implements Closeable {

  /** For {@link #holdPlain}: accepts any length. */
  public static final LongPredicate ANY_LENGTH = length -> true;

  /** The result of {@link #knownSaving} where the file would have to be read. */
  public static final long UNKNOWN = Savings.UNKNOWN;

  /**
   * Runs before {@link BlockRecords} closes the metadata stores, to which the schemes' stores still
   * write.
   */
  private static final int EXIT_PRIORITY = BlockRecords.EXIT_PRIORITY + 1;

  private final HdrfConf conf;
  private final boolean anyChain;
  private final MemoryBalance memory;
  private final ReducerCounters counters = new ReducerCounters();
  private final Replicas replicas;
  private final DelayedTasks later = new DelayedTasks();
  private final PoolSlices slices;
  private final SchemeStores schemeStores;
  private final BlockRecords records;
  private final Mirroring mirroring;
  private final Savings savings;
  private final PlainReplicas plain;
  private final ReplicaReads reads;
  private final Reducer reducer;
  private final PlainBlockScan scan;
  private final VolumeJobs jobs;
  private final VolumeChanges changes;
  private final HdrfMetrics metrics;
  private final SpaceHistory history;
  private final AdminService admin;
  private final Runnable exitHook = this::closeAtExit;

  /** Starts the background work. */
  public HdrfService(HdrfSetup setup, String datanodeUuid, DatasetAccess dataset) {
    conf = setup.conf;
    memory = new MemoryBalance(conf.memory());
    records = setup.records;
    IoTimes times = new IoTimes(conf.configuration(), dataset::volumes);
    DurableFiles files = times.timed(setup.files);
    replicas = new Replicas(dataset, files, records);
    anyChain = Chains.anyConfigured(setup.chains);
    slices =
        new PoolSlices(
            conf,
            setup.registry,
            setup.chains,
            files,
            memory.budget(),
            dataset::adjustUsed,
            (volume, poolId) -> new UnreadableReplicas(replicas, volume, poolId));
    schemeStores = new SchemeStores(slices);
    BlockOpener opener = new BlockOpener(slices, counters, times);
    reads =
        new ReplicaReads(
            conf,
            dataset,
            opener,
            new ReducedReads(
                conf.readCacheSize(), conf.readAheadThreads(), counters, memory.budget()),
            setup.dropBehindReads);
    BlocksBeingWritten written =
        new BlocksBeingWritten(slices, setup.chains, files, dataset::replica);
    mirroring = setup.mirroring.open(written, later);
    savings = new Savings(replicas, slices, opener);
    plain = new PlainReplicas(replicas, slices, opener, counters);
    ReducibleBlocks owner =
        new ReducibleBlocks(conf, replicas, slices, written, mirroring.spooled(), savings, later);
    reducer = new Reducer(datanodeUuid, conf, owner, files, counters, this::onRoom);
    scan =
        new PlainBlockScan(
            datanodeUuid,
            dataset,
            reducer,
            conf.scanIntervalSeconds(),
            conf.queueLength(),
            replicas.settled(),
            owner);
    jobs =
        new VolumeJobs(
            slices,
            new JobTasks(replicas, opener, plain, reducer, conf.reduceThreads()),
            storageId ->
                dataset.volumes().stream().anyMatch(v -> v.getStorageID().equals(storageId)),
            slice -> owner.mayReduce(slice.storageId(), slice.poolId()),
            later,
            conf.nice(),
            this::onConversion);
    changes =
        new VolumeChanges(
            dataset,
            setup.dataDirectories,
            slices,
            opener,
            records,
            mirroring,
            scan,
            jobs,
            anyChain);
    SpaceUse use = new SpaceUse(slices, records, dataset, setup.registry);
    history = new SpaceHistory(use);
    history.start();
    metrics =
        new HdrfMetrics(
            datanodeUuid,
            counters,
            mirroring.counters(),
            reducer,
            records,
            schemeStores,
            jobs,
            history,
            memory.budget());
    metrics.register();
    admin =
        new AdminService(
            records,
            schemeStores,
            jobs,
            new DirectoryCounts(setup.dataDirectories, slices),
            use,
            new ReplicaForms(dataset, slices, records, opener),
            metrics);
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress()) {
      hooks.addShutdownHook(exitHook, EXIT_PRIORITY, conf.hookSeconds(), TimeUnit.SECONDS);
    }
  }

  /**
   * Closes the schemes' stores when the process ends: a DataNode does not shut its dataset down
   * then, and a store that was not closed takes longer to open. The slices stay listed: the map of
   * replicas lacks nothing yet, and who empties it tells them.
   */
  private void closeAtExit() {
    stopWork();
    slices.forEach(PoolSlice::close);
  }

  private void stopWork() {
    history.close();
    jobs.close();
    scan.close();
    reducer.close();
  }

  /** What pools and volumes that come and go are told to. */
  public VolumeChanges changes() {
    return changes;
  }

  /** Returns the number of rounds in which the scan looked at all that it is to look at. */
  long fullScanRounds() {
    return scan.fullRounds();
  }

  /**
   * Called when a NameNode has said for the first time that no rolling upgrade is open, by the
   * thread that sends heartbeats, which must not wait for disks.
   */
  public void noUpgradeIsOpen() {
    later.after(0, changes::noUpgradeIsOpen);
  }

  /** HDRF's directory below a pool's on a volume. */
  public static Path directory(Path poolDirectory) {
    return poolDirectory.resolve(PoolSlice.DIRECTORY);
  }

  /**
   * Drops waiting blocks, which may have been offered under the former goal; the scan finds again
   * what is still wanted.
   */
  private void onConversion() {
    reducer.dropWaiting();
    changes.wakeScan();
  }

  /** Called when the Reducer's queue has room again after it was full. */
  private void onRoom() {
    scan.wake();
  }

  // Writes

  /** Called after a block was finalized: it may be reduced now. */
  public void finalized(String poolId, long blockId) {
    forget(poolId, blockId);
    if (anyChain) {
      reducer.offer(new BlockRef(poolId, blockId));
    }
  }

  /** See {@link PlainProof#require}; a replica that is finalized already is not looked at. */
  public void requirePlain(String poolId, ReplicaInfo replica) throws IOException {
    plain.require(poolId, replica);
  }

  /** See {@link PlainReplicas#hold}. */
  public Hold holdPlain(String poolId, long blockId, LongPredicate inflated) throws IOException {
    return plain.hold(new BlockRef(poolId, blockId), inflated);
  }

  /** Keeps a block's file as it is, neither swapped nor inflated, until the lock is closed. */
  public Hold lock(String poolId, long blockId) {
    return replicas.locks().lock(new BlockRef(poolId, blockId));
  }

  /** See {@link PlainReplicas#copyDecoded}. */
  public boolean copyDecoded(String poolId, ReplicaInfo replica, Path target) throws IOException {
    return plain.copyDecoded(poolId, replica, target);
  }

  /** See {@link Savings#bytes}. */
  public long savedBytes(String poolId, ReplicaInfo replica) {
    return savings.bytes(poolId, replica);
  }

  /** See {@link Savings#known}. */
  public long knownSaving(String poolId, long blockId) {
    return savings.known(new BlockRef(poolId, blockId));
  }

  /** Forgets all about a block that is gone or was written to. */
  public void forget(String poolId, long blockId) {
    replicas.forget(new BlockRef(poolId, blockId));
  }

  // Reads

  /** Returns whether short-circuit readers are declined single blocks; see {@link HdrfConf}. */
  public boolean declinesBlocksAlone() {
    return conf.declinesBlocksAlone();
  }

  /** See {@link ReplicaReads#open}. */
  public FileInputStream open(String poolId, ReplicaInfo replica, long position, boolean scan)
      throws IOException {
    return reads.open(poolId, replica, position, scan);
  }

  /** See {@link ReplicaReads#openStored}. */
  public FileInputStream openStored(String poolId, ReplicaInfo replica) throws IOException {
    return reads.openStored(poolId, replica);
  }

  // What others look at

  /** The number of blocks waiting or in work. */
  public int pending() {
    return reducer.pending();
  }

  /** The service that answers administrators. */
  public AdminService adminService() {
    return admin;
  }

  /**
   * What the page of the DataNode's web server shows now.
   *
   * @param name the DataNode's, for people
   */
  public Status status(String name) {
    Map<String, List<JobInfo>> running = new LinkedHashMap<>();
    for (JobKind kind : JobKind.values()) {
      running.put(kind.command(), jobs.infos(kind));
    }
    return new Status(
        name,
        metrics.values(),
        history.last(),
        history.samples(),
        running,
        admin.infos(),
        schemeStores.list(),
        metrics.storeValues());
  }

  /** The pools on the volumes. */
  PoolSlices slices() {
    return slices;
  }

  /** The memory that all parts keep. */
  MemoryBudget memory() {
    return memory.budget();
  }

  /** What the blocks took in the past. */
  SpaceHistory history() {
    return history;
  }

  /** The transfer of blocks to and from other DataNodes. */
  public Mirroring mirroring() {
    return mirroring;
  }

  /** The block records. */
  public BlockRecords records() {
    return records;
  }

  /** The stores of block schemes. */
  SchemeStores schemeStores() {
    return schemeStores;
  }

  Reducer reducer() {
    return reducer;
  }

  /** The jobs of administrators. */
  VolumeJobs jobs() {
    return jobs;
  }

  public ReducerCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress()) {
      hooks.removeShutdownHook(exitHook);
    }
    stopWork();
    metrics.unregister();
    later.close();
    reads.close();
    mirroring.close();
    slices.closeAll();
    records.close();
    memory.close();
  }
}
