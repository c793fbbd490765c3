/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that are similar to others are stored as differences, and live as long as blocks. */
class DeltaTest {

  @TempDir Path directory;

  private final Random random = TestSeed.random("delta");

  private Configuration conf(boolean delta) {
    Configuration conf = new Configuration(false);
    DedupVolume.setSmall(conf);
    conf.set("hdrf.dedup.delta", delta ? "on" : "off");
    conf.set("hdrf.dedup.index.sample", "2");
    conf.set("hdrf.dedup.delta.memory", "1m");
    return conf;
  }

  private DedupVolume open(String name, Configuration conf, String chain) throws Exception {
    Path there = Files.createDirectory(directory.resolve(name));
    DedupVolume volume =
        new DedupVolume(there, conf, LocalDurableFiles.INSTANCE, chain, DedupVolume.newStore());
    volume.awaitIndexed();
    return volume;
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** With a few bytes changed in about every other chunk. */
  private byte[] changed(byte[] block) {
    byte[] next = block.clone();
    for (int i = random.nextInt(1000); i < next.length; i += 1 + random.nextInt(4000)) {
      next[i] = (byte) random.nextInt();
    }
    return next;
  }

  private static Set<Long> refs(List<StoredFrame> block, boolean bases) throws IOException {
    Set<Long> all = new HashSet<>();
    for (StoredFrame frame : block) {
      Recipe.RunVisitor visitor =
          (container, first, count) -> {
            for (int i = 0; i < count; i++) {
              all.add(ChunkRef.pack(container, first + i));
            }
          };
      if (bases) {
        Recipe.parse(ByteBuffer.wrap(frame.bytes()), visitor);
      } else {
        Recipe.parseChunks(ByteBuffer.wrap(frame.bytes()), visitor);
      }
    }
    return all;
  }

  @Test
  void versionsAreStoredAsDifferences() throws Exception {
    byte[][] versions = new byte[5][];
    versions[0] = noise(300_000);
    for (int i = 1; i < versions.length; i++) {
      versions[i] = changed(versions[i - 1]);
    }
    long[] stored = new long[2];
    for (int on = 0; on < 2; on++) {
      try (DedupVolume volume = open("delta-" + on, conf(on > 0), "dedup")) {
        for (int i = 0; i < versions.length; i++) {
          volume.put(i, versions[i], random);
        }
        assertThat(volume.metric("chunksAsDifferences") > 0).isEqualTo(on > 0);
        assertThat(volume.metric("bytesOfDifferences"))
            .isLessThanOrEqualTo(volume.metric("bytesAsDifferences") / 4);
        Map<String, Long> kept = new HashMap<>();
        for (String name :
            List.of("chunksAsDifferences", "bytesAsDifferences", "bytesOfDifferences")) {
          if (on > 0) {
            kept.put(name, volume.metric(name));
          }
        }
        volume.restartWithFilters();
        for (int i = 0; i < versions.length; i++) {
          assertThat(volume.get(i, random)).isEqualTo(versions[i]);
        }
        // The containers say what counters since the start do not.
        Map<String, Long> checked = volume.dedup().check(line -> {});
        assertThat(checked).containsEntry("missing", 0L).containsAllEntriesOf(kept);
        assertThat(checked.containsKey("chunksAsDifferences")).isEqualTo(on > 0);
        stored[on] = volume.storedBytes();
      }
    }
    assertThat(stored[1]).isLessThan(stored[0] * 2 / 3);
  }

  /** Who finds a chunk that is a difference comes to need its base. */
  @Test
  void whatIsTakenUpTakesItsBaseUp() throws Exception {
    for (String chain : new String[] {"dedup", "dedup,deflate"}) {
      Configuration conf = conf(true);
      conf.set("hdrf.dedup.gc.live.percent", "100");
      try (DedupVolume volume = open(chain, conf, chain)) {
        byte[] first = noise(200_000);
        byte[] second = changed(first);
        volume.put(1, first, random);
        volume.put(2, second, random);
        volume.restartWithFilters();
        long before = volume.metric("chunksNew");
        volume.put(3, second, random);
        assertThat(volume.metric("chunksNew")).isEqualTo(before);
        Set<Long> needed = refs(volume.blocks().get(3L), true);
        assertThat(needed).isEqualTo(refs(volume.blocks().get(2L), true));
        assertThat(needed).hasSizeGreaterThan(refs(volume.blocks().get(3L), false).size());
        volume.delete(1);
        volume.delete(2);
        volume.collect();
        volume.collect();
        assertThat(volume.get(3, random)).isEqualTo(second);
        volume.restartWithFilters();
        assertThat(volume.get(3, random)).isEqualTo(second);
        assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
      }
    }
  }

  /** The base of a chunk of a block, of those that are kept as differences the first. */
  private static long someBase(DedupVolume volume, long block) throws IOException {
    ContainerStore store = ((DedupCodec) volume.dedup()).containers;
    for (long ref : refs(volume.blocks().get(block), false)) {
      ContainerDirectory content = store.directory(ChunkRef.container(ref));
      long base = content.baseOf(content.indexOf(ChunkRef.number(ref)));
      if (base >= 0) {
        return base;
      }
    }
    throw new AssertionError("no difference in block " + block);
  }

  private static void damage(DedupVolume volume, long ref) throws IOException {
    ContainerStore store = ((DedupCodec) volume.dedup()).containers;
    ContainerDirectory content = store.directory(ChunkRef.container(ref));
    int index = content.indexOf(ChunkRef.number(ref));
    int group = content.groupOf(index);
    long position = content.groupPosition(group) + content.headerLength(group);
    for (int i = content.firstChunk(group); i < index; i++) {
      position += content.keptLength(i);
    }
    byte[] bytes = Files.readAllBytes(store.file(ChunkRef.container(ref)));
    bytes[(int) position]++;
    Files.write(store.file(ChunkRef.container(ref)), bytes);
  }

  /** A block can't be read though all its own chunks are sound. */
  @Test
  void blocksWithDifferencesToADamagedBaseAreReported() throws Exception {
    Configuration conf = conf(true);
    conf.set("hdrf.dedup.heal", "false");
    try (DedupVolume volume = open("damaged", conf, "dedup")) {
      byte[] first = noise(100_000);
      volume.put(1, first, random);
      volume.put(2, changed(first), random);
      volume.put(3, noise(50_000), random);
      volume.delete(1);
      volume.restart();
      long base = someBase(volume, 2);
      assertThat(refs(volume.blocks().get(2L), false)).doesNotContain(base);
      damage(volume, base);
      assertThatThrownBy(() -> volume.get(2, random)).isInstanceOf(CorruptFrameException.class);
      volume.collect();
      assertThat(volume.damaged()).containsExactly(2L);
    }
  }

  @Test
  void aBlockNeedsTheBasesOfItsChunks() throws Exception {
    try (DedupVolume volume = open("damaged", conf(true), "dedup")) {
      byte[] first = noise(200_000);
      volume.put(1, first, random);
      volume.put(2, changed(first), random);
      Set<Long> bases = refs(volume.blocks().get(2L), true);
      bases.removeAll(refs(volume.blocks().get(2L), false));
      volume.delete(1);
      long base = bases.iterator().next();
      ((DedupCodec) volume.dedup()).containers.markBad(base);
      List<String> problems = new ArrayList<>();
      assertThat(volume.dedup().check(problems::add).get("missing")).isPositive();
      assertThat(problems)
          .containsExactly("blk_2 needs chunk " + ChunkRef.toString(base) + ", which is damaged");
    }
  }

  /** A difference may outlive its base where nobody needs it: nobody comes to need it again. */
  @Test
  void whatHasLostItsBaseIsStoredAnew() throws Exception {
    Configuration conf = conf(true);
    conf.set("hdrf.dedup.gc.live.percent", "20");
    try (DedupVolume volume = open("lost", conf, "dedup")) {
      byte[] first = noise(300_000);
      byte[] second = changed(first);
      volume.put(1, first, random);
      volume.put(2, second, random);
      volume.put(3, noise(90_000), random);
      volume.restartWithFilters();
      volume.delete(1);
      volume.delete(2);
      assertThat(volume.collect().get("containersDeleted")).isPositive();
      volume.restartWithFilters();
      volume.put(4, second, random);
      assertThat(volume.get(4, random)).isEqualTo(second);
      assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
    }
  }

  /** Within one block, too: of chunks that are not durable yet. */
  @Test
  void aBlockHasDifferencesToItsOwnChunks() throws Exception {
    try (DedupVolume volume = open("own", conf(true), "dedup")) {
      byte[] part = noise(150_000);
      byte[] other = changed(part);
      volume.put(1, noise(50_000), random);
      ByteBuffer both = ByteBuffer.allocate(300_000).put(part).put(other);
      volume.put(2, both.array(), random);
      assertThat(volume.get(2, random)).isEqualTo(both.array());
      volume.put(3, changed(part), random);
      volume.restart();
      assertThat(volume.get(2, random)).isEqualTo(both.array());
      assertThat(volume.metric("damagedReads")).isZero();
    }
  }

  /** Blocks come and go in any order, and what is dead is collected under those that live. */
  @Test
  void blocksComeAndGo() throws Exception {
    for (int round = 0; round < 4; round++) {
      Configuration conf = conf(true);
      conf.set("hdrf.dedup.gc.live.percent", random.nextBoolean() ? "100" : "60");
      conf.setInt("hdrf.dedup.cap.containers", random.nextInt(3));
      conf.set("hdrf.dedup.cap.percent", "50");
      conf.set("hdrf.dedup.group.memory", random.nextBoolean() ? "0" : "1m");
      String chain = random.nextBoolean() ? "dedup" : "dedup,deflate";
      Map<Long, byte[]> blocks = new TreeMap<>();
      List<byte[]> seen = new ArrayList<>();
      try (DedupVolume volume = open("round-" + round, conf, chain)) {
        for (long id = 0; id < 40; id++) {
          switch (random.nextInt(10)) {
            case 0 -> volume.restart();
            case 1 -> {
              volume.restart();
              volume.awaitIndexed();
              volume.collect();
            }
            case 2, 3 -> {
              for (long gone : List.copyOf(blocks.keySet())) {
                if (random.nextInt(3) > 0) {
                  volume.delete(gone);
                  blocks.remove(gone);
                }
              }
              volume.collect();
            }
            default -> {
              byte[] block =
                  seen.isEmpty() || random.nextInt(8) == 0
                      ? noise(20_000 + random.nextInt(100_000))
                      : seen.get(random.nextInt(seen.size()));
              block = random.nextInt(5) == 0 ? block : changed(block);
              seen.add(block);
              volume.put(id, block, random);
              blocks.put(id, block);
            }
          }
          for (Map.Entry<Long, byte[]> block : blocks.entrySet()) {
            assertThat(volume.get(block.getKey(), random)).isEqualTo(block.getValue());
          }
        }
        assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
        blocks.keySet().forEach(volume::delete);
        volume.collect();
        Map<String, Long> counts = volume.dedup().check(line -> {});
        assertThat(counts).containsEntry("blocks", 0L);
        assertThat(volume.collect()).containsEntry("liveChunks", 0L);
        assertThat(volume.damaged()).isEmpty();
      }
    }
  }

  /** The bytes of the groups in which the bases of a frame's chunks lie. */
  private static int baseBytes(DedupVolume volume, StoredFrame frame) throws IOException {
    ContainerStore store = ((DedupCodec) volume.dedup()).containers;
    Map<Long, Integer> groups = new HashMap<>();
    long[] bounds = new long[2];
    for (long ref : refs(List.of(frame), false)) {
      ContainerDirectory content = store.directory(ChunkRef.container(ref));
      long base = content.baseOf(content.indexOf(ChunkRef.number(ref)));
      if (base >= 0) {
        int length = store.findGroup(base, bounds);
        assertThat(length).isPositive();
        groups.put(bounds[0], length);
      }
    }
    return groups.values().stream().mapToInt(length -> length).sum();
  }

  /** Whoever reads a frame decodes all of each group in which a base is. */
  @Test
  void theBasesOfAFrameLieInFewGroups() throws Exception {
    Configuration conf = conf(true);
    conf.set("hdrf.dedup.frame.size", "256k");
    conf.set("hdrf.dedup.group.size", "256k");
    conf.set("hdrf.dedup.container.size", "32m");
    conf.set("hdrf.dedup.index.sample", "1");
    conf.set("hdrf.dedup.group.memory", "0");
    try (DedupVolume volume = open("groups", conf, "dedup,deflate")) {
      byte[] old = noise(60 * (128 << 10));
      volume.put(1, old, random);
      ByteBuffer parts = ByteBuffer.allocate(60 * (4 << 10));
      for (int i = 0; i < 60; i++) {
        byte[] part = Arrays.copyOfRange(old, i << 17, (i << 17) + (4 << 10));
        part[2 << 10]++;
        volume.put(100 + i, part, random);
        parts.put(part);
      }
      assertThat(volume.metric("chunksAsDifferences")).isGreaterThan(30);
      assertThat(volume.metric("basesRefused")).isZero();
      volume.restartWithFilters();
      byte[] known = parts.array();
      for (int i = 0; i < known.length; i += 4 << 10) {
        // Others at its ends, so that the chunks between are found, and lie in one frame.
        known[i]++;
      }
      volume.put(2, known, random);
      assertThat(volume.metric("basesRefused")).as("of known chunks").isPositive();
      ByteBuffer others = ByteBuffer.allocate(parts.capacity());
      for (int i = 0; i < 60; i++) {
        byte[] part = Arrays.copyOfRange(old, i << 17, (i << 17) + (4 << 10));
        part[3 << 10]++;
        others.put(part);
      }
      long before = volume.metric("basesRefused");
      volume.restartWithFilters();
      volume.put(3, others.array(), random);
      int most = 0;
      for (List<StoredFrame> block : volume.blocks().values()) {
        for (StoredFrame frame : block) {
          most = Math.max(most, baseBytes(volume, frame));
        }
      }
      assertThat(most).isBetween(14 << 18, ContainerSettings.MIN_BASE_MEMORY);
      assertThat(before).isPositive();
      assertThat(volume.metric("basesRefused")).as("of new chunks").isPositive();
      assertThat(volume.get(2, random)).isEqualTo(known);
      assertThat(volume.get(3, random)).isEqualTo(others.array());
      assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
    }
  }

  /** Neighbours tell nothing of parts that moved. */
  @Test
  void whatMovedIsFoundAfterAStart() throws Exception {
    try (DedupVolume volume = open("start", conf(true), "dedup")) {
      byte[] first = noise(200_000);
      volume.put(1, first, random);
      volume.restartWithFilters();
      while (!((DedupCodec) volume.dedup()).olderBases.isDone()) {
        Thread.sleep(5);
      }
      ByteBuffer moved = ByteBuffer.allocate(50 * 2000);
      for (int i = 0; i < 50; i++) {
        byte[] part = Arrays.copyOfRange(first, (49 - i) * 4000, (49 - i) * 4000 + 2000);
        for (int j = 0; j < part.length; j += 300) {
          part[j]++;
        }
        moved.put(part);
      }
      volume.put(2, moved.array(), random);
      assertThat(volume.metric("chunksFound")).isZero();
      assertThat(volume.metric("chunksAsDifferences")).isPositive();
      assertThat(volume.get(2, random)).isEqualTo(moved.array());
    }
  }

  @Test
  void anythingElseIsNoSetting() {
    Configuration conf = conf(true);
    conf.set("hdrf.dedup.delta", "yes");
    assertThatThrownBy(() -> open("bad", conf, "dedup"))
        .hasMessageContaining("hdrf.dedup.delta")
        .hasMessageContaining("yes")
        .hasMessageContaining("on or off");
  }
}
