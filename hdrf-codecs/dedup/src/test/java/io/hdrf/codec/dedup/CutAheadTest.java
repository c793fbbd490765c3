/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.jni.Chunker;
import io.hdrf.jni.ChunkerAlgorithm;
import io.hdrf.scheme.BlockSource;
import io.hdrf.scheme.FrameChain;
import io.hdrf.scheme.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CutAheadTest {

  private static final int PIECE = 64 << 10;
  private static final int LENGTH = 10 * PIECE + 777;

  private final Random random = TestSeed.random("cut ahead");
  private final Chunker chunker = Chunker.of(ChunkerAlgorithm.VHASH, 1 << 10);
  private final CutAhead ahead = new CutAhead(chunker, FingerprintFunction.SHA256, PIECE);

  @AfterEach
  void close() {
    ahead.close();
  }

  /** What a source does before each read. */
  private interface Hook {
    void beforeRead(int position) throws IOException;
  }

  /** Gives some bytes, in parts of any length. */
  private final class Bytes implements BlockSource {
    private final byte[] bytes;
    private final Hook hook;
    private int position;

    Bytes(byte[] bytes, Hook hook) {
      this.bytes = bytes;
      this.hook = hook;
    }

    @Override
    public long length() {
      return bytes.length;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
      hook.beforeRead(position);
      if (position == bytes.length) {
        return -1;
      }
      int count = Math.min(dst.remaining(), bytes.length - position);
      count = 1 + random.nextInt(count);
      dst.put(bytes, position, count);
      position += count;
      return count;
    }

    @Override
    public FrameChain tail() {
      throw new UnsupportedOperationException();
    }
  }

  private byte[] block(int length) {
    byte[] block = new byte[length];
    random.nextBytes(block);
    return block;
  }

  private BlockSource source(byte[] block) {
    return new Bytes(block, position -> {});
  }

  /** Takes all pieces of a block, and checks the fingerprints. */
  private List<Integer> chunks(byte[] block) throws IOException {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    List<Integer> lengths = new ArrayList<>();
    CutBuffer piece = ahead.begin(source(block));
    take(piece, whole, lengths);
    while (!piece.isLast()) {
      piece = ahead.next();
      take(piece, whole, lengths);
    }
    ahead.end();
    assertThat(whole.toByteArray()).isEqualTo(block);
    return lengths;
  }

  private static void take(CutBuffer piece, ByteArrayOutputStream whole, List<Integer> lengths) {
    ByteBuffer view = piece.view();
    byte[] made = new byte[piece.count() * Fingerprinter.LENGTH];
    piece.copyFingerprints(0, piece.count(), made);
    byte[] expected = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < piece.count(); i++) {
      lengths.add(piece.show(i, view));
      byte[] chunk = new byte[view.remaining()];
      view.duplicate().get(chunk);
      whole.write(chunk, 0, chunk.length);
      FingerprintFunction.SHA256.fingerprint(view, expected, 0);
      int at = i * Fingerprinter.LENGTH;
      assertThat(Arrays.copyOfRange(made, at, at + Fingerprinter.LENGTH)).isEqualTo(expected);
    }
  }

  private List<Integer> cutAtOnce(byte[] block) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(block.length);
    bytes.put(block).flip();
    int[] ends = new int[block.length + 1];
    int count = chunker.cut(bytes, true, ends);
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lengths.add(ends[i] - (i == 0 ? 0 : ends[i - 1]));
    }
    return lengths;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 500, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, LENGTH})
  void piecesAreCutAsTheWholeBlockIs(int length) throws IOException {
    // Again and again, since the buffers are used again.
    for (int i = 0; i < 3; i++) {
      byte[] block = block(length);
      assertThat(chunks(block)).isEqualTo(cutAtOnce(block));
    }
  }

  @Test
  void aPieceMayHaveManyChunks() throws IOException {
    Chunker tiny = Chunker.of(ChunkerAlgorithm.FIXED, Chunker.MIN_AVERAGE_SIZE);
    try (CutAhead pieces = new CutAhead(tiny, FingerprintFunction.SHA256, 4 << 20)) {
      byte[] block = block((4 << 20) + 100);
      List<Integer> lengths = new ArrayList<>();
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      CutBuffer piece = pieces.begin(source(block));
      assertThat(piece.count()).isEqualTo((4 << 20) / Chunker.MIN_AVERAGE_SIZE);
      take(piece, whole, lengths);
      take(pieces.next(), whole, lengths);
      assertThat(whole.toByteArray()).isEqualTo(block);
      assertThat(lengths).last().isEqualTo(100);
    }
  }

  @Test
  void theNextPieceIsReadWhileOneIsUsed() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    CutBuffer piece =
        ahead.begin(
            new Bytes(
                block(LENGTH),
                position -> {
                  if (position >= PIECE) {
                    second.countDown();
                  }
                }));
    second.await();
    assertThat(piece.isLast()).isFalse();
    ahead.end();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, PIECE / 2, PIECE, 5 * PIECE, LENGTH})
  void aFailureComesThroughAsItIs(int where) throws IOException {
    IOException failure = new IOException("broken");
    Hook hook =
        position -> {
          if (position >= where) {
            throw failure;
          }
        };
    assertThatThrownBy(
            () -> {
              CutBuffer piece = ahead.begin(new Bytes(block(LENGTH), hook));
              while (!piece.isLast()) {
                piece = ahead.next();
              }
            })
        .isSameAs(failure);
    ahead.end();
    byte[] block = block(LENGTH);
    assertThat(chunks(block)).isEqualTo(cutAtOnce(block));
  }

  @Test
  void anErrorComesThroughAsItIs() {
    IllegalStateException failure = new IllegalStateException("broken");
    assertThatThrownBy(
            () -> {
              ahead.begin(
                  new Bytes(
                      block(LENGTH),
                      position -> {
                        if (position >= PIECE) {
                          throw failure;
                        }
                      }));
              ahead.next();
            })
        .isSameAs(failure);
  }

  @Test
  void nothingIsReadAfterTheEnd() throws Exception {
    for (int i = 0; i < 20; i++) {
      AtomicInteger reading = new AtomicInteger();
      Bytes source =
          new Bytes(
              block(LENGTH),
              position -> {
                reading.incrementAndGet();
                Thread.yield();
              });
      ahead.begin(source);
      ahead.end();
      int reads = reading.get();
      int position = source.position;
      Thread.sleep(5);
      assertThat(reading).hasValue(reads);
      assertThat(source.position).isEqualTo(position);
    }
  }

  @Test
  void anInterruptDoesNotLeaveTheSourceInUse() throws Exception {
    byte[] block = block(LENGTH);
    Thread.currentThread().interrupt();
    assertThat(chunks(block)).isEqualTo(cutAtOnce(block));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void doesNotKeepItsThread() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Thread[] helper = new Thread[1];
    ahead.begin(
        new Bytes(
            block(LENGTH),
            position -> {
              if (position >= PIECE && helper[0] == null) {
                helper[0] = Thread.currentThread();
                begun.countDown();
              }
            }));
    begun.await();
    assertThat(helper[0]).isNotSameAs(Thread.currentThread());
    ahead.close();
    helper[0].join();
  }
}
