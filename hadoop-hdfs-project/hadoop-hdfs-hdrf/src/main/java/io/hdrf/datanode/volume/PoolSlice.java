/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.StoredBlocks;
import io.hdrf.block.TagKey;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.volume.ConversionState;
import io.hdrf.volume.Superblock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HDRF's part of a block pool slice, which is one pool on one volume, in {@code
 * <volume>/current/<pool>/hdrf/}: the superblock with the secret, the schemes' stores, and
 * temporary files. It is in use as long as it is in service, and beyond that until the last reader,
 * reduction or inflation that uses it has ended: only then are the schemes closed. Thread-safe.
 */
public final class PoolSlice implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(PoolSlice.class);

  public static final String DIRECTORY = "hdrf";

  /** Unfinished files, within {@link #DIRECTORY}; made where there is a superblock. */
  static final String TEMPORARY = "tmp";

  private final String storageId;
  private final String poolId;
  private final Path directory;
  private final Path temporary;
  private final Superblock superblock;
  private final DurableFiles files;
  private final TagKey key;
  private final PoolServices services;
  private final VolumeSchemes schemes;
  private final ChainCodec codec;
  private final SchemeNeeds needs;
  private final AtomicLong sequence = new AtomicLong();
  private final AtomicInteger uses = new AtomicInteger(1);
  private final AtomicBoolean outOfService = new AtomicBoolean();
  private volatile boolean leaving;
  private volatile boolean loaded;
  private volatile ConversionState conversion;
  private ConversionState storedConversion;

  /** Blocks written since then are new ones, in milliseconds since 1970-01-01 UTC. */
  private volatile long newSince = System.currentTimeMillis();

  private PoolSlice(
      String storageId,
      String poolId,
      Path directory,
      Superblock superblock,
      DurableFiles files,
      TagKey key,
      PoolServices services,
      VolumeSchemes schemes,
      ChainCodec codec,
      SchemeNeeds needs) {
    this.storageId = storageId;
    this.poolId = poolId;
    this.directory = directory;
    this.temporary = directory.resolve(TEMPORARY);
    this.superblock = superblock;
    this.files = files;
    this.conversion = superblock == null ? ConversionState.AUTOMATIC : loadConversion(directory);
    this.storedConversion = conversion;
    this.key = key;
    this.services = services;
    this.schemes = schemes;
    this.codec = codec;
    this.needs = needs;
  }

  /**
   * Opens a pool's part of a volume, and creates it where a chain is configured.
   *
   * @param poolDirectory {@code <volume>/current/<pool>}
   * @param storageId the volume's
   * @param chain the chain of new blocks; may be empty
   * @param used receives the bytes by which the space of schemes' stores changes
   * @param memory of the DataNode, for schemes' stores
   * @param unreadable receives the block files that can't be read
   * @param elsewhere looks for chunks of a scheme on the pool's other volumes
   * @throws IOException if the volume must not start: its secret is lost or damaged, or one of its
   *     blocks needs a scheme that is not installed
   */
  static PoolSlice open(
      Path poolDirectory,
      String storageId,
      String poolId,
      SchemeChain chain,
      SchemeRegistry registry,
      Configuration configuration,
      DurableFiles files,
      LongConsumer used,
      MemoryBudget memory,
      StoredBlocks.UnreadableListener unreadable,
      Function<String, ChunkLookup> elsewhere)
      throws IOException {
    Path directory = poolDirectory.resolve(DIRECTORY);
    Superblock superblock = Superblock.load(directory, files).orElse(null);
    SchemeNeeds needs = new SchemeNeeds(directory, configuration, files);
    FinalizedSurvey survey = new FinalizedSurvey(poolDirectory, poolId, registry);
    if (superblock == null) {
      survey.requireNoReducedBlocks(directory);
      if (!chain.isEmpty()) {
        files.createDirectories(directory);
        superblock = Superblock.create(directory, files);
      }
    } else {
      requireSchemes(superblock, registry, configuration, survey, poolDirectory, needs);
    }
    TagKey key = superblock != null ? superblock.key() : randomKey();
    Superblock present = superblock;
    PoolServices services =
        new PoolServices(
            key.volumeId(),
            new StoredBlocks(
                poolDirectory,
                directory,
                poolId,
                key,
                (path, file) ->
                    BlockVerifier.provesPlain(
                        file, BlockChecksums.fileOf(path), reducedMayLackChecksums(present)),
                files,
                unreadable),
            used,
            memory,
            elsewhere);
    VolumeSchemes schemes = new VolumeSchemes(registry, configuration, directory, files, services);
    try {
      ChainCodec codec = chain.isEmpty() ? null : schemes.codec(chain);
      if (superblock != null) {
        openStores(superblock, registry, schemes, directory);
      }
      PoolSlice opened =
          new PoolSlice(
              storageId,
              poolId,
              directory,
              superblock,
              files,
              key,
              services,
              schemes,
              codec,
              needs);
      opened.prepareTemporary();
      return opened;
    } catch (Throwable e) {
      // Any kind: a store that stays open keeps its volume from coming back.
      try {
        schemes.close();
      } catch (IOException | RuntimeException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  /**
   * Opens also the stores of schemes that the chain no longer names: they may keep data that no
   * block needs.
   */
  private static void openStores(
      Superblock superblock, SchemeRegistry registry, VolumeSchemes schemes, Path directory) {
    for (int id : superblock.schemes().keySet()) {
      try {
        ReductionScheme scheme = registry.byId(id);
        if (scheme instanceof BlockScheme) {
          schemes.openStore((BlockScheme) scheme);
        }
      } catch (SchemeNotFoundException e) {
        LOG.debug("{}: no block needs the scheme {}", directory, id, e);
      } catch (IOException | RuntimeException | LinkageError e) {
        // It is opened again by the first block that needs it.
        LOG.error("{}: the store of the scheme {} can't be opened", directory, id, e);
      }
    }
  }

  private static void requireSchemes(
      Superblock superblock,
      SchemeRegistry registry,
      Configuration configuration,
      FinalizedSurvey survey,
      Path poolDirectory,
      SchemeNeeds needs)
      throws IOException {
    for (Map.Entry<Integer, String> used : superblock.schemes().entrySet()) {
      ReductionScheme installed;
      try {
        installed = registry.byId(used.getKey());
        if (!installed.name().equals(used.getValue())) {
          throw new SchemeNotFoundException(
              "the scheme installed with that id is \"" + installed.name() + "\", another one");
        }
      } catch (SchemeNotFoundException e) {
        long blocks = survey.countBlocksWith(used.getKey());
        if (blocks == 0) {
          continue;
        }
        throw new IOException(
            poolDirectory
                + " has "
                + FinalizedSurvey.words(blocks)
                + " blocks that need the scheme \""
                + used.getValue()
                + "\" (id "
                + used.getKey()
                + "), which is not installed: "
                + e.getMessage()
                + "; put its jar into "
                + HdrfKeys.PLUGINS_DIR
                + " ("
                + configuration.getTrimmed(HdrfKeys.PLUGINS_DIR, "not set")
                + ") and restart the DataNode",
            e);
      }
      needs.require(installed, survey);
    }
  }

  private static ConversionState loadConversion(Path directory) {
    try {
      return ConversionState.load(directory);
    } catch (IOException e) {
      LOG.error(
          "{}: whether blocks are to be reduced or plain can't be read, so they stay as they are"
              + " until 'hdrf convert' or 'hdrf inflate' is run",
          directory,
          e);
      return ConversionState.keptPlain();
    }
  }

  private void prepareTemporary() throws IOException {
    if (superblock == null) {
      return;
    }
    files.createDirectories(temporary);
    int removed = 0;
    try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(temporary)) {
      for (Path leftover : leftovers) {
        files.deleteIfExists(leftover);
        removed++;
      }
    }
    if (removed > 0) {
      LOG.info("Removed {} unfinished files from {}", removed, temporary);
    }
  }

  /** Makes a key for a volume without a superblock: no header bears a tag made with it. */
  private static TagKey randomKey() {
    byte[] secret = new byte[TagKey.LENGTH];
    new SecureRandom().nextBytes(secret);
    return new TagKey(secret);
  }

  /** Notes that the DataNode knows all blocks of this slice. */
  public void noteLoaded() {
    loaded = true;
  }

  public boolean isLoaded() {
    return loaded;
  }

  public String storageId() {
    return storageId;
  }

  public String poolId() {
    return poolId;
  }

  public Path directory() {
    return directory;
  }

  public TagKey key() {
    return key;
  }

  /** Returns whether reduced blocks can exist here at all. */
  public boolean mayHoldReducedBlocks() {
    return superblock != null;
  }

  /** Returns whether an earlier version may have reduced blocks without checksums here. */
  public boolean reducedMayLackChecksums() {
    return reducedMayLackChecksums(superblock);
  }

  private static boolean reducedMayLackChecksums(Superblock superblock) {
    return superblock != null && superblock.mayLackChecksums();
  }

  /**
   * Returns whether a file that begins like a reduced block, without the right tag, is plain all
   * the same.
   *
   * @param file the block's own, which stays open
   * @param metaFile the block's {@code .meta} file
   */
  public boolean provesPlain(ReadableFile file, Path metaFile) throws IOException {
    return BlockVerifier.provesPlain(file, metaFile, reducedMayLackChecksums(superblock));
  }

  /**
   * Looks whether any block is reduced on a volume where an earlier version may have reduced blocks
   * without checksums, and makes it durable if none is: from then on such blocks are plain.
   */
  public void noteWhereAllIsPlain() throws IOException {
    if (!reducedMayLackChecksums(superblock)) {
      return;
    }
    StoredBlocks.Count count = services.blocks().countReduced();
    if (!count.obstacle().isEmpty()) {
      throw new IOException(count.obstacle());
    }
    if (count.current() == 0 && count.elsewhere() == 0 && count.damaged() == 0) {
      superblock.recordChecksumsOnly();
      LOG.info("{}: no block without checksums is reduced", directory);
    }
  }

  /** The administrators' goal for all blocks of this slice. */
  public ConversionState conversion() {
    return conversion;
  }

  /**
   * Stores the administrators' goal for all blocks of this slice durably.
   *
   * @throws IOException if it could not be stored; it is in force until the DataNode stops
   */
  public synchronized void setConversion(ConversionState next) throws IOException {
    if (conversion.goal() == ConversionState.Goal.PLAIN
        && next.goal() != ConversionState.Goal.PLAIN) {
      newSince = System.currentTimeMillis();
    }
    conversion = next;
    if (!next.equals(storedConversion)) {
      next.store(directory, files);
      storedConversion = next;
    }
  }

  /** Returns whether no block may be reduced here. */
  public boolean isKeptPlain() {
    return conversion.goal() == ConversionState.Goal.PLAIN;
  }

  /**
   * Returns whether a plain block that is found here is to be reduced without anybody asking for
   * it.
   *
   * @param existingToo whether older blocks are reduced too, unless an administrator decided
   * @param written gives the time of the last write, in milliseconds since 1970-01-01 UTC
   */
  public boolean isReducedWhenFound(boolean existingToo, LongSupplier written) {
    switch (conversion.goal()) {
      case PLAIN:
        return false;
      case REDUCED:
        return written.getAsLong() >= newSince;
      default:
        return existingToo || written.getAsLong() >= newSince;
    }
  }

  public VolumeSchemes schemes() {
    return schemes;
  }

  public PoolServices services() {
    return services;
  }

  /** The codec for new blocks, or null where they stay plain. */
  public ChainCodec codec() {
    return codec;
  }

  /** A name for a new temporary file; never one that was given out before. */
  public Path temporaryFile(long blockId) {
    return temporary.resolve("blk_" + blockId + "." + sequence.incrementAndGet());
  }

  /**
   * Records durably that blocks of this volume need the chain's schemes, and the needs of these.
   */
  public void recordSchemes(SchemeChain chain) throws IOException {
    for (ReductionScheme scheme : chain.schemes()) {
      superblock.recordScheme(scheme.id(), scheme.name());
    }
    needs.record(chain);
  }

  /**
   * Keeps the schemes open until {@link #endUse}.
   *
   * @return false if they are closed
   */
  public boolean beginUse() {
    int before;
    do {
      before = uses.get();
      if (before == 0) {
        return false;
      }
    } while (!uses.compareAndSet(before, before + 1));
    return true;
  }

  /** Ends one {@link #beginUse}. */
  public void endUse() {
    if (uses.decrementAndGet() == 0) {
      try {
        schemes.close();
      } catch (IOException | RuntimeException | Error e) {
        LOG.warn("Closing the schemes in {} failed", directory, e);
      }
    }
  }

  /** The pool's replicas are about to be forgotten. */
  public void leaves() {
    leaving = true;
  }

  /** Returns whether the map of replicas may lack blocks that are there. */
  public boolean isLeaving() {
    return leaving;
  }

  /** Returns whether {@link #close} was called. */
  public boolean isOutOfService() {
    return outOfService.get();
  }

  /** Takes the slice out of service; present users may go on, but for work that takes long. */
  @Override
  public void close() {
    if (outOfService.compareAndSet(false, true)) {
      schemes.leave();
      endUse();
    }
  }
}
