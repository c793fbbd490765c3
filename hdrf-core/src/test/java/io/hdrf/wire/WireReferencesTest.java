/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** References instead of frames. */
class WireReferencesTest {

  private static final byte[] HEAD = {1, 2, 3};

  private final ChunkQuerySessions sessions =
      new ChunkQuerySessions(1000, 1000, 1, new ManualTimer());
  private final RetainedChunks held = sessions.open("BP-1");
  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private final RecordWriter records = new RecordWriter(bytes -> Tape.take(bytes, stream));

  @AfterEach
  void close() {
    records.close();
  }

  private void hold(int number, int... ends) throws IOException {
    ChunkBatch batch = new ChunkBatch(number, ends, new byte[ends.length * 32]);
    ByteBuffer bytes = held.take(batch);
    for (int i = 0; i < bytes.limit(); i++) {
      bytes.put(i, (byte) (100 * number + i));
    }
    BitSet found = new BitSet();
    found.set(0, ends.length);
    held.hold(batch, found, bytes);
  }

  private void frame(int... bytes) throws IOException {
    ByteBuffer stored = ByteBuffer.allocateDirect(bytes.length);
    for (int value : bytes) {
      stored.put((byte) value);
    }
    records.frame(bytes.length, 0, stored.flip());
  }

  private byte[] read() throws IOException {
    records.flush();
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    try (WireChains chains = Tape.newChains();
        WireInput in =
            new WireInput(
                new ByteArrayInputStream(stream.toByteArray()),
                chains,
                new Playback(),
                sessions::join)) {
      byte[] piece = new byte[100];
      for (int count = in.read(piece, 0, 100); count >= 0; count = in.read(piece, 0, 100)) {
        plain.write(piece, 0, count);
      }
    }
    return plain.toByteArray();
  }

  private void assertRefused() {
    assertThatThrownBy(this::read).isInstanceOf(CorruptWireException.class);
  }

  @Test
  void framesAndReferencesInOnePacket() throws IOException {
    hold(0, 2, 5, 9);
    hold(1, 4);
    records.packet(8, HEAD, 0, 3);
    records.session(held.id());
    records.chain(new int[] {Tape.TRIM_ZEROS});
    frame(50, 51);
    records.references(0, 0, 2, 1);
    frame(52);
    records.references(0, 2, 1, 3);
    records.packet(4, HEAD, 0, 3);
    records.references(1, 0, 1, 0);
    records.release(1);
    records.bytes(new byte[] {7}, 0, 1);
    assertThat(read())
        .containsExactly(1, 2, 3, 50, 51, 1, 2, 3, 4, 52, 8, 1, 2, 3, 100, 101, 102, 103, 7);
    assertThat(sessions.memory()).isZero();
    assertThat(sessions.count()).isOne();
    held.finish();
    assertThat(sessions.count()).isZero();
  }

  @Test
  void referencesBeyondThePacketAreRefused() throws IOException {
    hold(0, 10);
    records.packet(9, HEAD, 0, 3);
    records.session(held.id());
    records.references(0, 0, 1, 0);
    assertRefused();
  }

  @Test
  void referencesOutsideOfAPacketAreRefused() throws IOException {
    hold(0, 10);
    records.session(held.id());
    records.references(0, 0, 1, 0);
    assertRefused();
  }

  @Test
  void referencesWithoutASessionAreRefused() throws IOException {
    hold(0, 10);
    records.packet(10, HEAD, 0, 3);
    records.references(0, 0, 1, 0);
    assertRefused();
  }

  @Test
  void aSessionThatIsNotHereMayBeNamed() throws IOException {
    records.session(absent());
    records.packet(2, HEAD, 0, 3);
    records.chain(new int[] {Tape.TRIM_ZEROS});
    frame(50, 51);
    records.release(1);
    assertThat(read()).containsExactly(1, 2, 3, 50, 51);
  }

  @Test
  void referencesToASessionThatIsNotHereAreRefused() throws IOException {
    hold(0, 10);
    records.session(absent());
    records.packet(10, HEAD, 0, 3);
    records.references(0, 0, 1, 0);
    assertThatThrownBy(this::read)
        .isInstanceOf(CorruptWireException.class)
        .hasMessageContaining("without a session that is here");
  }

  private byte[] absent() {
    byte[] id = held.id();
    id[0] ^= 1;
    return id;
  }

  @Test
  void aSecondSessionIsRefused() throws IOException {
    records.session(held.id());
    records.session(sessions.open("BP-1").id());
    assertRefused();
  }

  @Test
  void aSecondSessionIsRefusedWhereTheFirstIsNotHere() throws IOException {
    records.session(absent());
    records.session(held.id());
    assertRefused();
  }

  @Test
  void aReleaseWithoutASessionIsRefused() throws IOException {
    records.release(0);
    assertRefused();
  }

  /**
   * An invitation from a DataNode of an earlier version is refused, as even earlier versions did.
   */
  @Test
  void anInvitationIsRefused() {
    stream.writeBytes(Tape.record(9, new byte[16]));
    assertRefused();
  }

  @Test
  void recordsOfOtherConnectionsAreRefused() throws IOException {
    for (int type = WireFormat.OPEN; type <= WireFormat.ANSWER + 1; type++) {
      stream.writeBytes(Tape.record(type, new byte[16]));
      assertRefused();
      stream.reset();
    }
  }
}
