/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each way to compute a CRC32C, on each kind of buffer, against the vectors and the JDK. */
class Crc32cTest {

  /** An implementation under test. */
  enum Way {
    /** Native for direct buffers, where there is a native library. */
    DISPATCHED {
      @Override
      int update(int crc, ByteBuffer buffer) {
        return Crc32c.update(crc, buffer);
      }
    },
    JAVA {
      @Override
      int update(int crc, ByteBuffer buffer) {
        return Crc32c.updateInJava(crc, buffer);
      }
    },
    JDK {
      @Override
      int update(int crc, ByteBuffer buffer) {
        return JdkCrc32c.update(crc, buffer);
      }
    },
    TABLE {
      @Override
      int update(int crc, ByteBuffer buffer) {
        return TableCrc32c.update(crc, buffer);
      }
    };

    abstract int update(int crc, ByteBuffer buffer);
  }

  private static final int MAX_LENGTH = 300 * 1024;
  private static final int MAX_ALIGNMENT = 16;
  private static final long SEED = Long.getLong("hdrf.test.seed", System.nanoTime());

  private static final byte[] MESSAGE = new byte[MAX_LENGTH];

  /** The checksums of the first n bytes of the message, computed by the JDK. */
  private static final int[] EXPECTED = new int[MAX_LENGTH + 1];

  @BeforeAll
  static void fillMessage() {
    System.out.println("hdrf.test.seed=" + SEED);
    new Random(SEED).nextBytes(MESSAGE);
    CRC32C jdk = new CRC32C();
    for (int i = 0; i < MAX_LENGTH; i++) {
      jdk.update(MESSAGE[i]);
      EXPECTED[i + 1] = (int) jdk.getValue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void agreesWithVectors(Way way) throws IOException {
    List<String> vectors = vectors();
    assertThat(vectors).hasSizeGreaterThan(7);
    for (String vector : vectors) {
      String[] fields = vector.split(" ", 3);
      byte[] data = fields[2].equals("-") ? new byte[0] : HexFormat.of().parseHex(fields[2]);
      int repeats = Integer.parseInt(fields[1]);
      ByteBuffer whole = ByteBuffer.allocateDirect(data.length * repeats);
      for (int i = 0; i < repeats; i++) {
        whole.put(data);
      }
      assertThat(HexFormat.of().toHexDigits(way.update(0, whole.flip()))).isEqualTo(fields[0]);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyShortLengthAndAlignment(Way way) {
    ByteBuffer direct = ByteBuffer.allocateDirect(4096 + MAX_ALIGNMENT);
    ByteBuffer heap = ByteBuffer.allocate(4096 + MAX_ALIGNMENT);
    for (ByteBuffer buffer : List.of(direct, heap)) {
      for (int alignment = 0; alignment < MAX_ALIGNMENT; alignment++) {
        buffer.clear().position(alignment);
        buffer.put(MESSAGE, 0, 4096);
        for (int length = 0; length <= 4096; length++) {
          buffer.limit(alignment + length).position(alignment);
          int crc = way.update(0, buffer);
          // Not assertThat: half a million descriptions take longer than the checksums.
          if (crc != EXPECTED[length]) {
            assertEquals(EXPECTED[length], crc, way + ", " + length + " at " + alignment);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyKindOfBuffer(Way way) {
    for (int length : new int[] {0, 1, 7, 8, 255, 256, 383, 384, 6143, 6144, 65536, 262144}) {
      kindsOfBuffer(length)
          .forEach(
              (kind, buffer) -> {
                ByteOrder order = buffer.order();
                int position = buffer.position();
                int limit = buffer.limit();
                String what = kind + ", " + length + " bytes";
                assertThat(way.update(0, buffer)).as(what).isEqualTo(EXPECTED[length]);
                assertThat(buffer.position()).as(what).isEqualTo(position);
                assertThat(buffer.limit()).as(what).isEqualTo(limit);
                assertThat(buffer.order()).as(what).isEqualTo(order);
              });
    }
  }

  @ParameterizedTest
  @EnumSource
  void partsGiveTheChecksumOfTheWhole(Way way) {
    Random random = new Random(SEED);
    ByteBuffer direct = ByteBuffer.allocateDirect(MAX_LENGTH).put(MESSAGE);
    ByteBuffer heap = ByteBuffer.wrap(MESSAGE);
    for (int round = 0; round < 300; round++) {
      int most = 1 << random.nextInt(18);
      int position = 0;
      int crc = 0;
      for (int part = 0; part < 20 && position < MAX_LENGTH; part++) {
        int end = Math.min(MAX_LENGTH, position + random.nextInt(most + 1));
        ByteBuffer buffer = random.nextBoolean() ? direct : heap;
        buffer.clear().position(position).limit(end);
        crc = way.update(crc, buffer);
        assertThat(crc).as("%s, %d to %d", way, position, end).isEqualTo(EXPECTED[end]);
        position = end;
      }
    }
  }

  /** Also registers of all zeroes and all ones, and results with the top bit set. */
  @ParameterizedTest
  @EnumSource
  void anyChecksumCanBeExtended(Way way) {
    Random random = new Random(SEED);
    ByteBuffer message = ByteBuffer.wrap(MESSAGE, 0, 1000);
    for (int i = 0; i < 1000; i++) {
      int crc = i < 32 ? 1 << i : i < 64 ? -1 << (i - 32) : random.nextInt();
      assertThat(way.update(crc, message))
          .as("%s from %08x", way, crc)
          .isEqualTo(TableCrc32c.update(crc, message));
    }
  }

  private static Map<String, ByteBuffer> kindsOfBuffer(int length) {
    Map<String, ByteBuffer> kinds = new LinkedHashMap<>();
    for (boolean direct : new boolean[] {true, false}) {
      String memory = direct ? "direct" : "heap";
      ByteBuffer whole = allocate(direct, length).put(MESSAGE, 0, length).flip();
      kinds.put(memory, whole);
      kinds.put(memory + ", little-endian", whole.duplicate().order(ByteOrder.LITTLE_ENDIAN));
      kinds.put(memory + ", read-only", whole.asReadOnlyBuffer());

      ByteBuffer middle = allocate(direct, length + 40);
      middle.position(13).put(MESSAGE, 0, length).limit(13 + length).position(13);
      kinds.put(memory + ", middle", middle);
      kinds.put(memory + ", slice", middle.slice());
      kinds.put(memory + ", read-only slice", middle.slice().asReadOnlyBuffer());

      ByteBuffer outer = middle.duplicate().clear().position(5).slice();
      kinds.put(memory + ", middle of a slice", outer.position(8).limit(8 + length));
    }
    return kinds;
  }

  private static ByteBuffer allocate(boolean direct, int capacity) {
    return direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
  }

  private static List<String> vectors() throws IOException {
    List<String> vectors = new ArrayList<>();
    try (InputStream in = Crc32cTest.class.getResourceAsStream("/vectors/crc32c.txt");
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.startsWith("#")) {
          vectors.add(line);
        }
      }
    }
    return vectors;
  }

  @Test
  void manyMessagesAtOnce() {
    Random random = new Random(5);
    for (int round = 0; round < 50; round++) {
      int[] ends = new int[random.nextInt(2500)];
      int end = 0;
      for (int i = 0; i < ends.length; i++) {
        end += random.nextInt(random.nextInt(10) == 0 ? 2000 : 40);
        ends[i] = end;
      }
      byte[] bytes = new byte[7 + end];
      random.nextBytes(bytes);
      int[] expected = new int[ends.length];
      for (int i = 0; i < ends.length; i++) {
        int start = i == 0 ? 0 : ends[i - 1];
        CRC32C crc = new CRC32C();
        crc.update(bytes, 7 + start, ends[i] - start);
        expected[i] = (int) crc.getValue();
      }
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).position(7);
      int[] found = new int[ends.length];
      Crc32c.ofEach(direct, ends, ends.length, found);
      assertThat(found).isEqualTo(expected);
      Crc32c.ofEach(ByteBuffer.wrap(bytes).position(7), ends, ends.length, found);
      assertThat(found).isEqualTo(expected);
      assertThat(direct.position()).isEqualTo(7);
    }
  }

  @Test
  void messagesOutsideOfTheBufferAreRefused() {
    ByteBuffer data = ByteBuffer.allocateDirect(100).position(10).limit(60);
    for (int[] ends : new int[][] {{51}, {-1}, {20, 19}, {10, 51}}) {
      assertThatThrownBy(() -> Crc32c.ofEach(data, ends, ends.length, new int[2]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> Crc32c.ofEach(data, new int[3], 3, new int[2]))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
