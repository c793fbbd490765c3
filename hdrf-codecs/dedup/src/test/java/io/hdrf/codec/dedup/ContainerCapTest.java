/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.index.IndexLookup;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ContainerCapTest {

  private static final int LENGTH = 1000;

  /** References to chunks of these containers; -1: not found. */
  private static long[] refs(long... containers) {
    long[] refs = new long[containers.length];
    for (int i = 0; i < refs.length; i++) {
      refs[i] = containers[i] < 0 ? -1 : ChunkRef.pack(containers[i], i);
    }
    return refs;
  }

  /** Of whole chunks. */
  private static long[] noBases(int count) {
    long[] bases = new long[count];
    Arrays.fill(bases, -1);
    return bases;
  }

  private static int[] ends(int count) {
    int[] ends = new int[count];
    for (int i = 0; i < count; i++) {
      ends[i] = (i + 1) * LENGTH;
    }
    return ends;
  }

  /** Returns the containers that are still referred to, chunk by chunk. */
  private static long[] apply(ContainerCap cap, long own, long... containers) {
    return apply(cap, own, noBases(containers.length), containers);
  }

  private static long[] apply(ContainerCap cap, long own, long[] bases, long[] containers) {
    long[] refs = refs(containers);
    int chosen = cap.apply(refs, bases, ends(refs.length), refs.length, own);
    int gone = 0;
    long[] left = new long[refs.length];
    for (int i = 0; i < refs.length; i++) {
      left[i] = refs[i] < 0 ? -1 : ChunkRef.container(refs[i]);
      gone += containers[i] >= 0 && refs[i] < 0 ? 1 : 0;
    }
    assertThat(chosen).isEqualTo(gone);
    return left;
  }

  private static ContainerCap cap(int containers, int percent) {
    ContainerCap cap = new ContainerCap(containers, percent);
    cap.beginBlock();
    return cap;
  }

  @Test
  void thoseThatGiveMostStay() {
    assertThat(apply(cap(2, 100), -1, 7, 5, 7, -1, 9, 5, 7, 8, 7))
        .containsExactly(7, 5, 7, -1, -1, 5, 7, -1, 7);
  }

  @Test
  void bytesCountAndNotChunks() {
    long[] refs = refs(3, 4, 3, -1);
    assertThat(cap(1, 100).apply(refs, noBases(4), new int[] {10, 1000, 1010, 1020}, 4, -1))
        .isEqualTo(2);
    assertThat(refs).containsExactly(-1, ChunkRef.pack(4, 1), -1, -1);
  }

  @Test
  void noMoreThanAllowedNothingIsStoredAgain() {
    assertThat(apply(cap(3, 100), -1, 1, 2, 3, 2)).containsExactly(1, 2, 3, 2);
    assertThat(apply(cap(0, 100), -1, 1, 2, 3, 4)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void theContainerThatIsAppendedToCostsNothing() {
    assertThat(apply(cap(1, 100), 6, 6, 2, 2, 3)).containsExactly(6, 2, 2, -1);
  }

  @Test
  void noMoreThanTheShareIsStoredAgain() {
    // Of ten chunks that were found, 10 % are one; the two of container 3 are too many.
    assertThat(apply(cap(1, 10), -1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, -1))
        .containsExactly(1, 1, 1, 1, 1, 1, 1, -1, 3, 3, -1);
    assertThat(apply(cap(1, 9), -1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, -1))
        .containsExactly(1, 1, 1, 1, 1, 1, 1, 2, 3, 3, -1);
  }

  @Test
  void whatASegmentDoesNotUseIsLeftForTheNextOfItsBlock() {
    ContainerCap cap = cap(1, 10);
    assertThat(apply(cap, -1, 1, 1, 1, 1, 1, 2, -1)).containsExactly(1, 1, 1, 1, 1, 2, -1);
    assertThat(apply(cap, -1, 1, 1, 1, 2, -1)).containsExactly(1, 1, 1, -1, -1);
    cap.beginBlock();
    assertThat(apply(cap, -1, 1, 1, 1, 1, 1, 2, -1)).containsExactly(1, 1, 1, 1, 1, 2, -1);
    cap.beginBlock();
    assertThat(apply(cap, -1, 1, 1, 1, 2, -1)).containsExactly(1, 1, 1, 2, -1);
  }

  @Test
  void oneIsNotGivenUpForTheOneThatIsAppendedTo() {
    assertThat(apply(cap(2, 100), -1, 1, 1, 2, 2, 3)).containsExactly(1, 1, 2, 2, 3);
    assertThat(apply(cap(2, 100), 9, 1, 1, 2, 2, 3)).containsExactly(1, 1, 2, 2, 3);
    assertThat(apply(cap(2, 100), 9, 1, 1, 2, 2, 3, 9)).containsExactly(1, 1, 2, 2, -1, 9);
    assertThat(apply(cap(2, 100), -1, 1, 1, 2, 2, 3, -1)).containsExactly(1, 1, 2, 2, -1, -1);
    assertThat(apply(cap(2, 100), -1, 1, 1, 2, 2, 3, 4)).containsExactly(1, 1, 2, 2, -1, -1);
  }

  @Test
  void whatIsNotGivenUpCostsNothing() {
    ContainerCap cap = cap(1, 26);
    assertThat(apply(cap, -1, 1, 1, 1, 2)).containsExactly(1, 1, 1, 2);
    assertThat(apply(cap, -1, 1, 1, 2, -1)).containsExactly(1, 1, -1, -1);
  }

  @Test
  void aChunkThatRepeatsCountsOnce() {
    long[] refs = refs(1, 1, 1, 1, 1, 2, -1);
    Arrays.fill(refs, 0, 5, refs[0]);
    assertThat(cap(1, 30).apply(refs, noBases(7), ends(7), 7, -1)).isZero();
    assertThat(apply(cap(1, 30), -1, 1, 1, 1, 1, 1, 2, -1)).containsExactly(1, 1, 1, 1, 1, -1, -1);
  }

  @Test
  void eachChunkOfASegmentMayHaveAContainerOfItsOwn() {
    long[] containers = new long[IndexLookup.MAX_COUNT];
    for (int i = 0; i < containers.length; i++) {
      containers[i] = i;
    }
    assertThat(LongStream.of(apply(cap(6, 100), -1, containers)).filter(c -> c >= 0)).hasSize(6);
  }

  /** A reader opens them, too. */
  @Test
  void theContainersOfBasesCount() {
    long[] bases = refs(-1, -1, 5, 5, 5, 3);
    assertThat(apply(cap(2, 100), -1, bases, new long[] {1, 1, 2, 2, 2, 3}))
        .as("each of container 2 takes 5")
        .containsExactly(-1, -1, 2, 2, 2, -1);
    assertThat(apply(cap(2, 100), 5, bases, new long[] {1, 1, 2, 2, 2, 3}))
        .as("5 is read anyway")
        .containsExactly(1, 1, 2, 2, 2, -1);
    assertThat(apply(cap(2, 100), 9, bases, new long[] {3, 3, 3, 9, 2, 3}))
        .as("without 2")
        .containsExactly(3, 3, 3, 9, -1, 3);
    assertThat(apply(cap(1, 100), -1, refs(-1, -1, 8, -1), new long[] {1, 1, 1, -1}))
        .as("without 8, of the base alone")
        .containsExactly(1, 1, -1, -1);
  }

  @Test
  void newChunksTakeNoBaseOfAContainerBeyond() {
    ContainerCap cap = cap(3, 100);
    apply(cap, 9, 1, 2, 1);
    for (long container : new long[] {1, 2, 3, 9}) {
      assertThat(cap.allows(container)).isTrue();
    }
    cap.add(2);
    cap.add(9);
    assertThat(cap.allows(3)).isTrue();
    cap.add(3);
    assertThat(cap.allows(4)).isFalse();
    assertThat(cap.allows(3)).isTrue();
    assertThat(cap.allows(9)).isTrue();
    apply(cap, 9, 1, 2);
    assertThat(cap.allows(4)).as("the next segment").isTrue();
    ContainerCap any = cap(0, 100);
    apply(any, 9, 1, 2, 3);
    any.add(4);
    assertThat(any.allows(5)).isTrue();
  }

  @Test
  void eachChunkOfASegmentMayTakeTwoContainers() {
    ContainerCap cap = cap(6, 1);
    long[] containers = new long[IndexLookup.MAX_COUNT];
    long[] bases = new long[IndexLookup.MAX_COUNT];
    for (int i = 0; i < containers.length; i++) {
      containers[i] = i;
      bases[i] = ChunkRef.pack(10_000 + i, 0);
    }
    apply(cap, -1, bases, containers);
    assertThat(cap.allows(30_000)).isFalse();
    Arrays.fill(containers, -1);
    Arrays.fill(bases, -1);
    apply(cap, -1, bases, containers);
    for (int i = 0; i < containers.length; i++) {
      cap.add(i);
    }
    assertThat(cap.allows(1)).isTrue();
  }
}
