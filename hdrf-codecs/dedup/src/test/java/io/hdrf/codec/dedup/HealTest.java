/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is damaged on a volume is healed with what this DataNode has otherwise. */
class HealTest {

  private static final int LENGTH = 120_000;
  private static final int BLOCK = 1;

  @TempDir Path scratch;

  private final Random random = TestSeed.random("heal");
  private final Configuration conf = new Configuration(false);
  private final List<DedupVolume> volumes = new ArrayList<>();
  private DedupVolume volume;
  private byte[] data;

  /** Names of files that can't be created. */
  private volatile String refused = "none";

  /** How many containers were begun to be rewritten. */
  private final AtomicInteger rewrites = new AtomicInteger();

  @BeforeEach
  void open() throws Exception {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "32k");
    conf.set("hdrf.dedup.group.size", "8k");
    conf.set("hdrf.dedup.container.size", "1m");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
    conf.set("hdrf.dedup.scrub.rate", "0");
    conf.set("hdrf.dedup.index.sample", "32");
    data = noise(LENGTH);
  }

  @AfterEach
  void close() throws IOException {
    for (DedupVolume opened : volumes) {
      opened.close();
    }
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    for (int i = 0; i < length; i += 64) {
      Arrays.fill(bytes, i, Math.min(i + 24, length), (byte) 7);
    }
    return bytes;
  }

  private DedupVolume start(String name, String chain) throws Exception {
    MetadataStore store =
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool"));
    ForwardingFiles files =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public DurableFile create(Path file) throws IOException {
            if (file.toString().endsWith(ContainerNames.TEMPORARY)) {
              rewrites.incrementAndGet();
            }
            if (file.toString().endsWith(refused)) {
              throw new IOException(file + ": No space left on device");
            }
            return super.create(file);
          }
        };
    DedupVolume started = new DedupVolume(scratch.resolve(name), conf, files, chain, store);
    volumes.add(started);
    started.awaitIndexed();
    return started;
  }

  /** A volume with a block whose container is sealed. */
  private DedupVolume filled(String name, String chain) throws Exception {
    DedupVolume filled = start(name, chain);
    filled.put(BLOCK, data, random);
    filled.restart();
    filled.awaitIndexed();
    return filled;
  }

  private List<Path> containers(String name) throws IOException {
    try (Stream<Path> found = Files.walk(scratch.resolve(name))) {
      return found
          .filter(file -> file.toString().endsWith(ContainerNames.SEALED))
          .sorted()
          .toList();
    }
  }

  private Path container(String name) throws IOException {
    return containers(name).get(0);
  }

  /**
   * Changes a bit in the stored bytes of a container's groups: not in a group's header, which no
   * read needs.
   */
  private static void damage(Path file, double where) throws IOException {
    ContainerDirectory content;
    try (ChannelFile opened = ChannelFile.open(file)) {
      content = ContainerFooter.read(file, opened).readDirectory(file, opened);
    }
    int group = content.groupCount() - 1;
    int at = (int) (1000 + (content.groupEnd(group) - 2000) * where);
    while (content.groupPosition(group) > at) {
      group--;
    }
    at = Math.max(at, (int) content.groupPosition(group) + content.headerLength(group));
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  /** Not a header, which no chunk needs and which is made again without a healing. */
  private void damageLastChunkOfTheFirstGroup(Path file) throws IOException {
    long id = Long.parseLong(file.getFileName().toString().substring(0, 12), 16);
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) ((DedupCodec) volume.dedup()).containers.directory(id).groupEnd(0) - 100] ^= 4;
    Files.write(file, bytes);
  }

  private void assertUnreadable() {
    assertThatThrownBy(() -> volume.get(BLOCK, random)).isInstanceOf(CorruptFrameException.class);
  }

  private void assertHealed(long atLeast) throws IOException {
    volume.damaged().clear();
    assertThat(volume.collect()).containsEntry("containersFailed", 0L);
    assertThat(volume.damaged()).as("no block is examined").isEmpty();
    assertThat(volume.metric("healChunks")).isGreaterThanOrEqualTo(atLeast);
    assertThat(volume.metric("healBytes")).isPositive();
    assertThat(volume.metric("healChunksLeft")).isZero();
    assertThat(volume.get(BLOCK, random)).isEqualTo(data);
    assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
  }

  private void assertReported() throws IOException {
    volume.damaged().clear();
    volume.collect();
    assertThat(volume.damaged()).contains((long) BLOCK);
    assertUnreadable();
  }

  /** What is known to be damaged is stored again by the next block that has it. */
  @Test
  void fromAnotherContainerOfTheVolume() throws Exception {
    for (String chain : List.of("dedup", "dedup,deflate")) {
      volume = filled(chain, chain);
      damage(container(chain), 0.4);
      assertUnreadable();
      volume.put(2, data, random);
      volume.restart();
      volume.awaitIndexed();
      assertUnreadable();
      List<StoredFrame> recipe = volume.blocks().get((long) BLOCK);
      assertHealed(1);
      assertThat(volume.blocks()).containsEntry((long) BLOCK, recipe);
      assertThat(volume.get(2, random)).isEqualTo(data);
    }
  }

  /** The index names the later copy, which is the damaged one. */
  @Test
  void fromAnOlderContainerOfTheVolume() throws Exception {
    conf.set("hdrf.dedup.index.sample", "1");
    conf.set("hdrf.dedup.dba.capacity", "16");
    volume = filled("v", "dedup,deflate");
    damage(container("v"), 0.4);
    assertUnreadable();
    volume.put(2, data, random);
    volume.restart();
    volume.awaitIndexed();
    assertUnreadable();
    assertHealed(1);
    damage(containers("v").get(1), 0.5);
    assertThatThrownBy(() -> volume.get(2, random)).isInstanceOf(CorruptFrameException.class);
    assertHealed(1);
    assertThat(volume.get(2, random)).isEqualTo(data);
  }

  @Test
  void fromAnotherVolume() throws Exception {
    DedupVolume other = filled("other", "dedup,deflate");
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    for (double where : new double[] {0.1, 0.3, 0.5, 0.9}) {
      damage(container("v"), where);
    }
    assertUnreadable();
    readAll();
    assertHealed(20);
    // For good.
    volume.elsewhere(ChunkLookup.NONE);
    volume.restart();
    assertThat(volume.get(BLOCK, random)).isEqualTo(data);
  }

  /** As far as it can be read; what can't is then known to be damaged. */
  private void readAll() throws IOException {
    for (StoredFrame frame : volume.blocks().get((long) BLOCK)) {
      volume
          .dedup()
          .findDamage(ByteBuffer.allocateDirect(frame.bytes().length).put(frame.bytes()).flip());
    }
  }

  @Test
  void itIsOffIfTheOperatorSaysSo() throws Exception {
    conf.setBoolean("hdrf.dedup.heal", false);
    DedupVolume other = filled("other", "dedup,deflate");
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    damage(container("v"), 0.4);
    assertUnreadable();
    byte[] before = Files.readAllBytes(container("v"));
    assertReported();
    assertThat(volume.metric("healChunks")).isZero();
    assertThat(container("v")).hasBinaryContent(before);
  }

  @Test
  void aDamagedCopyDoesNotHelpUntilItIsHealed() throws Exception {
    DedupVolume other = filled("other", "dedup,deflate");
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    Files.copy(container("other"), scratch.resolve("good"));
    damage(container("v"), 0.4);
    damage(container("other"), 0.4);
    assertUnreadable();
    assertReported();
    assertThat(volume.metric("healChunks")).isZero();
    assertThat(volume.metric("healChunksLeft")).isPositive();
    Files.write(container("other"), Files.readAllBytes(scratch.resolve("good")));
    other.restart();
    other.awaitIndexed();
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    assertUnreadable();
    assertHealed(1);
  }

  /** It says that it has everything, and all of it is wrong. */
  @Test
  void whoeverHasTheChunksIsNotBelieved() throws Exception {
    DedupVolume other = filled("other", "dedup,deflate");
    ChunkLookup honest = other.dedup().newChunkLookup();
    AtomicInteger asked = new AtomicInteger();
    ChunkLookup hostile =
        (names, ends, count, found, dst) -> {
          honest.find(names, ends, count, found, dst);
          assertThat(found.cardinality()).isEqualTo(count);
          for (int i = 0; i < count; i++) {
            int last = dst.position() + ends[i] - 1;
            dst.put(last, (byte) (dst.get(last) ^ 1));
          }
          asked.incrementAndGet();
        };
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(hostile);
    volume.restart();
    damage(container("v"), 0.4);
    assertUnreadable();
    byte[] before = Files.readAllBytes(container("v"));
    assertReported();
    assertThat(asked.get()).isPositive();
    assertThat(volume.metric("healChunks")).isZero();
    assertThat(container("v")).hasBinaryContent(before);
    assertThat(rewrites).as("not even tried").hasValue(0);
    ChunkLookup more =
        (names, ends, count, found, dst) -> {
          honest.find(names, ends, count, found, dst);
          found.set(0, count + 5);
        };
    volume.elsewhere(more);
    volume.restart();
    assertUnreadable();
    assertHealed(1);
  }

  @Test
  void aSourceThatFailsIsAsGoodAsNone() throws Exception {
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(
        (names, ends, count, found, dst) -> {
          throw new IOException("for a test");
        });
    volume.restart();
    damage(container("v"), 0.4);
    assertUnreadable();
    assertReported();
    assertThat(volume.metric("gcAbortedInARow")).isZero();
  }

  /** Nobody needs some of the chunks of the damaged group, and nobody has them. */
  @Test
  void chunksThatNobodyNeedsNeedNotBeFound() throws Exception {
    DedupVolume other = filled("other", "dedup,deflate");
    volume = start("v", "dedup,deflate");
    byte[] both = new byte[2 * LENGTH];
    System.arraycopy(data, 0, both, 0, LENGTH);
    System.arraycopy(noise(LENGTH), 0, both, LENGTH, LENGTH);
    volume.put(2, both, random);
    volume.put(BLOCK, data, random);
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    volume.awaitIndexed();
    volume.delete(2);
    // The group in which the chunks of the one end, and those of the other alone begin.
    for (int i = 0; i < 10; i++) {
      damage(container("v"), 0.45 + 0.01 * i);
    }
    assertUnreadable();
    readAll();
    assertHealed(1);
  }

  @Test
  void whereNothingCanBeWrittenTheBlocksAreReported() throws Exception {
    DedupVolume other = filled("other", "dedup,deflate");
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    damage(container("v"), 0.4);
    assertUnreadable();
    byte[] before = Files.readAllBytes(container("v"));
    refused = ContainerNames.TEMPORARY;
    assertReported();
    assertThat(container("v")).hasBinaryContent(before);
    refused = "none";
    assertHealed(1);
  }

  /** Its chunks' fingerprints are lost with it. */
  @Test
  void aContainerThatIsLostIsReported() throws Exception {
    DedupVolume other = filled("other", "dedup,deflate");
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    byte[] junk = new byte[(int) Files.size(container("v"))];
    Files.write(container("v"), junk);
    assertUnreadable();
    volume.collect();
    assertThat(container("v")).hasBinaryContent(junk);
    assertThat(volume.metric("healChunks")).isZero();
  }

  /** As a check of the file system takes away files. */
  @Test
  void aContainerThatWasGoneAtTheStartIsReported() throws Exception {
    volume = filled("v", "dedup,deflate");
    Files.delete(container("v"));
    volume.restart();
    volume.collect();
    assertThat(volume.damaged()).containsExactly((long) BLOCK);
    volume.damaged().clear();
    volume.put(BLOCK, data, random);
    volume.collect();
    assertThat(volume.damaged()).isEmpty();
    assertThat(volume.get(BLOCK, random)).isEqualTo(data);
  }

  /** A disk that dies is to be reported as one. */
  @Test
  void onlySoManyContainersAreHealedAtOnce() throws Exception {
    conf.set("hdrf.dedup.container.size", "64k");
    data = noise(2_000_000);
    DedupVolume other = filled("other", "dedup");
    volume = filled("v", "dedup");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    List<Path> all = containers("v");
    assertThat(all).hasSizeGreaterThan(20);
    for (Path file : all.subList(0, 20)) {
      damageLastChunkOfTheFirstGroup(file);
    }
    readAll();
    Map<String, Long> done = volume.collect();
    assertThat(done).containsEntry("containersFailed", 0L);
    // With a minimum age of 0 a collection is two.
    assertThat(volume.metric("healContainers")).isEqualTo(20);
    assertThat(volume.damaged()).as("by the first one").containsExactly((long) BLOCK);
    assertThat(volume.get(BLOCK, random)).isEqualTo(data);
  }

  /** The collection would not end, and nothing of it be reported. */
  @Test
  void aLowRateOfTheScrubDoesNotHoldItUp() throws Exception {
    conf.set("hdrf.dedup.scrub.rate", "1");
    DedupVolume other = filled("other", "dedup,deflate");
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(other.dedup().newChunkLookup());
    volume.restart();
    damage(container("v"), 0.4);
    assertUnreadable();
    assertTimeoutPreemptively(Duration.ofSeconds(60), () -> assertHealed(1));
  }

  /** It found the damage, and stored the data again; its recipe had been read by then. */
  @Test
  void aBlockThatWasReducedAgainMeanwhileIsNotReported() throws Exception {
    volume = filled("v", "dedup,deflate");
    damage(container("v"), 0.4);
    assertUnreadable();
    volume.afterBlocksWereShown(
        () -> {
          try {
            volume.put(BLOCK, data, random);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    volume.collect();
    assertThat(volume.damaged()).isEmpty();
    assertThat(volume.get(BLOCK, random)).isEqualTo(data);
  }

  @Test
  void nothingIsLookedForWhereNothingIsDamaged() throws Exception {
    volume = filled("v", "dedup,deflate");
    volume.elsewhere(
        (names, ends, count, found, dst) -> {
          throw new AssertionError("asked");
        });
    volume.restart();
    byte[] before = Files.readAllBytes(container("v"));
    volume.collect();
    assertThat(container("v")).hasBinaryContent(before);
  }
}
