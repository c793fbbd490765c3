/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A thread that writes files, appends to some and deletes some, and one that reads back all
 * acknowledged data; no operation may ever fail. Safe for use by many threads.
 */
final class Load implements Closeable {

  private static final int MAX_FILES = 60;
  private static final int MAX_LENGTH = 2_500_000;

  /** A file whose content is known. A thread that uses it has locked it. */
  private static final class Stored {
    final Path path;
    byte[] content;
    boolean deleted;

    Stored(Path path, byte[] content) {
      this.path = path;
      this.content = content;
    }
  }

  private interface Operation {
    void run() throws IOException;
  }

  private final FileSystem fs;
  private final Random random;
  private final List<Stored> files = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();

  /** Held for reading during an operation, for writing while nothing may happen. */
  private final ReentrantReadWriteLock pause = new ReentrantReadWriteLock(true);

  private final Thread writer = new Thread(() -> repeat(this::write), "writer");
  private final Thread reader;
  private volatile boolean stopping;
  private int created;

  /**
   * @param fs belongs to this object from now on
   */
  Load(FileSystem fs, long seed) {
    this.fs = fs;
    this.random = new Random(seed);
    Random choice = new Random(seed + 1);
    this.reader = new Thread(() -> repeat(() -> readAny(choice)), "reader");
  }

  void start() {
    writer.start();
    reader.start();
  }

  private void repeat(Operation operation) {
    while (!stopping && failure.get() == null) {
      pause.readLock().lock();
      long began = System.nanoTime();
      try {
        operation.run();
      } catch (IOException | RuntimeException | Error e) {
        failure.compareAndSet(null, e);
      } finally {
        long took = System.nanoTime() - began;
        longestNanos.accumulateAndGet(took, Math::max);
        pause.readLock().unlock();
      }
    }
  }

  private void write() throws IOException {
    Stored old = created % 5 == 4 ? any(random) : null;
    created++;
    if (old != null) {
      synchronized (old) {
        try (FSDataOutputStream out = fs.append(old.path)) {
          byte[] more = content();
          out.write(more);
          byte[] all = Arrays.copyOf(old.content, old.content.length + more.length);
          System.arraycopy(more, 0, all, old.content.length, more.length);
          old.content = all;
        }
      }
    } else {
      Stored file = new Stored(new Path("/file-" + created), content());
      try (FSDataOutputStream out = fs.create(file.path)) {
        out.write(file.content);
      }
      synchronized (files) {
        files.add(file);
      }
    }
    written.incrementAndGet();
    deleteTooMany();
  }

  private byte[] content() {
    byte[] data = new byte[1 + random.nextInt(MAX_LENGTH)];
    Data.fill(data, random.nextInt(4) > 0, random);
    return data;
  }

  private void deleteTooMany() throws IOException {
    Stored victim;
    synchronized (files) {
      if (files.size() <= MAX_FILES) {
        return;
      }
      victim = files.remove(random.nextInt(files.size()));
    }
    synchronized (victim) {
      victim.deleted = true;
      fs.delete(victim.path, false);
    }
  }

  private Stored any(Random choice) {
    synchronized (files) {
      return files.isEmpty() ? null : files.get(choice.nextInt(files.size()));
    }
  }

  private void readAny(Random choice) throws IOException {
    Stored file = any(choice);
    if (file != null) {
      read(file);
    }
  }

  private void read(Stored file) throws IOException {
    synchronized (file) {
      if (file.deleted) {
        return;
      }
      byte[] actual = new byte[file.content.length];
      try (FSDataInputStream in = fs.open(file.path)) {
        in.readFully(0, actual);
        if (in.read(actual.length, new byte[1], 0, 1) >= 0) {
          throw new AssertionError(file.path + " is too long");
        }
      }
      int wrong = Arrays.mismatch(actual, file.content);
      if (wrong >= 0) {
        throw new AssertionError(file.path + ": wrong byte at " + wrong);
      }
      read.incrementAndGet();
    }
  }

  /**
   * Reads every file.
   *
   * @throws IOException as the client throws it
   */
  void readAll() throws IOException {
    List<Stored> all;
    synchronized (files) {
      all = new ArrayList<>(files);
    }
    for (Stored file : all) {
      read(file);
    }
  }

  /** Returns once no operation runs, and blocks all others until {@link #resume}. */
  void pause() {
    pause.writeLock().lock();
  }

  /** Resumes operations; called by the thread that called {@link #pause}. */
  void resume() {
    pause.writeLock().unlock();
  }

  /** Returns the number of the writer's operations so far. */
  long written() {
    return written.get();
  }

  /** Returns the number of files read so far. */
  long filesRead() {
    return read.get();
  }

  /**
   * Returns the longest time, in milliseconds, of a writer's or a reader's operation since the last
   * call.
   */
  long longestMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longestNanos.getAndSet(0));
  }

  /** Throws the first failure, if there was any. */
  void assertNoFailure() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("a client failed: " + thrown, thrown);
    }
  }

  @Override
  public void close() throws IOException {
    stopping = true;
    try {
      writer.join(TimeUnit.MINUTES.toMillis(1));
      reader.join(TimeUnit.MINUTES.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    fs.close();
  }
}
