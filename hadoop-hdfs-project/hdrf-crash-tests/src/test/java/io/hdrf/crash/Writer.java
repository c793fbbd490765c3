/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * A client that creates, appends to, flushes, syncs, truncates, reads and deletes files of text and
 * noise, and records what was acknowledged. No other client uses its files.
 */
final class Writer implements Callable<Void> {

  /** The state that all writers share. */
  static final class Scene {
    /** Blocks that a truncation may be changing in place. */
    final Set<Long> truncating = java.util.concurrent.ConcurrentHashMap.newKeySet();

    final AtomicLong closes = new AtomicLong();

    /** Set once operations may fail. */
    volatile boolean killing;

    volatile boolean stopping;
  }

  private static final int MAX_FILES = 6;
  private static final long TRUNCATE_PATIENCE_NANOS = 5_000_000_000L;

  private final Path directory;
  private final Random random;
  private final int maxPiece;
  private final List<FileModel> files = new ArrayList<>();
  private DistributedFileSystem fs;
  private Scene scene;
  private int created;

  Writer(Path directory, long seed, int maxPiece) {
    this.directory = directory;
    this.random = new Random(seed);
    this.maxPiece = maxPiece;
  }

  /** Prepares for a run. */
  Writer in(DistributedFileSystem client, Scene newScene) {
    fs = client;
    scene = newScene;
    return this;
  }

  List<FileModel> files() {
    return files;
  }

  /** Works until the scene stops. */
  @Override
  public Void call() throws Exception {
    while (!scene.stopping) {
      FileModel file = pick();
      try {
        work(file);
      } catch (IOException e) {
        if (!scene.killing) {
          throw new AssertionError(file.path() + ": failed before anything was killed", e);
        }
        // For a while pipelines can't be set up; trying at full speed gains nothing.
        Thread.sleep(50);
      }
    }
    return null;
  }

  /** Returns a file whose state is known, or a new one. */
  private FileModel pick() {
    List<FileModel> settled = files.stream().filter(FileModel::isSettled).toList();
    if (settled.isEmpty() || (files.size() < MAX_FILES && random.nextInt(3) == 0)) {
      FileModel file = new FileModel(new Path(directory, "f" + created++), 2 + random.nextInt(2));
      files.add(file);
      return file;
    }
    return settled.get(random.nextInt(settled.size()));
  }

  private void work(FileModel file) throws Exception {
    if (!file.isSettled()) {
      write(file, create(file));
      return;
    }
    switch (random.nextInt(files.size() < MAX_FILES ? 8 : 10)) {
      case 0, 1, 2, 3 -> append(file);
      case 4 -> truncate(file);
      case 5, 6, 7 -> read(file);
      default -> delete(file);
    }
  }

  private FSDataOutputStream create(FileModel file) throws IOException {
    FSDataOutputStream out = fs.create(file.path(), (short) file.replication());
    file.opened();
    return out;
  }

  private void append(FileModel file) throws IOException, InterruptedException {
    file.touched();
    FSDataOutputStream out = fs.append(file.path());
    file.opened();
    write(file, out);
  }

  /** Closes the stream, unless the scene stops: then it may be left open. */
  private void write(FileModel file, FSDataOutputStream out)
      throws IOException, InterruptedException {
    int kind = random.nextInt(4);
    for (int pieces = 1 + random.nextInt(4); pieces > 0; pieces--) {
      byte[] data = new byte[random.nextInt(random.nextInt(3) == 0 ? 2000 : maxPiece)];
      if (kind == 1) {
        Data.fillSimilar(data, random);
      } else {
        Data.fill(data, kind > 0, random);
      }
      file.writing(data);
      out.write(data);
      switch (random.nextInt(4)) {
        case 0 -> {
          out.hflush();
          file.flushed();
        }
        case 1 -> {
          out.hsync();
          file.synced();
        }
        default -> {}
      }
      if (scene.stopping && random.nextBoolean()) {
        return;
      }
      Thread.sleep(random.nextInt(10));
    }
    out.close();
    file.closed();
    scene.closes.incrementAndGet();
  }

  private void truncate(FileModel file) throws IOException, InterruptedException {
    if (file.maximum() == 0) {
      return;
    }
    int length = random.nextInt(file.maximum());
    List<Long> blocks = new ArrayList<>();
    for (LocatedBlock block :
        fs.getClient()
            .getLocatedBlocks(file.path().toString(), 0, Long.MAX_VALUE)
            .getLocatedBlocks()) {
      blocks.add(block.getBlock().getBlockId());
    }
    scene.truncating.addAll(blocks);
    file.truncating(length);
    boolean done = fs.truncate(file.path(), length);
    long deadline = System.nanoTime() + TRUNCATE_PATIENCE_NANOS;
    while (!done && System.nanoTime() < deadline) {
      Thread.sleep(20);
      done = fs.isFileClosed(file.path());
    }
    if (done) {
      file.truncated(length);
      scene.truncating.removeAll(blocks);
    }
  }

  private void read(FileModel file) throws IOException {
    int from = file.maximum() == 0 ? 0 : random.nextInt(file.maximum());
    byte[] data = new byte[random.nextInt(file.maximum() - from + 1)];
    try (FSDataInputStream in = fs.open(file.path())) {
      in.readFully(from, data);
    }
    String difference = file.difference(from, data);
    if (difference != null) {
      throw new AssertionError(file.path() + ": " + difference);
    }
  }

  private void delete(FileModel file) throws IOException {
    file.deleting();
    fs.delete(file.path(), false);
    forget(file);
  }

  private void forget(FileModel file) {
    for (Iterator<FileModel> all = files.iterator(); all.hasNext(); ) {
      if (all.next().path().equals(file.path())) {
        all.remove();
      }
    }
  }

  /** Records that the file does not exist, as it may. */
  void gone(FileModel file) {
    forget(file);
  }
}
