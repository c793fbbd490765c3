/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.io.TestBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.zip.CRC32;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;

/**
 * Performs random operations on the files of one directory, compares each read with a model in
 * memory, and logs its operations and results. They depend only on the seed and its number.
 */
final class RandomActor implements Callable<Void> {

  static final int STEPS = 45;
  static final int BLOCK_SIZE = 128 << 10;

  private static final int MAX_LENGTH = 5 * BLOCK_SIZE;
  private static final int FILES = 3;

  private final HdrfCluster cluster;
  private final Random random;
  private final boolean underHdrf;
  private final Path directory;
  private final Map<String, byte[]> files = new TreeMap<>();
  private final Map<String, Map<String, byte[]>> snapshots = new TreeMap<>();
  private final List<String> transcript = new ArrayList<>();
  private final String repeat;
  private int sequence;

  RandomActor(HdrfCluster cluster, int number, long seed, boolean underHdrf) {
    this.cluster = cluster;
    this.random = new Random(seed + number);
    this.underHdrf = underHdrf;
    this.directory = new Path("/actor" + number);
    this.repeat = "actor " + number + " with seed " + seed;
  }

  List<String> transcript() {
    return transcript;
  }

  @Override
  public Void call() throws Exception {
    cluster.fs().mkdirs(directory);
    cluster.fs().allowSnapshot(directory);
    for (int step = 0; step < STEPS; step++) {
      try {
        step();
      } catch (Exception | AssertionError e) {
        throw new AssertionError(repeat + ", after " + transcript, e);
      }
    }
    checkAll();
    return null;
  }

  private void step() throws Exception {
    String name = "f" + random.nextInt(FILES);
    boolean exists = files.containsKey(name);
    int choice = random.nextInt(100);
    if (!exists || choice < 8) {
      create(name);
    } else if (choice < 30) {
      settle();
      append(name);
    } else if (choice < 42) {
      settle();
      truncate(name);
    } else if (choice < 62) {
      readRanges(name);
    } else if (choice < 72) {
      check(name, path(name), files.get(name));
    } else if (choice < 77) {
      delete(name);
    } else if (choice < 83) {
      rename(name);
    } else if (choice < 90) {
      snapshot();
    } else if (choice < 93) {
      deleteSnapshot();
    } else if (choice < 97) {
      checkSnapshots();
    } else {
      settle();
    }
  }

  private Path path(String name) {
    return new Path(directory, name);
  }

  private void note(String what) {
    transcript.add(directory.getName() + " " + what);
  }

  /** Lets the Reducer finish in about half of the cases; the choice is the same everywhere. */
  private void settle() throws Exception {
    if (random.nextBoolean() && underHdrf) {
      cluster.awaitReduced();
    }
  }

  private byte[] bytes(int length) {
    long seed = random.nextLong();
    switch (random.nextInt(6)) {
      case 0:
        return TestBytes.noise(length, seed);
      case 1:
        return new byte[length];
      default:
        return TestBytes.text(length, seed);
    }
  }

  /** Lengths at and around the boundaries of blocks and chunks, and any others. */
  private int length(int most) {
    int length =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(most / BLOCK_SIZE + 1) * BLOCK_SIZE;
          case 1 -> random.nextInt(most / 512 + 1) * 512;
          default -> random.nextInt(most + 1);
        };
    return Math.max(
        0, Math.min(most, length + (random.nextInt(3) == 0 ? random.nextInt(3) - 1 : 0)));
  }

  private void create(String name) throws Exception {
    byte[] data = bytes(length(MAX_LENGTH));
    short replication = (short) (1 + random.nextInt(2));
    try (FSDataOutputStream out =
        cluster.fs().create(path(name), true, 4096, replication, BLOCK_SIZE)) {
      write(out, name, new byte[0], data);
    }
    files.put(name, data);
    note("create " + name + " " + data.length);
  }

  private void append(String name) throws Exception {
    byte[] before = files.get(name);
    byte[] more = bytes(length(2 * BLOCK_SIZE));
    try (FSDataOutputStream out = cluster.fs().append(path(name))) {
      write(out, name, before, more);
    }
    byte[] all = Arrays.copyOf(before, before.length + more.length);
    System.arraycopy(more, 0, all, before.length, more.length);
    files.put(name, all);
    note("append " + name + " " + more.length);
  }

  /** Writes, in some cases flushing on the way and reading what was flushed. */
  private void write(FSDataOutputStream out, String name, byte[] before, byte[] data)
      throws Exception {
    int flushAt = random.nextInt(3) == 0 ? random.nextInt(data.length + 1) : -1;
    if (flushAt < 0) {
      out.write(data);
      return;
    }
    out.write(data, 0, flushAt);
    if (random.nextBoolean()) {
      out.hflush();
    } else {
      out.hsync();
    }
    byte[] visible = Arrays.copyOf(before, before.length + flushAt);
    System.arraycopy(data, 0, visible, before.length, flushAt);
    try (FSDataInputStream in = cluster.fs().open(path(name))) {
      TestBytes.assertSame(name + " while it is written", in.readAllBytes(), visible);
    }
    note("flushed " + name + " " + visible.length);
    out.write(data, flushAt, data.length - flushAt);
  }

  /**
   * Not while there is a snapshot: the NameNode of 3.1.4 looks only at the latest one to decide
   * whether a block must be copied, and after a rename or an append not always at that: it cuts
   * blocks in place that a snapshot still has. AppendTest truncates a file that has a snapshot.
   */
  private void truncate(String name) throws Exception {
    if (!snapshots.isEmpty()) {
      return;
    }
    byte[] before = files.get(name);
    int length = length(before.length);
    cluster.fs().truncate(path(name), length);
    cluster.awaitClosed(path(name).toString());
    files.put(name, Arrays.copyOf(before, length));
    note("truncate " + name + " " + length);
  }

  private void delete(String name) throws Exception {
    cluster.fs().delete(path(name), false);
    files.remove(name);
    note("delete " + name);
  }

  private void rename(String name) throws Exception {
    String target = "f" + random.nextInt(FILES);
    if (target.equals(name)) {
      return;
    }
    cluster.fs().rename(path(name), path(target), org.apache.hadoop.fs.Options.Rename.OVERWRITE);
    files.put(target, files.remove(name));
    note("rename " + name + " " + target);
  }

  private void snapshot() throws Exception {
    String name = "s" + sequence++;
    cluster.fs().createSnapshot(directory, name);
    snapshots.put(name, new TreeMap<>(files));
    note("snapshot " + name);
  }

  private void deleteSnapshot() throws Exception {
    if (!snapshots.isEmpty()) {
      String name = new ArrayList<>(snapshots.keySet()).get(random.nextInt(snapshots.size()));
      cluster.fs().deleteSnapshot(directory, name);
      snapshots.remove(name);
      note("delete snapshot " + name);
    }
  }

  private void readRanges(String name) throws Exception {
    byte[] expected = files.get(name);
    try (FSDataInputStream in = cluster.fs().open(path(name))) {
      for (int i = 0; i < 8 && expected.length > 0; i++) {
        int from = random.nextInt(expected.length);
        byte[] found = new byte[Math.min(expected.length - from, 1 + random.nextInt(200_000))];
        if (random.nextBoolean()) {
          in.readFully(from, found);
        } else {
          in.seek(from);
          in.readFully(found);
        }
        TestBytes.assertSame(
            name + " from " + from, found, Arrays.copyOfRange(expected, from, from + found.length));
        note("range " + name + " " + from + " " + crc(found));
      }
    }
  }

  private void checkSnapshots() throws Exception {
    for (Map.Entry<String, Map<String, byte[]>> snapshot : snapshots.entrySet()) {
      for (Map.Entry<String, byte[]> file : snapshot.getValue().entrySet()) {
        Path path = new Path(directory, ".snapshot/" + snapshot.getKey() + "/" + file.getKey());
        check(snapshot.getKey() + "/" + file.getKey(), path, file.getValue());
      }
    }
  }

  /** Reads everything there is. */
  void checkAll() throws Exception {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      check(file.getKey(), path(file.getKey()), file.getValue());
    }
    checkSnapshots();
  }

  private void check(String name, Path path, byte[] expected) throws Exception {
    byte[] found;
    try (FSDataInputStream in = cluster.fs().open(path)) {
      found = in.readAllBytes();
    }
    TestBytes.assertSame(repeat + " " + name, found, expected);
    note(
        "read "
            + name
            + " "
            + found.length
            + " "
            + crc(found)
            + " "
            + cluster.fs().getFileChecksum(path));
  }

  private static String crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return Long.toHexString(crc.getValue());
  }
}
