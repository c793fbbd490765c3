/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReceiveMemoryTest {

  private static final int LENGTH = 1 << 20;

  private final AtomicInteger refusals = new AtomicInteger();

  private ReceiveMemory memory(long max, long patienceNanos) {
    return new ReceiveMemory(max, patienceNanos, refusals::incrementAndGet);
  }

  @Test
  void noMoreThanThereIs() throws IOException {
    ReceiveMemory memory = memory(2 * LENGTH, 1);
    ByteBuffer one = memory.take(LENGTH);
    assertThat(one.remaining()).isEqualTo(LENGTH);
    assertThat(memory.taken()).isEqualTo(one.capacity());
    assertThat(memory.isScarce()).isFalse();
    assertThat(memory.tryTake(LENGTH)).isNull();
    assertThat(refusals).hasValue(0);
    assertThatThrownBy(() -> memory.take(LENGTH)).hasMessageContaining("too little memory");
    assertThat(refusals).hasValue(1);
    ByteBuffer rest = memory.take(LENGTH / 8 * 5);
    assertThat(memory.isScarce()).isTrue();
    memory.give(one);
    memory.give(rest);
    assertThat(memory.taken()).isZero();
  }

  @Test
  void whatCanNeverBeHadIsNotWaitedFor() {
    ReceiveMemory memory = memory(LENGTH, TimeUnit.HOURS.toNanos(1));
    assertThatThrownBy(() -> memory.take(2 * LENGTH)).isInstanceOf(IOException.class);
    assertThat(memory.taken()).isZero();
  }

  @Test
  void whoWaitsGetsWhatIsGivenBack() throws Exception {
    ReceiveMemory memory = memory(2 * LENGTH, TimeUnit.HOURS.toNanos(1));
    ByteBuffer one = memory.take(LENGTH);
    Thread waiting =
        new Thread(
            () -> {
              try {
                memory.give(memory.take(LENGTH));
              } catch (IOException e) {
                refusals.incrementAndGet();
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    memory.give(one);
    waiting.join();
    assertThat(refusals).hasValue(0);
    assertThat(memory.taken()).isZero();
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    ReceiveMemory memory = memory(2 * LENGTH, TimeUnit.HOURS.toNanos(1));
    ByteBuffer one = memory.take(LENGTH);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> memory.take(LENGTH)).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
    memory.give(one);
  }

  private static byte[] stream(byte[]... records) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] record : records) {
      all.writeBytes(record);
    }
    return all.toByteArray();
  }

  private static byte[] record(int type, int length, int behind) {
    ByteBuffer body = ByteBuffer.allocate(4 + behind).order(ByteOrder.LITTLE_ENDIAN);
    body.putInt(length);
    return Tape.record(type, body.array());
  }

  private void assertEnds(byte[] stream, WireInput.Listener listener, ReceiveMemory memory) {
    try (WireChains chains = Tape.newChains();
        WireInput in =
            new WireInput(
                new ByteArrayInputStream(stream),
                chains,
                listener,
                WireInput.Sessions.NONE,
                memory)) {
      byte[] piece = new byte[4096];
      assertThatThrownBy(
              () -> {
                while (in.read(piece, 0, piece.length) >= 0) {
                  assertThat(memory.taken()).isLessThanOrEqualTo(LENGTH);
                }
              })
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> in.read(piece, 0, 1))
          .isInstanceOf(CorruptWireException.class)
          .hasMessageContaining("the stream is damaged");
    }
    assertThat(memory.taken()).isZero();
  }

  /** A few bytes that announce, or decode to, very many. */
  @Test
  void aStreamThatWantsMoreEndsAndStaysEnded() {
    byte[] chain = Tape.record(WireFormat.CHAIN, (byte) 0x60, (byte) 0xEA);
    byte[] packet = record(WireFormat.PACKET, 16 << 20, 30);
    byte[] frame = record(WireFormat.FRAME, 16 << 20, 9);
    ReceiveMemory memory = memory(LENGTH, 1);
    assertEnds(stream(chain, packet, frame, frame), new QuietListener(), memory);
    assertThat(refusals).hasValue(1);
    byte[] gathered = record(WireFormat.FRAME, 16, 1 + 16);
    assertEnds(
        stream(chain, record(WireFormat.SUMMED, 16 << 20, 8 + 30), gathered, packet),
        new QuietListener(),
        memory);
    assertThat(refusals).hasValue(2);
  }

  @Test
  void nothingIsTakenForARecordThatMayNotCome() {
    ReceiveMemory memory = memory(LENGTH, 1);
    StreamOrder order = new StreamOrder();
    WireInput.Listener listener =
        new QuietListener() {
          @Override
          public void record(int type) throws IOException {
            order.record(type);
          }
        };
    for (int type : new int[] {WireFormat.PACKET, WireFormat.FRAME, WireFormat.SUMMED}) {
      assertEnds(record(type, 16 << 20, 60_000), listener, memory);
    }
    assertThat(refusals).hasValue(0);
  }
}
