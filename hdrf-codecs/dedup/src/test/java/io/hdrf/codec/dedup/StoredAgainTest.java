/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that lie in too many containers are stored again, and are there twice. */
class StoredAgainTest {

  private static final int PARTS = 10;
  private static final int PART = 20_000;

  /** So much that the next part is in another container. */
  private static final int BETWEEN = 130_000;

  private static final int CONTAINERS = 3;

  @TempDir Path directory;

  private final Random random = TestSeed.random("dedup");
  private final Configuration conf = new Configuration(false);
  private final MetadataStore store = DedupVolume.newStore();
  private DedupVolume volume;
  private byte[] scattered;

  @BeforeEach
  void open() throws Exception {
    DedupVolume.setSmall(conf);
    conf.set("hdrf.dedup.cache.memory", "0");
    conf.set("hdrf.dedup.gc.live.percent", "100");
    conf.setInt("hdrf.dedup.cap.containers", CONTAINERS);
    conf.set("hdrf.dedup.cap.percent", "100");
    conf.set("hdrf.dedup.index.sample", "8");
    volume = new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, "dedup", store);
    volume.awaitIndexed();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < PARTS; i++) {
      byte[] part = noise(PART);
      all.writeBytes(part);
      volume.put(2L * i, part, random);
      volume.put(2L * i + 1, noise(BETWEEN), random);
    }
    scattered = all.toByteArray();
    volume.restartWithFilters();
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private byte[] noise(int length) {
    byte[] block = new byte[length];
    random.nextBytes(block);
    return block;
  }

  private Set<Long> containersOf(long id) throws IOException {
    Set<Long> containers = new HashSet<>();
    for (StoredFrame frame : volume.blocks().get(id)) {
      Recipe.parse(
          ByteBuffer.wrap(frame.bytes()), (container, first, count) -> containers.add(container));
    }
    return containers;
  }

  private void put(long id) throws IOException {
    volume.put(id, scattered, random);
    assertThat(volume.get(id, random)).isEqualTo(scattered);
  }

  @Test
  void aBlockRefersToFewContainersBesideTheNewOne() throws Exception {
    put(100);
    assertThat(volume.metric("chunksStoredAgain")).isPositive();
    assertThat(volume.metric("bytesFound")).isPositive();
    assertThat(containersOf(100)).hasSizeLessThanOrEqualTo(CONTAINERS + 2);
  }

  @Test
  void theyAreReferredToAsLongAsThereIsNoLimit() throws Exception {
    conf.setInt("hdrf.dedup.cap.containers", 0);
    volume.restartWithFilters();
    put(100);
    assertThat(volume.metric("chunksStoredAgain")).isZero();
    assertThat(containersOf(100)).hasSizeGreaterThanOrEqualTo(PARTS);
  }

  /** Whatever the cache knows: the latest copy is found, and nothing is stored a third time. */
  @Test
  void theLatestCopyIsFoundFromThenOn() throws Exception {
    put(100);
    // The containers of the copies count from now on like all others.
    conf.setInt("hdrf.dedup.cap.containers", 0);
    for (int sample : new int[] {8, 8, 32}) {
      conf.setInt("hdrf.dedup.index.sample", sample);
      volume.restartWithFilters();
      volume.put(101, scattered, random);
      assertThat(volume.metric("bytesNew")).isZero();
      assertThat(containersOf(101)).isSubsetOf(containersOf(100));
      assertThat(volume.get(101, random)).isEqualTo(scattered);
    }
  }

  /** Else each copy of a file that does not change would take more space, and lie as scattered. */
  @Test
  void whatStaysTheSameIsNotStoredAgainForEver() throws Exception {
    for (int i = 0; i < 4; i++) {
      put(100 + i);
      // Seals the container with the copies.
      volume.restartWithFilters();
    }
    put(200);
    assertThat(volume.metric("bytesNew")).isZero();
    assertThat(containersOf(200)).hasSizeLessThanOrEqualTo(CONTAINERS + 1);
  }

  /** They are most of what many an image shares, and not a twentieth of them are its data. */
  @Test
  void zerosGiveNoLeaveToStoreTheRestAgain() throws Exception {
    conf.set("hdrf.dedup.cap.percent", "5");
    volume.restartWithFilters();
    byte[] image = new byte[40 * scattered.length];
    System.arraycopy(scattered, 0, image, image.length - scattered.length, scattered.length);
    volume.put(100, new byte[PART], random);
    volume.restartWithFilters();
    volume.put(101, image, random);
    assertThat(volume.metric("bytesNew")).isLessThan(scattered.length / 4);
    assertThat(volume.get(101, random)).isEqualTo(image);
  }

  @Test
  void eachCopyIsCollectedByItself() throws Exception {
    put(100);
    List<StoredFrame> again = volume.blocks().get(100L);
    conf.setInt("hdrf.dedup.cap.containers", 0);
    // The earlier copies go.
    for (int i = 0; i < PARTS; i++) {
      volume.delete(2L * i);
    }
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
    volume.restartWithFilters();
    assertThat(volume.blocks()).containsEntry(100L, again);
    assertThat(volume.get(100, random)).isEqualTo(scattered);
    volume.put(101, scattered, random);
    assertThat(volume.metric("bytesNew")).isZero();
    // The later copies go, of which the earlier ones are stored once more.
    byte[] part = new byte[PART];
    System.arraycopy(scattered, 0, part, 0, PART);
    volume.put(0, part, random);
    volume.delete(100);
    volume.delete(101);
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    assertThat(volume.dedup().check(line -> {})).containsEntry("missing", 0L);
    volume.restart();
    assertThat(volume.get(0, random)).isEqualTo(part);
  }

  @Test
  void theEarlierCopyIsFoundOnceTheLaterIsGone() throws Exception {
    put(100);
    volume.delete(100);
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    volume.restartWithFilters();
    for (int i = 0; i < PARTS; i++) {
      byte[] part = new byte[PART];
      System.arraycopy(scattered, i * PART, part, 0, PART);
      volume.put(200 + i, part, random);
      assertThat(volume.get(200 + i, random)).isEqualTo(part);
    }
    assertThat(volume.metric("bytesNew")).isLessThan(PARTS * PART / 2);
  }
}
