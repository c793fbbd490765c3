/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.IOUtils;

/**
 * Clients that never rest: one reads given files again and again and compares every byte, one
 * writes new files, with hflush in the middle, and reads them back. Failures are remembered.
 */
final class Traffic {
  private static final int FILE_LENGTH = 1_500_000;
  private static final int MAX_FILES = 40;

  /** Opens clients. */
  interface Clients {
    DistributedFileSystem open() throws IOException;
  }

  private final Clients clients;
  private final Map<Path, byte[]> files;
  private final Map<Path, byte[]> written = new LinkedHashMap<>();
  private final Set<String> errors = new TreeSet<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();
  private final Random random;
  private volatile boolean stopping;

  /** Used by the writer alone. */
  private int sequence;

  /**
   * @param files exist, and stay unchanged
   */
  Traffic(Clients clients, Map<Path, byte[]> files, long seed) {
    this.clients = clients;
    this.files = Map.copyOf(files);
    this.random = new Random(seed);
  }

  /** A step that a client repeats. */
  private interface Step {
    void run(DistributedFileSystem client) throws IOException;
  }

  void start() {
    threads.add(thread("reader", this::readAll));
    threads.add(thread("writer", this::writeOne));
    threads.forEach(Thread::start);
  }

  private Thread thread(String name, Step step) {
    return new Thread(
        () -> {
          try (DistributedFileSystem client = clients.open()) {
            while (!stopping) {
              try {
                step.run(client);
              } catch (IOException e) {
                failed(name + ": " + e.getClass().getSimpleName(), e);
              }
            }
          } catch (IOException | RuntimeException | AssertionError e) {
            failed(name + ": " + e, e);
          }
        },
        name);
  }

  private void failed(String what, Throwable e) {
    synchronized (errors) {
      if (errors.add(what)) {
        System.out.println(what + ", for the first time: " + e);
      }
    }
  }

  private void readAll(DistributedFileSystem client) throws IOException {
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      if (!stopping) {
        assertSame(client, file.getKey(), file.getValue());
        reads.incrementAndGet();
      }
    }
  }

  private void writeOne(DistributedFileSystem client) throws IOException {
    Path path = new Path("/traffic/" + sequence++ % MAX_FILES);
    byte[] data = text(FILE_LENGTH, random.nextLong());
    int half = random.nextInt(data.length);
    synchronized (written) {
      written.remove(path);
    }
    client.delete(path, false);
    FSDataOutputStream out = client.create(path);
    try {
      out.write(data, 0, half);
      out.hflush();
      out.write(data, half, data.length - half);
      out.close();
    } finally {
      // Where a write has failed, close() fails with the very same exception.
      IOUtils.closeStream(out);
    }
    synchronized (written) {
      written.put(path, data);
    }
    assertSame(client, path, data);
    writes.incrementAndGet();
  }

  /** Ends the clients, and returns the failures, each kind once. */
  Set<String> stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
    return errors;
  }

  long reads() {
    return reads.get();
  }

  /** The number of files that were written and read back. */
  long writes() {
    return writes.get();
  }

  /** Returns the files that were written completely and not overwritten since. */
  Map<Path, byte[]> written() {
    synchronized (written) {
      return new LinkedHashMap<>(written);
    }
  }

  /** Fails if a file's bytes differ from {@code data}. */
  static void assertSame(DistributedFileSystem client, Path path, byte[] data) throws IOException {
    byte[] found;
    try (InputStream in = client.open(path)) {
      found = in.readAllBytes();
    }
    int different = Arrays.mismatch(found, data);
    if (different >= 0) {
      throw new AssertionError(path + " differs from what was written at byte " + different);
    }
  }

  /** Returns words, some of them often. */
  static byte[] text(int length, long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(length + 20);
    while (text.length() < length) {
      text.append("word").append(random.nextInt(4000)).append(random.nextInt(9) == 0 ? '\n' : ' ');
    }
    text.setLength(length);
    return text.toString().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  /** Stores files of text. */
  static Map<Path, byte[]> store(DistributedFileSystem client, int count, int length)
      throws IOException {
    return store(client, "/input", count, length);
  }

  /** Stores files of text in a directory, whose name tells what the text is. */
  static Map<Path, byte[]> store(
      DistributedFileSystem client, String directory, int count, int length) throws IOException {
    Map<Path, byte[]> stored = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      byte[] data = text(length, directory.hashCode() + i);
      Path path = new Path(directory, "" + i);
      try (OutputStream out = client.create(path)) {
        out.write(data);
      }
      stored.put(path, data);
    }
    return stored;
  }
}
