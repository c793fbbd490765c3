/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.io.DurableFiles;
import io.hdrf.io.UnknownFormatVersionException;
import io.hdrf.scheme.CorruptFrameException;
import io.hdrf.scheme.FrameChain;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunks of one volume and block pool, in append-only container files; {@link ContainerFormat}
 * specifies these. Safe for use by many threads.
 *
 * <p>What is promised: a chunk that was forced stays readable under its reference until a
 * compaction drops it, whatever happens to process or power. A read returns a chunk's bytes as they
 * were appended, or fails. The reference of a chunk that was forced is never given to another.
 *
 * <p>What is not done here: a compaction drops what it is told to. Whoever calls it sees to it that
 * nobody refers to these chunks, or is about to after {@link #holds} said that they are there.
 *
 * <p>An interrupt of a thread that reads closes the container's file, which then is opened again
 * for the others; of a thread that appends, it fails the container that it writes to, and nothing
 * that was forced is lost.
 */
public final class ContainerStore implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerStore.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path directory;
  private final DurableFiles files;
  private final ContainerSettings settings;
  private final ChainSource chains;
  private final Fingerprinter fingerprinter;
  private final ConcurrentSkipListMap<Long, Container> containers = new ConcurrentSkipListMap<>();
  private final ContainerCache cache;
  private final GroupCache groups;
  private final ChunkReader reader;
  private final Quarantine quarantine;

  /** Guards the next three. */
  private final Object openLock = new Object();

  private final List<OpenContainer> idle = new ArrayList<>();
  private long nextId;
  private boolean closed;

  private ContainerStore(
      Path directory,
      DurableFiles files,
      ContainerSettings settings,
      ChainSource chains,
      Fingerprinter fingerprinter)
      throws IOException {
    this.directory = directory;
    this.files = files;
    this.settings = settings;
    this.chains = chains;
    this.fingerprinter = fingerprinter;
    this.cache =
        new ContainerCache(settings.maxOpenFiles(), settings.directoryMemory(), this::loadSealed);
    this.groups = new GroupCache(settings.groupMemory());
    this.reader = new ChunkReader(groups);
    this.quarantine = Quarantine.load(directory, files);
  }

  /**
   * Opens a store, creating it if there is none. Containers that were open when the process ended
   * are copied, as far as they are sound, and sealed; others are only listed.
   *
   * @param directory where the files are; no other store may be open there. Files that are not of a
   *     store are left alone
   * @param chains for the chains that containers were written with
   * @param fingerprinter the function whose values {@link ChunkAppender#append} will get, and got
   * @throws UnknownFormatVersionException if a later version of HDRF wrote the quarantine
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
    ContainerStore store = new ContainerStore(directory, files, settings, chains, fingerprinter);
    store.findContainers();
    return store;
  }

  private void findContainers() throws IOException {
    List<String> names;
    try (Stream<Path> list = Files.list(directory)) {
      names = list.map(path -> path.getFileName().toString()).collect(Collectors.toList());
    }
    SortedMap<Long, Path> unsealed = new TreeMap<>();
    for (String name : names) {
      long sealed = ContainerNames.id(name, ContainerNames.SEALED);
      long open = ContainerNames.id(name, ContainerNames.OPEN);
      if (sealed >= 0) {
        containers.put(sealed, new Container(sealed));
      } else if (open >= 0) {
        unsealed.put(open, directory.resolve(name));
      } else if (ContainerNames.id(name, ContainerNames.TEMPORARY) >= 0) {
        files.deleteIfExists(directory.resolve(name));
      }
    }
    for (Map.Entry<Long, Path> file : unsealed.entrySet()) {
      recover(file.getKey(), file.getValue());
    }
    nextId = containers.isEmpty() ? 0 : containers.lastKey() + 1;
  }

  /** Deals with a container that was open when the process ended. */
  private void recover(long id, Path path) throws IOException {
    if (containers.containsKey(id)) {
      // Its sealed copy was forced before it got its name.
      files.deleteIfExists(path);
      return;
    }
    Container container = new Container(id);
    try (ChannelFile file = ChannelFile.open(path)) {
      ContainerHeader header = readHeaderOf(path, file);
      if (header == null) {
        // Groups are written only after the header was forced.
        files.deleteIfExists(path);
        return;
      }
      header.check(path, id, settings.identity());
      ContainerScanner scanner =
          new ContainerScanner(
              path, file, header, chains.chain(header.chainIds()), fingerprinter, file.length());
      scanner.scan();
      if (scanner.directory().chunkCount() == 0 && file.length() == ContainerHeader.LENGTH) {
        files.deleteIfExists(path);
        return;
      }
      ContainerDirectory found = scanner.directory();
      LoadedContainer source = new LoadedContainer(path, header, file, () -> found, chains);
      replace(id, source, null, Throttle.NONE);
      files.deleteIfExists(path);
      LOG.info(
          "{}: sealed with {} chunks, up to byte {} of {}",
          path,
          found.chunkCount(),
          scanner.endOfGroups(),
          file.length());
    } catch (IOException e) {
      if (Files.exists(ContainerNames.file(directory, id, ContainerNames.SEALED))) {
        throw e;
      }
      LOG.error("{} could not be recovered and is left as it is: {}", path, e.toString());
      container.setProblem(e);
    }
    containers.put(id, container);
  }

  /** The header of a container that was open; null if it is a torn one with nothing behind it. */
  private static ContainerHeader readHeaderOf(Path path, ChannelFile file) throws IOException {
    try {
      return ContainerFiles.readHeader(path, file);
    } catch (CorruptFileException e) {
      if (file.length() > ContainerHeader.LENGTH) {
        throw e;
      }
      return null;
    }
  }

  /** Writes a container anew and puts it in place of its file. */
  private ContainerRewriter replace(long id, LoadedContainer source, BitSet live, Throttle throttle)
      throws IOException {
    Path copy = ContainerNames.file(directory, id, ContainerNames.TEMPORARY);
    files.deleteIfExists(copy);
    ContainerRewriter rewriter =
        new ContainerRewriter(files, source, copy, settings.groupSize(), chains, throttle);
    rewriter.rewrite(live, System.currentTimeMillis());
    files.rename(copy, ContainerNames.file(directory, id, ContainerNames.SEALED));
    files.forceDirectory(directory);
    return rewriter;
  }

  /**
   * Makes an appender.
   *
   * @param tail encodes the groups; stays open until the appender is closed. The store's {@link
   *     ChainSource} must know its schemes too
   */
  public ChunkAppender appender(FrameChain tail) {
    return new ChunkAppender(this, tail, settings.groupSize());
  }

  /** An open container with that chain that no other appender has. */
  OpenContainer takeOpen(int[] chainIds) throws IOException {
    Container container;
    synchronized (openLock) {
      if (closed) {
        throw new IOException(directory + ": the store is closed");
      }
      for (int i = idle.size() - 1; i >= 0; i--) {
        if (idle.get(i).header().hasChain(chainIds)) {
          return idle.remove(i);
        }
      }
      if (nextId > ChunkRef.MAX_CONTAINER) {
        throw new IOException(directory + ": there are no container ids left");
      }
      container = new Container(nextId);
      nextId++;
    }
    ContainerHeader header =
        new ContainerHeader(
            container.id(),
            settings.identity(),
            chainIds,
            System.currentTimeMillis(),
            RANDOM.nextLong());
    container.setOpen(new OpenContainer(container, header, directory, files, settings, chains));
    containers.put(container.id(), container);
    return container.open();
  }

  /** Takes back a container that an appender had for itself. */
  void giveBack(OpenContainer open) throws IOException {
    boolean late;
    synchronized (openLock) {
      late = closed;
      if (!late && open.container().open() != null && !open.hasFailed()) {
        idle.add(open);
      }
    }
    if (late) {
      end(open);
    }
  }

  void seal(OpenContainer open) throws IOException {
    open.seal();
  }

  /**
   * Seals a container, unless an appender has it.
   *
   * @return whether it is sealed now
   * @throws MissingChunkException if there is no such container
   */
  public boolean sealIdle(long container) throws IOException {
    OpenContainer open = find(container).open();
    if (open == null) {
      return true;
    }
    synchronized (openLock) {
      if (!idle.remove(open)) {
        return false;
      }
    }
    open.seal();
    return true;
  }

  /**
   * Makes durable all chunks that were flushed to these containers before the call. Concurrent
   * calls for one container share its fdatasync.
   *
   * @throws MissingChunkException if there is no such container
   */
  public void force(long... ids) throws IOException {
    for (long id : ids) {
      OpenContainer open = find(id).open();
      if (open != null) {
        open.force();
      }
    }
  }

  /** Makes durable all chunks that were flushed before the call, by whatever appender. */
  public void forceAll() throws IOException {
    for (Container container : containers.values()) {
      OpenContainer open = container.open();
      if (open != null) {
        open.force();
      }
    }
  }

  /**
   * Reads chunks with consecutive numbers.
   *
   * @param firstChunk number of the first one
   * @param chunkCount how many, at least 1
   * @param dst direct; gets the chunks' bytes one after the other from its position on, which moves
   *     behind them
   * @throws DamagedChunkException if one of them is damaged; it is quarantined. What was written
   *     into {@code dst} is then undefined
   * @throws CorruptFrameException if the container's file is no container, or the chunks are longer
   *     than {@code dst} has room
   * @throws MissingChunkException if the container, or one of the chunks, is not there
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
    Container found = find(container);
    while (true) {
      LoadedContainer loaded = acquire(found);
      try {
        reader.read(loaded, firstChunk, chunkCount, dst);
        return;
      } catch (ClosedChannelException e) {
        dst.position(start);
        forget(found, loaded, e);
      } catch (DamagedChunkException e) {
        quarantine(e.ref());
        throw e;
      } finally {
        loaded.release();
      }
    }
  }

  /**
   * Has the kernel begin to read from disk what {@link #read} will be asked for. Best effort:
   * chunks of a container that is not loaded are somewhere, and those of one that is still written
   * to are in memory. Waits for no disk.
   *
   * @return whether anything was begun
   */
  public boolean prefetch(long container, int firstChunk, int chunkCount) {
    Container found = containers.get(container);
    LoadedContainer loaded = found == null || found.open() != null ? null : cache.peek(found);
    if (loaded == null) {
      return false;
    }
    try {
      return reader.prefetch(loaded, firstChunk, chunkCount);
    } finally {
      loaded.release();
    }
  }

  private void quarantine(long ref) {
    try {
      markBad(ref);
    } catch (IOException e) {
      LOG.warn("{}: the quarantine could not be written", directory, e);
    }
  }

  /** An interrupt closed the file: of this thread, which gives up, or of another one. */
  private void forget(Container container, LoadedContainer loaded, ClosedChannelException e)
      throws IOException {
    OpenContainer open = container.open();
    if (open != null) {
      open.forget(loaded);
    }
    cache.forget(loaded);
    if (Thread.currentThread().isInterrupted()) {
      throw e;
    }
  }

  private Container find(long id) throws MissingChunkException {
    Container container = containers.get(id);
    if (container == null) {
      throw new MissingChunkException(
          ContainerNames.file(directory, id, ContainerNames.SEALED) + ": there is no such file");
    }
    return container;
  }

  /** A container for reading, to be released by the caller. */
  private LoadedContainer acquire(Container container) throws IOException {
    while (true) {
      IOException problem = container.problem();
      if (problem != null) {
        throw unrecovered(container, problem);
      }
      OpenContainer open = container.open();
      LoadedContainer loaded = null;
      if (open == null) {
        loaded = cache.acquire(container);
        if (loaded.origin() == LoadedContainer.Origin.REBUILT && container.takeRepair()) {
          repair(container);
          loaded.release();
          loaded = null;
        }
      } else {
        loaded = open.acquire();
      }
      if (loaded != null) {
        return loaded;
      }
    }
  }

  private IOException unrecovered(Container container, IOException problem) {
    Path path = ContainerNames.file(directory, container.id(), ContainerNames.OPEN);
    if (problem instanceof UnknownFormatVersionException) {
      int found = ((UnknownFormatVersionException) problem).found();
      return new UnknownFormatVersionException(
          path, found, ContainerFormat.OLDEST_VERSION, ContainerFormat.VERSION);
    }
    String message = path + " could not be recovered: " + problem.getMessage();
    return problem instanceof CorruptFileException
        ? new CorruptFrameException(message, problem)
        : new IOException(message, problem);
  }

  /** As {@link #acquire}, with a file of its own; the caller holds the maintenance lock. */
  private LoadedContainer acquireAlone(Container container) throws IOException {
    while (true) {
      LoadedContainer shared = acquire(container);
      try {
        return shared.reopen();
      } catch (NoSuchFileException e) {
        if (container.open() != null || !shared.path().toString().endsWith(ContainerNames.OPEN)) {
          throw e;
        }
        // It was sealed just now.
      } finally {
        shared.release();
      }
    }
  }

  /** What a container holds. It is read at once, or there already. */
  public ContainerDirectory directory(long container) throws IOException {
    Container found = find(container);
    OpenContainer open = found.open();
    if (open != null) {
      return open.view();
    }
    LoadedContainer loaded = acquire(found);
    try {
      return loaded.directory();
    } finally {
      loaded.release();
    }
  }

  /** Whether {@link #directory} would answer without reading a file. */
  public boolean isLoaded(long container) {
    Container found = containers.get(container);
    return found != null && (found.open() != null || cache.contains(container));
  }

  /**
   * Whether a new block may refer to a chunk: it is there (flushed, not necessarily forced), it has
   * that fingerprint, and nothing in its container is known to be damaged.
   *
   * @throws IOException if the container could not be read, though it may be sound
   */
  public boolean holds(long ref, byte[] fingerprints, int offset) throws IOException {
    long id = ChunkRef.container(ref);
    Container container = containers.get(id);
    if (container == null || !isGood(id)) {
      return false;
    }
    try {
      ContainerDirectory content = directory(id);
      int index = content.indexOf(ChunkRef.number(ref));
      return index >= 0 && content.hasFingerprint(index, fingerprints, offset) && isGood(id);
    } catch (MissingChunkException | CorruptFrameException | UnknownFormatVersionException e) {
      return false;
    }
  }

  /**
   * Remembers that a chunk is damaged, for ever: after a restart too, until {@link #verify} finds
   * the container sound.
   *
   * @throws MissingChunkException if there is no such container
   */
  public void markBad(long ref) throws IOException {
    find(ChunkRef.container(ref));
    if (ChunkRef.number(ref) >= ContainerFormat.MAX_CHUNKS) {
      throw new MissingChunkException(directory + ": no chunk is " + ChunkRef.toString(ref));
    }
    BitSet numbers = new BitSet();
    numbers.set(ChunkRef.number(ref));
    quarantine.add(ChunkRef.container(ref), numbers);
  }

  /** Whether nothing in a container is known to be damaged. */
  public boolean isGood(long container) {
    return quarantine.isGood(container);
  }

  /** Whether a chunk is known to be damaged. */
  public boolean isBad(long ref) {
    return quarantine.isBad(ChunkRef.container(ref), ChunkRef.number(ref));
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
          return info(all.next());
        }
      };
    };
  }

  private ContainerInfo info(Container container) {
    OpenContainer open = container.open();
    if (open != null) {
      ContainerDirectory view = open.view();
      return new ContainerInfo(
          container.id(), false, open.length(), view.chunkCount(), view.originalBytes(), 0, null);
    }
    ContainerInfo known = container.info();
    if (known != null) {
      return known;
    }
    return readInfo(container);
  }

  private ContainerInfo readInfo(Container container) {
    long id = container.id();
    boolean sealed = container.problem() == null;
    Path path =
        ContainerNames.file(directory, id, sealed ? ContainerNames.SEALED : ContainerNames.OPEN);
    long length = 0;
    String problem;
    try (ChannelFile file = ChannelFile.open(path)) {
      length = file.length();
      if (sealed) {
        int generation = cache.generation(container);
        ContainerFooter footer = ContainerFiles.readFooter(path, file);
        footer.header().check(path, id, settings.identity());
        ContainerInfo info =
            new ContainerInfo(
                id,
                true,
                length,
                footer.chunkCount(),
                footer.originalBytes(),
                footer.sealTime(),
                null);
        cache.setInfo(container, generation, info);
        return info;
      }
      problem = container.problem().getMessage();
    } catch (IOException e) {
      problem = e.getMessage();
    }
    return new ContainerInfo(id, sealed, length, 0, 0, 0, problem);
  }

  /**
   * Rewrites a sealed container with only some of its chunks, or deletes it if there are none. The
   * others keep their references. Readers are not disturbed; a power loss at any moment leaves the
   * container as it was or as it is to be.
   *
   * @param live numbers of the chunks to keep; a copy is used
   * @throws MissingChunkException if one of these is not there; then nothing has changed
   * @throws IllegalStateException if the container is open
   */
  public CompactionResult compact(long container, BitSet live, Throttle throttle)
      throws IOException {
    Container found = find(container);
    BitSet wanted = (BitSet) live.clone();
    synchronized (found.maintenance()) {
      if (found.open() != null) {
        throw new IllegalStateException(
            "container " + ContainerNames.hex(container) + " is still open");
      }
      LoadedContainer source = acquireAlone(found);
      try {
        return compact(found, source, wanted, throttle);
      } finally {
        source.release();
      }
    }
  }

  private CompactionResult compact(
      Container container, LoadedContainer source, BitSet live, Throttle throttle)
      throws IOException {
    long id = container.id();
    Path path = ContainerNames.file(directory, id, ContainerNames.SEALED);
    ContainerDirectory content = source.directory();
    for (int n = live.nextSetBit(0); n >= 0; n = live.nextSetBit(n + 1)) {
      if (content.indexOf(n) < 0) {
        throw new MissingChunkException(path + ": chunk " + n + " is not there");
      }
    }
    int kept = live.cardinality();
    int dropped = content.chunkCount() - kept;
    long before = source.file().length();
    if (kept == 0 && id != containers.lastKey()) {
      files.deleteIfExists(path);
      containers.remove(id);
      cache.replaced(container);
      files.forceDirectory(directory);
      quarantine.remove(id);
      return new CompactionResult(0, 0, before, 0, dropped, 0);
    }
    if (dropped == 0 && source.origin() == LoadedContainer.Origin.WRITTEN) {
      return new CompactionResult(0, 0, 0, kept, 0, 0);
    }
    ContainerRewriter rewriter;
    try {
      rewriter = replace(id, source, live, throttle);
    } finally {
      // Even if it failed: the file may have been replaced before.
      cache.replaced(container);
    }
    return new CompactionResult(
        rewriter.bytesRead(),
        rewriter.bytesWritten(),
        before - rewriter.bytesWritten(),
        kept,
        dropped,
        rewriter.damagedGroups());
  }

  /**
   * Checks all of a container. What is damaged is quarantined; if all is sound, an earlier
   * quarantine of it ends.
   *
   * @throws CorruptFrameException if the file is no container at all
   */
  public VerifyReport verify(long container, Throttle throttle) throws IOException {
    Container found = find(container);
    synchronized (found.maintenance()) {
      LoadedContainer loaded = acquireAlone(found);
      try {
        VerifyReport report = new ContainerVerifier(loaded, fingerprinter).verify(throttle);
        if (loaded.origin() == LoadedContainer.Origin.LOSSY) {
          report.addProblem(loaded.path() + ": the directory is damaged, and chunks may be lost");
        }
        if (!report.damagedChunks().isEmpty()) {
          quarantine.add(container, report.damagedChunks());
        } else if (report.isSound()) {
          quarantine.remove(container);
        }
        return report;
      } finally {
        loaded.release();
      }
    }
  }

  private LoadedContainer loadSealed(Container container) throws IOException {
    Path path = ContainerNames.file(directory, container.id(), ContainerNames.SEALED);
    ChannelFile file;
    try {
      file = ChannelFile.open(path);
    } catch (NoSuchFileException e) {
      throw new MissingChunkException(path + ": there is no such file");
    }
    boolean loaded = false;
    try {
      LoadedContainer result = loadSealed(container, path, file);
      loaded = true;
      return result;
    } catch (CorruptFileException e) {
      throw new CorruptFrameException(e.getMessage(), e);
    } finally {
      if (!loaded) {
        file.close();
      }
    }
  }

  private LoadedContainer loadSealed(Container container, Path path, ChannelFile file)
      throws IOException {
    ContainerFooter footer = null;
    ContainerDirectory content = null;
    try {
      footer = ContainerFiles.readFooter(path, file);
      content = ContainerFiles.readDirectory(path, file, footer);
    } catch (CorruptFileException e) {
      LOG.warn("{}; its directory is made again from its groups", e.getMessage());
    }
    ContainerHeader header =
        footer != null ? footer.header() : ContainerFiles.readHeader(path, file);
    header.check(path, container.id(), settings.identity());
    if (content != null) {
      ContainerDirectory read = content;
      return new LoadedContainer(path, header, file, () -> read, chains);
    }
    return rebuild(container, path, file, header, footer);
  }

  private LoadedContainer rebuild(
      Container container,
      Path path,
      ChannelFile file,
      ContainerHeader header,
      ContainerFooter footer)
      throws IOException {
    long end = footer != null ? footer.directoryPosition() : file.length();
    ContainerScanner scanner =
        new ContainerScanner(
            path, file, header, chains.chain(header.chainIds()), fingerprinter, end);
    scanner.scan();
    ContainerDirectory found = scanner.directory();
    boolean whole = scanner.damaged().isEmpty() && !scanner.hasGaps();
    if (footer != null) {
      whole &= scanner.endOfGroups() == end && found.chunkCount() == footer.chunkCount();
    } else {
      whole &= hasDirectoryAt(file, scanner.endOfGroups());
    }
    if (whole) {
      container.wantRepair();
    } else {
      BitSet bad = scanner.damaged();
      bad.set(Math.min(scanner.nextNumber(), ContainerFormat.MAX_CHUNKS - 1));
      quarantine.add(container.id(), bad);
    }
    return new LoadedContainer(
        path,
        header,
        file,
        () -> found,
        chains,
        whole ? LoadedContainer.Origin.REBUILT : LoadedContainer.Origin.LOSSY);
  }

  private static boolean hasDirectoryAt(ChannelFile file, long position) throws IOException {
    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
    file.read(magic, position);
    magic.flip();
    return magic.remaining() == Integer.BYTES
        && ContainerFormat.littleEndian(magic).getInt() == DirectoryFormat.MAGIC;
  }

  /** Gives a container a directory again of which nothing but the directory is damaged. */
  private void repair(Container container) throws IOException {
    synchronized (container.maintenance()) {
      LoadedContainer loaded = cache.acquire(container);
      try {
        if (loaded.origin() == LoadedContainer.Origin.REBUILT) {
          replace(container.id(), loaded, null, Throttle.NONE);
          LOG.info("{}: the directory was made again", loaded.path());
        }
      } catch (IOException e) {
        LOG.warn("{}: the directory could not be made again", loaded.path(), e);
      } finally {
        loaded.release();
        cache.replaced(container);
      }
    }
  }

  /**
   * Seals the containers that no appender has and closes all files. Appenders should be closed
   * before; what they flushed but did not force may get lost with the power.
   */
  @Override
  public void close() throws IOException {
    List<OpenContainer> rest;
    synchronized (openLock) {
      if (closed) {
        return;
      }
      closed = true;
      rest = new ArrayList<>(idle);
      idle.clear();
    }
    IOException failure = null;
    for (OpenContainer open : rest) {
      try {
        end(open);
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    for (Container container : containers.values()) {
      OpenContainer open = container.open();
      if (open != null) {
        open.close();
      }
    }
    cache.clear();
    groups.clear();
    if (failure != null) {
      throw failure;
    }
  }

  /** Seals a container, or deletes it if there is nothing in it. */
  private void end(OpenContainer open) throws IOException {
    if (open.container().open() == null) {
      return;
    }
    if (open.hasNothing()) {
      containers.remove(open.container().id());
      open.delete();
    } else if (open.hasFailed()) {
      open.close();
    } else {
      open.seal();
    }
  }
}
