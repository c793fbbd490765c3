/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one store, locked against every other process and every other store of this one.
 * Beside RocksDB's files it holds {@code hdrf.lock}, {@link VersionFile VERSION} and, once damage
 * was found, {@code DAMAGED} with a line that describes it.
 *
 * <p>For one thread at a time, except {@link #markDamaged}.
 */
final class StoreDirectory implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreDirectory.class);
  private static final DurableFiles FILES = LocalDurableFiles.INSTANCE;

  static final String DAMAGED = "DAMAGED";
  private static final String LOCK = "hdrf.lock";
  private static final String CURRENT = "CURRENT";
  private static final String PROBE = "hdrf.probe";

  /** More than RocksDB writes when it opens, besides what its logs hold. */
  private static final int PROBE_SPARE = 2 << 20;

  private static final String ASIDE = ".damaged-";

  /** The number of damaged stores kept for inspection. */
  private static final int MAX_ASIDE = 2;

  private final Path path;
  private FileChannel lock;

  private StoreDirectory(Path path) {
    this.path = path.toAbsolutePath();
  }

  /** Locks the directory; creates it if it is missing. */
  static StoreDirectory lock(Path path) throws MetadataException {
    StoreDirectory directory = new StoreDirectory(path);
    directory.lock();
    return directory;
  }

  private void lock() throws MetadataException {
    FileChannel channel = null;
    try {
      FILES.createDirectories(path);
      channel =
          FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock held = tryLock(channel);
      if (held == null) {
        channel.close();
        throw new StoreUnreachableException(path + " is in use by another store or process");
      }
      lock = channel;
    } catch (MetadataException e) {
      throw e;
    } catch (IOException e) {
      closeQuietly(channel);
      throw Failures.of(path, e);
    }
  }

  private static FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  Path path() {
    return path;
  }

  /**
   * Writes a file and deletes it, so that it fails where the opening of the database would, which
   * makes tables of what its logs hold.
   */
  void requireRoom() throws MetadataException {
    Path probe = path.resolve(PROBE);
    try {
      long left = PROBE_SPARE;
      try (DirectoryStream<Path> logs = Files.newDirectoryStream(path, "*.log")) {
        for (Path log : logs) {
          left += Files.size(log);
        }
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
      try (FileChannel file =
          FileChannel.open(probe, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        while (left > 0) {
          bytes.clear().limit((int) Math.min(left, bytes.capacity()));
          left -= file.write(bytes);
        }
        file.force(true);
      } finally {
        Files.deleteIfExists(probe);
      }
    } catch (IOException e) {
      throw Failures.of(path, e);
    }
  }

  /**
   * Checks that RocksDB may open the directory, and writes {@code VERSION} into a new one.
   *
   * @throws StoreCorruptException if the store is known to be damaged, or if RocksDB would take it
   *     for a new store although it is not
   */
  void check() throws MetadataException {
    try {
      Path damaged = path.resolve(DAMAGED);
      if (Files.exists(damaged)) {
        throw new StoreCorruptException(
            path + ": " + new String(Files.readAllBytes(damaged), StandardCharsets.UTF_8));
      }
      boolean inUse = holdsDatabaseFiles();
      if (Files.exists(path.resolve(VersionFile.NAME))) {
        VersionFile.check(path);
      } else if (inUse) {
        throw new StoreCorruptException(path + " has no file " + VersionFile.NAME);
      } else {
        VersionFile.write(FILES, path);
      }
      if (inUse && !Files.exists(path.resolve(CURRENT))) {
        throw new StoreCorruptException(path + " has no file " + CURRENT);
      }
      try (DirectoryStream<Path> logs = Files.newDirectoryStream(path, "{MANIFEST-*,*.log}")) {
        for (Path log : logs) {
          RecordLog.check(log);
        }
      }
    } catch (MetadataException e) {
      throw e;
    } catch (IOException e) {
      throw Failures.of(path, e);
    }
  }

  private boolean holdsDatabaseFiles() throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(path, "{" + CURRENT + ",MANIFEST-*,*.sst,*.log}")) {
      return files.iterator().hasNext();
    }
  }

  /**
   * Marks the store as damaged, so that the next open sets it aside. Never throws; for any number
   * of threads.
   */
  synchronized void markDamaged(Exception why) {
    Path file = path.resolve(DAMAGED);
    try (DurableFile mark = FILES.create(file)) {
      mark.write(
          ByteBuffer.wrap(String.valueOf(why.getMessage()).getBytes(StandardCharsets.UTF_8)), 0);
      mark.force();
      LOG.error("{} is damaged and will be set aside when it is next opened", path, why);
    } catch (FileAlreadyExistsException e) {
      LOG.debug("{} is damaged in more than one place", path, why);
    } catch (IOException e) {
      LOG.error("{} is damaged, but {} can't be written: {}", path, file, e.toString(), why);
    }
  }

  /**
   * Renames the directory to {@code <path>.damaged-<n>}, with the number after the highest one, and
   * continues with an empty directory. The newest two damaged stores stay.
   */
  void setAside(StoreCorruptException why) throws MetadataException {
    try {
      SortedMap<Long, Path> before = setAsideBefore();
      long n = before.isEmpty() ? 1 : before.lastKey() + 1;
      FILES.rename(path, aside(n));
      FILES.forceDirectory(path.getParent());
      LOG.error(
          "The metadata store {} is damaged. It was moved to {}, and an empty one takes its place,"
              + " to be filled again from the volume's files. The newest {} damaged ones are kept"
              + " until somebody deletes them",
          path,
          aside(n),
          MAX_ASIDE,
          why);
      for (long old : before.headMap(Math.max(0, n - MAX_ASIDE + 1)).keySet()) {
        delete(before.get(old));
      }
    } catch (IOException e) {
      e.addSuppressed(why);
      throw Failures.of(path, e);
    }
    close();
    lock();
  }

  private Path aside(long n) {
    return path.resolveSibling(path.getFileName() + ASIDE + n);
  }

  private SortedMap<Long, Path> setAsideBefore() throws IOException {
    String prefix = path.getFileName() + ASIDE;
    SortedMap<Long, Path> found = new TreeMap<>();
    try (DirectoryStream<Path> siblings = Files.newDirectoryStream(path.getParent())) {
      for (Path sibling : siblings) {
        String name = sibling.getFileName().toString();
        if (name.startsWith(prefix) && name.substring(prefix.length()).matches("[1-9]\\d{0,17}")) {
          found.put(Long.valueOf(name.substring(prefix.length())), sibling);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static void delete(Path old) {
    try (Stream<Path> files = Files.walk(old)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
        FILES.deleteIfExists(file);
      }
      LOG.warn("{} was deleted, as newer damaged stores are kept", old);
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("{} can't be deleted: {}", old, e.toString());
    }
  }

  /** Unlocks the directory. */
  @Override
  public void close() {
    closeQuietly(lock);
  }

  private void closeQuietly(FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.warn("{}: the lock can't be closed: {}", path, e.toString());
      }
    }
  }
}
