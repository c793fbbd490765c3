/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.MissingChunkException;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupNames;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.GroupExport;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups that one store has encoded, in another one. */
class GroupTransferTest {

  private static final int LENGTH = 300_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random("transfer");
  private final Configuration conf = new Configuration(false);
  private DedupVolume from;
  private DedupVolume to;

  @BeforeEach
  void open() throws Exception {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.group.size", "16k");
    conf.set("hdrf.dedup.container.size", "64k");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    from = volume("from");
    to = volume("to");
  }

  private DedupVolume volume(String name) throws Exception {
    return new DedupVolume(
        directory.resolve(name),
        conf,
        LocalDurableFiles.INSTANCE,
        "dedup,deflate",
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool")));
  }

  @AfterEach
  void close() throws IOException {
    from.close();
    to.close();
  }

  private byte[] block() {
    byte[] block = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      block[i] = (byte) random.nextInt(16);
    }
    return block;
  }

  private GroupImport begin() {
    return to.codec().importGroups(LENGTH);
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** Sends all groups that are wanted; returns how many those are. */
  private static int send(GroupExport export, GroupImport groups) throws IOException {
    int sent = 0;
    for (int i = 0; i < export.count(); i++) {
      if (groups.wants(direct(bytes(export.names(i))))) {
        groups.add(direct(bytes(export.content(i))));
        sent++;
      }
    }
    return sent;
  }

  private static Set<String> fingerprints(GroupNames names) {
    Set<String> found = new HashSet<>();
    for (int i = 0; i < names.count(); i++) {
      found.add(
          Arrays.toString(
              Arrays.copyOfRange(
                  names.fingerprints(), i * Fingerprinter.LENGTH, (i + 1) * Fingerprinter.LENGTH)));
    }
    return found;
  }

  private static Set<String> fingerprints(GroupExport export) throws IOException {
    Set<String> found = new HashSet<>();
    for (int i = 0; i < export.count(); i++) {
      found.addAll(fingerprints(GroupNames.parse(export.names(i))));
    }
    return found;
  }

  @Test
  void aBlockFindsAllOfItsChunksInGroupsThatCame() throws Exception {
    byte[] block = block();
    GroupExport export = from.putAndExport(1, block, random);
    assertThat(export.count()).isGreaterThan(10);
    try (GroupImport groups = begin()) {
      assertThat(send(export, groups)).isEqualTo(export.count());
      groups.finish();
    }
    to.put(1, block, random);
    assertThat(to.metric("bytesNew")).isZero();
    assertThat(to.metric("bytesFound")).isEqualTo(LENGTH);
    assertThat(to.metric("bytesReceived")).isEqualTo(LENGTH);
    assertThat(to.get(1, random)).isEqualTo(block);
    to.restart();
    assertThat(to.get(1, random)).isEqualTo(block);
    assertThat(to.collect().get("chunksDropped")).isZero();
    assertThat(to.get(1, random)).isEqualTo(block);
  }

  @Test
  void whatIsNotNeededIsCollected() throws Exception {
    GroupExport export = from.putAndExport(1, block(), random);
    try (GroupImport groups = begin()) {
      send(export, groups);
      groups.finish();
    }
    assertThat(to.metric("bytesReceived")).isEqualTo(LENGTH);
    to.restart();
    to.collect();
    to.collect();
    assertThat(to.storedBytes()).isLessThan(LENGTH / 20);
  }

  @Test
  void nothingOfOtherBlocksGoesOut() throws Exception {
    byte[] first = block();
    byte[] second = block();
    System.arraycopy(first, LENGTH / 3, second, LENGTH / 3, LENGTH / 3);
    Set<String> others = fingerprints(from.putAndExport(1, first, random));
    Set<String> shown = fingerprints(from.putAndExport(2, second, random));
    assertThat(shown).isNotEmpty().doesNotContainAnyElementsOf(others);
    assertThat(shown.size()).isBetween(others.size() / 2, others.size() * 3 / 4);
  }

  /** Through the second of three DataNodes. */
  @Test
  void groupsThatCameGoOn() throws Exception {
    byte[] block = block();
    GroupExport export = from.putAndExport(1, block, random);
    try (GroupImport groups = begin()) {
      send(export, groups);
      GroupExport added = groups.finish();
      assertThat(fingerprints(added)).isEqualTo(fingerprints(export));
      assertThat(send(added, groups)).isZero();
    }
    assertThat(to.putAndExport(1, block, random).count()).isZero();
  }

  @Test
  void whatIsThereIsNotTaken() throws Exception {
    byte[] block = block();
    GroupExport export = from.putAndExport(1, block, random);
    byte[] half = Arrays.copyOf(block, LENGTH / 2);
    to.put(2, half, random);
    long before = to.metric("bytesNew");
    try (GroupImport groups = begin()) {
      assertThat(send(export, groups)).isBetween(export.count() / 3, export.count() * 2 / 3);
      assertThat(send(export, groups)).isZero();
      groups.finish();
    }
    try (GroupImport again = begin()) {
      assertThat(send(export, again)).isZero();
    }
    to.put(1, block, random);
    assertThat(to.metric("bytesNew") - before).isLessThan(3 * (16 << 10));
    assertThat(to.get(1, random)).isEqualTo(block);
  }

  @Test
  void whatWasNotFinishedCantBeFound() throws Exception {
    byte[] block = block();
    GroupExport export = from.putAndExport(1, block, random);
    try (GroupImport groups = begin()) {
      send(export, groups);
    }
    to.put(1, block, random);
    assertThat(to.metric("bytesNew")).isEqualTo(LENGTH);
    assertThat(to.get(1, random)).isEqualTo(block);
  }

  @Test
  void noMoreIsTakenThanTheBlockIsLong() throws Exception {
    GroupExport first = from.putAndExport(1, block(), random);
    GroupExport second = from.putAndExport(2, block(), random);
    try (GroupImport groups = to.codec().importGroups(LENGTH)) {
      assertThat(send(first, groups)).isEqualTo(first.count());
      assertThat(send(second, groups)).isZero();
    }
  }

  /** What is remembered of chunks must not depend on how short they are said to be. */
  @Test
  void noMoreChunksAreTakenThanTheBlockCanHave() throws Exception {
    int wanted = 0;
    try (GroupImport groups = begin()) {
      for (int i = 0; i < 60; i++) {
        ByteBuffer names = ByteBuffer.allocateDirect(4 + 50 + 50 * 32);
        names.put((byte) 50);
        for (int chunk = 0; chunk < 50; chunk++) {
          names.put((byte) 1);
        }
        byte[] fingerprints = new byte[50 * 32];
        random.nextBytes(fingerprints);
        wanted += groups.wants(names.put(fingerprints).flip()) ? 50 : 0;
      }
    }
    assertThat(wanted).isBetween(50, LENGTH / 256 + 1);
  }

  /** A compaction may put what is left of a block's groups together with chunks of others. */
  @Test
  void nothingOfOtherBlocksGoesOutAfterACompaction() throws Exception {
    int left = 0;
    for (long id = 10; id < 40; id += 2) {
      byte[] one = block();
      byte[] half = Arrays.copyOf(one, LENGTH / 2);
      GroupExport export = from.putAndExport(id, one, random);
      Set<String> own = fingerprints(export);
      from.put(id + 1, half, random);
      from.delete(id);
      from.put(id + 100, block(), random);
      from.collect();
      from.collect();
      for (int i = 0; i < export.count(); i++) {
        try {
          assertThat(own).containsAll(fingerprints(GroupNames.parse(export.names(i))));
          left++;
        } catch (MissingChunkException e) {
          // Its chunks were collected.
        }
      }
    }
    assertThat(left).isPositive();
  }

  @Test
  void alteredGroupsAreRefused() throws Exception {
    byte[] block = block();
    GroupExport export = from.putAndExport(1, block, random);
    for (int i = 0; i < export.count(); i++) {
      byte[] content = bytes(export.content(i));
      content[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
      try (GroupImport groups = begin()) {
        assertThat(groups.wants(direct(bytes(export.names(i))))).isTrue();
        assertThatThrownBy(() -> groups.add(direct(content)))
            .isInstanceOf(CorruptFrameException.class);
        groups.finish();
      }
    }
    assertThat(to.metric("groupsReceived")).isZero();
    to.put(1, block, random);
    assertThat(to.metric("bytesNew")).isEqualTo(LENGTH);
    assertThat(to.get(1, random)).isEqualTo(block);
  }

  /** Another content under the names of chunks would be what later blocks find there. */
  @Test
  void contentUnderForgedNamesIsRefused() throws Exception {
    byte[] block = block();
    byte[] forged = block.clone();
    forged[LENGTH / 2] ^= 1;
    GroupExport original = from.putAndExport(1, block, random);
    List<byte[]> names = new ArrayList<>();
    for (int i = 0; i < original.count(); i++) {
      names.add(bytes(original.names(i)));
    }
    from.close();
    from = volume("forger");
    GroupExport export = from.putAndExport(1, forged, random);
    int refused = 0;
    for (int i = 0; i < Math.min(names.size(), export.count()); i++) {
      try (GroupImport groups = begin()) {
        groups.wants(direct(names.get(i)));
        groups.add(direct(bytes(export.content(i))));
        groups.finish();
      } catch (CorruptFrameException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
    to.put(1, block, random);
    to.put(2, forged, random);
    assertThat(to.get(1, random)).isEqualTo(block);
    assertThat(to.get(2, random)).isEqualTo(forged);
  }

  @Test
  void whatWasNotWantedIsRefused() throws Exception {
    GroupExport export = from.putAndExport(1, block(), random);
    try (GroupImport groups = begin()) {
      assertThatThrownBy(() -> groups.add(direct(bytes(export.content(0)))))
          .isInstanceOf(CorruptFrameException.class);
      assertThat(groups.wants(direct(bytes(export.names(0))))).isTrue();
      assertThat(groups.wants(direct(bytes(export.names(0))))).isFalse();
      groups.add(direct(bytes(export.content(0))));
      assertThatThrownBy(() -> groups.add(direct(bytes(export.content(0)))))
          .isInstanceOf(CorruptFrameException.class);
    }
  }

  @Test
  void longerGroupsThanTheStoresOwnAreTaken() throws Exception {
    to.close();
    conf.set("hdrf.dedup.group.size", "4k");
    to = volume("small");
    byte[] block = block();
    GroupExport export = from.putAndExport(1, block, random);
    try (GroupImport groups = begin()) {
      assertThat(send(export, groups)).isEqualTo(export.count());
      groups.finish();
    }
    to.put(1, block, random);
    to.put(2, block(), random);
    assertThat(to.get(1, random)).isEqualTo(block);
    to.restart();
    assertThat(to.get(1, random)).isEqualTo(block);
  }
}
