/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks of one volume and block pool, in append-only container files; {@link ContainerFormat}
 * specifies these. Safe for use by many threads.
 *
 * <p>Promises: a chunk that was forced stays readable under its reference until a compaction drops
 * it, whatever happens to process or power. A read returns a chunk's bytes as they were appended,
 * or fails. The reference of a chunk that was forced is never given to another. Only its appender
 * knows of a chunk before it was forced.
 *
 * <p>A compaction drops the chunks that its caller names. The caller makes sure that nobody refers
 * to these chunks, or is about to after {@link #holds} said that they are there.
 *
 * <p>An interrupt of a thread that reads closes the container's file, which then is opened again
 * for the others; of a thread that appends, it fails the container that it writes to, and nothing
 * that was forced is lost.
 */
public final class ContainerStore implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerStore.class);

  /** No base: the chunk is whole. */
  public static final long WHOLE = -1;

  /** No chunk. */
  public static final long NOT_HELD = -2;

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final GroupCache groups;
  private final ChunkReader reader;

  private final KnownDamage damage = new KnownDamage();
  private final DamageSearch search;
  final LoadedContainers loaded;
  private final ContainerListing listing;
  private final ContainerMaintenance maintenance;
  private final OpenContainers appended;
  private final ContainerRecovery recovery;
  private final RepairQueue repairs = new RepairQueue();

  /** Whether the cache of groups was left. */
  private final AtomicBoolean left = new AtomicBoolean();

  /**
   * @param containers those that were found
   * @param recovery has found them
   */
  private ContainerStore(
      ContainerContext context,
      ConcurrentSkipListMap<Long, Container> containers,
      ContainerRecovery recovery) {
    this.context = context;
    this.containers = containers;
    this.groups = GroupCache.of(context.settings());
    this.loaded = new LoadedContainers(context, containers, new ContainerLoader(context), repairs);
    this.reader = newReader(groups);
    // Leaves the readers' cache alone.
    ChunkReader checking = newReader(new GroupCache(0));
    this.listing = new ContainerListing(context, loaded);
    this.maintenance = new ContainerMaintenance(context, containers, loaded, damage, checking);
    this.search = new DamageSearch(context, containers, loaded, reader, checking, damage, repairs);
    this.appended = new OpenContainers(context, containers);
    this.recovery = recovery;
    for (Container container : containers.values()) {
      if (mayBeRecovered(container)) {
        repairs.want(container.id());
      }
    }
  }

  private ChunkReader newReader(GroupCache cache) {
    return new ChunkReader(
        cache, damage.unreadable(), context.fingerprinter(), loaded, context.settings());
  }

  /**
   * Opens a store, creating it if there is none. Containers that were open when the process ended
   * are sealed, as far as they are sound; others are only listed.
   *
   * @param directory where the files are; no other store may be open there. Files that are not of a
   *     store are left alone
   * @param chains for the chains that containers were written with
   * @param fingerprinter the function whose values {@link ChunkAppender#append} will get, and got
   */
  public static ContainerStore open(
      Path directory,
      DurableFiles files,
      ContainerSettings settings,
      ChainSource chains,
      Fingerprinter fingerprinter)
      throws IOException {
    files.createDirectories(directory);
    // A process that was killed may have left names that only seem durable.
    files.forceDirectory(directory);
    ContainerContext context =
        new ContainerContext(directory, files, settings, chains, fingerprinter);
    ConcurrentSkipListMap<Long, Container> containers = new ConcurrentSkipListMap<>();
    ContainerRecovery recovery = new ContainerRecovery(context, containers);
    recovery.findContainers();
    return new ContainerStore(context, containers, recovery);
  }

  /**
   * Returns whether groups of a container of a closed store may be encoded with a scheme. Reads the
   * headers of the containers until one has the scheme in its chain.
   *
   * @return true also if the disk can't tell just now
   * @throws IOException if a container can't be examined for another reason that may pass
   */
  public static boolean mayNeed(Path directory, int schemeId) throws IOException {
    return ContainerChains.anyHas(directory, schemeId);
  }

  /**
   * Makes an appender.
   *
   * @param tail encodes the groups; stays open until the appender is closed. The store's {@link
   *     ChainSource} must know its schemes too
   */
  public ChunkAppender appender(FrameChain tail) {
    return new ChunkAppender(appended, tail, context.settings().groupSize());
  }

  /**
   * Seals a container, unless an appender has it.
   *
   * @return whether it is sealed now
   * @throws MissingChunkException if there is no such container
   */
  public boolean sealIdle(long container) throws IOException {
    OpenContainer open = loaded.find(container).open();
    if (open == null) {
      return true;
    }
    return appended.seal(open);
  }

  /**
   * Repairs what is due: seals containers that could not be sealed, as on a full disk, gives others
   * their directory again, or the fingerprints that it lacks, and reads again what the disk could
   * not read. Fails for none of them, but tries again later. To be called by one thread now and
   * then.
   *
   * @param now of {@link System#nanoTime}
   */
  public void mend(long now, Throttle throttle) {
    // Other stores may have been opened.
    loaded.trim();
    appended.unsealed().forEach(repairs::want);
    repairs.run(now, id -> mend(containers.get(id), throttle));
  }

  /**
   * Returns a container of which {@link #mend} found fingerprints out, so that chunks of it are
   * found from now on that were not before; each once. Null if there is none.
   */
  public Long pollFingerprinted() {
    return maintenance.pollFingerprinted();
  }

  private boolean mend(Container container, Throttle throttle) throws IOException {
    if (container == null) {
      return true;
    }
    OpenContainer open = container.open();
    if (open != null) {
      if (open.mayReadMore()) {
        return readMore(container, open);
      }
      // A damaged one is a collection's to seal, once no block needs what can't be read.
      return open.isDamaged() || appended.seal(open);
    }
    if (container.problem() != null) {
      return !mayBeRecovered(container) || recoverAgain(container, null);
    }
    return maintenance.repair(container, throttle);
  }

  /** Returns whether a container could not be recovered at start for a reason that may pass. */
  private static boolean mayBeRecovered(Container container) {
    IOException problem = container.problem();
    return problem != null
        && !(problem instanceof CorruptFileException)
        && !(problem instanceof UnknownFormatVersionException);
  }

  private boolean readMore(Container container, OpenContainer open) throws IOException {
    return appended.takeUnsealed(open) && recoverAgain(container, open);
  }

  /**
   * @param known what the caller has taken; null where nothing of the container can be read
   */
  private boolean recoverAgain(Container container, OpenContainer known) throws IOException {
    // A collection may be at it, too.
    synchronized (container.maintenance()) {
      if (container.isSealed() || container.open() != known) {
        return true; // another thread has recovered it
      }
      try {
        return recovery.recoverAgain(container);
      } finally {
        OpenContainer open = container.open();
        if (open != null) {
          appended.sealLater(open);
        }
      }
    }
  }

  /** As {@link RunReader#read}, for a read by itself. */
  public void read(long container, int firstChunk, int chunkCount, ByteBuffer dst)
      throws IOException {
    try (RunReader run = newRunReader()) {
      run.read(container, firstChunk, chunkCount, dst);
    }
  }

  /** A reader for the runs of one frame; to be closed by the caller. */
  public RunReader newRunReader() {
    return new RunReader(loaded, reader, damage);
  }

  /**
   * Starts to read from disk what {@link #read} will be asked for. Best effort: nothing is done for
   * a container that is not loaded, nor for one that is still written to, whose chunks are in
   * memory. Waits for no disk.
   *
   * @return whether anything was begun
   */
  public boolean prefetch(long container, int firstChunk, int chunkCount) {
    Container found = containers.get(container);
    LoadedContainer source = found == null || found.open() != null ? null : loaded.peek(found);
    if (source == null) {
      return false;
    }
    try {
      return reader.prefetch(source, firstChunk, chunkCount);
    } finally {
      source.release();
    }
  }

  /**
   * For a reader in sequence, which knows what it will be asked for next.
   *
   * @param maxGap bytes between two groups that are read for nothing, where the disk would have to
   *     move otherwise
   */
  public GroupsAhead newGroupsAhead(int maxGap) {
    return new GroupsAhead(this::acquireSealed, groups, maxGap);
  }

  /** Null for one that is still written to, whose last chunks are in memory. */
  private LoadedContainer acquireSealed(long container) throws IOException {
    Container found = loaded.find(container);
    return found.open() != null ? null : loaded.acquire(found);
  }

  /** The file of a sealed container, for messages. */
  public Path file(long container) {
    return context.file(container, ContainerNames.SEALED);
  }

  /**
   * Returns the durable content of a container. The directory is read at once, unless it is loaded;
   * to read chunks does not load it. Together with {@link #holds} this is the only way to learn of
   * the chunks of other blocks.
   */
  public ContainerDirectory directory(long container) throws IOException {
    return loaded.durable(container);
  }

  /** Returns what can be read in a container, {@link #directory} and what is not durable yet. */
  public ContainerDirectory written(long container) throws IOException {
    return loaded.written(container);
  }

  /**
   * Returns whether a container is damaged so that there may be chunks in it which {@link
   * #directory} does not have: to rewrite or seal it removes them for good.
   */
  public boolean mayHaveMore(long container) throws IOException {
    return loaded.mayHaveMore(container);
  }

  /** Returns the budget in which the store, and what belongs to it, keeps memory. */
  public MemoryBudget memory() {
    return context.settings().memory();
  }

  /** Returns what tells this store from those of other volumes and block pools. */
  public long identity() {
    return context.settings().identity();
  }

  /** Returns about the bytes of memory that the directories of sealed containers take. */
  public long directoryMemory() {
    return loaded.memory();
  }

  /** Returns whether {@link #directory} would answer without reading a file. */
  public boolean isLoaded(long container) {
    Container found = containers.get(container);
    return found != null && (found.open() != null || loaded.hasDirectory(container));
  }

  /**
   * Returns whether a new block may refer to a chunk: it is there and durable, it has that
   * fingerprint, it is not known to be damaged, and its container has not lost others.
   *
   * @throws IOException if the container could not be read, though it may be sound
   */
  public boolean holds(long ref, byte[] fingerprints, int offset) throws IOException {
    return baseIfHeld(ref, fingerprints, offset) != NOT_HELD;
  }

  /**
   * As {@link #holds}, and says which other chunk it takes: a new block refers to that one, too, if
   * {@link #lengthOfBase} tells that it is there.
   *
   * @return the reference of the base if the chunk is kept as a difference; {@link #WHOLE} if it is
   *     not, and stays so; {@link #NOT_HELD} if no new block may refer to it
   */
  public long baseIfHeld(long ref, byte[] fingerprints, int offset) throws IOException {
    long id = ChunkRef.container(ref);
    Container container = containers.get(id);
    if (container == null || damage.isBad(ref)) {
      return NOT_HELD;
    }
    try {
      ContainerDirectory content = loaded.findable(container);
      int index = content == null ? -1 : content.indexOf(ChunkRef.number(ref));
      boolean held =
          index >= 0 && content.hasFingerprint(index, fingerprints, offset) && !damage.isBad(ref);
      return held ? content.baseOf(index) : NOT_HELD;
    } catch (MissingChunkException | CorruptFrameException | UnknownFormatVersionException e) {
      return NOT_HELD;
    }
  }

  /**
   * Returns the whole chunk that stands for a chunk: itself, or its base if it is kept as a
   * difference. Whether that is there, {@link #lengthOfBase} tells.
   *
   * @param ref any number
   * @param own whether the caller has appended it, so that it need not be durable yet
   * @return -1 if there is no such chunk
   * @throws IOException if the container could not be read
   */
  public long wholeChunk(long ref, boolean own) throws IOException {
    Container container = containers.get(ChunkRef.container(ref));
    if (container == null) {
      return -1;
    }
    ContainerDirectory content = readable(container, own);
    int index = content == null ? -1 : content.indexOf(ChunkRef.number(ref));
    long base = index < 0 ? -1 : content.baseOf(index);
    return index < 0 || base >= 0 ? base : ref;
  }

  /**
   * Tells which chunks are in the group of a chunk, as long as its container is not rewritten.
   *
   * @param ref of a chunk that may be a base
   * @param bounds gets the references of the first one and of the last one
   * @return the group's length once it is decoded, in bytes; -1 if there is no such chunk
   * @throws IOException if the container could not be read
   */
  public int findGroup(long ref, long[] bounds) throws IOException {
    long container = ChunkRef.container(ref);
    ContainerDirectory content = written(container);
    int index = content.indexOf(ChunkRef.number(ref));
    if (index < 0) {
      return -1;
    }
    int group = content.groupOf(index);
    bounds[0] = ChunkRef.pack(container, content.number(content.firstChunk(group)));
    bounds[1] = ChunkRef.pack(container, content.number(content.endChunk(group) - 1));
    return content.originalLength(group);
  }

  /**
   * Returns whether a frame may need one more group of bases; see {@link
   * ContainerSettings#hasRoomForBases}.
   */
  public boolean hasRoomForBases(int groups, long bytes, int more) {
    return context.settings().hasRoomForBases(groups, bytes, more);
  }

  /** What may be found in a container, or by its appender. */
  private ContainerDirectory readable(Container container, boolean own) throws IOException {
    OpenContainer open = container.open();
    return own && open != null ? open.written() : loaded.findable(container);
  }

  /**
   * Returns the length of a chunk to which another may be kept as a difference: it is there and
   * whole, it is not known to be damaged, and its container has not lost others.
   *
   * @param own whether the caller has appended it, so that it need not be durable yet
   * @return -1 if it may not be
   * @throws IOException if the container could not be read, though it may be sound
   */
  public int lengthOfBase(long ref, boolean own) throws IOException {
    Container container = containers.get(ChunkRef.container(ref));
    if (container == null || damage.isBad(ref)) {
      return -1;
    }
    try {
      ContainerDirectory content = readable(container, own);
      int index = content == null ? -1 : content.indexOf(ChunkRef.number(ref));
      return index < 0 || content.isDifference(index) ? -1 : content.length(index);
    } catch (MissingChunkException | CorruptFrameException | UnknownFormatVersionException e) {
      return -1;
    }
  }

  /**
   * Returns whether bytes are those that a chunk has by its fingerprint. What {@link #read} gives
   * may have been changed in memory before its CRC32C was taken.
   *
   * @param own as for {@link #lengthOfBase}
   * @param bytes direct, from position to limit; stays as it is
   * @throws IOException if the container could not be read
   */
  public boolean matchesFingerprint(long ref, boolean own, ByteBuffer bytes) throws IOException {
    Container container = containers.get(ChunkRef.container(ref));
    ContainerDirectory content = container == null ? null : readable(container, own);
    int index = content == null ? -1 : content.indexOf(ChunkRef.number(ref));
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    context.fingerprinter().fingerprint(bytes.duplicate(), fingerprint, 0);
    return index >= 0 && content.hasFingerprint(index, fingerprint, 0);
  }

  /**
   * Looks whether chunks can be read and are what their fingerprints say, which {@link #read} does
   * not. No new block refers to those that are not.
   *
   * @return whether there are any
   */
  public boolean findDamage(long container, int firstChunk, int chunkCount) {
    return search.findDamage(container, firstChunk, chunkCount);
  }

  /**
   * Returns whether one of some chunks is known to be damaged, and still is, or their container is
   * lost. Reads no others.
   *
   * @throws IOException if that can't be told now
   */
  public boolean isDamaged(long container, int firstChunk, int chunkCount) throws IOException {
    return search.isDamaged(container, firstChunk, chunkCount);
  }

  /**
   * Returns whether one of some chunks is a difference that can't be made, as its base is damaged
   * or lost.
   *
   * @throws IOException if that can't be told now
   */
  public boolean needsDamagedBase(long container, int firstChunk, int chunkCount)
      throws IOException {
    return search.needsDamagedBase(container, firstChunk, chunkCount);
  }

  /**
   * Reads all of a sealed container, and has what is damaged treated as if a reader had found it:
   * no new block refers to such chunks, and a damaged directory is made again.
   *
   * @return null if it is gone, not sealed, or was just rewritten
   * @throws IOException if the work shall end, or the container can't be read for a reason that may
   *     pass
   */
  public CheckedContainer check(long container, Throttle throttle) throws IOException {
    return search.check(container, throttle);
  }

  /**
   * Tries the chunks again that could not be read when they were last tried, or are known not to be
   * what their fingerprints say.
   *
   * @return those that are damaged, or that the disk can't read, by container
   * @throws IOException if the work shall end
   */
  public Map<Long, BitSet> damagedChunks(Throttle throttle) throws IOException {
    for (Container container : containers.values()) {
      readAgain(container, throttle);
    }
    return search.damagedChunks(throttle);
  }

  /** Reads a container again that was found open, if the disk could not read all of it. */
  private void readAgain(Container container, Throttle throttle) throws IOException {
    OpenContainer open = container.open();
    IOException problem = container.problem();
    if (open == null ? problem == null || !DiskErrors.isReadError(problem) : !open.mayReadMore()) {
      return;
    }
    throttle.acquire(open == null ? context.settings().containerSize() : open.length());
    try {
      if (open == null) {
        recoverAgain(container, null);
      } else {
        readMore(container, open);
      }
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("{} can't be read again now", file(container.id()), e);
    }
  }

  /**
   * Tries some chunks of a container, as a reader reads them.
   *
   * @return those that are damaged, or that the disk can't read, or that are known not to be what
   *     their fingerprints say
   */
  public BitSet damaged(long container, BitSet numbers, Throttle throttle) throws IOException {
    return search.damaged(container, numbers, throttle);
  }

  /**
   * Bars new blocks from referring to a chunk, even if it reads well, until its container is
   * deleted or the process ends.
   */
  public void markBad(long ref) {
    damage.markWrong(ref);
  }

  /** Returns whether a chunk is known to be damaged. */
  public boolean isBad(long ref) {
    return damage.isBad(ref);
  }

  /** Returns the highest id of a container; -1 if there is none. */
  public long last() {
    Map.Entry<Long, Container> last = containers.lastEntry();
    return last == null ? -1 : last.getKey();
  }

  /**
   * Returns the last container that gets no more chunks, as do all before it; -1 if there is none.
   * Whoever appended to one of them has closed the appender.
   */
  public long lastSettled() {
    return appended.lastSettled();
  }

  /** Returns the id of the first container behind an id; -1 if there is none. */
  public long next(long id) {
    Long next = containers.higherKey(id);
    return next == null ? -1 : next;
  }

  /** Returns the id of the last container before an id; -1 if there is none. */
  public long previous(long id) {
    Long previous = containers.lowerKey(id);
    return previous == null ? -1 : previous;
  }

  /** Returns how many containers have ids greater than this one. Goes through them. */
  public int countAfter(long id) {
    return containers.tailMap(id, false).size();
  }

  /**
   * The containers there are, in the order of their ids, those included that are created or deleted
   * meanwhile or not. The first time, the footer of each is read.
   */
  public Iterable<ContainerInfo> containers() {
    return () -> {
      Iterator<Container> all = containers.values().iterator();
      return new Iterator<ContainerInfo>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public ContainerInfo next() {
          return listing.info(all.next());
        }
      };
    };
  }

  /**
   * Rewrites a sealed container with only some of its chunks, or deletes it if there are none. The
   * others keep their references. Readers are not disturbed; a power loss at any moment leaves the
   * container as it was or as it is to be.
   *
   * @param selection the chunks to keep
   * @throws MissingChunkException if one of these is not there; then nothing has changed
   * @throws IllegalStateException if the container is open
   */
  public CompactionResult compact(long container, ChunkSelection selection, Throttle throttle)
      throws IOException {
    return compact(container, selection, Replacements.NONE, throttle);
  }

  /**
   * As {@link #compact(long, ChunkSelection, Throttle)}, and replaces damaged chunks. A damaged
   * group of which another chunk is neither sound nor replaced stays as it is. What is written is
   * compared with the fingerprints before it takes the container's place.
   */
  public CompactionResult compact(
      long container, ChunkSelection selection, Replacements replacements, Throttle throttle)
      throws IOException {
    return maintenance.compact(container, selection, replacements, throttle);
  }

  /**
   * For chunks of one container.
   *
   * @param maxBytes how many bytes are kept at most
   */
  public Replacements newReplacements(long maxBytes) {
    return new Replacements(context.fingerprinter(), maxBytes);
  }

  /** Has a sealed container rewritten whose headers are damaged, in the background. */
  public void mendHeaders(long id) {
    Container container = containers.get(id);
    if (container != null && isSealed(id)) {
      container.setHeaderDamaged(true);
      repairs.want(id);
    }
  }

  /** Returns whether there is a container, of which perhaps nothing can be read. */
  public boolean exists(long id) {
    return containers.containsKey(id);
  }

  /**
   * Returns whether chunks that were forced may be missing in a container though it seems sound.
   * There is no such container, or nothing of it can be read; or it was open when an earlier
   * process ended: what a disk lost then of its end can't be told from what was never written.
   */
  public boolean mayLack(long id) {
    return search.mayLack(id);
  }

  /**
   * Returns those of some chunks that are not in a container, and notes them as damaged. All have
   * been forced: a block refers to them.
   *
   * @return null if that can't be told now
   */
  public BitSet lacked(long id, int first, int count) {
    return search.lacked(id, first, count);
  }

  /** Returns the number of containers. */
  public int count() {
    return containers.size();
  }

  /** Returns whether a container is there that is sealed. */
  public boolean isSealed(long id) {
    Container container = containers.get(id);
    return container != null && container.isSealed();
  }

  /**
   * Seals the containers that no appender has and closes all files. Appenders should be closed
   * before; what they flushed but did not force may get lost with the power.
   */
  @Override
  public void close() throws IOException {
    try {
      appended.close();
    } finally {
      loaded.close();
      if (left.compareAndSet(false, true)) {
        groups.leave();
      }
    }
  }
}
