/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class IndexEntryTest {

  private static final String KEY = "00000102" + "202122232425262728292a2b2c2d2e2f";
  private static final String VALUE = "01" + "070605" + "0807060504";

  @Test
  void entriesAreReadForEver() {
    byte[] fingerprints = new byte[2 * Fingerprinter.LENGTH];
    for (int i = 0; i < fingerprints.length; i++) {
      fingerprints[i] = (byte) i;
    }
    assertThat(IndexEntry.key(0x102, fingerprints, Fingerprinter.LENGTH))
        .isEqualTo(HexFormat.of().parseHex(KEY));
    long ref = ChunkRef.pack(0x0405060708L, 0x050607);
    assertThat(IndexEntry.value(ref)).isEqualTo(HexFormat.of().parseHex(VALUE));
    assertThat(IndexEntry.ref(HexFormat.of().parseHex(VALUE))).isEqualTo(ref);
  }

  @Test
  void otherValuesNameNothing() {
    byte[] value = IndexEntry.value(42);
    assertThat(IndexEntry.ref(Arrays.copyOf(value, value.length - 1))).isEqualTo(IndexLookup.NONE);
    assertThat(IndexEntry.ref(Arrays.copyOf(value, value.length + 1))).isEqualTo(IndexLookup.NONE);
    assertThat(IndexEntry.ref(new byte[0])).isEqualTo(IndexLookup.NONE);
    value[0]++;
    assertThat(IndexEntry.ref(value)).isEqualTo(IndexLookup.NONE);
  }

  @Test
  void aChunkNumberIsOneThatAContainerCanHave() {
    long container = 0x0405060708L;
    long last = ChunkRef.pack(container, ContainerFormat.MAX_CHUNKS - 1);
    byte[] value = IndexEntry.value(last);
    assertThat(IndexEntry.ref(value)).isEqualTo(last);
    assertThat(IndexEntry.ref(IndexEntry.value(0))).isZero();
    for (int number : new int[] {ContainerFormat.MAX_CHUNKS, ChunkRef.MAX_NUMBER}) {
      long beyond = ChunkRef.pack(container, number);
      assertThatThrownBy(() -> IndexEntry.value(beyond))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("no chunk's reference: " + ChunkRef.toString(beyond));
      ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).putLong(1, beyond);
      assertThat(IndexEntry.ref(value)).isEqualTo(IndexLookup.NONE);
    }
    assertThatThrownBy(() -> IndexEntry.value(IndexLookup.NONE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
