/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.CorruptWireException;
import io.hdrf.wire.RecordWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stock code and HDRF must understand a stream in the same way, whoever sends it. */
class MirrorInputStreamTest {

  private static final BlockRef MINE = new BlockRef(OpenedStream.POOL, 1);
  private static final BlockRef OTHER = new BlockRef(OpenedStream.POOL, 2);

  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private final RecordWriter records =
      new RecordWriter(
          bytes -> {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            stream.writeBytes(copy);
          });
  private final byte[] data = new byte[3000];
  private OpenedStream opened;

  @BeforeEach
  void open() throws IOException {
    opened = new OpenedStream();
    new Random(3).nextBytes(data);
    Arrays.fill(data, 500, 3000, (byte) 'x');
  }

  @AfterEach
  void close() {
    records.close();
    opened.close();
  }

  private void bytes(byte[] bytes) throws IOException {
    records.bytes(bytes, 0, bytes.length);
  }

  private void request(long block) throws IOException {
    bytes(OpenedStream.request(block));
  }

  private void packet(long offset, byte[] content) throws IOException {
    byte[] head = OpenedStream.head(offset, content.length, false);
    records.packet(content.length, head, 0, head.length);
    frame(content);
  }

  private void frame(byte[] content) throws IOException {
    records.chain(new int[] {OpenedStream.SCHEME});
    FrameChain chain = opened.mirroring.chains().get(new int[] {OpenedStream.SCHEME});
    ByteBuffer source = ByteBuffer.allocateDirect(content.length).put(content).flip();
    ByteBuffer stored = ByteBuffer.allocateDirect(chain.maxEncodedLength(content.length));
    int stages = chain.encode(source, stored);
    records.frame(content.length, stages, stored.flip());
  }

  private void last(long offset) throws IOException {
    byte[] head = OpenedStream.head(offset, 0, true);
    records.packet(0, head, 0, head.length);
  }

  private void read(int buffer) throws IOException {
    records.flush();
    opened.read(stream.toByteArray(), buffer);
  }

  private void assertRefused() throws IOException {
    assertThatThrownBy(() -> read(512)).isInstanceOf(CorruptWireException.class);
    for (BlockRef block : List.of(MINE, OTHER)) {
      assertThat(opened.kept(block)).as("frames of %s", block).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 100, 512, 100_000})
  void framesAreKeptForTheBlockThatStockCodeWrites(int buffer) throws IOException {
    request(1);
    packet(0, data);
    last(3000);
    read(buffer);
    assertThat(opened.written).isEqualTo(MINE);
    assertThat(opened.data.toByteArray()).isEqualTo(data);
    assertThat(opened.kept(MINE)).isEqualTo(data);
  }

  /** Otherwise the writer of a block would determine the memory of each reader. */
  @Test
  void framesLongerThanThoseMadeHereAreNotKept() throws IOException {
    for (int length : new int[] {PacketBatch.MAX_DATA, PacketBatch.MAX_DATA + 1}) {
      stream.reset();
      request(1);
      packet(0, new byte[length]);
      last(length);
      read(512);
      assertThat(opened.kept(MINE) != null).isEqualTo(length == PacketBatch.MAX_DATA);
    }
  }

  @Test
  void theRequestMayComeInSeveralRecords() throws IOException {
    for (byte next : OpenedStream.request(1)) {
      bytes(new byte[] {next});
    }
    packet(0, data);
    last(3000);
    read(512);
    assertThat(opened.kept(MINE)).isEqualTo(data);
  }

  /** Stock code would take it for the request to write one block, HDRF the next for another. */
  @Test
  void aPacketThatIsARequestIsRefused() throws IOException {
    byte[] mine = OpenedStream.request(1);
    records.packet(0, mine, 0, mine.length);
    ByteArrayOutputStream swallowed = new ByteArrayOutputStream();
    byte[] other = OpenedStream.request(2);
    byte[] head = OpenedStream.head(0, 512, false);
    swallowed.write(head);
    swallowed.write(new byte[512]);
    bytes(swallowed.toByteArray());
    bytes(other);
    packet(0, data);
    last(3000);
    assertRefused();
    assertThat(opened.written).isNull();
  }

  @Test
  void framesThatAreARequestAreRefused() throws IOException {
    records.chain(new int[] {OpenedStream.SCHEME});
    byte[] mine = OpenedStream.request(1);
    records.packet(mine.length, mine, 0, 3);
    frame(Arrays.copyOfRange(mine, 3, mine.length + 3));
    assertRefused();
  }

  @Test
  void bytesBehindTheRequestAreRefusedWhereverTheirRecordEnds() throws IOException {
    byte[] request = OpenedStream.request(1);
    bytes(Arrays.copyOf(request, request.length + 1));
    packet(0, data);
    last(3000);
    assertRefused();
    stream.reset();
    request(1);
    bytes(new byte[] {0});
    packet(0, data);
    assertRefused();
    for (int buffer : new int[] {1, request.length, request.length + 1}) {
      stream.reset();
      bytes(Arrays.copyOf(request, request.length + 100));
      assertThatThrownBy(() -> read(buffer))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("100 bytes between a request and its packets");
    }
  }

  @Test
  void bytesBetweenPacketsAreRefused() throws IOException {
    request(1);
    packet(0, data);
    bytes(OpenedStream.head(3000, 0, false));
    last(3000);
    assertRefused();
  }

  @Test
  void packetsBehindTheLastAreRefused() throws IOException {
    request(1);
    last(0);
    last(0);
    read(512);
    try (MirrorInputStream in =
        new MirrorInputStream(
            opened.mirroring,
            new java.io.ByteArrayInputStream(stream.toByteArray()),
            0,
            "peer",
            transfer -> {})) {
      assertThatThrownBy(in::readAllBytes).isInstanceOf(CorruptWireException.class);
    }
  }

  @Test
  void capabilitiesComeBeforeTheRequestOnly() throws IOException {
    request(1);
    records.flush();
    byte[] hello = recordOfHello();
    stream.writeBytes(hello);
    packet(0, data);
    assertRefused();
  }

  private byte[] recordOfHello() throws IOException {
    ByteArrayOutputStream hello = new ByteArrayOutputStream();
    try (RecordWriter writer =
        new RecordWriter(
            bytes -> {
              byte[] copy = new byte[bytes.remaining()];
              bytes.get(copy);
              hello.writeBytes(copy);
            })) {
      writer.begin(Capabilities.none());
      writer.flush();
    }
    return Arrays.copyOfRange(hello.toByteArray(), 8, hello.size());
  }

  /** Behind a request that has no packets follow, stock code looks for the next one. */
  @Test
  void packetsBehindAnotherOperationAreRefused() throws IOException {
    byte[] request = OpenedStream.request(1);
    request[2] = 81; // READ_BLOCK
    bytes(request);
    packet(0, data);
    records.flush();
    try (MirrorInputStream in =
        new MirrorInputStream(
            opened.mirroring,
            new java.io.ByteArrayInputStream(stream.toByteArray()),
            0,
            "peer",
            transfer -> {})) {
      assertThat(in.readNBytes(request.length)).isEqualTo(request);
      assertThatThrownBy(in::read).isInstanceOf(CorruptWireException.class);
    }
  }

  @Test
  void aPacketThatIsNotWhatItsHeaderSaysIsRefused() throws IOException {
    for (int wrong : new int[] {-1, 1}) {
      stream.reset();
      request(1);
      byte[] head = OpenedStream.head(0, 3000 + wrong, false);
      records.packet(3000, head, 0, head.length);
      frame(data);
      assertRefused();
    }
  }

  /** No other thread's replica gets frames, whichever block is named. */
  @Test
  void withoutAReplicaThatThisThreadWritesNothingIsKept() throws IOException {
    request(1);
    packet(0, data);
    last(3000);
    records.flush();
    try (MirrorInputStream in =
        new MirrorInputStream(
            opened.mirroring,
            new java.io.ByteArrayInputStream(stream.toByteArray()),
            0,
            "peer",
            transfer -> {})) {
      in.readAllBytes();
    }
    assertThat(opened.kept(MINE)).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1 << 20, Integer.MAX_VALUE, -1})
  void aRequestOfAnyLengthTakesNoMemory(int length) throws IOException {
    ByteArrayOutputStream begin = new ByteArrayOutputStream();
    begin.writeBytes(new byte[] {0, 28, 80});
    for (long left = length & 0xFFFFFFFFL; ; left >>>= 7) {
      begin.write((int) (left > 127 ? (left & 127) | 128 : left));
      if (left <= 127) {
        break;
      }
    }
    bytes(begin.toByteArray());
    assertThatThrownBy(() -> read(1)).isInstanceOf(CorruptWireException.class);
  }
}
