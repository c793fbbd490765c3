/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.Test;

/**
 * Rule 5: concurrent appends, truncations, deletions, moves, re-creations, scans and reads of a few
 * small blocks, with a Reducer that follows closely. The allowed content of a file is known at each
 * moment: the bytes before an operation, those after it, or (while it runs) either. For longer:
 * {@code -Dhdrf.test.stress.millis=60000}.
 */
class SwapStressTest {

  private static final int FILES = 4;
  private static final int READERS = 3;
  private static final int BLOCK_SIZE = 96 << 10;
  private static final int MAX_LENGTH = 3 * BLOCK_SIZE;
  private static final long MILLIS = Long.getLong("hdrf.test.stress.millis", 8_000);

  private final AtomicBoolean stop = new AtomicBoolean();
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger operations = new AtomicInteger();
  private final AtomicInteger exactReads = new AtomicInteger();
  private final AtomicInteger moves = new AtomicInteger();
  private HdrfCluster cluster;

  private static Configuration configuration() {
    Configuration conf = HdrfCluster.configuration();
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_SIZE);
    conf.setInt("hdrf.reduce.min.block.size", 1);
    conf.setInt("hdrf.reduce.threads", 3);
    conf.setInt("hdrf.lz4.frame.size", 8 << 10);
    conf.setBoolean("dfs.client.block.write.replace-datanode-on-failure.enable", false);
    // HDFS's block scanner reports plain replicas that it reads while HDFS truncates them, and
    // here readers wake it on all DataNodes at once.
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SCAN_PERIOD_HOURS_KEY, -1);
    return conf;
  }

  /** The allowed contents of a file; null stands for 'no file'. */
  private static final class State {
    private final List<byte[]> contents;

    State(byte[]... contents) {
      this.contents = Arrays.asList(contents);
    }

    boolean isCertain() {
      return contents.size() == 1;
    }
  }

  /** One file with its only writer. */
  private final class Writer implements Runnable {
    private final Path path;
    private final Random random;
    private final AtomicReference<State> state = new AtomicReference<>(new State((byte[]) null));

    Writer(int number) {
      this.path = new Path("/stress" + number);
      this.random = TestSeed.random("writer", number);
    }

    @Override
    public void run() {
      try {
        while (!stop.get()) {
          operate();
          operations.incrementAndGet();
          Thread.sleep(random.nextInt(60));
        }
      } catch (Throwable e) {
        fail(path + " after " + operations, e);
      }
    }

    private void operate() throws Exception {
      byte[] before = state.get().contents.get(0);
      int choice = random.nextInt(10);
      if (before == null) {
        byte[] after = fresh(1 + random.nextInt(MAX_LENGTH));
        change(before, after, () -> write(cluster.fs().create(path, (short) 2), after, 0));
      } else if (choice == 0) {
        change(before, null, () -> cluster.fs().delete(path, false));
      } else if (choice <= 5 && before.length < MAX_LENGTH) {
        byte[] more = fresh(1 + random.nextInt(BLOCK_SIZE));
        byte[] after = Arrays.copyOf(before, before.length + more.length);
        System.arraycopy(more, 0, after, before.length, more.length);
        change(before, after, () -> write(cluster.fs().append(path), after, before.length));
      } else if (before.length > 1) {
        byte[] after = Arrays.copyOf(before, 1 + random.nextInt(before.length - 1));
        state.set(new State(before, after));
        if (truncate(after.length)) {
          state.set(new State(after));
        } else {
          state.set(new State(before, after, null));
          cluster.fs().delete(path, false);
          state.set(new State((byte[]) null));
        }
      }
    }

    private byte[] fresh(int length) {
      return random.nextInt(4) == 0
          ? TestBytes.noise(length, random.nextLong())
          : TestBytes.text(length, random.nextLong());
    }

    private void change(byte[] before, byte[] after, Operation operation) throws Exception {
      state.set(new State(before, after));
      operation.run();
      state.set(new State(after));
    }

    private void write(FSDataOutputStream opened, byte[] content, int from) throws IOException {
      try (FSDataOutputStream out = opened) {
        int middle = from + random.nextInt(content.length - from + 1);
        out.write(content, from, middle - from);
        if (random.nextBoolean()) {
          out.hflush();
        }
        out.write(content, middle, content.length - middle);
      }
    }

    /**
     * A failed recovery, as beside a move, is repeated late unless requested.
     *
     * @return false if it can't be done
     */
    private boolean truncate(long length) throws Exception {
      AtomicBoolean done = new AtomicBoolean(cluster.fs().truncate(path, length));
      if (!done.get()) {
        AtomicInteger looks = new AtomicInteger();
        HdrfCluster.await(
            "the truncation of " + path,
            () -> {
              try {
                boolean ask = looks.incrementAndGet() % 200 == 0;
                done.set(ask ? cluster.fs().recoverLease(path) : cluster.fs().isFileClosed(path));
                return done.get() || (ask && replicasDiffer());
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
      }
      return done.get();
    }

    /**
     * Returns whether the last block has two replicas of one generation and of different lengths. A
     * NameNode that has a DataNode copy a block which is appended to just then may give it the new
     * generation with the old length; HDFS refuses to truncate such a block for ever.
     */
    private boolean replicasDiffer() throws IOException {
      List<LocatedBlock> blocks = cluster.blocks(path.toString());
      ExtendedBlock last = blocks.get(blocks.size() - 1).getBlock();
      ReplicaInfo first = cluster.replica(0, last);
      ReplicaInfo second = cluster.replica(1, last);
      return first != null
          && second != null
          && first.getGenerationStamp() == second.getGenerationStamp()
          && first.getNumBytes() != second.getNumBytes();
    }

    /** Reads the file and compares it with what it may hold. */
    void read(Random choice) throws Exception {
      State first = state.get();
      byte[] found;
      try (FSDataInputStream in = cluster.fs().open(path)) {
        in.setReadahead(choice.nextBoolean() ? 0L : 4096L);
        found = in.readAllBytes();
      } catch (FileNotFoundException e) {
        found = null;
      } catch (IOException | IllegalStateException e) {
        State second = state.get();
        if (first == second && first.isCertain()) {
          throw e;
        }
        return; // the block may be under recovery, shorter (where the client fails a check), or
        // gone
      }
      State second = state.get();
      if (first == second && first.isCertain()) {
        exactReads.incrementAndGet();
        assertSame(found, first.contents.get(0));
      } else if (second == state.get() && second.contents.containsAll(first.contents)) {
        assertOneOf(found, second.contents);
      }
    }

    private void assertSame(byte[] found, byte[] expected) {
      if (found == null || expected == null) {
        assertThat(found == null).as("there is no " + path).isEqualTo(expected == null);
      } else {
        TestBytes.assertSame(path.toString(), found, expected);
      }
    }

    /** A file that grows or shrinks shows a prefix of its longest content. */
    private void assertOneOf(byte[] found, List<byte[]> contents) {
      for (byte[] content : contents) {
        boolean fits =
            found == null
                ? content == null
                : content != null
                    && found.length <= content.length
                    && Arrays.mismatch(found, Arrays.copyOf(content, found.length)) < 0;
        if (fits) {
          return;
        }
      }
      throw new AssertionError(
          path
              + ": "
              + (found == null ? "nothing" : found.length + " bytes")
              + " that it never had");
    }
  }

  private interface Operation {
    void run() throws Exception;
  }

  private void fail(String what, Throwable cause) {
    failures.add(new AssertionError(what, cause));
    stop.set(true);
  }

  private void readOn(List<Writer> writers, int reader) {
    Random random = TestSeed.random("reader", reader);
    try {
      while (!stop.get()) {
        writers.get(random.nextInt(writers.size())).read(random);
      }
    } catch (Throwable e) {
      fail("reader " + reader, e);
    }
  }

  /** Moves finalized replicas from disk to disk, as the disk balancer does. */
  private void moveOn(List<Writer> writers) {
    Random random = TestSeed.random("mover");
    while (!stop.get()) {
      try {
        int datanode = random.nextInt(2);
        List<FsVolumeImpl> volumes = cluster.volumes(datanode);
        Writer writer = writers.get(random.nextInt(writers.size()));
        for (LocatedBlock located : cluster.blocks(writer.path.toString())) {
          ExtendedBlock block = located.getBlock();
          ReplicaInfo replica = cluster.replica(datanode, block);
          FsVolumeImpl target = volumes.get(random.nextInt(volumes.size()));
          if (replica != null && replica.getVolume() != target) {
            cluster.dataset(datanode).moveBlockAcrossVolumes(block, target);
            moves.incrementAndGet();
          }
        }
        Thread.sleep(random.nextInt(20));
      } catch (IOException | RuntimeException e) {
        continue; // the block changed under the move, which stock code answers in many ways
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void scanOn() {
    try {
      while (!stop.get()) {
        for (int datanode = 0; datanode < 2; datanode++) {
          cluster.service(datanode).changes().wakeScan();
          DataNodeTestUtils.runDirectoryScanner(cluster.datanode(datanode));
        }
        Thread.sleep(200);
      }
    } catch (Throwable e) {
      fail("scanner", e);
    }
  }

  private long reduced() {
    return cluster.service(0).counters().blocksReduced()
        + cluster.service(1).counters().blocksReduced();
  }

  private long inflated() {
    return cluster.service(0).counters().values().get("blocksInflated")
        + cluster.service(1).counters().values().get("blocksInflated");
  }

  private boolean hasAllHappened() {
    return exactReads.get() > 0 && moves.get() > 0 && inflated() > 0 && reduced() > FILES;
  }

  @Test
  void everyReadIsRight() throws Exception {
    cluster = HdrfCluster.start(configuration(), 2, 2);
    try {
      List<Writer> writers = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < FILES; i++) {
        Writer writer = new Writer(i);
        writers.add(writer);
        threads.add(new Thread(writer, "stress-writer-" + i));
      }
      for (int i = 0; i < READERS; i++) {
        int reader = i;
        threads.add(new Thread(() -> readOn(writers, reader), "stress-reader-" + i));
      }
      threads.add(new Thread(() -> moveOn(writers), "stress-mover"));
      threads.add(new Thread(this::scanOn, "stress-scanner"));
      threads.forEach(Thread::start);
      long end = System.nanoTime() + MILLIS * 1_000_000;
      // On a busy machine as much longer as it takes until each has happened.
      long latest = end + TimeUnit.MINUTES.toNanos(1);
      while (!stop.get() && System.nanoTime() < (hasAllHappened() ? end : latest)) {
        Thread.sleep(50);
      }
      stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      for (Throwable failure : failures) {
        throw new AssertionError(failures.size() + " failures", failure);
      }
      cluster.awaitReduced();
      for (Writer writer : writers) {
        writer.read(new Random());
        checkReplicas(writer);
      }
      long reduced = reduced();
      long inflated = inflated();
      System.out.println(
          "operations "
              + operations
              + ", exact reads "
              + exactReads
              + ", moves "
              + moves
              + ", reduced "
              + reduced
              + ", inflated "
              + inflated);
      assertThat(reduced).isGreaterThan(FILES);
      assertThat(inflated).isPositive();
      assertThat(exactReads.get()).isPositive();
      assertThat(moves.get()).isPositive();
      for (int datanode = 0; datanode < 2; datanode++) {
        for (FsVolumeImpl volume : cluster.volumes(datanode)) {
          assertThat(cluster.hdrfDirectory(volume).resolve("tmp")).isEmptyDirectory();
          assertThat(BlockFiles.open(volume + "/current/BP", "/current/finalized/")).isZero();
        }
      }
    } finally {
      cluster.close();
    }
  }

  /**
   * Reads every replica that the NameNode knows from its DataNode, after repairs have ended: stock
   * code may have deleted an old replica's file after a new one had replaced it.
   */
  private void checkReplicas(Writer writer) throws Exception {
    byte[] content = writer.state.get().contents.get(0);
    if (content == null) {
      return;
    }
    HdrfCluster.await(
        "replicas of " + writer.path,
        () -> {
          try {
            return areReplicasRight(writer.path.toString(), content);
          } catch (IOException e) {
            return false;
          }
        });
  }

  private boolean areReplicasRight(String path, byte[] content) throws IOException {
    for (LocatedBlock located : cluster.blocks(path)) {
      int from = (int) located.getStartOffset();
      byte[] expected = Arrays.copyOfRange(content, from, from + (int) located.getBlockSize());
      for (int datanode = 0; datanode < 2; datanode++) {
        DataNodeTestUtils.runDirectoryScanner(cluster.datanode(datanode));
        ReplicaInfo replica = cluster.replica(datanode, located.getBlock());
        if (replica != null
            && replica.getGenerationStamp() == located.getBlock().getGenerationStamp()) {
          TestBytes.assertSame(
              located + " on " + datanode,
              cluster.replicaBytes(datanode, located.getBlock()),
              expected);
        }
      }
    }
    return true;
  }
}
