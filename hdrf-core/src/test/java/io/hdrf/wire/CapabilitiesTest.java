/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.jni.Crc32c;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CapabilitiesTest {

  private static Capabilities read(byte[] bytes) throws IOException {
    return Capabilities.read(new ByteArrayInputStream(bytes));
  }

  private static byte[] stored(int... body) {
    ByteBuffer out = ByteBuffer.allocate(6 + body.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0).putShort((short) body.length);
    for (int value : body) {
      out.put((byte) value);
    }
    out.putInt(0, Crc32c.update(0, ByteBuffer.wrap(out.array(), 4, 2 + body.length)));
    return out.array();
  }

  private static void assertRefused(byte[] bytes) {
    assertThatThrownBy(() -> read(bytes)).isInstanceOf(CorruptWireException.class);
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (Capabilities written :
        List.of(
            Capabilities.none(),
            new Capabilities(255, List.of(0xFFFF, 1, 0x8000)),
            new Capabilities(1, IntStream.range(1, 32_001).boxed().collect(Collectors.toList())))) {
      byte[] bytes = written.encode();
      Capabilities read = read(bytes);
      assertThat(read.version()).isEqualTo(written.version());
      assertThat(read.frameSchemes()).isEqualTo(written.frameSchemes());
      assertThat(read.encode()).isEqualTo(bytes);
    }
  }

  @Test
  void dialectsAreReadAndWritten() throws IOException {
    for (List<Long> dialects : List.of(List.of(-1L), List.of(0L, 1L, Long.MIN_VALUE))) {
      Capabilities written = new Capabilities(1, List.of(1, 300), dialects);
      byte[] bytes = written.encode();
      Capabilities read = read(bytes);
      assertThat(read.dialects()).containsExactlyInAnyOrderElementsOf(dialects);
      assertThat(read.frameSchemes()).containsExactly(1, 300);
      assertThat(read.encode()).isEqualTo(bytes);
    }
    assertThat(read(new Capabilities(1, List.of(1)).encode()).dialects()).isEmpty();
    assertRefused(stored(1, 0, 0, 1));
    assertRefused(stored(1, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7));
  }

  @Test
  void whetherItMakesChecksumsIsReadAndWritten() throws IOException {
    Capabilities plain = new Capabilities(1, List.of(1, 300));
    Capabilities toAsk = new Capabilities(1, List.of(1, 300), List.of(7L));
    for (Capabilities other : List.of(plain, toAsk)) {
      assertThat(other.makesChecksums()).isFalse();
      Capabilities read = read(other.makingChecksums().encode());
      assertThat(read.makesChecksums()).isTrue();
      assertThat(read.dialects()).isEqualTo(other.dialects());
      assertThat(read.frameSchemes()).containsExactly(1, 300);
    }
    assertThat(read(stored(1, 0, 0, 0, 2)).makesChecksums()).isTrue();
    assertThat(read(stored(1, 0, 0, 0, 0xFD)).makesChecksums()).isFalse();
  }

  @Test
  void otherFlagsAreSkipped() throws IOException {
    assertThat(read(stored(1, 0, 0, 0, 0xFD, 1, 1)).encode())
        .isEqualTo(read(stored(1, 0, 0)).encode());
    assertThat(read(stored(1, 0, 0, 0, 0xFF, 1, 1)).makesChecksums()).isTrue();
  }

  @Test
  void nothingBehindTheAnswerIsRead() throws IOException {
    byte[] bytes = new Capabilities(1, List.of(4)).encode();
    ByteArrayInputStream in = new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length + 5));
    Capabilities.read(in);
    assertThat(in.available()).isEqualTo(5);
  }

  @Test
  void whatLaterVersionsAddIsSkipped() throws IOException {
    Capabilities read = read(stored(9, 2, 0, 5, 0, 7, 1, 0, 77, 78, 79));
    assertThat(read.version()).isEqualTo(9);
    assertThat(read.frameSchemes()).containsExactly(5, 0x107);
    assertThat(read.canDecode(new int[] {5})).isTrue();
  }

  @Test
  void anyFlippedBitIsFound() {
    byte[] bytes = new Capabilities(1, List.of(1, 2, 300)).encode();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = Arrays.copyOf(bytes, 70_000);
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(damaged);
    }
  }

  @Test
  void anEarlyEndIsFound() {
    byte[] bytes = new Capabilities(1, List.of(1, 2, 300)).encode();
    for (int length = 1; length < bytes.length; length++) {
      assertRefused(Arrays.copyOf(bytes, length));
    }
  }

  @Test
  void noAnswerAtAllIsNotADamagedOne() {
    assertThatThrownBy(() -> read(new byte[0])).isInstanceOf(EOFException.class);
  }

  @Test
  void tooShortABodyIsFound() {
    assertRefused(stored());
    assertRefused(stored(1));
    assertRefused(stored(1, 0));
    assertRefused(stored(1, 1, 0));
    assertRefused(stored(1, 1, 0, 7));
    assertRefused(stored(1, 0xFF, 0xFF, 7, 7));
  }

  /** Strangers answer, too, and each answer is remembered. */
  @Test
  void ofAnAnswerOnlyWhatIsOfUseIsKept() {
    List<Integer> all = IntStream.range(1, 32_767).boxed().collect(Collectors.toList());
    Capabilities own = new Capabilities(1, List.of(2, 5, 40_000), List.of(7L, 8L));
    Capabilities kept = new Capabilities(3, all, List.of(8L, 9L)).makingChecksums().knownTo(own);
    assertThat(kept.frameSchemes()).containsExactly(2, 5);
    assertThat(kept.dialects()).containsExactly(8L);
    assertThat(kept.version()).isEqualTo(3);
    assertThat(kept.makesChecksums()).isTrue();
  }

  @Test
  void tellsWhatCanBeDecoded() {
    Capabilities some = new Capabilities(WireFormat.VERSION, List.of(1, 2));
    assertThat(some.canDecode(new int[] {1})).isTrue();
    assertThat(some.canDecode(new int[] {2, 1})).isTrue();
    assertThat(some.canDecode(new int[] {1, 3})).isFalse();
    assertThat(new Capabilities(WireFormat.VERSION + 1, List.of(1)).canDecode(new int[] {1}))
        .isTrue();
    assertThat(new Capabilities(WireFormat.VERSION - 1, List.of(1)).canDecode(new int[] {1}))
        .isFalse();
    assertThat(Capabilities.none().canDecode(new int[0])).isFalse();
    assertThat(new Capabilities(1, Collections.emptyList()).canDecode(new int[] {1})).isFalse();
  }
}
