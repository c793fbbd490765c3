/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.TestSeed;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkQueryStreamTest {

  private final Random random = TestSeed.random("asking");
  private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
  private final ChunkQueryStream out =
      new ChunkQueryStream(new ByteArrayInputStream(new byte[0]), wire);

  private ChunkQueryStream written() {
    return reading(wire.toByteArray());
  }

  private static ChunkQueryStream reading(byte[] bytes) {
    return new ChunkQueryStream(new ByteArrayInputStream(bytes), new ByteArrayOutputStream());
  }

  private ChunkBatch batch(int number, int count) {
    int[] ends = new int[count];
    for (int i = 0; i < count; i++) {
      ends[i] = (i == 0 ? 0 : ends[i - 1]) + 1 + random.nextInt(1 << 20);
    }
    return new ChunkBatch(number, ends, TestBytes.noise(count * 32, random));
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    byte[] challenge = TestBytes.noise(32, random);
    ChunkQueryStream.Proof proof =
        new ChunkQueryStream.Proof(TestBytes.noise(32, random), TestBytes.noise(100, random));
    byte[] id = TestBytes.noise(16, random);
    out.open(0x8123456789ABCDEFL, "BP-1-ü");
    out.challenge(challenge);
    out.prove(proof);
    out.grant(id);
    out.refuse();
    out.grant(id);
    ChunkQueryStream in = written();
    ChunkQueryStream.Opening opening = in.readOpening();
    assertThat(opening.dialect()).isEqualTo(0x8123456789ABCDEFL);
    assertThat(opening.poolId()).isEqualTo("BP-1-ü");
    ChunkQueryStream.Reply reply = in.readReply();
    assertThat(reply.challenge()).isEqualTo(challenge);
    assertThat(reply.sessionId()).isNull();
    ChunkQueryStream.Proof read = in.readProof();
    assertThat(read.code()).isEqualTo(proof.code());
    assertThat(read.identifier()).isEqualTo(proof.identifier());
    assertThat(in.readGrant()).isEqualTo(id);
    assertThat(in.readGrant()).isNull();
    assertThat(in.readReply().sessionId()).isEqualTo(id);
  }

  @Test
  void questionsAndAnswersOfAllLengths() throws IOException {
    List<Integer> counts = List.of(1, 2, 7, 8, 9, 100, ChunkLookup.MAX_CHUNKS);
    for (int count : counts) {
      wire.reset();
      ChunkBatch batch = batch(count, count);
      BitSet held = BitSet.valueOf(TestBytes.noise(count / 8, random));
      held.clear(count - 1);
      out.ask(batch);
      out.answer(batch, held);
      held.set(count - 1);
      out.answer(batch, held);
      out.flush();
      ChunkQueryStream in = written();
      assertThat(in.readQuestion()).isEqualTo(batch);
      ChunkQueryStream.Answer answer = in.readAnswer();
      assertThat(answer.batch()).isEqualTo(count);
      assertThat(answer.count()).isEqualTo(count);
      assertThat(answer.held().get(count - 1)).isFalse();
      assertThat(in.readAnswer().held()).isEqualTo(held);
      assertThat(in.readAnswer()).isNull();
    }
  }

  @Test
  void questionsWaitForAFlush() throws IOException {
    out.ask(batch(0, 3));
    out.ask(batch(1, 1));
    assertThat(wire.size()).isZero();
    out.flush();
    assertThat(wire.size()).isPositive();
  }

  /** Otherwise the other side would wait for bytes in a buffer here. */
  @Test
  void aFlushGoesThroughToTheConnection() throws IOException {
    ChunkQueryStream buffered =
        new ChunkQueryStream(
            new ByteArrayInputStream(new byte[0]), new BufferedOutputStream(wire, 1 << 16));
    buffered.refuse();
    assertThat(wire.size()).isEqualTo(WireFormat.RECORD_HEADER);
    buffered.ask(batch(0, 1));
    buffered.flush();
    assertThat(wire.size()).isGreaterThan(2 * WireFormat.RECORD_HEADER);
  }

  /** If a record is incomplete, a thread must wait for the rest. */
  @Test
  void whatIsHereAsAWholeIsKnown() throws IOException {
    out.ask(batch(0, 3));
    out.ask(batch(1, 1));
    out.flush();
    byte[] two = wire.toByteArray();
    for (int length = 0; length <= two.length; length++) {
      ChunkQueryStream in = reading(Arrays.copyOf(two, length));
      assertThat(in.hasNext()).isFalse();
      int oneLength = 9 + WireFormat.BATCH_PREFIX + 3 * WireFormat.CHUNK_LENGTH;
      if (length >= oneLength) {
        assertThat(in.readQuestion().number()).isZero();
        assertThat(in.hasNext()).isEqualTo(length == two.length);
      }
    }
  }

  @Test
  void anyFlippedBitIsFound() throws IOException {
    out.ask(batch(1, 3));
    out.flush();
    byte[] record = wire.toByteArray();
    for (int bit = 0; bit < record.length * 8; bit++) {
      byte[] damaged = record.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> reading(damaged).readQuestion())
          .isInstanceOfAny(CorruptWireException.class, EOFException.class);
    }
  }

  @Test
  void anEarlyEndIsFound() throws IOException {
    out.ask(batch(1, 3));
    out.flush();
    byte[] record = wire.toByteArray();
    for (int length = 1; length < record.length; length++) {
      byte[] part = Arrays.copyOf(record, length);
      assertThatThrownBy(() -> reading(part).readQuestion()).isInstanceOf(EOFException.class);
    }
    assertThat(reading(new byte[0]).readQuestion()).isNull();
    assertThatThrownBy(() -> reading(new byte[0]).readOpening()).isInstanceOf(EOFException.class);
  }

  private static byte[] question(int number, int count, int... lengths) {
    ByteBuffer body = ByteBuffer.allocate(6 + 36 * lengths.length).order(ByteOrder.LITTLE_ENDIAN);
    body.putInt(number).putShort((short) count);
    for (int length : lengths) {
      body.putInt(length).put(new byte[32]);
    }
    return Tape.record(WireFormat.QUESTION, body.array());
  }

  private static void assertCorrupt(byte[] record) {
    assertThatThrownBy(() -> reading(record).readQuestion())
        .isInstanceOf(CorruptWireException.class);
  }

  @Test
  void questionsThatAreNoneAreRefused() throws IOException {
    assertThat(reading(question(0, 1, 5)).readQuestion().totalLength()).isEqualTo(5);
    assertThat(reading(question(0, 1, 1)).readQuestion().totalLength()).isOne();
    assertThat(reading(question(0, 2, Integer.MAX_VALUE - 1, 1)).readQuestion().totalLength())
        .isEqualTo(Integer.MAX_VALUE);
    assertCorrupt(question(0, 0));
    assertCorrupt(question(0, 2, 5));
    assertCorrupt(question(0, 1, 5, 5));
    assertCorrupt(question(0, 1, 0));
    assertCorrupt(question(0, 1, -1));
    assertCorrupt(question(-1, 1, 5));
    assertCorrupt(question(0, 2, Integer.MAX_VALUE, 1));
    assertCorrupt(question(0, 3, 5, -3, 5));
    assertCorrupt(Tape.record(WireFormat.QUESTION, new byte[5]));
    assertCorrupt(Tape.record(WireFormat.ANSWER, new byte[7]));
    assertCorrupt(Tape.record(WireFormat.BYTES, new byte[7]));
  }

  @Test
  void answersThatAreNoneAreRefused() {
    for (byte[] body :
        new byte[][] {
          {0, 0, 0, 0, 1, 0},
          {0, 0, 0, 0, 1, 0, 2},
          {0, 0, 0, 0, 1, 0, 0, 0},
          {0, 0, 0, -1, 1, 0, 0},
          {0}
        }) {
      assertThatThrownBy(() -> reading(Tape.record(WireFormat.ANSWER, body)).readAnswer())
          .isInstanceOf(CorruptWireException.class);
    }
  }

  @Test
  void otherRecordsOfAWrongLengthAreRefused() {
    assertThatThrownBy(() -> reading(Tape.record(WireFormat.OPEN, new byte[7])).readOpening())
        .isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> reading(Tape.record(WireFormat.PROOF, new byte[31])).readProof())
        .isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> reading(Tape.record(WireFormat.GRANT, new byte[15])).readGrant())
        .isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> reading(Tape.record(WireFormat.CHALLENGE, new byte[33])).readReply())
        .isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> reading(Tape.record(WireFormat.OPEN, new byte[5000])).readOpening())
        .isInstanceOf(CorruptWireException.class);
  }

  private interface Reading {
    void of(ChunkQueryStream in) throws IOException;
  }

  private static void assertDue(Reading reading, Integer... due) {
    for (int type = 1; type <= WireFormat.ANSWER + 1; type++) {
      byte[] header =
          ByteBuffer.allocate(WireFormat.RECORD_HEADER).put((byte) type).put((byte) 1).array();
      assertThatThrownBy(() -> reading.of(reading(header)))
          .as("type %d", type)
          .isInstanceOf(
              List.of(due).contains(type) ? EOFException.class : CorruptWireException.class);
    }
  }

  /** For instance a frame of 16 MiB, from a peer without a proof. */
  @Test
  void whatIsNotDueIsRefusedByItsHeader() {
    assertDue(ChunkQueryStream::readOpening, WireFormat.OPEN);
    assertDue(ChunkQueryStream::readReply, WireFormat.CHALLENGE, WireFormat.GRANT);
    assertDue(ChunkQueryStream::readProof, WireFormat.PROOF);
    assertDue(ChunkQueryStream::readGrant, WireFormat.GRANT);
    assertDue(ChunkQueryStream::readQuestion, WireFormat.QUESTION);
    assertDue(ChunkQueryStream::readAnswer, WireFormat.ANSWER);
  }
}
