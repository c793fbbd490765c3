/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The reduced blocks of a pool on a volume, wherever HDFS keeps them; see {@link BlockFiles}. Safe
 * for use by many threads.
 */
public final class StoredBlocks {

  /** Tells data that only look like a reduced block from a damaged one. */
  public interface PlainCheck {

    /**
     * Returns whether a file's bytes as they lie match the block's checksums.
     *
     * @param path of the block's file; meanwhile it may lead to another one
     * @param file the one that was looked at
     * @throws java.nio.file.NoSuchFileException if the checksums are missing: nothing is proved
     */
    boolean isProvedPlain(Path path, ReadableFile file) throws IOException;
  }

  /** Receives the block files that can't be read. */
  public interface UnreadableListener {

    /** Called on the thread that reads them all, for each file once in a pass. */
    void unreadable(Path file, long blockId, IOException why);

    /** See {@link StoredPayloads#damaged}. */
    default void damaged(long blockId, FileCheck check, IOException why) {}
  }

  /** Tells whether a block's file refers to damaged parts of a scheme's store. */
  public interface FileCheck {

    /**
     * Returns whether it does; false also for a plain one, or if there is none.
     *
     * @throws IOException if that can't be told, as the file, or what it refers to, can't be read
     */
    boolean isDamaged(Path file) throws IOException;
  }

  /** The number of attempts to find missing checksums. */
  private static final int MAX_LOOKS = 10;

  private static final int LOOK_AGAIN_MILLIS = 50;

  /** Of the files whose payloads are known, one in so many is read in each pass that checks. */
  private static final int CHECKED_ONE_IN = 64;

  private final Path poolDirectory;
  private final Path excluded;
  private final String poolId;
  private final TagKey key;
  private final PlainCheck plainCheck;
  private final DurableFiles files;
  private final UnreadableListener unreadable;

  /** Numbers those passes that read known files, from a random number on: each reads other ones. */
  private final AtomicInteger passes = new AtomicInteger(ThreadLocalRandom.current().nextInt());

  /** The schemes of which payloads were known that are not the blocks', and can't be deleted. */
  private final Set<Integer> withWrongPayloads = ConcurrentHashMap.newKeySet();

  /** Does not report block files that can't be read. */
  public StoredBlocks(
      Path poolDirectory, Path excluded, String poolId, TagKey key, PlainCheck plainCheck) {
    this(
        poolDirectory,
        excluded,
        poolId,
        key,
        plainCheck,
        LocalDurableFiles.INSTANCE,
        (file, blockId, why) -> {});
  }

  /**
   * @param poolDirectory {@code <volume>/current/<pool>}
   * @param excluded a directory below it to be left out: HDRF's own
   * @param files forces what {@link #payloads} has seen
   * @param unreadable receives the files for which {@link #payloads} fails
   */
  public StoredBlocks(
      Path poolDirectory,
      Path excluded,
      String poolId,
      TagKey key,
      PlainCheck plainCheck,
      DurableFiles files,
      UnreadableListener unreadable) {
    this.poolDirectory = poolDirectory;
    this.excluded = excluded;
    this.poolId = poolId;
    this.key = key;
    this.plainCheck = plainCheck;
    this.files = files;
    this.unreadable = unreadable;
  }

  /**
   * The payloads of the blocks whose chain begins with this scheme. What is shown survives a power
   * loss as far as names go: each directory is forced, so that no reduced block comes back that was
   * replaced or deleted before it could be shown.
   */
  public StoredPayloads payloads(int schemeId) {
    return payloads(schemeId, System::currentTimeMillis);
  }

  /**
   * As {@link #payloads(int)}, with another clock, by which files count as changed just now.
   *
   * @param currentTimeMillis as {@link System#currentTimeMillis}
   */
  public StoredPayloads payloads(int schemeId, LongSupplier currentTimeMillis) {
    return new StoredPayloads() {
      @Override
      public void forEach(Visitor visitor) throws IOException {
        new Pass(schemeId, visitor, null, false, currentTimeMillis).run();
      }

      @Override
      public void forEachKnown(Visitor visitor) throws IOException {
        forEachKnown(visitor, true);
      }

      @Override
      public void forEachKnown(Visitor visitor, boolean checks) throws IOException {
        PayloadCache cache = new PayloadCache(excluded, files, schemeId, key.volumeId());
        if (withWrongPayloads.contains(schemeId) && cache.clear()) {
          withWrongPayloads.remove(schemeId);
        }
        boolean wrong = withWrongPayloads.contains(schemeId);
        new Pass(schemeId, visitor, wrong ? null : cache, checks, currentTimeMillis).run();
      }

      @Override
      public void damaged(long blockId, DamageCheck check, IOException why) {
        unreadable.damaged(blockId, file -> refersTo(file, blockId, schemeId, check), why);
      }
    };
  }

  /** The numbers of reduced blocks. */
  public static final class Count {
    private long current;
    private long elsewhere;
    private long damaged;
    private String obstacle = "";

    /** Why not all files were looked at; empty if they were. */
    public String obstacle() {
      return obstacle;
    }

    private void skip(IOException why) {
      obstacle = obstacle.isEmpty() ? why.toString() : obstacle;
    }

    /** The number of blocks below {@code current}, which are in service. */
    public long current() {
      return current;
    }

    /** The number of blocks in {@code previous} and its like, and in {@code trash}. */
    public long elsewhere() {
      return elsewhere;
    }

    /** Files that begin like a reduced block, and are neither one nor proved plain. */
    public long damaged() {
      return damaged;
    }
  }

  /** Looks at the first bytes of every block file; what can't be read hides no other one. */
  public Count countReduced() {
    return countReduced(() -> {});
  }

  /**
   * As the other one.
   *
   * @param looked is run after each block file
   */
  public Count countReduced(Runnable looked) {
    Count count = new Count();
    try {
      countReduced(count, looked);
    } catch (IOException e) {
      count.skip(e);
    }
    return count;
  }

  private void countReduced(Count count, Runnable looked) throws IOException {
    Path current = poolDirectory.resolve(BlockFiles.CURRENT);
    BlockFiles.forEach(
        poolDirectory,
        excluded,
        new BlockFiles.Visitor() {
          @Override
          public void visit(Path path, long blockId) {
            try (ChannelFile file = ChannelFile.open(path)) {
              BlockProbe probe = BlockProbe.examine(path, file, new BlockRef(poolId, blockId), key);
              if (isDamaged(path, file, probe)) {
                count.damaged++;
              } else if (probe.kind() == BlockProbe.Kind.REDUCED) {
                if (path.startsWith(current)) {
                  count.current++;
                } else {
                  count.elsewhere++;
                }
              }
            } catch (NoSuchFileException e) {
              return; // deleted meanwhile
            } catch (IOException e) {
              count.skip(e);
            } finally {
              looked.run();
            }
          }

          @Override
          public void failed(Path path, IOException why) {
            count.skip(why);
          }
        });
  }

  /** One pass over the payloads of a scheme. For one thread. */
  private final class Pass implements BlockFiles.Visitor {
    private final int schemeId;
    private final StoredPayloads.Visitor visitor;
    private final PayloadCache cache;
    private final LongSupplier currentTimeMillis;
    private final Unreadable bad = new Unreadable();

    /** Those that have been entered and not left. */
    private final Map<Path, DirectoryPayloads> entered = new HashMap<>();

    /** Which of the known files are read all the same; -1: none. */
    private final int check;

    /**
     * @param cache null: all is read from the blocks
     * @param checks whether some of the known files are read all the same
     */
    Pass(
        int schemeId,
        StoredPayloads.Visitor visitor,
        PayloadCache cache,
        boolean checks,
        LongSupplier currentTimeMillis) {
      this.schemeId = schemeId;
      this.visitor = visitor;
      this.cache = cache;
      this.check = checks ? Math.floorMod(passes.getAndIncrement(), CHECKED_ONE_IN) : -1;
      this.currentTimeMillis = currentTimeMillis;
    }

    void run() throws IOException {
      BlockFiles.forEach(poolDirectory, excluded, this);
      bad.throwIfAny();
      if (cache != null) {
        cache.deleteOthers();
      }
    }

    @Override
    public void visit(Path file, long blockId) throws IOException {
      try {
        if (cache == null) {
          show(file, blockId, schemeId, visitor);
        } else {
          showOrRead(file, blockId);
        }
      } catch (InterruptedIOException | ClosedByInterruptException | VisitorException e) {
        throw e;
      } catch (IOException e) {
        bad.add(file, e);
        unreadable.unreadable(file, blockId, e);
      }
    }

    private void showOrRead(Path file, long blockId) throws IOException {
      DirectoryPayloads known = known(file.getParent());
      long now = currentTimeMillis.getAsLong();
      FileIdentity identity = identityOf(file);
      if (identity == null) {
        return;
      }
      boolean has = known.has(blockId, identity);
      if (has && !isChecked(blockId) && showKnown(known, blockId)) {
        return;
      }
      DirectoryPayloads.Entry entry = read(file, blockId, identity);
      if (!identity.isSettled(now) || !identity.equals(identityOf(file))) {
        return;
      }
      // Read twice, as one failure of the disk would cost all that is known.
      if (has
          && !known.isSame(blockId, entry)
          && !known.isSame(blockId, read(file, blockId, identity))
          && identity.equals(identityOf(file))) {
        if (!cache.clear()) {
          withWrongPayloads.add(schemeId);
        }
        // Not of the block alone: nothing that was shown is sure.
        throw new VisitorException(
            new IOException(
                file
                    + " has other payloads than it had, though it has not changed since; what was"
                    + " known of all blocks is forgotten, and read from them the next time"));
      }
      if (has) {
        known.use(blockId);
      } else {
        known.add(entry);
      }
    }

    /** Returns whether the visitor could make use of what is known. */
    private boolean showKnown(DirectoryPayloads known, long blockId) throws IOException {
      try {
        known.show(
            blockId,
            (id, originalLength, payload) ->
                StoredBlocks.show(visitor, id, originalLength, payload));
        return true;
      } catch (CorruptFrameException e) {
        // Of the cache, and maybe not of the block.
        return false;
      }
    }

    private DirectoryPayloads.Entry read(Path file, long blockId, FileIdentity identity)
        throws IOException {
      DirectoryPayloads.Entry entry = new DirectoryPayloads.Entry(blockId, identity, visitor);
      show(file, blockId, schemeId, entry);
      return entry;
    }

    /** Returns null if the file has been deleted meanwhile. */
    private FileIdentity identityOf(Path file) throws IOException {
      try {
        return FileIdentity.of(file);
      } catch (NoSuchFileException e) {
        return null;
      }
    }

    private DirectoryPayloads known(Path directory) throws IOException {
      DirectoryPayloads known = entered.get(directory);
      if (known == null) {
        known = cache.load(poolDirectory.relativize(directory));
        entered.put(directory, known);
        if (known.length() > 0) {
          visitor.fileRead(known.length());
        }
      }
      return known;
    }

    private boolean isChecked(long blockId) {
      return Math.floorMod(blockId, CHECKED_ONE_IN) == check;
    }

    @Override
    public void left(Path directory) throws IOException {
      forceNearest(directory);
      DirectoryPayloads known = entered.remove(directory);
      if (known != null) {
        cache.store(poolDirectory.relativize(directory), known);
      }
    }
  }

  /** HDFS takes directories away with all that is in them, as the trash: then their parent. */
  private void forceNearest(Path directory) throws IOException {
    for (Path at = directory; ; at = at.getParent()) {
      try {
        files.forceDirectory(at);
        return;
      } catch (NoSuchFileException e) {
        if (at.equals(poolDirectory)) {
          throw e;
        }
      }
    }
  }

  /** Wraps what a visitor threw about something else than the block. */
  private static final class VisitorException extends IOException {
    private static final long serialVersionUID = 1L;

    VisitorException(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** The files of one pass that can't be read. */
  private static final class Unreadable {
    private static final int MAX_NAMED = 5;

    private final StringBuilder names = new StringBuilder();
    private IOException first;
    private long count;

    void add(Path file, IOException why) {
      first = first == null ? why : first;
      count++;
      if (count <= MAX_NAMED) {
        String reason = String.valueOf(why.getMessage());
        names.append(names.length() == 0 ? "" : "; ");
        names.append(reason.contains(file.toString()) ? reason : file + ": " + reason);
      }
    }

    void throwIfAny() throws UnreadableBlocksException {
      if (count > 0) {
        throw new UnreadableBlocksException(
            count
                + (count == 1 ? " block file" : " block files")
                + " can't be read: "
                + names
                + (count > MAX_NAMED ? " and others" : ""),
            count,
            first);
      }
    }
  }

  private void show(Path path, long blockId, int schemeId, StoredPayloads.Visitor visitor)
      throws IOException {
    BlockRef identity = new BlockRef(poolId, blockId);
    long bytesRead;
    try (FileHead file = head(path)) {
      BlockProbe probe = BlockProbe.examine(path, file, identity, key);
      if (isDamaged(path, file, probe)) {
        throw probe.reason();
      }
      if (probe.kind() == BlockProbe.Kind.REDUCED && probe.header().chainIds()[0] == schemeId) {
        file.extendTo(probe.header().physicalLength());
        visitFrames(ReducedBlock.open(path, file, probe.header()), blockId, visitor);
      }
      bytesRead = file.bytesRead();
    } catch (NoSuchFileException e) {
      // Deleted meanwhile.
      return;
    }
    visitor.fileRead(bytesRead);
  }

  private boolean refersTo(Path path, long blockId, int schemeId, StoredPayloads.DamageCheck check)
      throws IOException {
    boolean[] damaged = new boolean[1];
    show(
        path,
        blockId,
        schemeId,
        (id, originalLength, payload) -> damaged[0] = damaged[0] || check.isDamaged(payload));
    return damaged[0];
  }

  private static FileHead head(Path path) throws IOException {
    ChannelFile file = ChannelFile.open(path);
    try {
      return new FileHead(file);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * A file whose checksums are missing is not proved plain; one that has gone is not damaged. HDFS
   * moves a block's checksums first, and the block after them, when it is appended to.
   */
  private boolean isDamaged(Path path, ReadableFile file, BlockProbe probe) throws IOException {
    if (probe.kind() != BlockProbe.Kind.FOREIGN) {
      return false;
    }
    for (int looks = 1; ; looks++) {
      try {
        return !plainCheck.isProvedPlain(path, file) && !Files.notExists(path);
      } catch (NoSuchFileException e) {
        if (Files.notExists(path)) {
          return false;
        }
        if (looks == MAX_LOOKS) {
          return true;
        }
      }
      pause();
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(LOOK_AGAIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private static void visitFrames(ReducedBlock block, long blockId, StoredPayloads.Visitor visitor)
      throws IOException {
    FrameTable frames = block.frames();
    ByteBuffer payload = BufferPool.shared().take(frames.maxStoredLength());
    try {
      for (int i = 0; i < frames.frameCount(); i++) {
        payload.clear();
        block.readStored(i, payload);
        payload.flip();
        show(visitor, blockId, frames.originalLength(i), payload);
      }
    } finally {
      BufferPool.shared().give(payload);
    }
  }

  private static void show(
      StoredPayloads.Visitor visitor, long blockId, int originalLength, ByteBuffer payload)
      throws IOException {
    try {
      visitor.frame(blockId, originalLength, payload);
    } catch (CorruptFrameException | InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      throw new VisitorException(e);
    }
  }
}
