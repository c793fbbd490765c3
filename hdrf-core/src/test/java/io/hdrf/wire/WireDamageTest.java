/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireDamageTest {

  private static final int BUFFER_SIZE = 256 << 10;

  private static final byte[] CHAIN = Tape.record(WireFormat.CHAIN, (byte) 0x60, (byte) 0xEA);

  private static byte[] packet(int dataLength, int headLength) {
    byte[] body = new byte[4 + headLength];
    ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).putInt(dataLength);
    return Tape.record(WireFormat.PACKET, body);
  }

  private static byte[] frame(int originalLength, int stages, byte... stored) {
    byte[] body = new byte[5 + stored.length];
    ByteBuffer.wrap(body)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(originalLength)
        .put((byte) stages)
        .put(stored);
    return Tape.record(WireFormat.FRAME, body);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void assertRefused(String message, byte[]... records) {
    assertThatThrownBy(() -> new Playback().run(join(records)))
        .isInstanceOf(CorruptWireException.class)
        .hasMessageContaining(message);
  }

  private static void assertBegin(byte[] part, byte[] whole) {
    assertThat(part.length).isLessThanOrEqualTo(whole.length);
    assertThat(part).isEqualTo(Arrays.copyOf(whole, part.length));
  }

  @Test
  void anyFlippedBitIsFoundBeforeAByteOfItsRecordComesOut() throws IOException {
    try (Tape tape = GoldenStream.tape()) {
      byte[] records = tape.records();
      byte[] plain = tape.plain();
      tape.ends.put(0, 0);
      for (int bit = 0; bit < 8 * records.length; bit++) {
        byte[] damaged = records.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        Playback playback = new Playback();
        assertThatThrownBy(() -> playback.run(damaged))
            .as("bit %d", bit)
            .isInstanceOfAny(CorruptWireException.class, EOFException.class);
        assertBegin(playback.plain(), plain);
        assertThat(playback.events).isEqualTo(tape.events.subList(0, playback.events.size()));
        assertThat(playback.plain().length)
            .isGreaterThanOrEqualTo(tape.ends.floorEntry(bit / 8).getValue());
      }
    }
  }

  @Test
  void anEarlyEndIsFoundUnlessAPacketIsComplete() throws IOException {
    try (Tape tape = GoldenStream.tape()) {
      byte[] records = tape.records();
      tape.ends.put(0, 0);
      for (int length = 0; length < records.length; length++) {
        byte[] begin = Arrays.copyOf(records, length);
        Playback playback = new Playback();
        if (tape.ends.containsKey(length)) {
          playback.run(begin);
          assertThat(playback.plain()).hasSize(tape.ends.get(length));
        } else {
          assertThatThrownBy(() -> playback.run(begin))
              .as("%d bytes", length)
              .isInstanceOf(EOFException.class);
        }
        assertBegin(playback.plain(), tape.plain());
      }
    }
  }

  @Test
  void recordsThatAreLeftOutAreFound() throws IOException {
    byte[] frame = frame(3, 0, (byte) 1, (byte) 2, (byte) 3);
    new Playback().run(join(CHAIN, packet(3, 5), frame));
    assertRefused("a frame before its chain", packet(3, 5), frame);
    assertRefused("a frame without a packet", CHAIN, frame);
    assertRefused("a frame without a packet", CHAIN, packet(3, 5), frame, frame);
    assertRefused("a frame without a packet", CHAIN, packet(0, 5), frame);
    assertRefused("a packet without its data", CHAIN, packet(3, 5), packet(3, 5), frame);
    assertRefused("a packet without its data", CHAIN, packet(4, 5), frame, packet(3, 5));
    assertRefused(
        "bytes inside of a packet", CHAIN, packet(3, 5), Tape.record(WireFormat.BYTES, (byte) 0));
    assertRefused("another chain inside of a frame", CHAIN, packet(2, 5), frame, CHAIN);
  }

  private static byte[] summed(int dataLength, long digest, int headLength) {
    byte[] body = new byte[12 + headLength];
    ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).putInt(dataLength).putLong(digest);
    return Tape.record(WireFormat.SUMMED, body);
  }

  @Test
  void dataOfOtherChecksumsAreFound() throws IOException {
    byte[] data = {1, 2, 3};
    long digest = Tape.digest(Tape.checksums(data));
    byte[] frame = frame(3, 0, data);
    new Playback().run(join(CHAIN, summed(3, digest, 5), frame));
    String message = "not those that the peer made frames of";
    assertRefused(message, CHAIN, summed(3, digest, 5), frame(3, 0, new byte[] {1, 2, 2}));
    assertRefused(message, CHAIN, summed(3, digest ^ 1, 5), frame);
    assertRefused(message, CHAIN, summed(2, digest, 5), frame);
    byte[] first = frame(1, 0, (byte) 1);
    new Playback().run(join(CHAIN, summed(3, digest, 5), first, frame(2, 0, new byte[] {2, 3})));
    assertRefused(message, CHAIN, summed(3, digest, 5), first, frame(2, 0, new byte[] {3, 3}));
    Playback playback = new Playback();
    assertThatThrownBy(() -> playback.run(join(CHAIN, summed(3, digest ^ 1, 5), frame)))
        .isInstanceOf(CorruptWireException.class);
    assertThat(playback.plain()).isEmpty();
  }

  @Test
  void checksumsWithoutAPacketAreFound() {
    byte[] frame = frame(3, 0, (byte) 1, (byte) 2, (byte) 3);
    assertRefused("a packet without length", Tape.record(WireFormat.SUMMED, new byte[11]));
    assertRefused("a packet of 0 bytes", summed(0, 0, 5));
    assertRefused("a packet of -1 bytes", summed(-1, 0, 5));
    assertRefused("a packet of 16777217 bytes", summed(WireFormat.MAX_PACKET + 1, 0, 5));
    assertRefused("a record of type 10", summed(3, 0, WireFormat.MAX_SUMMED_HEAD + 1));
    assertRefused("a packet without its data", CHAIN, packet(4, 5), frame, summed(1, 0, 5));
    assertRefused("a packet without its data", CHAIN, summed(4, 0, 5), frame, packet(1, 5));
    assertRefused("a packet without its data", CHAIN, summed(4, 0, 5), summed(4, 0, 5));
    assertRefused(
        "bytes inside of a packet",
        CHAIN,
        summed(3, 0, 5),
        Tape.record(WireFormat.BYTES, (byte) 0));
    assertThatThrownBy(() -> new Playback().run(join(CHAIN, summed(4, 0, 5), frame)))
        .isInstanceOf(EOFException.class);
  }

  @Test
  void capabilitiesComeFirst() throws IOException {
    byte[] hello = Tape.record(WireFormat.HELLO, Capabilities.none().encode());
    new Playback().run(join(hello, CHAIN));
    assertRefused("its capabilities late", hello, hello);
    assertRefused("its capabilities late", CHAIN, hello);
    assertRefused(
        "its capabilities late", CHAIN, packet(3, 5), hello, frame(3, 0, new byte[] {1, 2, 3}));
    assertRefused("the answer to a probe", Tape.record(WireFormat.HELLO, new byte[20]));
  }

  @Test
  void lengthsThatDoNotFitAreFound() {
    assertRefused("a packet without length", Tape.record(WireFormat.PACKET, new byte[3]));
    assertRefused("a packet of -1 bytes", packet(-1, 5));
    assertRefused("a packet of 16777217 bytes", packet(WireFormat.MAX_PACKET + 1, 5));
    byte[] begin = join(CHAIN, packet(8, 5));
    assertRefused("a frame without length", begin, Tape.record(WireFormat.FRAME, new byte[4]));
    assertRefused("a frame of 0 bytes", begin, frame(0, 0));
    assertRefused("a frame of -1 bytes", begin, frame(-1, 1, new byte[4]));
    assertRefused("a frame of 16777217 bytes", begin, frame(WireFormat.MAX_FRAME + 1, 1, (byte) 0));
    assertRefused("a frame of 3 bytes in 4", begin, frame(3, 1, new byte[4]));
  }

  @Test
  void chainsThatCanNotBeAreFound() {
    assertRefused("no chain can have", Tape.record(WireFormat.CHAIN));
    assertRefused("half an id", Tape.record(WireFormat.CHAIN, (byte) 0x60, (byte) 0xEA, (byte) 1));
    assertRefused(
        "no chain can have",
        Tape.record(WireFormat.CHAIN, (byte) 0x60, (byte) 0xEA, (byte) 0x60, (byte) 0xEA));
    assertRefused("a record of type 2", Tape.record(WireFormat.CHAIN, new byte[10]));
    assertRefused(
        "can't travel",
        Tape.record(WireFormat.CHAIN, (byte) Tape.BLOCK_SCHEME, (byte) (Tape.BLOCK_SCHEME >>> 8)));
    byte[] unknown = Tape.record(WireFormat.CHAIN, (byte) 0x39, (byte) 0x30);
    assertRefused("can't be decoded here", unknown);
    assertThatThrownBy(() -> new Playback().run(unknown))
        .cause()
        .isInstanceOf(SchemeNotFoundException.class)
        .hasMessageContaining("12345");
  }

  @Test
  void framesThatDoNotDecodeAreFound() {
    byte[] begin = join(CHAIN, packet(8, 5));
    for (byte[] frame :
        new byte[][] {
          frame(8, 0, new byte[7]),
          frame(8, 1, new byte[3]),
          frame(8, 1, (byte) 1, (byte) 0, (byte) 0, (byte) 0),
          frame(8, 2, new byte[8]),
          frame(8, 0xFF, new byte[8])
        }) {
      assertThatThrownBy(() -> new Playback().run(join(begin, frame)))
          .isInstanceOf(CorruptWireException.class)
          .hasCauseInstanceOf(CorruptFrameException.class);
    }
  }

  /** A reader that continues after an error must not get the leftovers of a failed decoder. */
  @Test
  void aFrameThatDoesNotDecodeGivesNoBytesLater() throws IOException {
    byte[] records =
        join(
            CHAIN,
            packet(4, 0),
            frame(4, 0, new byte[] {1, 2, 3, 4}),
            packet(4, 0),
            frame(4, 1, (byte) 9, (byte) 0, (byte) 0));
    try (WireChains chains = Tape.newChains();
        WireInput input =
            new WireInput(new ByteArrayInputStream(records), chains, new Playback())) {
      byte[] piece = new byte[4];
      assertThat(input.read(piece, 0, 4)).isEqualTo(4);
      assertThat(piece).containsExactly(1, 2, 3, 4);
      assertThatThrownBy(() -> input.read(piece, 0, 4)).isInstanceOf(CorruptWireException.class);
      assertStaysDamaged(input, "can't be decoded");
    }
  }

  private static void assertStaysDamaged(WireInput input, String message) {
    assertThat(input.available()).isZero();
    assertThatThrownBy(() -> input.read(new byte[4], 0, 4))
        .isInstanceOf(CorruptWireException.class)
        .hasMessageContaining("the stream is damaged")
        .hasMessageContaining(message);
  }

  /** The packets after a wrong one are sound, but out of place. */
  @Test
  void aPacketOfOtherChecksumsIsTheLast() throws IOException {
    long digest = Tape.digest(Tape.checksums(new byte[] {1, 2, 3}));
    byte[] records =
        join(
            CHAIN,
            summed(3, digest, 5),
            frame(1, 0, (byte) 1),
            frame(2, 0, new byte[] {3, 3}),
            packet(4, 0),
            frame(4, 0, new byte[] {1, 2, 3, 4}));
    try (WireChains chains = Tape.newChains();
        WireInput input =
            new WireInput(new ByteArrayInputStream(records), chains, new Playback())) {
      assertThatThrownBy(() -> input.read(new byte[4], 0, 4))
          .isInstanceOf(CorruptWireException.class);
      assertStaysDamaged(input, "not those that the peer made frames of");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 11, 15, 22, 127, 128, 255})
  void unknownRecordsAreFound(int type) {
    assertRefused("a record of type " + (byte) type, Tape.record(type, new byte[4]));
  }

  /** Gives a header, and fails when more is asked for. */
  private static RecordReader announcing(int type, int length) {
    byte[] header =
        ByteBuffer.allocate(WireFormat.RECORD_HEADER)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) type)
            .putInt(length)
            .array();
    int[] given = {0};
    return new RecordReader(
        dst -> {
          assertThat(dst.capacity()).isLessThanOrEqualTo(BUFFER_SIZE);
          if (given[0]++ > 0) {
            throw new EOFException("more was asked for");
          }
          dst.put(header);
          return header.length;
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 65536", "2, 8", "3, 16777220", "4, 16777221", "5, 4096"})
  void lengthsBeyondTheLimitAreRefusedAtOnce(int type, int limit) {
    for (int length : new int[] {limit + 1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
      try (RecordReader reader = announcing(type, length)) {
        assertThatThrownBy(reader::next)
            .isInstanceOf(CorruptWireException.class)
            .hasMessageContaining((length & 0xFFFFFFFFL) + " bytes");
      }
    }
    try (RecordReader reader = announcing(type, limit)) {
      assertThatThrownBy(reader::next).hasMessage("more was asked for");
    }
  }

  @Test
  void memoryGrowsWithTheBytesThatCame() {
    Random random = TestSeed.random("memory");
    int end = 5 << 20;
    long[] given = {0};
    RecordReader.Source source =
        dst -> {
          assertThat((long) dst.capacity())
              .isLessThanOrEqualTo(Math.max(BUFFER_SIZE, 5 * given[0] / 2));
          if (given[0] >= end) {
            return -1;
          }
          int count = Math.min(dst.remaining(), 1 + random.nextInt(10_000));
          for (int i = 0; i < count; i++) {
            dst.put((byte) 0);
          }
          if (given[0] == 0) {
            dst.position(dst.position() - count);
            count = WireFormat.RECORD_HEADER;
            dst.order(ByteOrder.LITTLE_ENDIAN).put((byte) WireFormat.FRAME);
            dst.putInt(WireFormat.MAX_FRAME).putInt(0);
          }
          given[0] += count;
          return count;
        };
    try (RecordReader reader = new RecordReader(source)) {
      assertThatThrownBy(reader::next)
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("inside of a record");
    }
    assertThat(given[0]).isGreaterThanOrEqualTo(end);
  }

  @Test
  void anErrorOfTheSourceComesThrough() throws IOException {
    try (Tape tape = new Tape()) {
      tape.chain(Tape.TRIM_ZEROS);
      tape.packet(new byte[9], 5000, TestData.TEXT.bytes(5000, TestSeed.random("error")));
      InputStream in =
          new FilterInputStream(new ByteArrayInputStream(tape.records(), 0, 3000)) {
            @Override
            public int read(byte[] dst, int offset, int length) throws IOException {
              int count = super.read(dst, offset, length);
              if (count < 0) {
                throw new IOException("Connection reset by peer");
              }
              return count;
            }
          };
      Playback playback = new Playback();
      assertThatThrownBy(() -> playback.run(in, () -> 100)).hasMessage("Connection reset by peer");
      assertThat(playback.plain()).hasSize(9);
    }
  }
}
