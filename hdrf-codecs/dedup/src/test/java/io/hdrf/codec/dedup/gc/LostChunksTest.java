/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LostChunksTest {

  private static final int MAX_LOST = 1024;
  private static final long FIRST_LOST = 1_000_000;

  /** What is known of so many chunks takes 6 KiB. */
  private static final int CHUNKS = 50_000;

  @TempDir(factory = InMemory.class)
  Path directory;

  private CollectedStore store;

  @BeforeEach
  void open() throws IOException {
    store = new CollectedStore(directory);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  @Test
  void nothingIsKeptOfMoreThanSoManyContainers() throws IOException {
    long present = ChunkRef.container(store.sealed(1)[0]);
    Map<Long, BitSet> damaged = new HashMap<>();
    LostChunks lost =
        new LostChunks(store.containers, new ContainerRange(0, 2 * FIRST_LOST), damaged);
    for (int i = 0; i < MAX_LOST + 5; i++) {
      assertThat(lost.add(FIRST_LOST + i, 3, 2)).isEqualTo(i < MAX_LOST);
    }
    assertThat(damaged).hasSize(MAX_LOST);
    assertThat(damaged.get(FIRST_LOST)).isEqualTo(BitSet.valueOf(new long[] {3 << 3}));
    // Of those that were found, all is found; others are not its concern.
    assertThat(lost.add(FIRST_LOST, 9, 1)).isTrue();
    assertThat(damaged.get(FIRST_LOST).cardinality()).isEqualTo(3);
    assertThat(lost.add(present, 0, 1)).isTrue();
    assertThat(lost.add(2 * FIRST_LOST, 0, 1)).isTrue();
    assertThat(damaged).hasSize(MAX_LOST);
  }

  /** It is there, and what it has would be collected if nobody seemed to need it. */
  @Test
  void aContainerThatLacksSomeIsMarkedAlsoBehindMany() throws IOException {
    long[] refs = store.open(6);
    long id = ChunkRef.container(refs[0]);
    long end = store.containers.directory(id).groupPosition(5);
    store.close();
    Path sealed = store.containers.file(id);
    byte[] bytes = Files.readAllBytes(sealed);
    Files.delete(sealed);
    Files.write(
        ContainerNames.file(sealed.getParent(), id, ContainerNames.OPEN),
        Arrays.copyOf(bytes, (int) end));
    store = new CollectedStore(directory);
    // One cycle is a collection: the next one knows what is lacking before.
    store.conf.set("hdrf.dedup.gc.min.age", "1");
    GarbageCollector collector =
        store.collector(
            (visitor, first) -> {
              for (int i = 0; i < MAX_LOST; i++) {
                visitor.reference(1, FIRST_LOST + i, 0, 1);
              }
              visitor.reference(2, id, 0, 6);
            });
    assertThat(collector.collect(line -> {}).asMap())
        .containsEntry("chunks", 5L)
        .containsEntry("liveChunks", 5L);
  }

  /** As after the loss of a directory with containers. */
  @Test
  void manyLostContainersTakeNoHeap() throws IOException {
    final long[] refs = store.sealed(1);
    GarbageCollector collector =
        store.collector(
            (visitor, first) -> {
              final long before = UsedHeap.bytes();
              for (int i = 0; i < 20_000; i++) {
                visitor.reference(1, FIRST_LOST + i, CHUNKS, 1);
              }
              visitor.reference(1, ChunkRef.container(refs[0]), ChunkRef.number(refs[0]), 1);
              assertThat(UsedHeap.bytes() - before).isLessThan(60L << 20);
            });
    assertThat(collector.collect(line -> {}).asMap())
        .containsEntry("chunks", 1L)
        .containsEntry("liveChunks", 1L);
  }
}
