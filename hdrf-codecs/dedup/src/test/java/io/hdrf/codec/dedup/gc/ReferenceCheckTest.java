/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.io.InMemory;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReferenceCheckTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  private CollectedStore store;
  private final List<String> problems = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    store = new CollectedStore(directory);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private Map<String, Long> check() throws IOException {
    return new ReferenceCheck(
            store.containers, store, store.index, problems::add, 1 << 20, () -> false)
        .run();
  }

  @Test
  void countsWhatIsThere() throws IOException {
    long[] sealed = store.sealed(5);
    long[] open = store.open(3);
    store.blocks.put(1L, new long[] {sealed[0], sealed[1], sealed[0]});
    store.blocks.put(2L, new long[] {sealed[1], open[2]});
    store.index.work(() -> false);
    store.index.work(() -> false);
    assertThat(check())
        .containsExactly(
            Map.entry("blocks", 2L),
            Map.entry("references", 5L),
            Map.entry("missing", 0L),
            Map.entry("unreferenced", 5L),
            Map.entry("indexEntries", 8L),
            Map.entry("staleEntries", 0L));
    assertThat(problems).isEmpty();
  }

  @Test
  void withoutMemoryForEachChunkItLooksForMissingOnesAlone() throws IOException {
    long[] refs = store.sealed(5);
    store.blocks.put(1L, new long[] {refs[0], refs[1]});
    store.blocks.put(2L, new long[] {refs[4], refs[4] + 1});
    Map<String, Long> found =
        new ReferenceCheck(store.containers, store, store.index, problems::add, 1, () -> false)
            .run();
    assertThat(found)
        .containsExactly(
            Map.entry("blocks", 2L), Map.entry("references", 4L), Map.entry("missing", 1L));
    assertThat(problems).hasSize(2);
    assertThat(problems.get(0)).contains("blk_2 needs chunk");
    assertThat(problems.get(1)).contains("too many chunks");
  }

  @Test
  void endsWhereTheStoreIsClosed() throws IOException {
    long[] refs = store.sealed(5);
    store.blocks.put(1L, refs);
    AtomicBoolean closing = new AtomicBoolean();
    ReferenceCheck check =
        new ReferenceCheck(
            store.containers,
            (visitor, first) -> {
              closing.set(true);
              store.forEach(visitor, first);
            },
            store.index,
            problems::add,
            1 << 20,
            closing::get);
    assertThatThrownBy(check::run).isInstanceOf(InterruptedIOException.class);
    ReferenceCheck late =
        new ReferenceCheck(
            store.containers, store, store.index, problems::add, 1 << 20, closing::get);
    assertThatThrownBy(late::run).isInstanceOf(InterruptedIOException.class);
  }

  @Test
  void endsWhileItReadsTheIndex() throws IOException {
    store.blocks.put(1L, store.sealed(5));
    store.index.work(() -> false);
    store.index.work(() -> false);
    AtomicBoolean leaving = new AtomicBoolean();
    store.watcher = (operation, batch) -> leaving.compareAndSet(false, operation.equals("scan"));
    ReferenceCheck check =
        new ReferenceCheck(
            store.containers, store, store.index, problems::add, 1 << 20, leaving::get);
    assertThatThrownBy(check::run).isInstanceOf(InterruptedIOException.class);
  }

  @Test
  void aBlockIsNamedOnceWithTheFirstChunkThatIsMissing() throws IOException {
    long[] refs = store.sealed(3);
    long container = ChunkRef.container(refs[0]);
    store.blocks.put(1L, refs);
    // Of a run, those that are there are not counted.
    CollectedStore other = store;
    Map<String, Long> found =
        new ReferenceCheck(
                store.containers,
                (visitor, first) -> {
                  other.forEach(visitor, first);
                  visitor.reference(2, container, 1, 4);
                  visitor.reference(3, container + 7, 0, 1);
                },
                store.index,
                problems::add,
                1 << 20,
                () -> false)
            .run();
    assertThat(found)
        .containsEntry("blocks", 3L)
        .containsEntry("references", 8L)
        .containsEntry("missing", 3L)
        .containsEntry("unreferenced", 0L);
    assertThat(problems)
        .containsExactly(
            "blk_2 needs chunk " + ChunkRef.toString(refs[2] + 1) + ", which is not there",
            problems.get(1));
    assertThat(problems.get(1))
        .startsWith("blk_3 needs chunk " + ChunkRef.toString(ChunkRef.pack(container + 7, 0)))
        .contains("which can't be read: ");
  }

  @Test
  void whatIsKnownToBeDamagedIsMissing() throws IOException {
    long[] refs = store.sealed(3);
    store.containers.markBad(refs[1]);
    store.blocks.put(1L, refs);
    assertThat(check()).containsEntry("missing", 1L).containsEntry("unreferenced", 0L);
    assertThat(problems)
        .containsExactly("blk_1 needs chunk " + ChunkRef.toString(refs[1]) + ", which is damaged");
  }

  /** A chunk that was healed is whole: its block names a base that it does not need. */
  @Test
  void aBaseThatNoChunkNeedsMayBeDamaged() throws IOException {
    long[] refs = store.sealed(3);
    long container = ChunkRef.container(refs[0]);
    store.containers.markBad(refs[1]);
    Map<String, Long> found =
        new ReferenceCheck(
                store.containers,
                (visitor, first) -> {
                  visitor.base(1, container, ChunkRef.number(refs[1]), 1);
                  visitor.base(1, container + 7, 0, 1);
                  visitor.reference(1, container, ChunkRef.number(refs[0]), 1);
                },
                store.index,
                problems::add,
                1 << 20,
                () -> false)
            .run();
    assertThat(found)
        .containsEntry("references", 3L)
        .containsEntry("missing", 0L)
        .containsEntry("unreferenced", 1L);
    assertThat(problems).isEmpty();
  }

  @Test
  void aHundredBlocksAreNamed() throws IOException {
    long[] refs = store.sealed(1);
    for (long id = 1; id <= 102; id++) {
      store.blocks.put(id, new long[] {refs[0] + 1, refs[0] + 2});
    }
    assertThat(check()).containsEntry("missing", 204L).containsEntry("blocks", 102L);
    assertThat(problems).hasSize(100);
    assertThat(problems.get(99)).startsWith("blk_100 needs");
  }

  /** Of damaged blocks, too, and of bases that no chunk needs any more. */
  @Test
  void howManyBlocksThereAreTakesNoHeap() throws IOException {
    long[] refs = store.sealed(1);
    long container = ChunkRef.container(refs[0]);
    int count = 400_000;
    BlockReferences many =
        (visitor, first) -> {
          final long before = UsedHeap.bytes();
          for (int block = 0; block < count; block++) {
            visitor.base(block, container, 1 + block, 1);
            visitor.reference(block, container, block % 2, 1);
          }
          assertThat(UsedHeap.bytes() - before).isLessThan(16L << 20);
        };
    assertThat(
            new ReferenceCheck(
                    store.containers, many, store.index, problems::add, 1 << 20, () -> false)
                .run())
        .containsEntry("blocks", (long) count)
        .containsEntry("missing", count / 2L);
    assertThat(problems).hasSize(100);
  }

  @Test
  void entriesOfWhatIsGoneAreStale() throws IOException {
    long[] sealed = store.sealed(4);
    long[] open = store.open(2);
    store.index.work(() -> false);
    long[] gone = {sealed[3] + 1, open[1] + 1, ChunkRef.pack(99, 0)};
    byte[] names = new byte[gone.length * Fingerprinter.LENGTH];
    for (int i = 0; i < gone.length; i++) {
      names[i * Fingerprinter.LENGTH] = (byte) i;
    }
    store.index.publish(names, gone, gone.length);
    store.index.work(() -> false);
    assertThat(check())
        .containsEntry("missing", 0L)
        .containsEntry("unreferenced", 6L)
        .containsEntry("indexEntries", 9L)
        .containsEntry("staleEntries", 3L);
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).startsWith("3 entries of the index name chunks");
  }

  @Test
  void withoutAnIndexTheRestIsCounted() throws IOException {
    long[] refs = store.sealed(4);
    store.blocks.put(1L, new long[] {refs[0]});
    store.watcher =
        (operation, batch) -> {
          throw new StoreUnreachableException("gone");
        };
    assertThat(check()).containsOnlyKeys("blocks", "references", "missing", "unreferenced");
    assertThat(problems).containsExactly("the index can't be read: gone");
  }

  @Test
  void aContainerThatCanNotBeReadDoesNotKeepOthers() throws IOException {
    long[] damaged = store.sealed(4);
    long[] sound = store.sealed(2);
    Path file = store.containers.file(ChunkRef.container(damaged[0]));
    Files.write(file, new byte[(int) Files.size(file)]);
    store.blocks.put(1L, damaged);
    store.blocks.put(2L, sound);
    assertThat(check())
        .containsEntry("missing", 4L)
        .containsEntry("unreferenced", 0L)
        .containsEntry("references", 6L);
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).startsWith("blk_1 needs").contains("which can't be read: ");
  }

  @Test
  void aBlockThatCanNotBeReadEndsIt() {
    store.afterBlocksWereShown =
        () -> {
          throw new IOException("damaged");
        };
    assertThatThrownBy(this::check).isInstanceOf(IOException.class).hasMessage("damaged");
  }
}
