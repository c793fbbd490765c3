/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ChunkDeltaTest {

  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());

  private final Random random = new Random(SEED);
  private final ChunkDelta delta = new ChunkDelta();

  @BeforeAll
  static void printSeed() {
    System.out.println("hdrf.test.seed=" + SEED);
  }

  @Test
  void differencesAreAsEver() throws IOException {
    List<String> lines = ChunkFeaturesTest.lines("/vectors/differences.txt");
    assertThat(lines).hasSize(10);
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      byte[] base = HexFormat.of().parseHex(fields[0]);
      byte[] chunk = HexFormat.of().parseHex(fields[1]);
      byte[] expected = HexFormat.of().parseHex(fields[2]);
      assertThat(encoded(base, chunk, 2048)).isEqualTo(expected);
      assertThat(decoded(base, expected, chunk.length)).isEqualTo(chunk);
    }
  }

  @Test
  void chunksComeBackAndTwinIsAsNative() {
    for (ChunkerData kind : ChunkerData.values()) {
      for (int round = 0; round < 20; round++) {
        byte[] base = kind.make(1 + random.nextInt(round < 10 ? 60 : 20_000), random);
        byte[] chunk =
            round % 5 == 0 ? kind.make(1 + random.nextInt(9000), random) : edited(base, random);
        byte[] difference = encoded(base, chunk, chunk.length + 30);
        assertThat(difference).isNotNull();
        assertThat(decoded(base, difference, chunk.length)).isEqualTo(chunk);
        assertThat(encoded(base, chunk, difference.length)).isEqualTo(difference);
        assertThat(encoded(base, chunk, difference.length - 1)).isNull();
        assertThat(encoded(base, chunk, random.nextInt(difference.length))).isNull();
      }
    }
  }

  @Test
  void aSmallEditIsAShortDifference() {
    byte[] base = ChunkerData.RANDOM.make(5000, random);
    byte[] chunk = base.clone();
    chunk[2500]++;
    assertThat(encoded(base, chunk, 20)).isNotNull();
  }

  @Test
  void damagedDifferencesAreRefusedOrMakeTheirLength() {
    for (int round = 0; round < 3000; round++) {
      byte[] base = ChunkerData.RANDOM.make(1 + random.nextInt(300), random);
      byte[] chunk = edited(base, random);
      byte[] difference = encoded(base, chunk, chunk.length + 30);
      for (int i = random.nextInt(3); i >= 0; i--) {
        difference[random.nextInt(difference.length)] = (byte) random.nextInt();
      }
      if (round % 4 == 0) {
        difference = Arrays.copyOf(difference, random.nextInt(difference.length + 1));
      }
      byte[] shorter = round % 3 == 0 ? Arrays.copyOf(base, random.nextInt(base.length)) : base;
      int length = ChunkDeltaTwin.takeLength(ByteBuffer.wrap(difference));
      assertThat(length).isBetween(0, ChunkDelta.MAX_LENGTH);
      int wanted = random.nextBoolean() ? chunk.length : Math.min(length, 1 << 16);
      byte[] made = decoded(shorter, difference, wanted);
      assertThat(made == null || wanted == length).isTrue();
    }
  }

  @Test
  void lengthsOutOfRangeHaveNoDifference() {
    byte[] some = {1, 2, 3};
    assertThat(encoded(new byte[0], some, 100)).isNull();
    assertThat(encoded(some, new byte[0], 100)).isNull();
    assertThat(encoded(some, some, 0)).isNull();
    assertThat(decoded(some, new byte[0], 3)).isNull();
    assertThat(decoded(some, new byte[] {1, 0}, 0)).isNull();
    assertThat(decoded(new byte[0], new byte[] {1, 2, 2, 5, 6}, 2)).isEqualTo(new byte[] {5, 6});
    byte[] tooLong = new byte[ChunkDelta.MAX_LENGTH + 1];
    assertThat(encoded(tooLong, some, 100)).isNull();
    assertThat(encoded(some, tooLong, 100)).isNull();
    assertThat(decoded(tooLong, new byte[] {1, 2, 2, 5, 6}, 2)).isNull();
    byte[] longest = Arrays.copyOf(tooLong, ChunkDelta.MAX_LENGTH);
    assertThat(decoded(longest, encoded(longest, longest, 100), longest.length)).isEqualTo(longest);
  }

  @Test
  void nothingIsWrittenIntoReadOnlyBuffers() {
    ByteBuffer some = direct(new byte[] {1, 2, 3});
    ByteBuffer into = ByteBuffer.allocateDirect(100).asReadOnlyBuffer();
    assertThatThrownBy(() -> delta.encode(some, some, into))
        .isInstanceOf(ReadOnlyBufferException.class);
    assertThatThrownBy(() -> ChunkDelta.decode(some, some, into))
        .isInstanceOf(ReadOnlyBufferException.class);
  }

  /** Natively and in Java, which must be the same; null if there is none. */
  private byte[] encoded(byte[] base, byte[] chunk, int limit) {
    ByteBuffer directBase = direct(base);
    ByteBuffer directChunk = direct(chunk);
    ByteBuffer into = room(limit);
    boolean made = delta.encode(directBase, directChunk, into);
    assertThat(directBase.remaining()).isEqualTo(base.length);
    assertThat(directChunk.remaining()).isEqualTo(chunk.length);
    ByteBuffer twins = ByteBuffer.allocate(limit + 7);
    twins.position(3).limit(3 + limit);
    assertThat(delta.encode(ByteBuffer.wrap(base), ByteBuffer.wrap(chunk), twins)).isEqualTo(made);
    assertThat(twins.position()).isEqualTo(into.position());
    ByteBuffer directTwins = room(limit);
    assertThat(delta.encodeInJava(directBase, directChunk, directTwins)).isEqualTo(made);
    if (!made) {
      assertThat(into.position()).isEqualTo(3);
      return null;
    }
    into.flip().position(3);
    assertThat(twins.flip().position(3)).isEqualTo(into);
    assertThat(directTwins.flip().position(3)).isEqualTo(into);
    byte[] difference = new byte[into.remaining()];
    into.get(difference);
    return difference;
  }

  /** Natively and in Java, which must be the same; null if there is none. */
  private static byte[] decoded(byte[] base, byte[] difference, int length) {
    ByteBuffer directBase = direct(base);
    ByteBuffer directDifference = direct(difference);
    ByteBuffer into = room(length);
    boolean made = ChunkDelta.decode(directBase, directDifference, into);
    assertThat(directBase.remaining()).isEqualTo(base.length);
    assertThat(directDifference.remaining()).isEqualTo(difference.length);
    assertThat(into.position()).isEqualTo(made ? 3 + length : 3);
    assertThat(into.limit()).isEqualTo(3 + length);
    ByteBuffer twins = ByteBuffer.allocate(length + 7);
    twins.position(3).limit(3 + length);
    assertThat(ChunkDelta.decode(ByteBuffer.wrap(base), ByteBuffer.wrap(difference), twins))
        .isEqualTo(made);
    ByteBuffer directTwins = room(length);
    assertThat(ChunkDelta.decodeInJava(directBase, directDifference, directTwins)).isEqualTo(made);
    if (!made) {
      return null;
    }
    assertThat(twins.flip().position(3)).isEqualTo(into.flip().position(3));
    assertThat(directTwins.flip().position(3)).isEqualTo(into);
    byte[] chunk = new byte[length];
    into.get(chunk);
    return chunk;
  }

  private static ByteBuffer direct(byte[] bytes) {
    ByteBuffer made = ByteBuffer.allocateDirect(bytes.length + 5);
    made.position(2);
    return made.put(bytes).flip().position(2);
  }

  private static ByteBuffer room(int length) {
    return ByteBuffer.allocateDirect(length + 7).position(3).limit(3 + length);
  }

  /** At least one byte: pieces of the base and others. */
  static byte[] edited(byte[] base, Random random) {
    ByteArrayOutputStream made = new ByteArrayOutputStream();
    int from = 0;
    for (int edits = random.nextInt(6); edits >= 0; edits--) {
      int to = edits == 0 ? base.length : from + random.nextInt(base.length - from + 1);
      made.write(base, from, to - from);
      from = random.nextInt(3) == 0 ? random.nextInt(base.length) : to;
      byte[] inserted = new byte[random.nextInt(40)];
      random.nextBytes(inserted);
      made.writeBytes(inserted);
    }
    made.write(1);
    return made.toByteArray();
  }
}
