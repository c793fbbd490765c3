/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.jni.ChunkFeatures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Finds bases among chunks of random bytes, each unlike all others. */
class SimilarChunksTest {

  private static final int LENGTH = 5000;
  private static final long NONE = BaseTable.NONE;

  private final Random random = new Random(5);
  private final Map<Long, byte[]> full = new HashMap<>();

  /** The bases of chunks that are stored as differences. */
  private final Map<Long, Long> differences = new HashMap<>();

  private final List<Long> loaded = new ArrayList<>();
  private final Table table = new Table();
  private final FeatureBatch batch = new FeatureBatch(table);
  private final Chunks chunks = new Chunks();
  private final SimilarChunks similar =
      new SimilarChunks(batch, chunks, new DifferenceEncoder(DifferenceEncoder.DEFAULT_PERCENT));

  private static final class Table implements BaseTable {
    private final Map<Long, Long> entries = new HashMap<>();
    private int calls;

    @Override
    public void find(long[] superFeatures, int count, long[] bases) {
      calls++;
      for (int i = 0; i < count; i++) {
        bases[i] = entries.getOrDefault(superFeatures[i], NONE);
      }
    }

    @Override
    public void add(long[] superFeatures, int count, long[] bases) {
      for (int i = 0; i < count; i++) {
        if (superFeatures[i] != 0) {
          entries.put(superFeatures[i], bases[i]);
        }
      }
    }
  }

  private final class Chunks implements BaseChunks {
    private int resolved;

    @Override
    public long fullChunk(long ref) {
      resolved++;
      return full.containsKey(ref) ? ref : differences.getOrDefault(ref, NONE);
    }

    @Override
    public ByteBuffer content(long base) {
      loaded.add(base);
      byte[] bytes = full.get(base);
      return bytes.length == 0 ? null : direct(bytes);
    }
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private long store(int number) {
    long ref = ChunkRef.pack(7, number);
    full.put(ref, noise(LENGTH));
    return ref;
  }

  private byte[] changed(long ref) {
    byte[] bytes = full.get(ref).clone();
    bytes[LENGTH / 2]++;
    return bytes;
  }

  private void publish(long ref) {
    byte[] bytes = full.get(ref);
    batch.take(direct(bytes), new int[1], new int[] {bytes.length}, 1);
    long[] superFeatures = new long[SuperFeatures.COUNT];
    batch.superFeatures(0, superFeatures, 0);
    long[] bases = new long[SuperFeatures.COUNT];
    Arrays.fill(bases, ref);
    table.add(superFeatures, SuperFeatures.COUNT, bases);
  }

  /** Takes a chunk as the only new one of a buffer, and checks the difference. */
  private long find(byte[] chunk, long following) throws IOException {
    batch.take(direct(chunk), new int[1], new int[] {chunk.length}, 1);
    long base = similar.find(0, direct(chunk), following);
    if (base == NONE) {
      assertThat(similar.difference()).isNull();
      return base;
    }
    ByteBuffer made = ByteBuffer.allocateDirect(chunk.length);
    assertThat(similar.difference().remaining()).isLessThan(100);
    assertThat(ChunkDelta.decode(direct(full.get(base)), similar.difference(), made)).isTrue();
    assertThat(made.flip()).isEqualTo(direct(chunk));
    return base;
  }

  @Test
  void whatIsLikeAPublishedChunkIsFoundInTheTable() throws IOException {
    long base = store(3);
    assertThat(find(changed(base), NONE)).isEqualTo(NONE);
    publish(base);
    assertThat(find(changed(base), NONE)).isEqualTo(base);
    assertThat(find(noise(LENGTH), NONE)).isEqualTo(NONE);
    assertThat(find(new byte[LENGTH], NONE)).isEqualTo(NONE);
  }

  @Test
  void theNeighboursOfKnownChunksAreFoundWithoutATable() throws IOException {
    long[] refs = {store(1), store(2), store(3), store(4)};
    similar.known(refs[0]);
    assertThat(find(changed(refs[1]), NONE)).isEqualTo(refs[1]);
    assertThat(find(changed(refs[2]), NONE)).as("behind a difference").isEqualTo(refs[2]);
    similar.beginBlock();
    assertThat(find(changed(refs[3]), NONE)).as("in another block").isEqualTo(NONE);
    assertThat(find(changed(refs[1]), refs[2])).as("before the next").isEqualTo(refs[1]);
  }

  @Test
  void theSearchGoesOnBehindAChunkThatWasReplaced() throws IOException {
    long[] refs = {store(1), store(2), store(3)};
    similar.known(refs[0]);
    assertThat(find(noise(LENGTH), NONE)).isEqualTo(NONE);
    assertThat(find(changed(refs[2]), NONE)).isEqualTo(refs[2]);
  }

  @Test
  void aDifferenceStandsForItsBase() throws IOException {
    long base = store(9);
    long next = store(10);
    long difference = ChunkRef.pack(8, 1);
    differences.put(difference, base);
    similar.known(ChunkRef.pack(8, 0));
    assertThat(find(changed(base), NONE)).isEqualTo(base);
    similar.beginBlock();
    similar.known(difference);
    assertThat(find(changed(next), NONE)).as("behind the base").isEqualTo(next);
    assertThat(loaded).doesNotContain(difference);
  }

  @Test
  void neighboursThatAreNotAlikeAreNotEncoded() throws IOException {
    long[] refs = {store(1), store(2)};
    similar.known(refs[0]);
    assertThat(find(noise(LENGTH), NONE)).isEqualTo(NONE);
    assertThat(loaded).containsExactly(refs[1]);
  }

  @Test
  void noCandidateIsTriedTwice() throws IOException {
    long base = store(2);
    publish(base);
    byte[] alike = full.get(base).clone();
    byte[] other = noise(1200);
    System.arraycopy(other, 0, alike, 1000, other.length);
    similar.known(ChunkRef.pack(7, 1));
    assertThat(find(alike, ChunkRef.pack(7, 3))).isEqualTo(NONE);
    assertThat(loaded).containsExactly(base);
  }

  @Test
  void whatCannotBeReadIsNoBase() throws IOException {
    long first = store(1);
    long gone = store(2);
    byte[] chunk = changed(gone);
    publish(gone);
    full.put(gone, new byte[0]);
    similar.known(first);
    assertThat(find(chunk, NONE)).isEqualTo(NONE);
  }

  @Test
  void theEndsOfAContainerHaveNoNeighbour() throws IOException {
    store(0);
    similar.known(ChunkRef.pack(6, ChunkRef.MAX_NUMBER));
    assertThat(find(changed(ChunkRef.pack(7, 0)), ChunkRef.pack(8, 0))).isEqualTo(NONE);
    assertThat(loaded).isEmpty();
  }

  @Test
  void theBasesOfKnownChunksAreLookedUpOnlyWhereANewOneFollows() throws IOException {
    long[] refs = {store(1), store(2), store(3)};
    similar.known(refs[0]);
    similar.known(refs[1]);
    assertThat(chunks.resolved).isZero();
    assertThat(find(changed(refs[2]), NONE)).isEqualTo(refs[2]);
  }

  @Test
  void aBufferIsLookedUpAtOnce() throws IOException {
    long[] refs = new long[100];
    byte[] data = new byte[refs.length * LENGTH];
    int[] starts = new int[refs.length];
    int[] ends = new int[refs.length];
    for (int i = 0; i < refs.length; i++) {
      refs[i] = store(2 * i);
      publish(refs[i]);
      System.arraycopy(changed(refs[i]), 0, data, i * LENGTH, LENGTH);
      starts[i] = i * LENGTH;
      ends[i] = starts[i] + LENGTH;
    }
    int before = table.calls;
    batch.take(direct(data), starts, ends, refs.length);
    assertThat(table.calls).isEqualTo(before + 1);
    int found = 0;
    for (int i = 0; i < refs.length; i++) {
      byte[] chunk = Arrays.copyOfRange(data, starts[i], ends[i]);
      found += similar.find(i, direct(chunk), NONE) == refs[i] ? 1 : 0;
    }
    assertThat(found).isGreaterThan(95);
  }

  /** Of one byte, and without features. */
  private static byte[] plain() {
    byte[] bytes = new byte[LENGTH];
    int[] features = new int[ChunkFeatures.COUNT];
    do {
      Arrays.fill(bytes, (byte) (bytes[0] + 1));
      ChunkFeatures.of(direct(bytes), new int[1], new int[] {LENGTH}, 1, features);
    } while (Arrays.stream(features).anyMatch(feature -> feature != 0));
    return bytes;
  }

  /** Mostly as that, so that the difference to it is short. */
  private byte[] sparse() {
    byte[] bytes = plain();
    System.arraycopy(noise(LENGTH / 10), 0, bytes, LENGTH / 2, LENGTH / 10);
    return bytes;
  }

  private long[] superFeatures(byte[] chunk) {
    batch.take(direct(chunk), new int[1], new int[] {chunk.length}, 1);
    long[] superFeatures = new long[SuperFeatures.COUNT];
    batch.superFeatures(0, superFeatures, 0);
    return superFeatures;
  }

  /** Whose features agree is asked of neighbours alone: the table has none of others. */
  @Test
  void neighboursMustAgreeInAFeature() throws IOException {
    long plain = store(2);
    full.put(plain, plain());
    byte[] chunk = sparse();
    similar.known(ChunkRef.pack(7, 1));
    assertThat(find(chunk, NONE)).isEqualTo(NONE);
    assertThat(loaded).containsExactly(plain);
    table.add(superFeatures(chunk), 1, new long[] {plain});
    similar.beginBlock();
    batch.take(direct(chunk), new int[1], new int[] {LENGTH}, 1);
    assertThat(similar.find(0, direct(chunk), NONE)).isEqualTo(plain);
  }

  @Test
  void whatTheTableHasForTheNextChunkIsNotTaken() throws IOException {
    long plain = store(2);
    full.put(plain, plain());
    byte[] both = new byte[2 * LENGTH];
    byte[] second = sparse();
    System.arraycopy(sparse(), 0, both, 0, LENGTH);
    System.arraycopy(second, 0, both, LENGTH, LENGTH);
    table.add(superFeatures(second), 1, new long[] {plain});
    batch.take(direct(both), new int[] {0, LENGTH}, new int[] {LENGTH, 2 * LENGTH}, 2);
    assertThat(similar.find(0, direct(Arrays.copyOf(both, LENGTH)), NONE)).isEqualTo(NONE);
    assertThat(similar.find(1, direct(second), NONE)).isEqualTo(plain);
  }

  @Test
  void theSearchGoesOnBehindWhatTheTableHad() throws IOException {
    long[] refs = {store(5), store(6)};
    publish(refs[0]);
    assertThat(find(changed(refs[0]), NONE)).isEqualTo(refs[0]);
    assertThat(find(changed(refs[1]), NONE)).isEqualTo(refs[1]);
  }

  @Test
  void oneBaseServesManyChunks() throws IOException {
    long base = store(5);
    publish(base);
    for (int i = 0; i < 3; i++) {
      assertThat(find(changed(base), NONE)).isEqualTo(base);
    }
  }

  @Test
  void allNeighboursAreTried() throws IOException {
    long behindBase = store(3);
    long base = store(2);
    long behind = store(21);
    long before = store(40);
    differences.put(ChunkRef.pack(7, 20), base);
    similar.known(ChunkRef.pack(7, 20));
    assertThat(find(noise(LENGTH), ChunkRef.pack(7, 41))).isEqualTo(NONE);
    assertThat(loaded).containsExactly(behind, behindBase, before);
  }

  @Test
  void chunksOfABufferHaveTheirOwnFeatures() {
    byte[] data = noise(3 * LENGTH);
    int[] starts = {0, LENGTH, 2 * LENGTH};
    int[] ends = {LENGTH, 2 * LENGTH, 3 * LENGTH};
    batch.take(direct(data), starts, ends, 3);
    long[] all = new long[3 * SuperFeatures.COUNT];
    for (int i = 0; i < 3; i++) {
      batch.superFeatures(i, all, i * SuperFeatures.COUNT);
    }
    int[] features = new int[ChunkFeatures.COUNT];
    for (int i = 0; i < 3; i++) {
      byte[] chunk = Arrays.copyOfRange(data, starts[i], ends[i]);
      batch.take(direct(data), starts, ends, 3);
      ChunkFeatures.of(direct(chunk), new int[1], new int[] {LENGTH}, 1, features);
      for (int j = 0; j < 3; j++) {
        assertThat(batch.agrees(j, features)).isEqualTo(i == j);
      }
      for (int j = 0; j < ChunkFeatures.COUNT; j++) {
        int[] one = new int[ChunkFeatures.COUNT];
        one[j] = features[j];
        assertThat(batch.agrees(i, one)).isTrue();
        one[j] = 0;
        one[(j + 1) % ChunkFeatures.COUNT] = features[j];
        assertThat(batch.agrees(i, one)).as("in another place").isFalse();
      }
      assertThat(superFeatures(chunk))
          .isEqualTo(
              Arrays.copyOfRange(all, i * SuperFeatures.COUNT, (i + 1) * SuperFeatures.COUNT));
    }
    batch.take(direct(plain()), new int[1], new int[] {LENGTH}, 1);
    assertThat(batch.agrees(0, new int[ChunkFeatures.COUNT])).as("without features").isFalse();
  }

  /** Tables are kept on disk. */
  @Test
  void superFeaturesAreAsEver() {
    int[] features = new int[ChunkFeatures.COUNT + 1];
    for (int i = 0; i < features.length; i++) {
      features[i] = i * i;
    }
    long[] made = new long[4];
    SuperFeatures.of(features, 1, made, 1);
    assertThat(made).containsExactly(GOLDEN);
    SuperFeatures.of(new int[ChunkFeatures.COUNT], 0, made, 0);
    assertThat(Arrays.copyOf(made, 3)).containsOnly(0);
  }

  private static final long[] GOLDEN = {
    0, 0xbd0be88eb144c84eL, 0x48f6b3f8ac46e6c2L, 0xc3ecc57a0aa06339L
  };
}
