/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.UsedDirectories;
import io.hdrf.datanode.job.JobTasks;
import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.datanode.mirror.Mirroring;
import io.hdrf.datanode.read.ReducedReads;
import io.hdrf.datanode.replica.BlockLocks;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.DelayedTasks;
import io.hdrf.datanode.replica.FinalizedPlainBlock;
import io.hdrf.datanode.replica.Hold;
import io.hdrf.datanode.replica.Inflater;
import io.hdrf.datanode.replica.PlainBlockScan;
import io.hdrf.datanode.replica.PlainHolds;
import io.hdrf.datanode.replica.ReplicaFiles;
import io.hdrf.datanode.replica.ReplicaInventory;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import io.hdrf.datanode.volume.BlocksBeingWritten;
import io.hdrf.datanode.volume.Chains;
import io.hdrf.datanode.volume.DataDirectories;
import io.hdrf.datanode.volume.PlainProof;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.datanode.volume.SchemeStores;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.BlockOwner;
import io.hdrf.reduce.BlockRef;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaUnderRecovery;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HDRF in one DataNode: what the dataset's bridge calls. The bridge is thin; every decision is made
 * here and in the classes beside. Thread-safe.
 */
public final class HdrfService implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(HdrfService.class);

  /** Before {@link BlockRecords} closes what the schemes' stores still write to. */
  private static final int EXIT_PRIORITY = BlockRecords.EXIT_PRIORITY + 1;

  private final HdrfConf conf;
  private final boolean anyChain;
  private final boolean dropBehindReads;
  private final DurableFiles files;
  private final ReducerCounters counters = new ReducerCounters();
  private final BlockLocks locks = new BlockLocks();
  private final PlainHolds holds = new PlainHolds(this::isCached);
  private final DelayedTasks later = new DelayedTasks();
  private final DataDirectories dataDirectories;
  private final PoolSlices volumes;
  private final SchemeStores schemeStores;
  private final BlockOpener opener;
  private final ReducedReads reads;
  private final BlocksBeingWritten spoolStorage;
  private final Mirroring mirroring;
  private volatile DatasetAccess dataset;
  private ReplicaFiles replicaFiles;
  private Inflater inflater;
  private Reducer reducer;
  private PlainBlockScan scan;
  private VolumeJobs jobs;
  private HdrfMetrics metrics;
  private final BlockRecords records;
  private final Runnable exitHook = this::closeAtExit;

  /**
   * Checks the configuration and loads the schemes, before anything of the DataNode's storage is
   * opened.
   *
   * @throws IOException names the key that is wrong
   */
  public HdrfService(Configuration configuration) throws IOException {
    this(
        configuration,
        LocalDurableFiles.INSTANCE,
        UsedDirectories.installation(HdrfService.class).orElse(null));
  }

  /**
   * @param home the Hadoop in which HDRF is installed; null where it is not
   */
  HdrfService(Configuration configuration, DurableFiles files, Path home) throws IOException {
    this.files = files;
    UsageCheck.check(configuration);
    conf = new HdrfConf(configuration);
    SchemeRegistry registry =
        conf.pluginsDirectory() == null
            ? SchemeRegistry.of(Collections.emptyList())
            : SchemeRegistry.load(conf.pluginsDirectory());
    Map<StorageType, SchemeChain> chains = Chains.configured(conf, registry);
    conf.checkMaxBlocks(registry);
    anyChain = Chains.anyConfigured(chains);
    for (String unknown : conf.unknownKeys(registry.names())) {
      LOG.warn("{} is no key of HDRF and has no effect; is it misspelt?", unknown);
    }
    records = new BlockRecords(conf, files);
    dropBehindReads =
        configuration.getBoolean(
            DFSConfigKeys.DFS_DATANODE_DROP_CACHE_BEHIND_READS_KEY,
            DFSConfigKeys.DFS_DATANODE_DROP_CACHE_BEHIND_READS_DEFAULT);
    volumes = new PoolSlices(conf, registry, chains, files, this::storesGrew, this::unreadable);
    schemeStores = new SchemeStores(volumes);
    opener = new BlockOpener(volumes, counters);
    reads = new ReducedReads(conf.readCacheSize(), conf.readAheadThreads(), counters);
    spoolStorage = new BlocksBeingWritten(volumes, chains, files, this::current);
    mirroring = MirroringSetup.open(conf, registry, chains, spoolStorage, later);
    dataDirectories = new DataDirectories(configuration, home);
    LOG.info(
        "HDRF stores new blocks with {}; installed schemes: {}; metadata store: {}",
        anyChain ? Chains.describe(chains) : "no scheme",
        registry.names(),
        records.storeName());
  }

  /** Starts the background work. Called once, when the dataset exists. */
  public void start(String datanodeUuid, DatasetAccess access) {
    dataset = access;
    replicaFiles = new ReplicaFiles(access, files);
    inflater = new Inflater(replicaFiles, opener, files, counters);
    reducer =
        new Reducer(
            datanodeUuid, conf, new Owner(), files, counters, () -> scan.wake(), this::onSkip);
    scan =
        new PlainBlockScan(
            datanodeUuid,
            access,
            reducer,
            conf.scanIntervalSeconds(),
            conf.queueLength(),
            this::isReducedWhenFound);
    jobs =
        new VolumeJobs(
            dataDirectories,
            volumes,
            new JobTasks(access, opener, locks, this::inflate, reducer, scan, conf.reduceThreads()),
            this::isInService,
            conf.nice(),
            this::onConversion);
    metrics =
        new HdrfMetrics(
            datanodeUuid, counters, mirroring.counters(), reducer, records, schemeStores, jobs);
    metrics.register();
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress()) {
      hooks.addShutdownHook(exitHook, EXIT_PRIORITY);
    }
  }

  /**
   * Has the schemes' stores closed in order when the process is told to end: a DataNode does not
   * shut its dataset down then, and a store that was not closed takes longer to open.
   */
  private void closeAtExit() {
    jobs.close();
    scan.close();
    reducer.close();
    volumes.closeAll();
  }

  private void onSkip(BlockRef block, SkipReason reason) {
    if (reason.isLasting()) {
      // Where the chain was taken away, reduced blocks are declined before anyone looks at them.
      boolean mayBeReduced = reason == SkipReason.ALREADY_REDUCED || reason == SkipReason.DECLINED;
      scan.settle(block, mayBeReduced ? savedBytes(block) : 0);
      if (reason != SkipReason.ALREADY_REDUCED) {
        records.changed(block, reason.code());
      }
    }
  }

  // Volumes and pools

  /**
   * Prepares a pool on a volume before its replicas are known.
   *
   * @return false if there was nothing to do
   * @throws IOException says why the volume must not start
   */
  public boolean openPool(FsVolumeSpi volume, String poolId) throws IOException {
    return !volume.isTransientStorage()
        && volume.getStorageType() != StorageType.PROVIDED
        && volumes.open(volume, poolId);
  }

  /**
   * Takes pools out of service again on a volume that is not added after all.
   *
   * @param poolIds for which {@link #openPool} returned true
   */
  public void closePools(FsVolumeSpi volume, List<String> poolIds) {
    poolIds.forEach(poolId -> volumes.close(volume.getStorageID(), poolId));
  }

  /** Whether nothing is left for {@link #openPool} to do. */
  public boolean isOpen(FsVolumeSpi volume, String poolId) {
    return volume.isTransientStorage()
        || volume.getStorageType() == StorageType.PROVIDED
        || volumes.find(volume.getStorageID(), poolId) != null;
  }

  /**
   * All replicas of the pool are in the map: the scan may look for plain ones.
   *
   * @param failing volumes of which they are not, which leave
   */
  public void poolIsLoaded(String poolId, Set<FsVolumeSpi> failing) {
    scan.addPool(poolId);
    startScan();
    // Not on volumes that are being added, with replicas of their own to be loaded.
    for (FsVolumeSpi volume : dataset.volumes()) {
      if (!failing.contains(volume)) {
        noteLoaded(volume, poolId);
      }
    }
    startRecords();
    jobs.resume();
  }

  private void noteLoaded(FsVolumeSpi volume, String poolId) {
    PoolSlice loaded = volumes.find(volume.getStorageID(), poolId);
    if (loaded != null) {
      loaded.noteLoaded();
    }
  }

  /** Where all replicas are known: others would be taken for blocks that are gone. */
  private void startRecords() {
    for (FsVolumeSpi volume : dataset.volumes()) {
      for (PoolSlice poolSlice : volumes.of(volume)) {
        if (!poolSlice.isLoaded()) {
          continue;
        }
        ReplicaInventory inventory =
            new ReplicaInventory(dataset, opener, poolSlice.poolId(), volume.getStorageID());
        records.open(volume, poolSlice, inventory, dataset);
      }
    }
  }

  /** A volume is about to be added, which may fail. */
  public void volumeIsComing(StorageLocation location) {
    dataDirectories.add(location);
  }

  /** Administrators took volumes out, in service or failed. */
  public void volumesAreTakenOut(Collection<StorageLocation> locations) {
    dataDirectories.remove(locations);
  }

  /** A volume was added, with its replicas of these pools. */
  public void volumeIsLoaded(FsVolumeSpi volume, Collection<String> poolIds) {
    poolIds.forEach(poolId -> noteLoaded(volume, poolId));
    startRecords();
    jobs.resume();
    wakeScan();
  }

  /** Without a chain there still may be reduced blocks, whose saving must be known. */
  private void startScan() {
    if (anyChain || volumes.anyMayHoldReducedBlocks()) {
      scan.start();
    }
  }

  /** Ends the jobs on a pool whose replicas are about to be forgotten. */
  public void stopJobs(String poolId) {
    jobs.closePool(poolId);
  }

  public void closePool(String poolId) {
    mirroring.queries().poolEnded(poolId);
    jobs.closePool(poolId);
    scan.removePool(poolId);
    // Schemes still write to the metadata stores when they are closed.
    volumes.closePool(poolId);
    records.closePool(poolId);
  }

  public void closeVolume(String storageId) {
    jobs.closeVolume(storageId);
    volumes.closeVolume(storageId);
    records.closeVolume(storageId);
  }

  /** HDRF's directory below a pool's on a volume. */
  public static Path directory(Path poolDirectory) {
    return poolDirectory.resolve(PoolSlice.DIRECTORY);
  }

  private boolean isInService(String storageId) {
    return dataset.volumes().stream().anyMatch(v -> v.getStorageID().equals(storageId));
  }

  /** Whether a replica is to be reduced when the scan finds it plain. */
  private boolean isReducedWhenFound(String poolId, ReplicaInfo replica) {
    PoolSlice volume = volumes.find(replica.getVolume().getStorageID(), poolId);
    // The time of the checksums: inflation gives a block a new file, and leaves these alone.
    return volume == null
        || volume.isReducedWhenFound(
            conf.scanReducesExisting(), ((LocalReplica) replica).getMetaFile()::lastModified);
  }

  /**
   * What waits may have been offered when it was still to be reduced without limit; what is still
   * wanted is found again.
   */
  private void onConversion() {
    reducer.dropWaiting();
    wakeScan();
  }

  /** Something happened that may leave plain blocks: look for them soon. */
  public void wakeScan() {
    startScan();
    scan.wake();
  }

  // Writes

  /** A block was finalized: it may be reduced now. */
  public void finalized(String poolId, long blockId) {
    BlockRef block = new BlockRef(poolId, blockId);
    forget(poolId, blockId);
    if (anyChain) {
      reducer.offer(block);
    }
  }

  /** Any length. */
  public static final LongPredicate ANY_LENGTH = length -> true;

  /** See {@link PlainProof#require}; a replica that is finalized already is not looked at. */
  public void requirePlain(String poolId, ReplicaInfo replica) throws IOException {
    ReplicaInfo original =
        replica instanceof ReplicaUnderRecovery
            ? ((ReplicaUnderRecovery) replica).getOriginalReplica()
            : replica;
    // In memory nothing is reduced, and stock code may have kept no checksums.
    if (original instanceof LocalReplica
        && original.getState() != ReplicaState.FINALIZED
        && !original.getVolume().isTransientStorage()) {
      PoolSlice volume = volumes.find(original.getStorageUuid(), poolId);
      PlainProof.require(
          (LocalReplica) original, volume != null && volume.reducedMayLackChecksums());
    }
  }

  /**
   * Makes a block plain and keeps it so until the hold is closed, for a stock operation that works
   * on the raw file. Nothing is inflated where the replica is not finalized, but even then it is
   * not reduced before the hold is closed: it may become finalized meanwhile.
   *
   * @param inflated which lengths of the replica are worth inflating it: where the operation is
   *     going to refuse the replica it is not
   * @throws IOException if the block can't be inflated; it is as it was
   */
  public Hold holdPlain(String poolId, long blockId, LongPredicate inflated) throws IOException {
    BlockRef block = new BlockRef(poolId, blockId);
    // Made before it is counted: nobody could give back a hold for which there was no memory.
    Hold hold = () -> holds.release(block);
    try (Hold lock = locks.lock(block)) {
      holds.hold(block);
      boolean plain = false;
      try {
        ReplicaSnapshot snapshot = snapshot(block);
        if (snapshot != null && inflated.test(snapshot.length())) {
          inflate(snapshot);
        }
        plain = true;
      } finally {
        if (!plain) {
          hold.close();
        }
      }
    }
    return hold;
  }

  private void inflate(ReplicaSnapshot snapshot) throws IOException {
    try {
      inflater.inflate(snapshot);
    } catch (DiskFileCorruptException | CorruptFileException | CorruptFrameException e) {
      dataset.handleDamaged(
          snapshot.block().poolId(), snapshot.replica(), String.valueOf(e.getMessage()));
      throw e;
    } finally {
      // A failed sync comes after the rename: the block may be plain in spite of the exception.
      scan.unsettle(snapshot.block());
      records.changed(snapshot.block(), BlockRecord.NO_REASON);
    }
  }

  private boolean isCached(BlockRef block) {
    return dataset.isCached(block.poolId(), block.blockId());
  }

  /** Keeps a block's file as it is, neither swapped nor inflated, until the lock is closed. */
  public Hold lock(String poolId, long blockId) {
    return locks.lock(new BlockRef(poolId, blockId));
  }

  /**
   * By how many bytes a replica's file is smaller than its length; 0 if it is plain, unreadable or
   * not there. Reads the file's header; not to be called under the dataset lock.
   */
  public long savedBytes(String poolId, ReplicaInfo replica) {
    if (!volumes.anyMayHoldReducedBlocks() || !ReplicaSnapshot.isEligible(replica)) {
      return 0;
    }
    BlockRef block = new BlockRef(poolId, replica.getBlockId());
    try (BlockOpener.Opened opened = opener.open(block, (LocalReplica) replica)) {
      return opened.isReduced()
          ? opened.reduced().logicalLength() - opened.reduced().physicalLength()
          : 0;
    } catch (IOException e) {
      LOG.debug("What {} saves is not known; du will tell", block, e);
      return 0;
    }
  }

  /** Until the dataset exists it is du that counts. */
  private void storesGrew(FsVolumeSpi volume, String poolId, long bytes) {
    DatasetAccess access = dataset;
    if (access != null) {
      access.adjustUsed(volume, poolId, bytes);
    }
  }

  /**
   * While a block file can't be read, nothing is collected on its volume. One in service is handed
   * to HDFS, which replaces it and so makes it go; others only an administrator can see to.
   */
  private void unreadable(FsVolumeSpi volume, BlockRef block, Path file, IOException why) {
    ReplicaInfo replica = current(block);
    if (!isFileOf(replica, file)) {
      LOG.warn(
          "Nothing is collected on {} while {} can't be read: {}. HDFS keeps it for a rollback:"
              + " finalize the upgrade, or, if there will be no rollback to it, delete the file",
          volume,
          file,
          why.getMessage());
      return;
    }
    LOG.warn(
        "Nothing is collected on {} while {} can't be read: {}. Its replica is reported and goes"
            + " when HDFS has replaced it; if there is no other one, delete the file that it"
            + " belongs to (hdfs fsck -blockId)",
        volume,
        file,
        why.getMessage());
    boolean damaged = why instanceof CorruptFileException || why instanceof CorruptFrameException;
    if (damaged || DiskErrors.isReadError(why)) {
      dataset.handleDamaged(block.poolId(), replica, String.valueOf(why.getMessage()));
    } else if (!(why instanceof UnknownFormatVersionException)) {
      dataset.checkDisk(volume);
    }
  }

  private static boolean isFileOf(ReplicaInfo replica, Path file) {
    try {
      return replica instanceof LocalReplica
          && Files.isSameFile(((LocalReplica) replica).getBlockFile().toPath(), file);
    } catch (IOException e) {
      return false;
    }
  }

  private long savedBytes(BlockRef block) {
    ReplicaInfo replica = current(block);
    return replica == null ? 0 : savedBytes(block.poolId(), replica);
  }

  /** Like {@link #savedBytes} but without I/O: {@link #UNKNOWN} where it has not been looked at. */
  public long knownSaving(String poolId, long blockId) {
    return volumes.anyMayHoldReducedBlocks()
        ? scan.saved(new BlockRef(poolId, blockId), UNKNOWN)
        : 0;
  }

  /** What {@link #knownSaving} returns where only a look at the file would tell. */
  public static final long UNKNOWN = -1;

  /** The block is gone, or was written to: what was known of it no longer holds. */
  public void forget(String poolId, long blockId) {
    BlockRef block = new BlockRef(poolId, blockId);
    scan.unsettle(block);
    records.changed(block, BlockRecord.NO_REASON);
  }

  /**
   * Writes a replica's data to a new file on another volume, decoded and verified.
   *
   * @return false if the replica is plain; nothing was written then
   * @throws IOException if it could not be done; the target may be incomplete
   */
  public boolean copyDecoded(String poolId, ReplicaInfo replica, Path target) throws IOException {
    BlockRef block = new BlockRef(poolId, replica.getBlockId());
    if (!replica.blockDataExists() || !replica.metadataExists()) {
      // Stock code copies both, and says which is missing.
      return false;
    }
    ReplicaSnapshot snapshot = ReplicaSnapshot.of(block, replica);
    if (snapshot == null) {
      return false;
    }
    try (BlockOpener.Opened opened = opener.open(snapshot)) {
      if (!opened.isReduced()) {
        return false;
      }
      inflater.writePlain(snapshot, opened, target);
      files.copyMode(snapshot.file(), target);
      return true;
    }
  }

  // Reads

  /** Whether raw files must never be handed to clients by path. */
  public boolean mayHoldReducedBlocks() {
    return volumes.anyMayHoldReducedBlocks();
  }

  /** A stream over a replica and whether its descriptor shows the block's own bytes. */
  public static final class BlockStream {
    private final FileInputStream stream;
    private final boolean plain;

    BlockStream(FileInputStream stream, boolean plain) {
      this.stream = stream;
      this.plain = plain;
    }

    public FileInputStream stream() {
      return stream;
    }

    public boolean isPlain() {
      return plain;
    }
  }

  /** Whether short-circuit readers are declined single blocks; see {@link HdrfConf}. */
  public boolean declinesBlocksAlone() {
    return conf.declinesBlocksAlone();
  }

  /**
   * Opens a replica for reading.
   *
   * @param dropBehind whether pages read are to leave the page cache
   * @return null if HDRF has nothing to do with the replica, and stock code must open it
   */
  public BlockStream open(String poolId, ReplicaInfo replica, long position, boolean dropBehind)
      throws IOException {
    if (!ReplicaSnapshot.isEligible(replica)) {
      return null;
    }
    BlockOpener.Opened opened = openForRead(new BlockRef(poolId, replica.getBlockId()), replica);
    boolean handedOver = false;
    try {
      FileInputStream stream;
      if (opened.isReduced()) {
        stream =
            reads.open(
                opened.reduced(),
                opened.codec(),
                opened,
                opened.stream().getFD(),
                position,
                dropBehind || dropBehindReads);
      } else {
        stream = opened.stream();
        stream.skip(position);
      }
      handedOver = true;
      return new BlockStream(stream, !opened.isReduced());
    } finally {
      if (!handedOver) {
        opened.close();
      }
    }
  }

  private BlockOpener.Opened openForRead(BlockRef block, ReplicaInfo replica) throws IOException {
    try {
      return opener.open(block, (LocalReplica) replica);
    } catch (DiskFileCorruptException | UnavailableException e) {
      throw e;
    } catch (IOException e) {
      dataset.checkDisk(replica.getVolume());
      throw e;
    }
  }

  private ReplicaSnapshot snapshot(BlockRef block) throws IOException {
    ReplicaInfo replica = current(block);
    return replica == null ? null : ReplicaSnapshot.of(block, replica);
  }

  private ReplicaInfo current(BlockRef block) {
    try (DatasetAccess.DatasetLock lock = dataset.lock()) {
      return dataset.replica(block.poolId(), block.blockId());
    }
  }

  /** How many blocks wait or are in work. */
  public int pending() {
    return reducer.pending();
  }

  /** What answers administrators. */
  public AdminService adminService() {
    return new AdminService(records, schemeStores, jobs);
  }

  /** How blocks travel to and from other DataNodes. */
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

  /** What administrators have it do. */
  VolumeJobs jobs() {
    return jobs;
  }

  public ReducerCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    if (dataset != null) {
      ShutdownHookManager hooks = ShutdownHookManager.get();
      if (!hooks.isShutdownInProgress()) {
        hooks.removeShutdownHook(exitHook);
      }
      jobs.close();
      scan.close();
      reducer.close();
      metrics.unregister();
    }
    later.close();
    reads.close();
    mirroring.close();
    volumes.closeAll();
    records.close();
  }

  /** Opens blocks for the Reducer. */
  private final class Owner implements BlockOwner {

    @Override
    public PlainBlock open(BlockRef block) throws IOException {
      EncodedBlock encoded = mirroring.spooled().take(block);
      PlainBlock opened = null;
      try {
        opened = open(block, encoded);
        return opened;
      } finally {
        if (opened == null && encoded != null) {
          encoded.close();
        }
      }
    }

    private PlainBlock open(BlockRef block, EncodedBlock encoded) throws IOException {
      if (holds.isHeld(block)) {
        throw new BlockSkippedException(SkipReason.HELD_PLAIN, "it is held plain");
      }
      ReplicaSnapshot snapshot = snapshot(block);
      if (snapshot == null
          || snapshot.replica().getState()
              != org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState.FINALIZED) {
        throw new BlockSkippedException(SkipReason.CHANGED, "it is not finalized");
      }
      FsVolumeSpi volume = snapshot.volume();
      PoolSlice poolSlice = use(volume, block.poolId());
      FsVolumeReference reference = null;
      boolean opened = false;
      try {
        if (poolSlice.isKeptPlain()) {
          throw new BlockSkippedException(
              SkipReason.KEPT_PLAIN, "all blocks of " + volume + " are kept plain");
        }
        if (poolSlice.codec() == null) {
          throw new BlockSkippedException(SkipReason.DECLINED, "its storage type has no chain");
        }
        if (!conf.duringUpgrade() && dataset.isUpgradeOpen(volume, block.poolId())) {
          throw new BlockSkippedException(SkipReason.UPGRADE, "an upgrade is open");
        }
        reference = volume.obtainReference();
        if (volume.getAvailable() < snapshot.length()) {
          throw new BlockSkippedException(SkipReason.NO_SPACE, volume + " is full");
        }
        PlainBlock plain =
            new FinalizedPlainBlock(
                snapshot,
                encoded,
                poolSlice,
                reference,
                dataset,
                replicaFiles,
                locks,
                holds,
                scan,
                records,
                later);
        // From here on it gives back what it took over.
        volume.reserveSpaceForReplica(snapshot.length());
        opened = true;
        return plain;
      } catch (ClosedChannelException e) {
        throw new BlockSkippedException(SkipReason.STOPPING, volume + " leaves");
      } finally {
        if (!opened) {
          poolSlice.endUse();
          if (reference != null) {
            reference.close();
          }
        }
      }
    }

    private PoolSlice use(FsVolumeSpi volume, String poolId) throws BlockSkippedException {
      try {
        return volumes.use(volume, poolId);
      } catch (UnavailableException e) {
        throw new BlockSkippedException(SkipReason.STOPPING, e.getMessage());
      }
    }

    @Override
    public SchemeChain chainOf(BlockRef block) {
      return spoolStorage.chainOf(block);
    }

    @Override
    public void onIoError(BlockRef block, IOException error) {
      ReplicaInfo replica = current(block);
      if (replica != null && replica.getVolume() != null) {
        dataset.checkDisk(replica.getVolume());
      }
    }
  }
}
