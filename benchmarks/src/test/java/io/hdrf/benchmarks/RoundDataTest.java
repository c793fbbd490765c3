/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoundDataTest {

  private static final byte[] TEXT =
      "a text that is no multiple of any power of two".getBytes(StandardCharsets.US_ASCII);

  private static byte[] written(RoundData data, long length) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    data.write(out, length);
    assertThat(out.size()).isEqualTo((int) length);
    return out.toByteArray();
  }

  @Test
  void writesTheTextOverAndOver() throws IOException {
    RoundData data = new RoundData(TEXT, false);
    for (int round = 0; round < 2; round++) {
      data.next(3L * TEXT.length + 5);
      byte[] bytes = written(data, 3L * TEXT.length + 5);
      for (int i = 0; i < bytes.length; i++) {
        assertThat(bytes[i]).isEqualTo(TEXT[i % TEXT.length]).isEqualTo(data.at(i));
      }
    }
  }

  @Test
  void noPassOfFreshDataIsLikeAnother() throws IOException {
    RoundData data = new RoundData(TEXT, true);
    Set<String> seen = new HashSet<>();
    seen.add(new String(TEXT, StandardCharsets.ISO_8859_1));
    int passes = 0;
    for (int count : new int[] {2, 1, 4, 3}) {
      long length = (long) count * TEXT.length;
      data.next(length);
      byte[] bytes = written(data, length);
      for (int pass = 0; pass < count; pass++) {
        String one =
            new String(bytes, pass * TEXT.length, TEXT.length, StandardCharsets.ISO_8859_1);
        assertThat(seen.add(one)).as("pass %d of a round of %d", pass, count).isTrue();
        passes++;
      }
      for (int i = 0; i < bytes.length; i++) {
        assertThat(data.at(i)).isEqualTo(bytes[i]);
      }
    }
    while (passes < RoundData.MAX_PASSES - 1) {
      data.next(TEXT.length);
      seen.add(new String(written(data, TEXT.length), StandardCharsets.ISO_8859_1));
      passes++;
    }
    assertThat(seen).hasSize(RoundData.MAX_PASSES);
    data.next(TEXT.length);
    assertThatThrownBy(() -> data.next(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("256");
  }

  @Test
  void aPassThatIsBegunCounts() {
    assertThat(RoundData.passes(1, 10)).isEqualTo(1);
    assertThat(RoundData.passes(10, 10)).isEqualTo(1);
    assertThat(RoundData.passes(11, 10)).isEqualTo(2);
  }
}
