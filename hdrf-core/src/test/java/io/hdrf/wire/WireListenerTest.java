/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Events that a listener receives and may refuse. */
class WireListenerTest {

  private final List<String> told = new ArrayList<>();
  private ReceiveMemory.Share memory = ReceiveMemory.unlimited().share();
  private int refusedType = -1;
  private boolean refusesBytes;

  private final class Guard extends QuietListener {
    @Override
    public void record(int type) throws IOException {
      if (type == refusedType) {
        throw new CorruptWireException("out of place");
      }
      told.add("record " + type);
    }

    @Override
    public void handedOut(byte[] bytes, int offset, int length, int left) throws IOException {
      if (refusesBytes) {
        throw new CorruptWireException("out of place");
      }
      told.add(Arrays.toString(Arrays.copyOfRange(bytes, offset, offset + length)) + " " + left);
    }
  }

  private byte[] read(byte[] records, int piece, Function<byte[], RetainedChunks> sessions)
      throws IOException {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    try (WireChains chains = Tape.newChains();
        WireInput in =
            new WireInput(
                new ByteArrayInputStream(records), chains, new Guard(), sessions, memory)) {
      byte[] bytes = new byte[piece];
      for (int count = in.read(bytes, 0, piece); count >= 0; count = in.read(bytes, 0, piece)) {
        plain.write(bytes, 0, count);
      }
      assertThat(in.available()).isZero();
    }
    return plain.toByteArray();
  }

  private byte[] read(byte[] records, int piece) throws IOException {
    return read(records, piece, id -> null);
  }

  private static byte[] bytesAndPacket() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(Tape.record(WireFormat.BYTES, (byte) 1, (byte) 2, (byte) 3));
    all.writeBytes(
        Tape.record(WireFormat.PACKET, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 9));
    return all.toByteArray();
  }

  @Test
  void bytesOfNoPacketAreShownAsTheyAreHandedOut() throws IOException {
    assertThat(read(bytesAndPacket(), 2)).containsExactly(1, 2, 3, 9);
    assertThat(told)
        .containsExactly(
            "record " + WireFormat.BYTES, "[1, 2] 1", "[3] 0", "record " + WireFormat.PACKET);
  }

  @Test
  void bytesThatAreRefusedEndTheStream() {
    refusesBytes = true;
    assertThatThrownBy(() -> read(bytesAndPacket(), 2)).isInstanceOf(CorruptWireException.class);
  }

  /** Its length is not trusted, nor its body awaited. */
  @Test
  void aRecordIsRefusedBeforeItsBodyIsRead() throws IOException {
    byte[] whole = Tape.record(WireFormat.BYTES, new byte[5000]);
    refusedType = WireFormat.BYTES;
    // Taking any memory fails in another way.
    memory = new ReceiveMemory(0, 0, () -> {}).optional();
    for (int length : new int[] {WireFormat.RECORD_HEADER, whole.length}) {
      assertThatThrownBy(() -> read(Arrays.copyOf(whole, length), 10))
          .isInstanceOf(CorruptWireException.class)
          .hasMessageContaining("out of place");
    }
    assertThat(told).isEmpty();
  }

  /** During the stream this makes room for the next questions. */
  @Test
  void aReleaseGivesBackWhatIsHeld() throws IOException {
    ChunkQuerySessions sessions = new ChunkQuerySessions(1000, 1000, 1, new ManualTimer());
    RetainedChunks held = sessions.open("BP-1");
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (RecordWriter records = new RecordWriter(bytes -> Tape.take(bytes, stream))) {
      for (int number = 0; number < 3; number++) {
        ChunkBatch batch = new ChunkBatch(number, new int[] {100}, new byte[32]);
        BitSet found = new BitSet();
        found.set(0);
        ByteBuffer bytes = held.take(batch);
        held.hold(batch, found, bytes);
      }
      records.session(held.id());
      records.release(1);
      records.bytes(new byte[] {7}, 0, 1);
      records.flush();
    }
    List<Long> memories = new ArrayList<>();
    try (WireChains chains = Tape.newChains();
        WireInput in =
            new WireInput(
                new ByteArrayInputStream(stream.toByteArray()),
                chains,
                new QuietListener() {
                  @Override
                  public void bytes(ByteBuffer bytes) {
                    memories.add(sessions.memory());
                  }
                },
                sessions::join)) {
      assertThat(in.read(new byte[10], 0, 10)).isOne();
    }
    assertThat(memories).containsExactly(100L);
    assertThat(sessions.memory()).isZero();
  }
}
