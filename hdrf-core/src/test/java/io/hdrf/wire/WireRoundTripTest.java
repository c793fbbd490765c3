/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class WireRoundTripTest {

  private static final int[][] CHAINS = {
    {Tape.TRIM_ZEROS},
    {Tape.DEFLATE},
    {Tape.TRIM_ZEROS, Tape.TRIM_ONES},
    {Tape.TRIM_ONES, Tape.DEFLATE, Tape.TRIM_ZEROS}
  };

  private static final int[] LENGTHS = {0, 1, 511, 512, 513, 4096, 65_023, 65_024, 65_536};

  private static int length(Random random) {
    switch (random.nextInt(40)) {
      case 0:
        return random.nextInt(3 << 20);
      case 1:
      case 2:
        return random.nextInt(300_000);
      default:
        return random.nextBoolean()
            ? LENGTHS[random.nextInt(LENGTHS.length)]
            : random.nextInt(70_000);
    }
  }

  private static byte[] data(int length, Random random) {
    TestData[] kinds = TestData.values();
    return kinds[random.nextInt(kinds.length)].bytes(length, random);
  }

  private static byte[] head(Random random) {
    byte[] head = new byte[random.nextInt(5) == 0 ? length(random) : 25 + random.nextInt(600)];
    random.nextBytes(head);
    return head;
  }

  private static void packet(Tape tape, Random random) throws IOException {
    int length = length(random);
    int missing = length - tape.ahead();
    int[] chain = CHAINS[random.nextInt(CHAINS.length)];
    byte[][] frames = new byte[0][];
    while (missing > 0) {
      int frame = 1 + length(random);
      if (random.nextInt(3) == 0) {
        frame = missing;
      }
      frames = Arrays.copyOf(frames, frames.length + 1);
      frames[frames.length - 1] = data(frame, random);
      missing -= frame;
    }
    if (frames.length > 0 && random.nextInt(4) == 0) {
      tape.packet(head(random), length, chain, frames);
    } else if (length > 0 && random.nextBoolean()) {
      tape.summed(new byte[random.nextInt(600)], length, frames);
    } else {
      tape.packet(head(random), length, frames);
    }
  }

  private static Tape record(Random random) throws IOException {
    Tape tape = new Tape();
    boolean connects = random.nextBoolean();
    if (connects) {
      tape.begin(new Capabilities(1 + random.nextInt(255), new TreeSet<>(Arrays.asList(7, 65535))));
    }
    tape.bytes(data(random.nextInt(3) == 0 ? 200_000 : 1 + random.nextInt(300), random));
    tape.chain(CHAINS[random.nextInt(CHAINS.length)]);
    for (int i = random.nextInt(40); i > 0; i--) {
      int what = random.nextInt(12);
      if (what == 0) {
        tape.bytes(data(length(random), random));
      } else if (what == 1 && tape.ahead() == 0) {
        tape.chain(CHAINS[random.nextInt(CHAINS.length)]);
      } else {
        packet(tape, random);
      }
    }
    return tape;
  }

  private static InputStream source(byte[] records, Random random) {
    switch (random.nextInt(4)) {
      case 0:
        return Playback.shortReads(records, length -> length);
      case 1:
        return Playback.shortReads(records, length -> random.nextInt(length));
      case 2:
        return Playback.shortChannelReads(records, length -> length);
      default:
        return Playback.shortChannelReads(
            records, length -> random.nextInt(records.length < 200_000 ? 40 : 100_000));
    }
  }

  private static void assertComesBack(Tape tape, Random random) throws IOException {
    Playback playback = new Playback();
    int most = 1 << (tape.plain().length < 200_000 ? random.nextInt(18) : 12 + random.nextInt(6));
    playback.run(source(tape.records(), random), () -> random.nextInt(most + 1));
    assertThat(playback.events).isEqualTo(tape.events);
    assertThat(Arrays.equals(playback.plain(), tape.plain())).as("the same bytes").isTrue();
    TreeSet<Integer> reads = new TreeSet<>(playback.reads);
    reads.add(0);
    assertThat(reads).as("no read has bytes of two packets").containsAll(tape.begins);
  }

  @RepeatedTest(25)
  void whatIsWrittenComesBack(RepetitionInfo repetition) throws IOException {
    Random random = TestSeed.random("wire", repetition.getCurrentRepetition());
    try (Tape tape = record(random)) {
      assertComesBack(tape, random);
    }
  }

  @Test
  void aFrameOfTheGreatestLengthForManyPackets() throws IOException {
    Random random = TestSeed.random("long frame");
    try (Tape tape = new Tape()) {
      tape.chain(Tape.TRIM_ZEROS);
      byte[] frame = TestData.RANDOM.bytes(WireFormat.MAX_FRAME, random);
      tape.packet(new byte[33], 65_024, frame);
      while (tape.ahead() > 0) {
        tape.packet(new byte[33], Math.min(1 << 20, tape.ahead()));
      }
      assertComesBack(tape, random);
    }
  }

  @Test
  void aFrameOfOneByteForEachByteOfAPacket() throws IOException {
    Random random = TestSeed.random("short frames");
    byte[][] frames = new byte[2000][];
    Arrays.setAll(frames, i -> new byte[] {(byte) i});
    try (Tape tape = new Tape()) {
      tape.chain(Tape.DEFLATE);
      tape.packet(new byte[33], frames.length, frames);
      assertComesBack(tape, random);
    }
  }

  /** Pieces of data are joined, and the rest of a frame beyond them is not lost. */
  @Test
  void checksumsAreMadeOfWhateverFramesGive() throws IOException {
    Random random = TestSeed.random("checksums");
    try (Tape tape = new Tape()) {
      tape.chain(Tape.TRIM_ZEROS);
      tape.summed(new byte[33], 1, new byte[] {5});
      tape.summed(new byte[33], 65_024, TestData.TEXT.bytes(200_000, random));
      tape.summed(new byte[33], 65_024);
      tape.packet(new byte[33], 1000);
      tape.summed(new byte[33], 100_000, TestData.RANDOM.bytes(50_000, random));
      tape.summed(new byte[33], 18_952);
      byte[][] frames = new byte[3000][];
      Arrays.setAll(frames, i -> new byte[] {(byte) i});
      tape.summed(new byte[33], frames.length, frames);
      tape.packet(new byte[33], 0);
      assertComesBack(tape, random);
    }
  }

  /** Leftovers of one block do not go into the next block. */
  @Test
  void bytesEndWhatFramesHoldBeyondTheirPackets() throws IOException {
    Random random = TestSeed.random("left over");
    try (Tape tape = new Tape()) {
      tape.chain(Tape.TRIM_ZEROS);
      tape.packet(new byte[33], 10, TestData.TEXT.bytes(1000, random));
      tape.bytes(new byte[] {1, 2, 3});
      tape.chain(Tape.TRIM_ONES);
      tape.packet(new byte[33], 10, TestData.TEXT.bytes(1000, random));
      assertComesBack(tape, random);
    }
  }

  /** A sender that changes to another chain inside of a packet that a frame before began. */
  @Test
  void theChainChangesWhereAFrameEndsInsideOfAPacket() throws IOException {
    Random random = TestSeed.random("change");
    try (Tape tape = new Tape()) {
      tape.chain(Tape.TRIM_ZEROS);
      tape.packet(new byte[33], 10, TestData.TEXT.bytes(1000, random));
      tape.packet(new byte[33], 2000, new int[] {Tape.DEFLATE}, TestData.TEXT.bytes(1010, random));
      assertComesBack(tape, random);
    }
  }
}
