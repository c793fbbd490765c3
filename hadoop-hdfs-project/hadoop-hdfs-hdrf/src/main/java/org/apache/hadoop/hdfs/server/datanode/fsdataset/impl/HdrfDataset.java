/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.HdrfService;
import io.hdrf.datanode.HdrfSetup;
import io.hdrf.datanode.read.DecodedBlockInputStream;
import io.hdrf.datanode.replica.Hold;
import io.hdrf.spi.thread.HdrfThreads;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.common.Storage;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNode.ShortCircuitFdsVersionException;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.DescriptorRequests;
import org.apache.hadoop.hdfs.server.datanode.HdrfDataNodeBridge;
import org.apache.hadoop.hdfs.server.datanode.HeartbeatAnswers;
import org.apache.hadoop.hdfs.server.datanode.MirrorInstaller;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.VolumeScanner;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.protocol.NamespaceInfo;

/**
 * The bridge between the DataNode and {@link HdrfService}: stock code does what it always did, and
 * HDRF is asked before and told after. Package-private as its parent is: a public subclass of a
 * package-private class gets bridge methods from the compiler, which break Mockito's spies.
 */
abstract class HdrfDataset extends FsDatasetImpl {

  /** A storage type of Hadoop 3.4. */
  private static final String NVDIMM = "NVDIMM";

  /** Takes pools out of service again on the volume that this thread is adding. */
  private static final ThreadLocal<Runnable> COMING = new ThreadLocal<>();

  final HdrfService service;
  private final HdrfDatasetAccess serviceAccess;
  private final HeartbeatAnswers answers;
  private final ExecutorService cacheInflater;

  /** Those that wait for {@link #cacheInflater}. */
  private final Set<BlockRef> toBeCached = ConcurrentHashMap.newKeySet();

  /** Those that {@link #cachePlain} could not inflate. */
  private final LongAdder failedToCache = new LongAdder();

  /**
   * @param line what differs between lines of Hadoop
   */
  HdrfDataset(
      DataNode datanode,
      DataStorage storage,
      Configuration conf,
      HdrfSetup setup,
      Function<FsDatasetImpl, HdrfDatasetAccess> line)
      throws IOException {
    super(datanode, storage, conf);
    this.answers = new HeartbeatAnswers(datanode);
    this.cacheInflater =
        Executors.newSingleThreadExecutor(HdrfThreads.factory("hdrf-cache-inflater"));
    this.serviceAccess = line.apply(this);
    this.service = new HdrfService(setup, datanode.getDatanodeUuid(), serviceAccess);
    HdrfDataNodeBridge.serve(datanode, service.adminService(), conf);
    HdrfDataNodeBridge.show(datanode, () -> service.status(datanode.getDisplayName()));
    MirrorInstaller.install(datanode, service.mirroring());
  }

  // Blocks become finalized

  @Override
  public void finalizeBlock(ExtendedBlock block, boolean fsyncDir) throws IOException {
    ReplicaInfo replica = volumeMap.get(block.getBlockPoolId(), block.getBlockId());
    if (!StockRefusals.ofFinalize(replica, block)) {
      service.requirePlain(block.getBlockPoolId(), replica);
    }
    super.finalizeBlock(block, fsyncDir);
    service.finalized(block.getBlockPoolId(), block.getBlockId());
  }

  @Override
  public Replica recoverClose(ExtendedBlock block, long newGs, long expectedBlockLen)
      throws IOException {
    Replica closed = closeWhatIsPlain(block, newGs, expectedBlockLen);
    service.finalized(block.getBlockPoolId(), block.getBlockId());
    return closed;
  }

  /**
   * Stops writers as stock code does, looks as the only writer and without the lock, and has stock
   * code finalize what nobody has written to meanwhile.
   */
  @SuppressWarnings("ReferenceEquality") // an equal replica made meanwhile is another one
  private Replica closeWhatIsPlain(ExtendedBlock block, long newGs, long expectedBlockLen)
      throws IOException {
    ReplicaInfo seen = null;
    while (true) {
      ReplicaInPipeline written;
      try (Hold lock = serviceAccess.lockReplica(block)) {
        ReplicaInfo replica = volumeMap.get(block.getBlockPoolId(), block.getBlockId());
        // Nobody takes a replica from a writer that lives.
        if (replica == seen
            || StockRefusals.ofRecoverClose(replica, block, newGs)
            || replica.getState() != ReplicaState.RBW) {
          return super.recoverClose(block, newGs, expectedBlockLen);
        }
        written = (ReplicaInPipeline) replica;
        seen = written.attemptToSetWriter(null, Thread.currentThread()) ? replica : null;
        if (seen != null && StockRefusals.ofLengths(written, expectedBlockLen)) {
          return super.recoverClose(block, newGs, expectedBlockLen);
        }
      }
      if (seen == null) {
        written.stopWriter(datanode.getDnConf().getXceiverStopTimeout());
      } else {
        service.requirePlain(block.getBlockPoolId(), seen);
      }
    }
  }

  /** Stock code truncates the raw file and writes fresh checksums: only ever on a plain block. */
  @Override
  public Replica updateReplicaUnderRecovery(
      ExtendedBlock oldBlock, long recoveryId, long newBlockId, long newLength) throws IOException {
    String pool = oldBlock.getBlockPoolId();
    Replica updated;
    ReplicaInfo replica;
    try (Hold lock = serviceAccess.lockReplica(oldBlock)) {
      replica = volumeMap.get(pool, oldBlock.getBlockId());
      if (StockRefusals.ofUpdate(replica, oldBlock, recoveryId, newLength)) {
        return super.updateReplicaUnderRecovery(oldBlock, recoveryId, newBlockId, newLength);
      }
    }
    service.requirePlain(pool, replica);
    try (Hold plain =
        service.holdPlain(pool, oldBlock.getBlockId(), length -> newLength < length)) {
      updated = super.updateReplicaUnderRecovery(oldBlock, recoveryId, newBlockId, newLength);
    }
    service.finalized(pool, oldBlock.getBlockId());
    if (newBlockId > 0 && newBlockId != oldBlock.getBlockId()) {
      service.finalized(pool, newBlockId);
    }
    return updated;
  }

  // Blocks are written to again

  @Override
  public ReplicaHandler append(ExtendedBlock block, long newGs, long expectedBlockLen)
      throws IOException {
    try (Hold lock = serviceAccess.lockReplica(block)) {
      ReplicaInfo replica = volumeMap.get(block.getBlockPoolId(), block.getBlockId());
      if (StockRefusals.ofAppend(replica, block, newGs, expectedBlockLen)) {
        return super.append(block, newGs, expectedBlockLen);
      }
    }
    try (Hold plain = holdForAppend(block, expectedBlockLen)) {
      ReplicaHandler appended = super.append(block, newGs, expectedBlockLen);
      // The inflation told of a finalized block.
      service.forget(block.getBlockPoolId(), block.getBlockId());
      return appended;
    }
  }

  @Override
  public ReplicaHandler recoverAppend(ExtendedBlock block, long newGs, long expectedBlockLen)
      throws IOException {
    try (Hold lock = serviceAccess.lockPool(block.getBlockPoolId())) {
      ReplicaInfo replica = volumeMap.get(block.getBlockPoolId(), block.getBlockId());
      if (StockRefusals.ofRecoverAppend(replica, block, newGs, expectedBlockLen)) {
        return super.recoverAppend(block, newGs, expectedBlockLen);
      }
    }
    try (Hold plain = holdForAppend(block, expectedBlockLen)) {
      ReplicaHandler appended = super.recoverAppend(block, newGs, expectedBlockLen);
      // The inflation told of a finalized block.
      service.forget(block.getBlockPoolId(), block.getBlockId());
      return appended;
    }
  }

  /**
   * Held whatever state the replica is in: stock code may stop a writer that finalizes the block as
   * its last act, and append to that.
   */
  private Hold holdForAppend(ExtendedBlock block, long expectedLength) throws IOException {
    return service.holdPlain(
        block.getBlockPoolId(), block.getBlockId(), length -> length == expectedLength);
  }

  // Reads

  @Override
  @SuppressWarnings("ReferenceEquality") // a replica that equals it may lie elsewhere
  public InputStream getBlockInputStream(ExtendedBlock block, long seekOffset) throws IOException {
    ReplicaInfo replica = volumeMap.get(block.getBlockPoolId(), block.getLocalBlock());
    if (seekOffset == 0 && DescriptorRequests.isForStoredReplica(block)) {
      return openStored(block, replica);
    }
    while (isStockAlone(block, replica)) {
      InputStream stock = super.getBlockInputStream(block, seekOffset);
      // It may have left memory before stock code looked, and have been reduced since.
      ReplicaInfo now = volumeMap.get(block.getBlockPoolId(), block.getLocalBlock());
      if (now == replica && isStockAlone(block, now)) {
        return stock;
      }
      stock.close();
      replica = now;
    }
    FileInputStream opened;
    try {
      opened =
          service.open(
              block.getBlockPoolId(),
              replica,
              seekOffset,
              Thread.currentThread() instanceof VolumeScanner);
    } catch (IOException e) {
      if (!replica.blockDataExists()) {
        // Refused in stock code's words.
        serviceAccess.openPlain(block, replica, seekOffset).close();
      }
      throw e;
    }
    if (opened == null) {
      // Of this very replica, as stock code would: looking it up again might find it reduced.
      return serviceAccess.openPlain(block, replica, seekOffset);
    }
    if (opened instanceof DecodedBlockInputStream
        && seekOffset == 0
        && DescriptorRequests.isCurrent()) {
      opened.close();
      throw DescriptorRequests.declined(block, service.declinesBlocksAlone());
    }
    return opened;
  }

  private boolean isStockAlone(ExtendedBlock block, ReplicaInfo replica) throws IOException {
    return replica == null
        || replica.getVolume().isTransientStorage()
        || replica.getVolume().getStorageType() == StorageType.PROVIDED
        || cacheManager.getReplicaCachePath(block.getBlockPoolId(), block.getBlockId()) != null;
  }

  /** Declines in a way that the DataNode does not log: clients ask for every block they read. */
  private InputStream openStored(ExtendedBlock block, ReplicaInfo replica) throws IOException {
    InputStream stored = null;
    try {
      if (!isStockAlone(block, replica)) {
        stored = service.openStored(block.getBlockPoolId(), replica);
      }
    } catch (ShortCircuitFdsVersionException e) {
      throw e;
    } catch (IOException e) {
      // Whoever reads it by TCP is told, as ever.
      DataNode.LOG.debug("The descriptor of {} is not passed", block, e);
    }
    if (stored == null) {
      throw DescriptorRequests.notPassed(block);
    }
    return stored;
  }

  /**
   * Clients remember the paths, also beyond a restart with other settings, and would read a file
   * that was reduced meanwhile.
   */
  @Override
  public BlockLocalPathInfo getBlockLocalPathInfo(ExtendedBlock block) throws IOException {
    throw new IOException("Blocks of this DataNode may be reduced; read " + block + " by TCP");
  }

  // Caching

  /** A cached block is mapped as it lies, so it stays plain until it is uncached. */
  @Override
  public void cache(String bpid, long[] blockIds) {
    for (long blockId : blockIds) {
      BlockRef block = new BlockRef(bpid, blockId);
      if (!toBeCached.add(block)) {
        // The NameNode repeats what is pending.
        continue;
      }
      boolean queued = false;
      try {
        cacheInflater.execute(
            () -> {
              toBeCached.remove(block);
              cachePlain(bpid, blockId);
            });
        queued = true;
      } catch (RejectedExecutionException e) {
        LOG.debug("Not caching block {} while the DataNode stops", blockId, e);
      } finally {
        if (!queued) {
          toBeCached.remove(block);
        }
      }
    }
  }

  /** Held until it is in the cache, or is known not to get there; from then on the cache tells. */
  private void cachePlain(String bpid, long blockId) {
    // Before it is inflated, and again below: it may have changed by then.
    if (isLeftToStock(volumeMap.get(bpid, blockId))) {
      super.cache(bpid, new long[] {blockId});
      return;
    }
    Hold plain;
    try {
      plain = service.holdPlain(bpid, blockId, HdrfService.ANY_LENGTH);
    } catch (IOException e) {
      LOG.warn("Block {} of pool {} can't be inflated and is not cached", blockId, bpid, e);
      failedToCache.increment();
      return;
    }
    boolean handedOver = false;
    try {
      ReplicaInfo replica = volumeMap.get(bpid, blockId);
      if (isLeftToStock(replica)) {
        super.cache(bpid, new long[] {blockId});
        return;
      }
      Executor executor = ((FsVolumeImpl) replica.getVolume()).getCacheExecutor();
      AtomicBoolean begun = new AtomicBoolean();
      cacheManager.cacheBlock(
          blockId,
          bpid,
          replica.getBlockURI().toString(),
          replica.getVisibleLength(),
          replica.getGenerationStamp(),
          task -> {
            executor.execute(() -> runAndClose(task, plain));
            begun.set(true);
          });
      handedOver = begun.get();
    } finally {
      if (!handedOver) {
        plain.close();
      }
    }
  }

  /** Returns whether stock code decides alone: it refuses to cache the replica, or maps no file. */
  private static boolean isLeftToStock(ReplicaInfo replica) {
    return replica == null
        || replica.getState() != ReplicaState.FINALIZED
        || !(replica.getVolume() instanceof FsVolumeImpl)
        || replica.getVolume().isTransientStorage()
        || replica.getVolume().getStorageType().name().equals(NVDIMM);
  }

  @Override
  public long getNumBlocksFailedToCache() {
    LongAdder own = failedToCache;
    // Metrics are read before the constructor has ended.
    return super.getNumBlocksFailedToCache() + (own == null ? 0 : own.sum());
  }

  private static void runAndClose(Runnable task, Hold hold) {
    try {
      task.run();
    } finally {
      hold.close();
    }
  }

  @Override
  public void setPinning(ExtendedBlock block) throws IOException {
    try (Hold unchanged = service.lock(block.getBlockPoolId(), block.getBlockId())) {
      super.setPinning(block);
    }
  }

  // Moves: a file is never copied as it lies

  @Override
  ReplicaInfo copyReplicaToVolume(
      ExtendedBlock block, ReplicaInfo replica, FsVolumeReference volumeRef) throws IOException {
    // Otherwise a swap might come between the look and stock code's copy.
    try (Hold unchanged = service.lock(block.getBlockPoolId(), block.getBlockId())) {
      ReplicaInfo decoded = DecodedMove.copy(service, block, replica, volumeRef);
      return DecodedMove.requirePlain(
          service,
          block,
          decoded != null ? decoded : super.copyReplicaToVolume(block, replica, volumeRef));
    }
  }

  /** Stock code's move of a replica to another volume. */
  interface StockMove {
    ReplicaInfo run() throws IOException;
  }

  /** The lock is held until the source is deleted, so that what it saved is known exactly. */
  final ReplicaInfo move(ExtendedBlock block, ReplicaInfo replica, StockMove stock)
      throws IOException {
    String pool = block.getBlockPoolId();
    ReplicaInfo moved;
    try (Hold unchanged = service.lock(pool, block.getBlockId())) {
      long saved = service.savedBytes(pool, replica);
      moved = stock.run();
      ((FsVolumeImpl) replica.getVolume()).incDfsUsed(pool, saved);
    }
    service.finalized(pool, block.getBlockId());
    return moved;
  }

  /** Stock code would put the copy in the place of a replica whose recovery began meanwhile. */
  @Override
  void finalizeNewReplica(ReplicaInfo copy, ExtendedBlock block) throws IOException {
    try (Hold lock = serviceAccess.lockMove(block, copy.getVolume())) {
      ReplicaInfo current = volumeMap.get(block.getBlockPoolId(), block.getBlockId());
      if (current == null
          || (current.getState() != ReplicaState.FINALIZED
              && current.getGenerationStamp() <= copy.getGenerationStamp())) {
        copy.deleteBlockData();
        copy.deleteMetadata();
        throw new ReplicaNotFoundException(
            ReplicaNotFoundException.UNFINALIZED_REPLICA + block + " any more");
      }
      super.finalizeNewReplica(copy, block);
    }
  }

  /** After a rollback stock code may find the blocks that came back here first. */
  @Override
  public void checkAndUpdate(String bpid, FsVolumeSpi.ScanInfo scanInfo) throws IOException {
    forgetElsewhere(bpid, scanInfo);
    super.checkAndUpdate(bpid, scanInfo);
    service.forget(bpid, scanInfo.getBlockId());
  }

  /**
   * Has stock code add a block that is found where it does not belong, and not where it does. It
   * would give the replica the path of that file and leave it its volume, by whose key and stores
   * HDRF reads it.
   */
  private void forgetElsewhere(String bpid, FsVolumeSpi.ScanInfo found) {
    long id = found.getBlockId();
    FsVolumeSpi volume = found.getVolume();
    if (volume.getStorageType() == StorageType.PROVIDED
        || found.getBlockFile() == null
        || !storageMap.containsKey(volume.getStorageID())) {
      return;
    }
    try (Hold lock = serviceAccess.lockMove(new ExtendedBlock(bpid, id), volume)) {
      ReplicaInfo known = volumeMap.get(bpid, id);
      if (known != null
          && known.getState() == ReplicaState.FINALIZED
          && known.getVolume() != volume
          && known.getVolume().getStorageType() != StorageType.PROVIDED
          && !known.blockDataExists()
          && found.getBlockFile().exists()) {
        LOG.warn("{} is gone from {}, and found on {}", known, known.getVolume(), volume);
        volumeMap.remove(bpid, id);
      }
    }
  }

  // Volumes and pools

  @Override
  public void addBlockPool(String bpid, Configuration conf) throws IOException {
    Map<FsVolumeSpi, IOException> failing = openPool(bpid, Collections.emptySet());
    AddBlockPoolException failures = new AddBlockPoolException(failing);
    try {
      super.addBlockPool(bpid, conf);
    } catch (AddBlockPoolException e) {
      failures.mergeException(e);
    }
    // A volume that came meanwhile has the pool by now; addVolume looks for pools that came.
    failures.mergeException(new AddBlockPoolException(openPool(bpid, failing.keySet())));
    service.changes().poolIsLoaded(bpid, failures.getFailingVolumes().keySet());
    if (failures.hasExceptions()) {
      throw failures;
    }
  }

  /**
   * Opens the pool on all volumes at the same time, since each may have to look at its blocks.
   *
   * @param excluded volumes on which it can't be
   */
  private Map<FsVolumeSpi, IOException> openPool(String bpid, Set<FsVolumeSpi> excluded)
      throws IOException {
    Map<FsVolumeSpi, IOException> failing = new ConcurrentHashMap<>();
    try (FsVolumeReferences volumes = getFsVolumeReferences()) {
      List<Thread> threads = new ArrayList<>();
      for (FsVolumeSpi volume : volumes) {
        if (excluded.contains(volume) || service.changes().isOpen(volume, bpid)) {
          continue;
        }
        Thread thread =
            HdrfThreads.create("hdrf-open-pool-" + volume, () -> openPool(bpid, volume, failing));
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return failing;
  }

  private void openPool(String bpid, FsVolumeSpi volume, Map<FsVolumeSpi, IOException> failing) {
    try {
      service.changes().openPool(volume, bpid);
    } catch (IOException e) {
      LOG.error("{} does not start: {}", volume, e.getMessage(), e);
      failing.put(volume, e);
    } catch (RuntimeException | Error e) {
      LOG.error("{} does not start: a scheme fails", volume, e);
      failing.put(volume, new IOException(e));
    }
  }

  @Override
  public void addVolume(StorageLocation location, List<NamespaceInfo> nsInfos) throws IOException {
    service.changes().volumeIsComing(location);
    boolean added = false;
    try {
      super.addVolume(location, nsInfos);
      added = true;
    } finally {
      Runnable close = COMING.get();
      COMING.remove();
      if (!added && close != null) {
        close.run();
      }
    }
    List<String> loaded =
        nsInfos.stream().map(NamespaceInfo::getBlockPoolID).collect(Collectors.toList());
    // A pool that came meanwhile was not opened on it; addBlockPool looks for volumes that came.
    for (FsVolumeSpi volume : serviceAccess.volumes()) {
      if (volume.getStorageLocation().equals(location)) {
        openAllPools(volume);
        service.changes().volumeIsLoaded(volume, loaded);
      }
    }
  }

  private void openAllPools(FsVolumeSpi volume) throws IOException {
    for (String pool : volumeMap.getBlockPoolList()) {
      try {
        service.changes().openPool(volume, pool);
      } catch (IOException | RuntimeException | Error e) {
        serviceAccess.failVolume(volume, e.toString());
        throw e;
      }
    }
  }

  /**
   * Part of {@link #addVolume}: the directory is formatted now, which it must be before anything is
   * written to it, and not yet in service.
   */
  @Override
  public FsVolumeImpl createFsVolume(
      String storageUuid, Storage.StorageDirectory directory, StorageLocation location)
      throws IOException {
    FsVolumeImpl volume = super.createFsVolume(storageUuid, directory, location);
    List<String> opened = new ArrayList<>();
    boolean done = false;
    try {
      for (String pool : volumeMap.getBlockPoolList()) {
        if (service.changes().openPool(volume, pool)) {
          opened.add(pool);
        }
      }
      COMING.set(() -> service.changes().closePools(volume, opened));
      done = true;
      return volume;
    } finally {
      if (!done) {
        try {
          service.changes().closePools(volume, opened);
        } finally {
          directory.unlock();
        }
      }
    }
  }

  /** Failures are to be forgotten only where an administrator takes the directories out. */
  @Override
  public void removeVolumes(Collection<StorageLocation> locations, boolean clearFailure) {
    Set<String> leaving = new HashSet<>(storageMap.keySet());
    List<String> inService = idsInService(locations);
    try {
      super.removeVolumes(locations, clearFailure);
    } finally {
      // Where stock code fails at another one, it has taken volumes out of service and knows them.
      leaving.removeAll(storageMap.keySet());
      inService.removeAll(idsInService(locations));
      leaving.addAll(inService);
      leaving.forEach(service.changes()::closeVolume);
    }
    if (clearFailure) {
      service.changes().volumesAreTakenOut(locations);
    }
  }

  private List<String> idsInService(Collection<StorageLocation> locations) {
    return serviceAccess.volumes().stream()
        .filter(volume -> locations.contains(volume.getStorageLocation()))
        .map(FsVolumeSpi::getStorageID)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  @Override
  public void shutdownBlockPool(String bpid) {
    uninterrupted(() -> service.changes().stopJobs(bpid));
    try {
      super.shutdownBlockPool(bpid);
    } finally {
      uninterrupted(() -> service.changes().closePool(bpid));
    }
    serviceAccess.upgrades().forget(bpid);
  }

  /**
   * Stock code has interrupted the thread, which would end waits for jobs, and break the last
   * writes to channels.
   */
  private static void uninterrupted(Runnable work) {
    boolean interrupted = Thread.interrupted();
    try {
      work.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Stock code deletes the pool's directory file by file and would trip over HDRF's. */
  @Override
  public void deleteBlockPool(String bpid, boolean force) throws IOException {
    try (FsVolumeReferences volumes = getFsVolumeReferences()) {
      if (!force) {
        try (Hold lock = serviceAccess.lockPool(bpid)) {
          if (hasBlocks(volumes, bpid)) {
            // Should a late deletion end meanwhile, stock code still keeps directories with files.
            super.deleteBlockPool(bpid, false);
            return;
          }
        }
      }
      for (FsVolumeSpi volume : volumes) {
        if (!force) {
          requireNothingElsewhere(((FsVolumeImpl) volume).getCurrentDir().toPath().resolve(bpid));
        }
      }
      service.changes().closePool(bpid);
      for (FsVolumeSpi volume : volumes) {
        FsVolumeImpl local = (FsVolumeImpl) volume;
        File poolDirectory = new File(local.getCurrentDir(), bpid);
        Path own = HdrfService.directory(poolDirectory.toPath());
        local.getFileIoProvider().fullyDelete(local, own.toFile());
      }
    }
    super.deleteBlockPool(bpid, force);
  }

  /** Whether stock code refuses to delete the pool. */
  private static boolean hasBlocks(FsVolumeReferences volumes, String bpid) throws IOException {
    for (FsVolumeSpi volume : volumes) {
      if (!((FsVolumeImpl) volume).isBPDirEmpty(bpid)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Stock code fails at what is left in {@code trash} or {@code previous}, once all else is gone:
   * without the secret, reduced blocks there would be lost.
   */
  private static void requireNothingElsewhere(Path poolDirectory) throws IOException {
    try (Stream<Path> files = Files.walk(poolDirectory, FileVisitOption.FOLLOW_LINKS)) {
      Path own = HdrfService.directory(poolDirectory);
      Path current = poolDirectory.resolve(Storage.STORAGE_DIR_CURRENT);
      Optional<Path> block =
          files
              .filter(file -> !file.startsWith(own) && !file.startsWith(current))
              .filter(file -> Block.isBlockFilename(file.toFile()))
              .findAny();
      if (block.isPresent()) {
        throw new IOException(
            "Cannot delete block pool: "
                + block.get()
                + " is there, of an upgrade or in the trash");
      }
    } catch (NoSuchFileException e) {
      LOG.debug("{} has no directory of the pool", poolDirectory, e);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * {@code ReplicaCachingGetSpaceUsed} adds up lengths that reduced blocks don't take. It is
   * refused at start and, from Hadoop 3.3.5 on, when it is set at run time; nothing else asks for
   * this.
   */
  @Override
  public Set<? extends Replica> deepCopyReplica(String bpid) throws IOException {
    throw new IOException(
        "HDRF does not run with fs.getspaceused.classname = ReplicaCachingGetSpaceUsed: it would"
            + " count what reduced blocks save as used; set another class");
  }

  // What NameNodes say of rolling upgrades

  /**
   * The thread that sends heartbeats asks for this before it sends one and when it has handled the
   * answer. Others may ask while this object is being made.
   */
  @Override
  public long getCacheCapacity() {
    String pool = answers == null ? null : answers.answeredPool();
    if (pool != null && serviceAccess.upgrades().answered(pool)) {
      service.noUpgradeIsOpen();
    }
    return super.getCacheCapacity();
  }

  @Override
  public void setRollingUpgradeMarker(String bpid) throws IOException {
    serviceAccess.upgrades().opened(bpid);
    super.setRollingUpgradeMarker(bpid);
  }

  /** Stock code also believes a NameNode that is no longer the active one, but calls itself so. */
  @Override
  public void clearRollingUpgradeMarker(String bpid) throws IOException {
    super.clearRollingUpgradeMarker(bpid);
    if (bpid.equals(answers.answeredPool()) && serviceAccess.upgrades().closed(bpid)) {
      service.noUpgradeIsOpen();
    }
  }

  @Override
  public void shutdown() {
    cacheInflater.shutdown();
    service.close();
    super.shutdown();
  }
}
