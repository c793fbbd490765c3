/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.sample.DeltaScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.TrimScheme;
import io.hdrf.spi.PluginSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class FrameChainTest {

  private static final int RUN = 100;

  private final Random random = TestSeed.random("frame chain");
  private final Configuration configuration = new Configuration(false);

  private FrameChain chain(int length) throws IOException {
    List<FrameScheme> schemes = new ArrayList<>();
    for (int value = 0; value < length; value++) {
      schemes.add(new TrimScheme(value));
    }
    return FrameChain.of(schemes, configuration);
  }

  /** A frame in which exactly the stages of the mask find something to trim. */
  private byte[] frameFor(int stages) {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    byte[] body = new byte[200];
    Arrays.fill(body, (byte) 99);
    frame.writeBytes(body);
    for (int stage = 3; stage >= 0; stage--) {
      if ((stages & 1 << stage) != 0) {
        byte[] run = new byte[RUN];
        Arrays.fill(run, (byte) stage);
        frame.writeBytes(run);
      }
    }
    return frame.toByteArray();
  }

  private StoredFrame encode(FrameChain chain, byte[] frame) throws IOException {
    GuardedBuffer src = new GuardedBuffer(frame, random);
    GuardedBuffer dst = new GuardedBuffer(chain.maxEncodedLength(frame.length), random);
    int stages = chain.encode(src.buffer(), dst.buffer());
    src.assertExhausted();
    src.assertIntact();
    dst.assertIntact();
    assertThat(src.range()).isEqualTo(frame);
    return new StoredFrame(frame.length, stages, dst.written());
  }

  private byte[] decode(FrameChain chain, StoredFrame frame) throws IOException {
    GuardedBuffer src = new GuardedBuffer(frame.bytes(), random);
    GuardedBuffer dst = new GuardedBuffer(frame.originalLength(), random);
    try {
      chain.decode(frame.stages(), src.buffer(), dst.buffer());
      src.assertExhausted();
      dst.assertExhausted();
      return dst.range();
    } finally {
      src.assertIntact();
      dst.assertIntact();
    }
  }

  @Test
  void everyCombinationOfStages() throws IOException {
    for (int length = 0; length <= SchemeChain.MAX_LENGTH; length++) {
      try (FrameChain chain = chain(length)) {
        for (int stages = 0; stages < 1 << length; stages++) {
          byte[] frame = frameFor(stages);
          StoredFrame stored = encode(chain, frame);
          assertThat(stored.stages()).isEqualTo(stages);
          int applied = Integer.bitCount(stages);
          int expected = frame.length - applied * (RUN - 4) + Math.max(0, applied - 1) * 4;
          assertThat(stored.bytes()).hasSize(expected);
          assertThat(decode(chain, stored)).isEqualTo(frame);
        }
      }
    }
  }

  @Test
  void theFormatIsAsDocumented() throws IOException {
    byte[] frame = {7, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
    try (FrameChain chain = chain(2)) {
      StoredFrame stored = encode(chain, frame);
      assertThat(stored.stages()).isEqualTo(0b11);
      // Stage 0 made 4 + 12 bytes of 18; stage 1 cut 10 off these: prefix, count, what is left.
      assertThat(stored.bytes()).containsExactly(16, 0, 0, 0, 10, 0, 0, 0, 6, 0, 0, 0, 7, 7);
    }
  }

  @Test
  void aStageThatSavesNoMoreThanItsPrefixIsLeftOut() throws IOException {
    try (FrameChain chain = chain(2)) {
      for (int run = 0; run <= 12; run++) {
        byte[] frame = new byte[50 + run + RUN];
        Arrays.fill(frame, 0, 50, (byte) 9);
        Arrays.fill(frame, 50, 50 + run, (byte) 1);
        StoredFrame stored = encode(chain, frame);
        assertThat(stored.stages()).isEqualTo(run > 8 ? 0b11 : 0b01);
        assertThat(decode(chain, stored)).isEqualTo(frame);
      }
    }
  }

  @Test
  void neverLongerThanTheFrame() throws IOException {
    for (int length = 0; length <= 4; length++) {
      try (FrameChain chain = chain(length)) {
        for (int size = 1; size < 40; size++) {
          byte[] frame = TestData.RANDOM.bytes(size, random);
          StoredFrame stored = encode(chain, frame);
          assertThat(stored.bytes().length).isLessThanOrEqualTo(size);
          assertThat(decode(chain, stored)).isEqualTo(frame);
        }
      }
    }
  }

  @Test
  void aTightDestinationIsEnoughWhereTheResultFits() throws IOException {
    try (FrameChain chain = chain(3)) {
      byte[] frame = frameFor(0b111);
      GuardedBuffer src = new GuardedBuffer(frame, random);
      GuardedBuffer dst = new GuardedBuffer(frame.length, random);
      int stages = chain.encode(src.buffer(), dst.buffer());
      dst.assertIntact();
      assertThat(decode(chain, new StoredFrame(frame.length, stages, dst.written())))
          .isEqualTo(frame);
    }
  }

  /** Two that keep the length, which a scheme behind them may or may not make shorter. */
  @Test
  void whatKeepsTheLengthIsAppliedOnlyWithWhatMakesItShorter() throws IOException {
    Configuration distance = new Configuration(false);
    distance.setInt("hdrf.delta.distance", 2);
    try (FrameChain chain =
        FrameChain.of(
            List.of(new DeltaScheme(), new TrimScheme(9), new DeltaScheme(), new TrimScheme(0)),
            distance)) {
      // The differences of differences end with zeros, the frame itself with nothing to trim.
      byte[] frame = new byte[300];
      for (int i = 0; i < frame.length; i++) {
        frame[i] = (byte) (i / 2 * 3);
      }
      StoredFrame stored = encode(chain, frame);
      assertThat(stored.stages()).isEqualTo(0b1101);
      assertThat(stored.bytes()).hasSizeLessThan(50);
      assertThat(decode(chain, stored)).isEqualTo(frame);
      assertDamageIsFound(chain, stored);

      byte[] noise = TestData.RANDOM.bytes(300, random);
      noise[299] = 77;
      StoredFrame asItIs = encode(chain, noise);
      assertThat(asItIs.stages()).isZero();
      assertThat(asItIs.bytes()).isEqualTo(noise);

      // Only as it lies it ends with what the second scheme trims.
      byte[] other = TestData.RANDOM.bytes(300, random);
      Arrays.fill(other, 200, 300, (byte) 9);
      other[199] = 8;
      StoredFrame trimmed = encode(chain, other);
      assertThat(decode(chain, trimmed)).isEqualTo(other);
      assertThat(trimmed.bytes()).hasSizeLessThan(250);
    }
  }

  private void assertDamageIsFound(FrameChain chain, StoredFrame stored) {
    int length = stored.originalLength();
    for (int prefix : new int[] {0, length, length + 64, Integer.MAX_VALUE, -1}) {
      byte[] bytes = stored.bytes().clone();
      ByteBuffer.wrap(bytes).putInt(0, Integer.reverseBytes(prefix));
      long before = allocatedBytes();
      assertThatThrownBy(() -> decode(chain, stored.with(bytes)))
          .as("length %d", prefix)
          .isInstanceOf(CorruptFrameException.class);
      assertThat(allocatedBytes() - before).isLessThan(10 << 20);
    }
    for (int cut = 0; cut < stored.bytes().length; cut++) {
      StoredFrame damaged = stored.with(Arrays.copyOf(stored.bytes(), cut));
      assertThatThrownBy(() -> decode(chain, damaged)).isInstanceOf(CorruptFrameException.class);
    }
  }

  /** It may make data longer for the scheme behind it, too. */
  @Test
  void theShorterResultIsKept() throws IOException {
    try (FrameChain chain =
        FrameChain.of(List.of(new DeltaScheme(), new TrimScheme(0)), configuration)) {
      // As they are, 100 zeros can be cut off; as differences 99.
      byte[] frame = new byte[300];
      Arrays.fill(frame, 0, 200, (byte) 7);
      StoredFrame stored = encode(chain, frame);
      assertThat(stored.stages()).isEqualTo(0b10);
      assertThat(stored.bytes()).hasSize(204);
      assertThat(decode(chain, stored)).isEqualTo(frame);
      // As differences 199, behind which is a prefix, a distance and a count.
      Arrays.fill(frame, 100, 300, (byte) 7);
      Arrays.fill(frame, 0, 100, (byte) 3);
      stored = encode(chain, frame);
      assertThat(stored.stages()).isEqualTo(0b11);
      assertThat(stored.bytes()).hasSize(4 + 4 + 1 + 101);
      assertThat(decode(chain, stored)).isEqualTo(frame);
    }
  }

  /** The chain that has it last adds nothing. */
  @Test
  void whatKeepsTheLengthAloneIsLeftOut() throws IOException {
    try (FrameChain chain = FrameChain.of(List.of(new DeltaScheme()), configuration)) {
      byte[] zeros = new byte[100];
      StoredFrame stored = encode(chain, zeros);
      assertThat(stored.stages()).isZero();
      assertThat(stored.bytes()).isEqualTo(zeros);
    }
  }

  @Test
  void itsFormatIsAsDocumented() throws IOException {
    byte[] frame = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
    try (FrameChain chain =
        FrameChain.of(List.of(new DeltaScheme(), new TrimScheme(10)), configuration)) {
      StoredFrame stored = encode(chain, frame);
      assertThat(stored.stages()).isEqualTo(0b11);
      // Stage 0 made 13 bytes of 12, a distance and twelve tens, which stage 1 cut off.
      assertThat(stored.bytes()).containsExactly(13, 0, 0, 0, 12, 0, 0, 0, 1);
      assertThat(decode(chain, stored)).isEqualTo(frame);
    }
  }

  @Test
  void aSchemeThatDoesNotKeepTheLengthThatItSaysFails() throws IOException {
    FrameScheme longer =
        new TrimScheme(1) {
          @Override
          public boolean keepsLength() {
            return true;
          }
        };
    byte[] frame = new byte[100];
    Arrays.fill(frame, (byte) 1);
    try (FrameChain chain = FrameChain.of(List.of(longer, new TrimScheme(0)), configuration)) {
      assertThatThrownBy(() -> encode(chain, frame))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("scheme trim1 made 4 bytes of 100");
    }
  }

  @Test
  void masksBeyondTheChainAreCorrupt() throws IOException {
    for (int length = 0; length <= 4; length++) {
      try (FrameChain chain = chain(length)) {
        for (int stages : new int[] {1 << length, 1 << 4, 1 << 30, 1 << 31, -1}) {
          assertThatThrownBy(() -> decode(chain, new StoredFrame(5, stages, new byte[5])))
              .isInstanceOf(CorruptFrameException.class)
              .hasMessageContaining("stage mask");
        }
      }
    }
  }

  @Test
  void bytesAsTheyAreMustHaveTheFramesLength() throws IOException {
    try (FrameChain chain = chain(1)) {
      for (int length : new int[] {0, 4, 6}) {
        assertThatThrownBy(() -> decode(chain, new StoredFrame(5, 0, new byte[length])))
            .isInstanceOf(CorruptFrameException.class);
      }
    }
  }

  @Test
  void prefixedLengthsAreCheckedBeforeUse() throws IOException {
    try (FrameChain chain = chain(2)) {
      StoredFrame stored = encode(chain, frameFor(0b11));
      int rest = stored.bytes().length - 4;
      int[] lengths = {
        0, 1, rest, rest + 4, stored.originalLength(), Integer.MAX_VALUE, Integer.MIN_VALUE, -1
      };
      for (int length : lengths) {
        byte[] bytes = stored.bytes().clone();
        ByteBuffer.wrap(bytes).putInt(0, Integer.reverseBytes(length));
        long before = allocatedBytes();
        assertThatThrownBy(() -> decode(chain, stored.with(bytes)))
            .as("length %d", length)
            .isInstanceOf(CorruptFrameException.class);
        assertThat(allocatedBytes() - before).isLessThan(10 << 20);
      }
    }
  }

  @Test
  void aStageThatSavedNothingIsCorrupt() throws IOException {
    try (FrameChain chain = chain(2)) {
      byte[] frame = frameFor(0b01);
      StoredFrame once = encode(chain, frame);
      int length = once.bytes().length;
      ByteBuffer twice = ByteBuffer.allocate(8 + length);
      twice.putInt(Integer.reverseBytes(length)).putInt(0).put(once.bytes());
      assertThatThrownBy(() -> decode(chain, new StoredFrame(frame.length, 0b11, twice.array())))
          .isInstanceOf(CorruptFrameException.class)
          .hasMessageContaining("a stage of " + length + " bytes");
    }
  }

  @Test
  void damageIsCorruptionWhateverTheCodecThrows() throws IOException {
    try (FrameChain chain = chain(4)) {
      for (int stages = 1; stages < 16; stages++) {
        StoredFrame stored = encode(chain, frameFor(stages));
        for (int cut = 0; cut < stored.bytes().length; cut++) {
          StoredFrame damaged = stored.with(Arrays.copyOf(stored.bytes(), cut));
          assertThatThrownBy(() -> decode(chain, damaged))
              .isInstanceOf(CorruptFrameException.class);
        }
      }
    }
    FrameChain throwing = FrameChain.of(List.of(new BrokenScheme()), configuration);
    assertThatThrownBy(() -> decode(throwing, new StoredFrame(9, 1, new byte[] {'i'})))
        .isInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("scheme broken");
    assertThatThrownBy(() -> decode(throwing, new StoredFrame(9, 1, new byte[] {'u', 0})))
        .isInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("left 1 bytes unread");
    assertThatThrownBy(() -> decode(throwing, new StoredFrame(9, 1, new byte[] {'c', 0})))
        .isInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("left 1 bytes unread");
    assertThatThrownBy(() -> decode(throwing, new StoredFrame(9, 1, new byte[] {'d'})))
        .isInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("decoded 1 of 9 bytes");
    for (char notNow : new char[] {'s', 'l', 'a', 'o'}) {
      assertThatThrownBy(() -> decode(throwing, new StoredFrame(9, 1, new byte[] {(byte) notNow})))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(CorruptFrameException.class);
    }
  }

  @Test
  void faultyCodecsAreFoundWhileEncoding() throws IOException {
    FrameChain broken = FrameChain.of(List.of(new BrokenScheme()), configuration);
    for (char fault : new char[] {'i', 'u', 'c', 's', 'l', 'a', 'o'}) {
      assertThatThrownBy(() -> encode(broken, new byte[] {(byte) fault, 1, 2, 3}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("scheme broken");
    }
  }

  /** It says nothing of the frame, and passes. */
  @Test
  void wantOfMemoryIsNoFaultOfTheScheme() throws IOException {
    FrameChain broken = FrameChain.of(List.of(new BrokenScheme()), configuration);
    assertThatThrownBy(() -> encode(broken, new byte[] {'m', 1, 2, 3}))
        .isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> decode(broken, new StoredFrame(9, 1, new byte[] {'m'})))
        .isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void emptyFramesAndHeapBuffersAreRefused() throws IOException {
    try (FrameChain chain = chain(1)) {
      ByteBuffer direct = ByteBuffer.allocateDirect(100);
      ByteBuffer heap = ByteBuffer.allocate(100);
      assertThatThrownBy(() -> chain.encode(ByteBuffer.allocateDirect(0), direct))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> chain.encode(heap, direct))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> chain.decode(0, direct, heap))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void tellsItsSchemes() throws IOException {
    try (FrameChain chain = chain(3)) {
      assertThat(chain.ids()).containsExactly(60000, 60001, 60002);
      assertThat(chain.isEmpty()).isFalse();
      assertThat(chain).hasToString("trim0,trim1,trim2");
    }
    assertThat(chain(0).isEmpty()).isTrue();
    assertThatThrownBy(() -> chain(5)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void allocatesNothingPerFrame() throws IOException {
    try (FrameChain chain = chain(4)) {
      byte[] frame = frameFor(0b1011);
      ByteBuffer src = ByteBuffer.allocateDirect(frame.length).put(frame);
      ByteBuffer dst = ByteBuffer.allocateDirect(chain.maxEncodedLength(frame.length));
      ByteBuffer back = ByteBuffer.allocateDirect(frame.length);
      int rounds = 20_000;
      encodeAndDecode(chain, src, dst, back, rounds);
      long before = allocatedBytes();
      encodeAndDecode(chain, src, dst, back, rounds);
      assertThat((allocatedBytes() - before) / (double) rounds).isLessThan(4);
    }
  }

  private static void encodeAndDecode(
      FrameChain chain, ByteBuffer src, ByteBuffer dst, ByteBuffer back, int rounds)
      throws IOException {
    for (int i = 0; i < rounds; i++) {
      src.rewind();
      dst.clear();
      back.clear();
      int stages = chain.encode(src, dst);
      chain.decode(stages, dst.flip(), back);
    }
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /**
   * Does what the first byte tells: throws one thing or another, leaves bytes unread, or moves a
   * limit so that this does not show.
   */
  private static final class BrokenScheme implements FrameScheme, FrameCodec {
    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return "broken";
    }

    @Override
    public int id() {
      return 60010;
    }

    @Override
    public int frameLength(PluginSettings settings) {
      return 1000;
    }

    @Override
    public FrameCodec newCodec(PluginSettings settings) {
      return this;
    }

    @Override
    public int maxEncodedLength(int length) {
      return length;
    }

    @Override
    public void encode(ByteBuffer src, ByteBuffer dst) {
      fail(src.get(), src);
    }

    @Override
    public void decode(ByteBuffer src, ByteBuffer dst) {
      byte how = src.get();
      fail(how, src);
      if (how == 'd') {
        dst.limit(dst.position() + 1);
      }
      dst.position(dst.limit());
    }

    private static void fail(byte how, ByteBuffer src) {
      if (how == 'c') {
        src.limit(src.position());
      }
      if (how == 'i') {
        throw new IndexOutOfBoundsException();
      }
      if (how == 'l') {
        throw new NoClassDefFoundError("acme/Library");
      }
      if (how == 's') {
        throw new IllegalStateException("closed");
      }
      if (how == 'a') {
        throw new AssertionError("broken");
      }
      if (how == 'o') {
        throw new StackOverflowError();
      }
      if (how == 'm') {
        throw new OutOfMemoryError();
      }
    }
  }
}
