/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.BufferPool;
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
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
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

  /** No base: the chunk is whole. */
  public static final long WHOLE = -1;

  /** No chunk. */
  public static final long NOT_HELD = -2;

  private static final Logger LOG = LoggerFactory.getLogger(ContainerStore.class);

  /**
   * Where more containers are damaged, lost chunks are looked for among blocks' chunks only if
   * their numbers are below {@link #MAX_LOST_NUMBER}, to save memory.
   */
  private static final int FEW_CONTAINERS = 64;

  private static final int MAX_LOST_NUMBER = 1 << 17;

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final GroupCache groups;
  private final ChunkReader reader;

  /** Reads the bases of what is checked, and leaves the readers' cache alone. */
  private final ChunkReader checking;

  private final Quarantine unreadable = new Quarantine();

  /** Chunks that are not what their fingerprints say. */
  private final Quarantine wrong = new Quarantine();

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
    this.checking = newReader(new GroupCache(0));
    this.listing = new ContainerListing(context, loaded);
    this.maintenance =
        new ContainerMaintenance(
            context, containers, loaded, unreadable, wrong, this::isBad, checking);
    this.appended = new OpenContainers(context, containers);
    this.recovery = recovery;
    for (Container container : containers.values()) {
      if (mayBeRecovered(container)) {
        repairs.want(container.id());
      }
    }
  }

  private ChunkReader newReader(GroupCache cache) {
    return new ChunkReader(cache, unreadable, context.fingerprinter(), loaded, context.settings());
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
    appended.unsealed().forEach(repairs::want);
    repairs.run(now, id -> mend(containers.get(id), throttle));
  }

  /**
   * Returns a container of which {@link #mend} found fingerprints out, so that chunks of it are
   * found from now on that were not before; each once. Null if there is none.
   */
  public Long pollNamed() {
    return maintenance.pollNamed();
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
      return !mayBeRecovered(container) || recoverAgain(container);
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
    return appended.takeUnsealed(open) && recoverAgain(container);
  }

  private boolean recoverAgain(Container container) throws IOException {
    try {
      return recovery.recoverAgain(container);
    } finally {
      OpenContainer open = container.open();
      if (open != null) {
        appended.sealLater(open);
      }
    }
  }

  /** As {@link FrameReader#read}, for a read by itself. */
  public void read(long container, int firstChunk, int chunkCount, ByteBuffer dst)
      throws IOException {
    try (FrameReader frame = newFrameReader()) {
      frame.read(container, firstChunk, chunkCount, dst);
    }
  }

  public FrameReader newFrameReader() {
    return new FrameReader();
  }

  /** Reads the chunks of a frame, run by run. For one thread. */
  public final class FrameReader implements Closeable {

    private final ChunkReader.Bases bases = reader.newBases(Throttle.NONE);

    private FrameReader() {}

    /**
     * Reads chunks with consecutive numbers.
     *
     * @param firstChunk number of the first one
     * @param chunkCount how many, at least 1
     * @param dst direct; gets the chunks' bytes one after the other from its position on, which
     *     moves behind them
     * @throws CorruptFrameException if one of them is damaged, the container's file is no
     *     container, or the chunks are longer than {@code dst} has room
     * @throws MissingChunkException if the container, or one of the chunks, is not there
     * @throws IOException if the disk fails; as after damage, no new block refers to the chunks of
     *     the group until they read well again, and what is in {@code dst} is undefined
     */
    public void read(long container, int firstChunk, int chunkCount, ByteBuffer dst)
        throws IOException {
      if (chunkCount < 1 || firstChunk < 0 || firstChunk > Integer.MAX_VALUE - chunkCount) {
        throw new IllegalArgumentException(chunkCount + " chunks from " + firstChunk + " on");
      }
      if (!dst.isDirect()) {
        throw new IllegalArgumentException("the buffer is not direct");
      }
      int start = dst.position();
      Container found = loaded.find(container);
      while (true) {
        LoadedContainer source = loaded.acquire(found);
        try {
          reader.read(source, firstChunk, chunkCount, dst, bases);
          if (!unreadable.isEmpty()) {
            unreadable.remove(container, firstChunk, chunkCount);
          }
          return;
        } catch (ClosedChannelException e) {
          dst.position(start);
          loaded.forget(found, source, e);
        } finally {
          source.release();
        }
      }
    }

    @Override
    public void close() {
      bases.close();
    }
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
    Container found = loaded.find(container);
    OpenContainer open = found.open();
    if (open != null) {
      return open.forced();
    }
    return loaded.directory(found).content();
  }

  /**
   * Returns whether a container is damaged so that there may be chunks in it which {@link
   * #directory} does not have: to rewrite or seal it removes them for good.
   */
  public boolean mayHaveMore(long container) throws IOException {
    Container found = loaded.find(container);
    OpenContainer open = found.open();
    return open != null ? open.isDamaged() : findable(found) == null;
  }

  /** As {@link #directory}, or null if chunks of the container may be lost. */
  private ContainerDirectory findable(Container container) throws IOException {
    OpenContainer open = container.open();
    if (open != null) {
      return open.forced();
    }
    LoadedDirectory known = loaded.directory(container);
    return known.origin() == LoadedDirectory.Origin.LOSSY ? null : known.content();
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
    if (container == null || isBad(ref)) {
      return NOT_HELD;
    }
    try {
      ContainerDirectory content = findable(container);
      int index = content == null ? -1 : content.indexOf(ChunkRef.number(ref));
      boolean held =
          index >= 0 && content.hasFingerprint(index, fingerprints, offset) && !isBad(ref);
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
    Container container = loaded.find(ChunkRef.container(ref));
    OpenContainer open = container.open();
    ContainerDirectory content =
        open != null ? open.written() : loaded.directory(container).content();
    int index = content.indexOf(ChunkRef.number(ref));
    if (index < 0) {
      return -1;
    }
    int group = content.groupOf(index);
    bounds[0] = ChunkRef.pack(container.id(), content.number(content.firstChunk(group)));
    bounds[1] = ChunkRef.pack(container.id(), content.number(content.endChunk(group) - 1));
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
    return own && open != null ? open.written() : findable(container);
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
    if (container == null || isBad(ref)) {
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
  public boolean isAsNamed(long ref, boolean own, ByteBuffer bytes) throws IOException {
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
    boolean found = false;
    for (int number = firstChunk; number < firstChunk + chunkCount; number++) {
      try {
        found |= isWrong(container, number);
      } catch (IOException e) {
        LOG.debug("{} can't be read", ChunkRef.toString(ChunkRef.pack(container, number)), e);
        found = true;
      }
    }
    return found;
  }

  private boolean isWrong(long container, int number) throws IOException {
    ContainerDirectory content = directory(container);
    int index = content.indexOf(number);
    return index < 0 || isWrong(content, container, number, index, true);
  }

  private boolean isWrong(
      ContainerDirectory content, long container, int number, int index, boolean compared)
      throws IOException {
    if (reads(content, container, number, index, compared && !content.isUnnamed(index))) {
      return false;
    }
    if (!wrong.isBad(container, number)) {
      LOG.error(
          "{}: chunk {} is not what its fingerprint says, and no new block refers to it. It was"
              + " changed before it was written: have the memory of this machine tested",
          file(container),
          number);
    }
    markBad(ChunkRef.pack(container, number));
    return true;
  }

  /**
   * Returns whether one of some chunks is known to be damaged, and still is, or their container is
   * lost. Reads no others.
   *
   * @throws IOException if that can't be told now
   */
  public boolean isDamaged(long container, int firstChunk, int chunkCount) throws IOException {
    if (!exists(container)) {
      return true;
    }
    for (int number = firstChunk; number < firstChunk + chunkCount; number++) {
      if (isBad(ChunkRef.pack(container, number)) && isDamaged(container, number)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether one of some chunks is a difference that can't be made, as its base is damaged
   * or lost.
   *
   * @throws IOException if that can't be told now
   */
  public boolean needsDamagedBase(long container, int firstChunk, int chunkCount)
      throws IOException {
    ContainerDirectory content = directory(container);
    for (int number = firstChunk; number < firstChunk + chunkCount; number++) {
      int index = content.indexOf(number);
      long base = index < 0 ? WHOLE : content.baseOf(index);
      if (base != WHOLE
          && (isBad(base) || !exists(ChunkRef.container(base)))
          && isDamaged(container, number)) {
        return true;
      }
    }
    return false;
  }

  private boolean isDamaged(long container, int number) throws IOException {
    try {
      ContainerDirectory content = directory(container);
      int index = content.indexOf(number);
      return index < 0
          || isWrong(content, container, number, index, wrong.isBad(container, number));
    } catch (CorruptFrameException | MissingChunkException e) {
      return true;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      return true;
    }
  }

  /** Reads a chunk; returns false only if it is compared and not what its fingerprint says. */
  private boolean reads(
      ContainerDirectory content, long container, int number, int index, boolean compared)
      throws IOException {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    ByteBuffer bytes = BufferPool.shared().take(content.length(index));
    try {
      read(container, number, 1, bytes);
      if (!compared) {
        return true;
      }
      bytes.flip();
      context.fingerprinter().fingerprint(bytes, fingerprint, 0);
    } finally {
      BufferPool.shared().give(bytes);
    }
    return content.hasFingerprint(index, fingerprint, 0);
  }

  /** Returns the highest id of a container; -1 if there is none. */
  public long last() {
    Map.Entry<Long, Container> last = containers.lastEntry();
    return last == null ? -1 : last.getKey();
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
   * Reads all of a sealed container, and has what is damaged treated as if a reader had found it:
   * no new block refers to such chunks, and a damaged directory is made again.
   *
   * @return null if it is gone, not sealed, or was just rewritten
   * @throws IOException if the work shall end, or the container can't be read for a reason that may
   *     pass
   */
  public CheckedContainer check(long id, Throttle throttle) throws IOException {
    Container container = containers.get(id);
    if (container == null || !isSealed(id)) {
      return null;
    }
    int generation = loaded.generation(container);
    ContainerLoader loader = new ContainerLoader(context);
    LoadedContainer source;
    try {
      source = loader.load(container);
    } catch (MissingChunkException e) {
      return isLost(container) ? lost(container, e) : null;
    } catch (CorruptFrameException e) {
      return lost(container, e);
    }
    try (ChunkReader.Bases bases = checking.newBases(throttle)) {
      // Of the same file, which may be replaced meanwhile.
      LoadedDirectory found = loader.loadDirectory(container, source);
      ContainerCheck check =
          new ContainerCheck(context, source, found, bases, this::isBad, throttle);
      check.run();
      if (loaded.generation(container) != generation) {
        // It was rewritten, and read back, meanwhile.
        return null;
      }
      boolean whole =
          found.origin() == LoadedDirectory.Origin.WRITTEN
              && source.origin() == LoadedDirectory.Origin.WRITTEN;
      if (!whole || !check.suspects().isEmpty()) {
        // Readers may have what was read before it was damaged.
        loaded.replaced(container);
      }
      BitSet suspects = check.suspects();
      BitSet damaged = stillDamaged(container, suspects, check.isCompared(), throttle);
      if (found.origin() == LoadedDirectory.Origin.LOSSY) {
        unreadable.add(id, absent(found.content().numbers()));
      }
      if (!whole || (!container.isNamedAsFarAsCanBe() && found.content().hasUnnamed())) {
        repairs.want(id);
      }
      return new CheckedContainer(
          check.bytesRead(), damaged, check.damageBeside(), check.isHeaderDamaged());
    } catch (MissingChunkException e) {
      // It was deleted meanwhile.
      return null;
    } finally {
      source.release();
    }
  }

  /** Returns whether a container's file is gone that nobody has deleted. */
  private boolean isLost(Container container) {
    // Not while it is deleted, nor where the whole disk is gone.
    synchronized (container.maintenance()) {
      return containers.get(container.id()) == container
          && Files.isDirectory(context.directory())
          && Files.notExists(file(container.id()));
    }
  }

  private CheckedContainer lost(Container container, IOException why) {
    loaded.replaced(container);
    unreadable.add(container.id(), absent(new BitSet()));
    return new CheckedContainer(0, new BitSet(), "all of it: " + why.getMessage(), false);
  }

  /** Returns the numbers that a container's lost chunks may have. */
  private BitSet absent(BitSet present) {
    BitSet absent = new BitSet();
    absent.set(
        0, unreadable.size() < FEW_CONTAINERS ? ContainerFormat.MAX_CHUNKS : MAX_LOST_NUMBER);
    absent.andNot(present);
    return absent;
  }

  /**
   * Tries the chunks again that could not be read when they were last tried, or are known not to be
   * what their fingerprints say.
   *
   * @return those that are damaged, or that the disk can't read, by container
   * @throws IOException if the work shall end
   */
  public Map<Long, BitSet> damagedChunks(Throttle throttle) throws IOException {
    Map<Long, BitSet> found = new HashMap<>();
    addDamaged(unreadable, false, found, throttle);
    addDamaged(wrong, true, found, throttle);
    return found;
  }

  private void addDamaged(
      Quarantine noted, boolean compared, Map<Long, BitSet> found, Throttle throttle)
      throws IOException {
    for (Map.Entry<Long, BitSet> entry : noted.all().entrySet()) {
      long id = entry.getKey();
      Container container = containers.get(id);
      if (container == null) {
        continue;
      }
      try {
        BitSet still = stillDamaged(container, entry.getValue(), compared, throttle);
        if (!still.isEmpty()) {
          found.merge(id, still, ContainerStore::union);
        }
      } catch (InterruptedIOException | ClosedByInterruptException e) {
        throw e;
      } catch (CorruptFrameException e) {
        found.merge(id, entry.getValue(), ContainerStore::union);
      } catch (MissingChunkException e) {
        if (isLost(container)) {
          found.merge(id, entry.getValue(), ContainerStore::union);
        }
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        LOG.warn("{} can't be looked at now", file(id), e);
      }
    }
  }

  /**
   * Tries some chunks of a container, as a reader reads them.
   *
   * @return those that are damaged, or that the disk can't read
   */
  public BitSet damaged(long id, BitSet numbers, Throttle throttle) throws IOException {
    return stillDamaged(loaded.find(id), numbers, false, throttle);
  }

  private static BitSet union(BitSet one, BitSet other) {
    BitSet all = (BitSet) one.clone();
    all.or(other);
    return all;
  }

  /**
   * Tries chunks one by one, as a reader reads them.
   *
   * @param compared with their fingerprints, too
   * @return those that are damaged, or that the disk can't read
   * @throws CorruptFrameException if nothing of the container can be found
   * @throws MissingChunkException if it is gone
   * @throws IOException if the work shall end, or the container can't be read for a reason that may
   *     pass
   */
  private BitSet stillDamaged(
      Container container, BitSet numbers, boolean compared, Throttle throttle) throws IOException {
    long id = container.id();
    BitSet still = new BitSet();
    if (numbers.isEmpty()) {
      return still;
    }
    if (container.open() == null && container.problem() == null) {
      // What the disk could not read when it was loaded.
      loaded.reload(container).release();
      loaded.reloadDirectory(container);
    }
    ContainerDirectory content = directory(id);
    boolean lacksSome = mayHaveMore(id);
    int unreadableGroup = -1;
    Set<Long> unreadableBases = new HashSet<>();
    for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1)) {
      int index = content.indexOf(n);
      if (index < 0) {
        still.set(n, lacksSome);
        continue;
      }
      int group = content.groupOf(index);
      long base = content.baseOf(index);
      if (group == unreadableGroup || unreadableBases.contains(base)) {
        still.set(n);
        continue;
      }
      throttle.acquire(content.length(index));
      try {
        still.set(n, isWrong(content, id, n, index, compared));
      } catch (InterruptedIOException | ClosedByInterruptException e) {
        throw e;
      } catch (CorruptFrameException e) {
        still.set(n);
      } catch (MissingChunkException e) {
        LOG.debug("{} can't be found", ChunkRef.toString(ChunkRef.pack(id, n)), e);
        // It was dropped, unless it is its base that is not there.
        still.set(n, base >= 0 && directory(id).indexOf(n) >= 0);
      } catch (IOException e) {
        if (!DiskErrors.isReadError(e)) {
          throw e;
        }
        still.set(n);
        if (base >= 0 && findDamage(ChunkRef.container(base), ChunkRef.number(base), 1)) {
          // The others of the group may have other bases, or none.
          unreadableBases.add(base);
          continue;
        }
        // The others need the same bytes, and a disk takes seconds for each attempt.
        unreadableGroup = content.stages(group) != 0 ? group : -1;
      }
    }
    return still;
  }

  /**
   * Bars new blocks from referring to a chunk, even if it reads well, until its container is
   * deleted or the process ends.
   */
  public void markBad(long ref) {
    BitSet numbers = new BitSet();
    numbers.set(ChunkRef.number(ref));
    wrong.add(ChunkRef.container(ref), numbers);
  }

  /** Returns whether a chunk is known to be damaged. */
  public boolean isBad(long ref) {
    long container = ChunkRef.container(ref);
    int number = ChunkRef.number(ref);
    return unreadable.isBad(container, number) || wrong.isBad(container, number);
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

  /** Returns the number of containers. */
  public int count() {
    return containers.size();
  }

  /** Returns whether a container is there that is sealed. */
  public boolean isSealed(long id) {
    Container container = containers.get(id);
    return container != null && container.open() == null && container.problem() == null;
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
