/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.jni.Crc32c;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PreambleTest {

  /** Where a read beyond the bytes would wait for ever. */
  private static final class Waiting extends ByteArrayInputStream {
    Waiting(byte... bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read() {
      assertThat(available()).as("bytes left").isPositive();
      return super.read();
    }

    @Override
    public synchronized int read(byte[] dst, int offset, int length) {
      assertThat(length).as("bytes asked for").isOne();
      return super.read(dst, offset, length);
    }
  }

  private static byte[] withChecksum(byte[] preamble) {
    int crc = Crc32c.update(0, ByteBuffer.wrap(preamble, 0, 6));
    preamble[6] = (byte) crc;
    preamble[7] = (byte) (crc >>> 8);
    return preamble;
  }

  private static void assertIsStock(byte... bytes) throws IOException {
    Waiting in = new Waiting(bytes);
    Preamble preamble = Preamble.read(in);
    assertThat(preamble.isHdrf()).isFalse();
    assertThat(preamble.bytes()).isEqualTo(bytes);
    assertThat(in.available()).isZero();
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (int kind : new int[] {WireFormat.PROBE, WireFormat.STREAM, WireFormat.ASK}) {
      byte[] written = Preamble.encode(kind);
      Preamble read = Preamble.read(new Waiting(written));
      assertThat(read.isHdrf()).isTrue();
      assertThat(read.version()).isEqualTo(WireFormat.VERSION);
      assertThat(read.kind()).isEqualTo(kind);
      assertThat(read.bytes()).isEqualTo(written);
    }
  }

  @Test
  void laterVersionsAndKindsAreRecognized() throws IOException {
    byte[] later = Preamble.encode(WireFormat.STREAM);
    later[4] = (byte) 200;
    later[5] = (byte) 255;
    Preamble read = Preamble.read(new Waiting(withChecksum(later)));
    assertThat(read.isHdrf()).isTrue();
    assertThat(read.version()).isEqualTo(200);
    assertThat(read.kind()).isEqualTo(255);
  }

  @Test
  void aStockOperationIsKnownByItsFirstByte() throws IOException {
    for (int first = 0; first < 256; first++) {
      if (first != WireFormat.FIRST_BYTE) {
        assertIsStock((byte) first);
      }
    }
  }

  @Test
  void noByteIsReadBehindTheFirstThatIsNotHdrfs() throws IOException {
    byte[] preamble = Preamble.encode(WireFormat.STREAM);
    for (int length = 1; length <= 4; length++) {
      byte[] begin = Arrays.copyOf(preamble, length);
      begin[length - 1] ^= 1;
      assertIsStock(begin);
    }
  }

  @Test
  void aWrongChecksumIsStock() throws IOException {
    byte[] preamble = Preamble.encode(WireFormat.STREAM);
    for (int bit = 4 * 8; bit < 8 * 8; bit++) {
      byte[] damaged = preamble.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertIsStock(damaged);
    }
  }

  @Test
  void anEarlyEndIsStock() throws IOException {
    byte[] preamble = Preamble.encode(WireFormat.PROBE);
    for (int length = 0; length < preamble.length; length++) {
      byte[] begin = Arrays.copyOf(preamble, length);
      Preamble read = Preamble.read(new ByteArrayInputStream(begin));
      assertThat(read.isHdrf()).isFalse();
      assertThat(read.bytes()).isEqualTo(begin);
    }
  }

  @Test
  void theBytesAreACopy() throws IOException {
    Preamble read = Preamble.read(new Waiting(Preamble.encode(WireFormat.STREAM)));
    read.bytes()[5] = 77;
    assertThat(read.kind()).isEqualTo(WireFormat.STREAM);
  }
}
