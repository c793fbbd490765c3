/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@link CrashableFiles} behind paths of a {@link WatchedFileSystem}, so that reads by path alone
 * can fail, too; they lose power at a given change. Each call is a step of a {@link StepScheduler}.
 * Thread-safe.
 */
public final class FaultyFiles extends ForwardingFiles implements WatchedFileSystem.Watch {

  /** Faults of consecutive calls. */
  public enum Fault {
    /** Operations that need space fail, a write after half of its bytes. */
    FULL,
    /** Writes and forces fail, a write after half of its bytes. */
    WRITE_ERROR,
    /** Reads fail, of names also. */
    READ_ERROR,
    /** Any call ends in an OutOfMemoryError before it has done anything. */
    NO_MEMORY
  }

  private static final String NO_SPACE = "No space left on device";
  private static final String IO_ERROR = "Input/output error";

  private final CrashableFiles files;
  private final StepScheduler scheduler;
  private final Random random;
  private final WatchedFileSystem system = new WatchedFileSystem(this);
  private final Set<DurableFile> open = ConcurrentHashMap.newKeySet();

  /** Where a sector of a file can't be read. */
  private final Map<Path, Long> badSectors = new ConcurrentHashMap<>();

  private long calls;
  private long changes;
  private long crashAt = Long.MAX_VALUE;
  private CrashableFiles.Moment crashMoment;
  private int replacementsLeft;
  private int changesAfterReplacement;
  private Fault fault;
  private long faultFrom;
  private long faultTo;
  private boolean full;
  private long faults;
  private long limit = Long.MAX_VALUE;
  private String overrun;

  /**
   * @param random decides the random parts of a fault, and the length of a read
   */
  public FaultyFiles(CrashableFiles files, StepScheduler scheduler, Random random) {
    super(files);
    this.files = files;
    this.scheduler = scheduler;
    this.random = random;
  }

  /**
   * For one thread; they fail only as a test says.
   *
   * @param directory as of {@link CrashableFiles}
   */
  public FaultyFiles(Path directory, Random random) throws IOException {
    this(
        new CrashableFiles(directory),
        new StepScheduler(random, 1, "none"),
        new Random(random.nextLong()));
  }

  /** Returns the path to give to code under test instead of a real one. */
  public Path path(Path path) {
    return system.path(path);
  }

  /** Makes the power fail at the n-th change from now on. */
  public synchronized void crash(long change, CrashableFiles.Moment moment) {
    crashAt = changes + change;
    crashMoment = moment;
  }

  /**
   * Makes the power fail soon after the n-th replacement of a file from now on: at the change that
   * follows that many others.
   */
  public synchronized void crashAfterReplacement(
      int n, int changesBetween, CrashableFiles.Moment moment) {
    replacementsLeft = n;
    changesAfterReplacement = changesBetween + 1;
    crashMoment = moment;
  }

  /** Makes {@code count} calls fail, from the n-th from now on, if the fault applies to them. */
  public synchronized void fail(Fault kind, long from, long count) {
    fault = kind;
    faultFrom = calls + from;
    faultTo = faultFrom + count;
  }

  /** Ends all faults, except unreadable sectors. */
  public synchronized void heal() {
    fault = null;
    full = false;
  }

  /** Makes all further operations that need space fail. */
  public synchronized void fill() {
    full = true;
  }

  /** A sector of a file can't be read until the file is replaced or deleted. */
  public void damage(Path file, long position) {
    badSectors.put(WatchedPath.real(file), position);
  }

  /** All sectors can be read. */
  public void mend() {
    badSectors.clear();
  }

  /** How many calls have failed. */
  public synchronized long faults() {
    return faults;
  }

  /** How many changes there were. */
  public synchronized long changes() {
    return changes;
  }

  /** Makes the power fail, and {@link #overrun} say so, if more than so many calls follow. */
  public synchronized void limit(long callsFromNow) {
    limit = callsFromNow == Long.MAX_VALUE ? callsFromNow : calls + callsFromNow;
  }

  /** Where the limit was overrun; null if it was not. */
  public synchronized String overrun() {
    return overrun;
  }

  /** Closes everything that is open, like the end of a process. */
  public void closeAll() throws IOException {
    system.closeAll();
    for (DurableFile file : open) {
      file.close();
    }
    open.clear();
  }

  /** Any other call in which memory may be lacking. */
  public void call() {
    scheduler.step();
    synchronized (this) {
      checkPower();
      count();
      failWithoutMemory();
    }
  }

  private void checkPower() {
    if (files.hasCrashed()) {
      throw new CrashException("there is no power");
    }
  }

  private void count() {
    calls++;
    if (calls > limit) {
      StringBuilder where = new StringBuilder();
      for (StackTraceElement element : new Throwable().getStackTrace()) {
        where.append("\n    ").append(element);
      }
      overrun = "more calls than anything needs, the last one at" + where;
      limit = Long.MAX_VALUE;
      files.crash(CrashableFiles.Moment.BEFORE, files.operations() + 1);
      throw new CrashException(overrun);
    }
  }

  private boolean isDue(Fault kind) {
    return fault == kind && calls >= faultFrom && calls < faultTo;
  }

  private void failWithoutMemory() {
    if (isDue(Fault.NO_MEMORY)) {
      faults++;
      throw new OutOfMemoryError("as the test wants it");
    }
  }

  private interface Change {
    void run() throws IOException;
  }

  private void change(boolean takesSpace, boolean writes, Change change) throws IOException {
    scheduler.step();
    changeNow(takesSpace, writes, change);
  }

  /** A disk takes its time for it. */
  private void force(Change change) throws IOException {
    scheduler.slowStep();
    changeNow(false, true, change);
  }

  private void changeNow(boolean takesSpace, boolean writes, Change change) throws IOException {
    synchronized (this) {
      checkPower();
      count();
      changes++;
      failWithoutMemory();
      boolean noSpace = takesSpace && (full || isDue(Fault.FULL));
      if (noSpace || (writes && isDue(Fault.WRITE_ERROR))) {
        faults++;
        files.failAt(files.operations() + 1, noSpace ? NO_SPACE : IO_ERROR);
      }
      if (changes == crashAt) {
        files.crash(crashMoment, files.operations() + 1);
      }
      change.run();
    }
  }

  @Override
  public void opening(Path path) throws IOException {
    scheduler.step();
    synchronized (this) {
      checkPower();
      count();
      failWithoutMemory();
      failToRead();
    }
  }

  private void failToRead() throws IOException {
    if (isDue(Fault.READ_ERROR)) {
      faults++;
      throw new IOException(IO_ERROR);
    }
  }

  @Override
  public int reading(Path path, long position, int length) throws IOException {
    scheduler.step();
    synchronized (this) {
      checkPower();
      count();
      failWithoutMemory();
      failToRead();
      Long bad = badSectors.get(path);
      if (bad != null && bad < position + length && position < bad + 512) {
        faults++;
        throw new IOException(IO_ERROR);
      }
      return random.nextInt(8) == 0 ? 1 + random.nextInt(length) : length;
    }
  }

  @Override
  public DurableFile create(Path file) throws IOException {
    DurableFile[] created = new DurableFile[1];
    Path path = WatchedPath.real(file);
    change(
        true,
        true,
        () -> {
          created[0] = new File(files.create(path), path);
          open.add(created[0]);
        });
    return created[0];
  }

  @Override
  public DurableFile open(Path file) throws IOException {
    Path path = WatchedPath.real(file);
    opening(path);
    DurableFile opened = new File(files.open(path), path);
    open.add(opened);
    return opened;
  }

  @Override
  public void copyMode(Path model, Path target) throws IOException {
    change(false, true, () -> files.copyMode(WatchedPath.real(model), WatchedPath.real(target)));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    change(
        false,
        true,
        () -> {
          boolean replaces = Files.exists(WatchedPath.real(to));
          files.rename(WatchedPath.real(from), WatchedPath.real(to));
          if (replaces && replacementsLeft > 0) {
            replacementsLeft--;
            if (replacementsLeft == 0) {
              crashAt = changes + changesAfterReplacement;
            }
          }
          badSectors.remove(WatchedPath.real(to));
          Long moved = badSectors.remove(WatchedPath.real(from));
          if (moved != null) {
            badSectors.put(WatchedPath.real(to), moved);
          }
        });
  }

  @Override
  public void deleteIfExists(Path path) throws IOException {
    change(
        false,
        true,
        () -> {
          files.deleteIfExists(WatchedPath.real(path));
          badSectors.remove(WatchedPath.real(path));
        });
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    Path path = WatchedPath.real(directory);
    change(!Files.isDirectory(path), true, () -> files.createDirectories(path));
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    force(() -> files.forceDirectory(WatchedPath.real(directory)));
  }

  private final class File extends ForwardingFile {
    private final DurableFile file;
    private final Path path;

    File(DurableFile file, Path path) {
      super(file);
      this.file = file;
      this.path = path;
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      change(true, true, () -> file.write(src, position));
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      if (dst.hasRemaining()) {
        reading(path, position, dst.remaining());
      }
      return file.read(dst, position);
    }

    @Override
    public void setLength(long length) throws IOException {
      boolean grows = length > file.length();
      change(grows, true, () -> file.setLength(length));
    }

    @Override
    public void force() throws IOException {
      FaultyFiles.this.force(file::force);
    }

    @Override
    public void beginWriting(long position, long length) {}

    @Override
    public void close() throws IOException {
      open.remove(this);
      file.close();
    }
  }
}
