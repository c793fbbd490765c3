/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of the disk before it is read; and that no read depends on it. */
class GroupsAheadTest {

  private static final int[] CHAIN = {1};
  private static final int GAP = 1000;

  /** Of a group in the files that are only named, with its header. */
  private static final int GROUP = 500;

  private static final int CHUNKS_A_GROUP = 4;
  private static final int GROUPS = 200;

  @TempDir Path dir;

  private record Range(long container, long position, long length) {
    boolean contains(long ref) {
      long begin = ChunkRef.number(ref) * (long) GROUP;
      return ChunkRef.container(ref) == container
          && begin >= position
          && begin + GROUP <= position + length;
    }
  }

  /** What was asked for. */
  private final List<Range> ranges = new ArrayList<>();

  private final GroupCache cache = new GroupCache(1 << 20);
  private final Map<Long, LoadedContainer> containers = new HashMap<>();
  private final GroupsAhead ahead = new GroupsAhead(this::acquire, cache, GAP);

  private LoadedContainer acquire(long id) throws IOException {
    if (id == 404) {
      throw new MissingChunkException("there is no such file");
    }
    LoadedContainer found = containers.computeIfAbsent(id, i -> container(i, GROUPS));
    found.acquire();
    return found;
  }

  /** Groups one behind the other. */
  private LoadedContainer container(long id, int groups) {
    DirectoryBuilder builder = new DirectoryBuilder();
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int g = 0; g < groups; g++) {
      for (int i = 0; i < CHUNKS_A_GROUP; i++) {
        int number = g * CHUNKS_A_GROUP + i;
        ByteBuffer.wrap(fingerprint).putInt(number * 0x9E3779B9);
        builder.addChunk(number, 100, 0, fingerprint, 0);
      }
      builder.endGroup((long) g * GROUP, 50, GROUP - 50, 1);
    }
    ContainerDirectory directory = builder.build();
    ReadableFile file =
        new ReadableFile() {
          @Override
          public int read(ByteBuffer dst, long position) {
            throw new AssertionError("nothing is to be read");
          }

          @Override
          public boolean prefetch(long position, long length) {
            ranges.add(new Range(id, position, length));
            return true;
          }

          @Override
          public long length() {
            return (long) groups * GROUP;
          }

          @Override
          public void close() {}
        };
    return new LoadedContainer(
        Path.of(id + ".container"),
        new ContainerHeader(id, 0, CHAIN, 0, 0),
        file,
        () -> directory,
        ids -> null);
  }

  private void add(long container, int firstGroup, int groups) {
    ahead.add(container, firstGroup * CHUNKS_A_GROUP + 1, groups * CHUNKS_A_GROUP - 2);
  }

  @Test
  void containerByContainerFromTheFrontToTheBack() {
    add(7, 50, 2);
    add(3, 20, 1);
    add(7, 10, 1);
    add(3, 4, 1);
    assertThat(ahead.start()).isEqualTo(4);
    assertThat(ranges)
        .containsExactly(
            new Range(3, 2000, 500),
            new Range(3, 10000, 500),
            new Range(7, 5000, 500),
            new Range(7, 25000, 1000));
    assertThat(ahead.start()).as("a second time").isZero();
  }

  @Test
  void nearGroupsAreAskedForWithWhatLiesBetweenThem() {
    add(7, 10, 1);
    add(7, 13, 1);
    add(7, 17, 1);
    assertThat(ahead.start()).isEqualTo(2);
    assertThat(ranges).containsExactly(new Range(7, 5000, 2000), new Range(7, 8500, 500));
  }

  @Test
  void groupsOfSeveralFramesAreAskedForOnce() {
    add(7, 10, 2);
    add(7, 11, 1);
    add(7, 10, 1);
    assertThat(ahead.start()).isEqualTo(1);
    assertThat(ranges).containsExactly(new Range(7, 5000, 1000));
  }

  @Test
  void whatIsDecodedOrNotThereIsNotAskedFor() throws IOException {
    LoadedContainer container = acquire(7);
    ByteBuffer bytes = BufferPool.shared().take(400);
    cache.release(cache.put(container, 10, container.directory().header(10), bytes));
    add(7, 10, 1);
    add(404, 1, 1);
    add(7, GROUPS, 1);
    assertThat(ahead.start()).isZero();
    cache.clear();
  }

  /** A block whose 16 MiB lie in a dozen containers, in the order of none of them. */
  @Test
  void scatteredRunsCostFewPlaces() {
    SplittableRandom random = new SplittableRandom(7);
    TreeSet<Long> wanted = new TreeSet<>();
    int runs = 400;
    for (int i = 0; i < runs; i++) {
      long container = random.nextInt(12);
      int group = random.nextInt(GROUPS / 4);
      add(container, group, 1);
      wanted.add(ChunkRef.pack(container, group));
    }
    int places = ahead.start();
    assertThat(places).isLessThan(runs / 5);
    for (Range range : ranges) {
      wanted.removeIf(range::contains);
    }
    assertThat(wanted).as("groups that were not asked for").isEmpty();
    assertThat(ranges.stream().mapToLong(Range::length).sum()).isLessThan(12L * GROUPS / 4 * GROUP);
  }

  /** Open files are bounded: each container is given back before the next one is asked for. */
  @Test
  void noContainerIsHeld() {
    for (long id = 0; id < GroupsAhead.MAX_CONTAINERS; id++) {
      add(id, 1, 1);
      add(id, 100, 1);
    }
    assertThat(ahead.start()).isEqualTo(2 * GroupsAhead.MAX_CONTAINERS);
    for (LoadedContainer container : containers.values()) {
      // The last user closes it.
      container.release();
      assertThat(container.acquire()).isFalse();
    }
  }

  @Test
  void noMoreIsAskedForThanTheBound() {
    containers.put(8L, container(8, (int) (GroupsAhead.MAX_BYTES / GROUP) + 1000));
    add(8, 0, (int) (GroupsAhead.MAX_BYTES / GROUP) + 900);
    assertThat(ahead.start()).isEqualTo(1);
    assertThat(ranges.get(0).length())
        .isBetween(GroupsAhead.MAX_BYTES, GroupsAhead.MAX_BYTES + GROUP);
    add(8, 5, 1);
    assertThat(ahead.start()).as("the next time").isEqualTo(1);
  }

  @Test
  void aContainerThatWasRewrittenMeanwhile() {
    add(7, 20, 1);
    add(7, GROUPS - 1, 1);
    containers.put(7L, container(7, 21));
    assertThat(ahead.start()).isEqualTo(1);
    assertThat(ranges).containsExactly(new Range(7, 10000, 500));
  }

  /** A disk may take seconds to say that it can't. */
  @Test
  void aContainerThatCannotBeReadIsTriedOnce() {
    AtomicInteger attempts = new AtomicInteger();
    GroupsAhead failing =
        new GroupsAhead(
            id -> {
              attempts.incrementAndGet();
              throw new IOException("Input/output error");
            },
            cache,
            GAP);
    for (int stretch = 0; stretch < 3; stretch++) {
      for (int run = 0; run < 1000; run++) {
        failing.add(7, 2 * run, 1);
      }
      assertThat(failing.start()).isZero();
    }
    assertThat(attempts).hasValue(1);
  }

  /** The reader's next frame waits until they are open. */
  @Test
  void fewContainersAreOpenedAtOnce() {
    AtomicInteger opened = new AtomicInteger();
    GroupsAhead counted =
        new GroupsAhead(
            id -> {
              opened.incrementAndGet();
              return acquire(id);
            },
            cache,
            GAP);
    for (long id = 0; id < 2000; id++) {
      counted.add(id, 1, 1);
    }
    assertThat(counted.start()).isEqualTo(GroupsAhead.MAX_CONTAINERS);
    assertThat(opened).hasValue(2 * GroupsAhead.MAX_CONTAINERS);
  }

  @Test
  void noContainerIsOpenedForWhatIsNotAskedFor() {
    containers.put(8L, container(8, (int) (GroupsAhead.MAX_BYTES / GROUP) + 1000));
    add(8, 0, (int) (GroupsAhead.MAX_BYTES / GROUP) + 900);
    add(9, 5, 1);
    assertThat(containers).doesNotContainKey(9L);
  }

  // With true files

  private static final int CHUNKS = 200;
  private static final int CHUNK = 900;

  private ContainerStore filled() throws IOException {
    ContainerSettings settings = Chunks.settings().containerSize(1 << 20).groupMemory(0);
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, settings);
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunks.append(appender, Chunks.chunk(i, CHUNK));
      }
    }
    return Chunks.open(dir, LocalDurableFiles.INSTANCE, settings);
  }

  private static void assertReads(ContainerStore store, int number) throws IOException {
    assertThat(Chunks.read(store, ChunkRef.pack(0, number), CHUNK))
        .as("chunk %d", number)
        .isEqualTo(Chunks.chunk(number, CHUNK));
  }

  private static GroupsAhead ahead(ContainerStore store) {
    GroupsAhead ahead = store.newGroupsAhead(1 << 20);
    ahead.add(0, 10, 3);
    ahead.add(0, 150, 3);
    return ahead;
  }

  @Test
  void aContainerThatIsRewrittenIsReadAsItIs() throws IOException {
    try (ContainerStore store = filled()) {
      GroupsAhead ahead = ahead(store);
      BitSet live = new BitSet();
      live.set(10, 13);
      live.set(150, 153);
      store.compact(0, (found, whole) -> live, Throttle.NONE);
      assertThat(ahead.start()).isLessThanOrEqualTo(1);
      for (int n = live.nextSetBit(0); n >= 0; n = live.nextSetBit(n + 1)) {
        assertReads(store, n);
      }
      GroupsAhead before = ahead(store);
      assertThat(before.start()).isEqualTo(1);
      live.clear();
      store.compact(0, (found, whole) -> live, Throttle.NONE);
      assertThat(ahead(store).start()).as("of a file that was deleted").isZero();
    }
  }

  /** Nobody looks at what lies between, and what is damaged is found by who reads it. */
  @Test
  void damageInAGapStopsNoRead() throws IOException {
    try (ContainerStore store = filled()) {
      ContainerDirectory content = store.directory(0);
      Path file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
      byte[] bytes = Files.readAllBytes(file);
      int damaged = content.groupOf(80);
      bytes[(int) content.groupPosition(damaged) + content.groupLength(damaged) / 2] ^= 1;
      Files.write(file, bytes);
      assertThat(ahead(store).start()).isEqualTo(1);
      for (int n : new int[] {10, 12, 150, 152}) {
        assertReads(store, n);
      }
      assertThat(store.isBad(ChunkRef.pack(0, 80))).isFalse();
      GroupsAhead ahead = store.newGroupsAhead(0);
      ahead.add(0, 80, 1);
      assertThat(ahead.start()).isEqualTo(1);
      assertThat(store.isBad(ChunkRef.pack(0, 80))).as("before it is read").isFalse();
      try {
        assertReads(store, 80);
        throw new AssertionError("it is damaged");
      } catch (IOException e) {
        assertThat(store.isBad(ChunkRef.pack(0, 80))).isTrue();
      }
      assertThat(ahead(store).start()).as("with a quarantined group between").isEqualTo(1);
      assertReads(store, 150);
    }
  }
}
