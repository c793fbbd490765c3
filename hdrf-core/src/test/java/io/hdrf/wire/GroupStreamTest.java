/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.GroupExport;
import io.hdrf.spi.scheme.TestSeed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GroupStreamTest {

  private static final BlockRef BLOCK = new BlockRef("BP-1-\u00fc", -5);

  private final Random random = TestSeed.random("groups");
  private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
  private final GroupStream out = new GroupStream(new ByteArrayInputStream(new byte[0]), wire);

  private GroupStream written() {
    return reading(wire.toByteArray());
  }

  private static GroupStream reading(byte[] bytes) {
    return new GroupStream(new ByteArrayInputStream(bytes), new ByteArrayOutputStream());
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    byte[] names = TestBytes.noise(1000, random);
    byte[] group = TestBytes.noise(300_000, random);
    out.offer(new GroupStream.Offer(BLOCK, 1002, -7, new int[] {3, 0xFFFF}));
    out.accept();
    out.refuse();
    out.answer(true);
    out.answer(false);
    out.names(ByteBuffer.wrap(names));
    out.group(ByteBuffer.wrap(group));
    out.flush();
    GroupStream in = written();
    GroupStream.Offer offer = in.readOffer();
    assertThat(offer.block()).isEqualTo(BLOCK);
    assertThat(offer.generationStamp()).isEqualTo(1002);
    assertThat(offer.dialect()).isEqualTo(-7);
    assertThat(offer.hasChain(new int[] {3, 0xFFFF})).isTrue();
    assertThat(offer.hasChain(new int[] {3})).isFalse();
    assertThat(in.readGrant()).isNotNull();
    assertThat(in.readGrant()).isNull();
    assertThat(in.readAnswer()).isTrue();
    assertThat(in.readAnswer()).isFalse();
    assertThat(bytes(in.readNamesOrGroup())).isEqualTo(names);
    assertThat(in.isGroup()).isFalse();
    assertThat(bytes(in.readNamesOrGroup())).isEqualTo(group);
    assertThat(in.isGroup()).isTrue();
    assertThat(in.readNamesOrGroup()).isNull();
  }

  /** No record is read in the place of another: its sender may have proved nothing yet. */
  @Test
  void whatIsNotDueIsRefused() throws IOException {
    out.group(ByteBuffer.allocate(1000));
    out.flush();
    assertThatThrownBy(() -> written().readOffer()).isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> written().readReply()).isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> written().readProof()).isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> written().readAnswer()).isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> written().readNames()).isInstanceOf(CorruptWireException.class);
    assertThatThrownBy(() -> written().readChallenge()).isInstanceOf(CorruptWireException.class);
  }

  @Test
  void lengthsBeyondTheLimitsAreRefused() throws IOException {
    byte[] head = {(byte) WireFormat.GROUP, 0, 0, 0, 0, 0, 0, 0, 0};
    for (long length : new long[] {GroupExport.MAX_CONTENT + 1L, -1, Integer.MIN_VALUE}) {
      ByteBuffer.wrap(head).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(1, (int) length);
      assertThatThrownBy(() -> reading(head).readNamesOrGroup())
          .isInstanceOf(CorruptWireException.class);
    }
  }

  @Test
  void offersThatAreNoneAreRefused() throws IOException {
    out.offer(new GroupStream.Offer(BLOCK, 1, 2, new int[] {1, 2, 3, 4}));
    assertThat(written().readOffer().hasChain(new int[] {1, 2, 3, 4})).isTrue();
    wire.reset();
    out.offer(new GroupStream.Offer(BLOCK, 1, 2, new int[] {1, 2, 3, 4, 5}));
    assertThatThrownBy(() -> written().readOffer()).isInstanceOf(CorruptWireException.class);
    byte[] cut = Arrays.copyOf(wire.toByteArray(), wire.size() - 1);
    assertThatThrownBy(() -> reading(cut).readOffer()).isInstanceOf(IOException.class);
    wire.reset();
    out.offer(new GroupStream.Offer(BLOCK, 1, 2, new int[0]));
    byte[] flipped = wire.toByteArray();
    flipped[random.nextInt(flipped.length)] ^= 1;
    assertThatThrownBy(() -> reading(flipped).readOffer()).isInstanceOf(IOException.class);
  }
}
