/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hdrf.io.TestBytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /** Returns a share that has used its guaranteed part, so that all further memory is shared. */
  private static ReceiveMemory.Share full(ReceiveMemory memory) throws IOException {
    ReceiveMemory.Share share = memory.share();
    share.take(ReceiveMemory.GUARANTEED);
    return share;
  }

  @Test
  void noMoreThanThereIs() throws IOException {
    ReceiveMemory memory = memory(2 * LENGTH, 1);
    ReceiveMemory.Share share = full(memory);
    ReceiveMemory.Share other = full(memory);
    assertThat(memory.sharedTaken()).isZero();
    ByteBuffer one = share.take(LENGTH);
    assertThat(one.remaining()).isEqualTo(LENGTH);
    assertThat(memory.sharedTaken()).isEqualTo(one.capacity());
    assertThat(memory.taken()).isEqualTo(2 * ReceiveMemory.GUARANTEED + one.capacity());
    assertThat(memory.isScarce()).isFalse();
    assertThat(other.tryTake(LENGTH + 1)).isNull();
    assertThat(refusals).hasValue(0);
    assertThatThrownBy(() -> other.take(LENGTH + 1)).hasMessageContaining("too little memory");
    assertThat(refusals).hasValue(1);
    ByteBuffer rest = other.take(LENGTH / 8 * 5);
    assertThat(memory.isScarce()).isTrue();
    share.give(one);
    other.give(rest);
    assertThat(memory.sharedTaken()).isZero();
    assertThat(memory.taken()).isEqualTo(2 * ReceiveMemory.GUARANTEED);
  }

  @Test
  void whatIsGuaranteedIsThereWhateverOthersHave() throws IOException {
    ReceiveMemory memory = memory(LENGTH, 1);
    full(memory).take(LENGTH);
    assertThat(memory.sharedTaken()).isEqualTo(LENGTH);
    ReceiveMemory.Share share = memory.share();
    ByteBuffer half = share.take(ReceiveMemory.GUARANTEED / 2);
    share.take(ReceiveMemory.GUARANTEED / 2);
    assertThat(share.tryTake(1)).isNull();
    share.give(half);
    assertThat(share.tryTake(1)).isNotNull();
    assertThat(refusals).hasValue(0);
  }

  @Test
  void oneStreamHasAnEighthAtMostOrWhatTheLargestPacketNeeds() throws IOException {
    ReceiveMemory small = memory(2L * ReceiveMemory.LARGEST_PACKET, TimeUnit.HOURS.toNanos(1));
    ReceiveMemory.Share share = full(small);
    ByteBuffer all = share.take(ReceiveMemory.LARGEST_PACKET);
    assertThatThrownBy(() -> share.take(1)).hasMessageContaining("too little memory");
    share.give(all);
    ReceiveMemory.Share other = full(memory(16L * ReceiveMemory.LARGEST_PACKET, 1));
    assertThat(other.tryTake(2 * ReceiveMemory.LARGEST_PACKET + 1)).isNull();
    other.give(other.tryTake(2 * ReceiveMemory.LARGEST_PACKET));
  }

  @Test
  void whatCanBeDoneWithoutLeavesHalfToOthers() throws IOException {
    ReceiveMemory memory = memory(4 * LENGTH, 1);
    ByteBuffer one = memory.optional().tryTake(LENGTH);
    assertThat(memory.sharedTaken()).isEqualTo(LENGTH);
    ReceiveMemory.Share share = memory.share().optional();
    assertThat(share.tryTake(LENGTH + 1)).isNull();
    ByteBuffer two = share.tryTake(LENGTH);
    assertThat(two).isNotNull();
    assertThat(memory.optional().tryTake(1)).isNull();
    assertThat(full(memory).tryTake(2 * LENGTH)).isNotNull();
    share.give(two);
    assertThat(memory.optional().tryTake(1)).isNull();
    assertThat(one.remaining()).isEqualTo(LENGTH);
  }

  @Test
  void whatCanNeverBeHadIsNotWaitedFor() {
    ReceiveMemory memory = memory(LENGTH, TimeUnit.HOURS.toNanos(1));
    assertThatThrownBy(() -> memory.share().take(LENGTH + ReceiveMemory.GUARANTEED + 1))
        .isInstanceOf(IOException.class);
    assertThat(memory.taken()).isZero();
  }

  @Test
  void whoWaitsGetsWhatIsGivenBack() throws Exception {
    ReceiveMemory memory = memory(LENGTH, TimeUnit.HOURS.toNanos(1));
    ReceiveMemory.Share share = full(memory);
    ByteBuffer one = share.take(LENGTH);
    ReceiveMemory.Share other = full(memory);
    Thread waiting =
        new Thread(
            () -> {
              try {
                other.give(other.take(LENGTH));
              } catch (IOException e) {
                refusals.incrementAndGet();
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    share.give(one);
    waiting.join();
    assertThat(refusals).hasValue(0);
    assertThat(memory.sharedTaken()).isZero();
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    ReceiveMemory memory = memory(LENGTH, TimeUnit.HOURS.toNanos(1));
    full(memory).take(LENGTH);
    ReceiveMemory.Share other = full(memory);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> other.take(LENGTH)).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  /** Gives its bytes, and then no more, like a socket whose peer has stalled. */
  private static final class Stalled extends ByteArrayInputStream {

    Stalled(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read(byte[] bytes, int offset, int length) {
      int count = super.read(bytes, offset, length);
      if (count < 0) {
        throw new UncheckedIOException(new IOException("stalled"));
      }
      return count;
    }
  }

  /** Exhausts the shared memory with writers of large packets, by a few bytes each. */
  private static void exhaust(ReceiveMemory memory, WireChains chains, List<WireInput> stalled) {
    byte[] chain = Tape.record(WireFormat.CHAIN, (byte) 0x60, (byte) 0xEA);
    byte[] gathered = record(WireFormat.FRAME, 16, 1 + 16);
    for (int length = WireFormat.MAX_PACKET; length > 2 << 20; ) {
      byte[] stream = stream(chain, record(WireFormat.SUMMED, length, 8 + 30), gathered);
      WireInput in =
          new WireInput(
              new Stalled(stream), chains, new QuietListener(), id -> null, memory.share());
      stalled.add(in);
      Throwable end = catchThrowable(() -> in.read(new byte[10], 0, 10));
      if (end instanceof IOException) {
        length /= 2;
      }
    }
  }

  /** Reads all, and keeps a copy of each frame, like a DataNode that passes frames on. */
  private static byte[] receive(byte[] records, WireChains chains, ReceiveMemory.Share share)
      throws IOException {
    ByteBuffer[] copy = new ByteBuffer[1];
    WireInput.Listener forwarding =
        new QuietListener() {
          @Override
          public void frame(
              int[] chainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded)
              throws UncheckedIOException {
            if (copy[0] == null || copy[0].capacity() < stored.remaining()) {
              if (copy[0] != null) {
                share.give(copy[0]);
              }
              try {
                copy[0] = share.take(stored.remaining());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          }
        };
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    try (WireInput in =
        new WireInput(new ByteArrayInputStream(records), chains, forwarding, id -> null, share)) {
      byte[] piece = new byte[4096];
      for (int count; (count = in.read(piece, 0, piece.length)) >= 0; ) {
        plain.write(piece, 0, count);
      }
    } finally {
      if (copy[0] != null) {
        share.give(copy[0]);
      }
    }
    return plain.toByteArray();
  }

  private static byte[] random(int length) {
    return TestBytes.noise(length, length);
  }

  /** Packets of 64 KiB, in frames that save nothing: of their own, shared, and in pieces. */
  private static void writeOrdinary(Tape tape) throws IOException {
    byte[] head = new byte[30];
    int packet = 64 << 10;
    tape.chain(Tape.TRIM_ZEROS);
    tape.summed(head, packet, random(packet));
    tape.summed(head, packet, random(1 << 10), random(packet));
    tape.summed(head, packet, random(4 * packet - (1 << 10)));
    for (int i = 0; i < 3; i++) {
      tape.summed(head, packet);
    }
    tape.summed(head, packet, random(packet / 2), random(4 * packet));
    tape.packet(random(600), packet);
  }

  @Test
  void stalledWritersDoNotHoldUpAnOrdinaryOne() throws IOException {
    ReceiveMemory memory = memory(96 << 20, 1);
    List<WireInput> stalled = new ArrayList<>();
    try (WireChains chains = Tape.newChains();
        Tape tape = new Tape()) {
      writeOrdinary(tape);
      exhaust(memory, chains, stalled);
      assertThat(memory.isScarce()).isTrue();
      ReceiveMemory.Share rest = full(memory);
      for (int length = LENGTH; length >= 4 << 10; length /= 2) {
        while (rest.tryTake(length) != null) {
          assertThat(memory.sharedTaken()).isPositive();
        }
      }
      assertThat(memory.optional().tryTake(1)).isNull();
      int before = refusals.get();
      assertThat(receive(tape.records(), chains, memory.share())).isEqualTo(tape.plain());
      assertThat(refusals).hasValue(before);
    }
    stalled.forEach(WireInput::close);
    assertThat(memory.isScarce()).isFalse();
  }

  @Test
  void aStreamMayHaveWhatTheLargestPacketNeeds() throws IOException {
    ReceiveMemory memory = memory(ReceiveMemory.LARGEST_PACKET, 1);
    try (WireChains chains = Tape.newChains();
        Tape tape = new Tape()) {
      writeOrdinary(tape);
      int length = WireFormat.MAX_PACKET;
      tape.summed(new byte[30], length, random(length - tape.ahead()));
      tape.summed(new byte[30], length, random(length));
      assertThat(receive(tape.records(), chains, memory.share())).isEqualTo(tape.plain());
    }
    assertThat(memory.taken()).isZero();
  }

  /** The peer is not yet known then. */
  @Test
  void aRequestTakesNothingThatIsShared() {
    ReceiveMemory memory = memory(LENGTH, 1);
    byte[] request = Tape.record(WireFormat.BYTES, new byte[WireFormat.MAX_BYTES]);
    StreamOrder order = new StreamOrder();
    WireInput.Listener listener =
        new QuietListener() {
          @Override
          public void record(int type) throws IOException {
            order.record(type);
          }
        };
    try (WireChains chains = Tape.newChains();
        WireInput in =
            new WireInput(
                new Stalled(Arrays.copyOf(request, request.length - 1)),
                chains,
                listener,
                id -> null,
                memory.share())) {
      assertThat(catchThrowable(() -> in.read(new byte[10], 0, 10)))
          .hasMessageContaining("stalled");
      assertThat(memory.taken()).isLessThan(2 * WireFormat.MAX_BYTES);
      assertThat(memory.sharedTaken()).isZero();
    }
    assertThat(memory.taken()).isZero();
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
                new ByteArrayInputStream(stream), chains, listener, id -> null, memory.share())) {
      byte[] piece = new byte[4096];
      assertThatThrownBy(
              () -> {
                while (in.read(piece, 0, piece.length) >= 0) {
                  assertThat(memory.taken()).isLessThanOrEqualTo(LENGTH + ReceiveMemory.GUARANTEED);
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
