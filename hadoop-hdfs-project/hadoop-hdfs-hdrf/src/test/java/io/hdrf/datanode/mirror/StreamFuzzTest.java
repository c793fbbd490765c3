/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.block.BlockRef;
import io.hdrf.wire.CorruptWireException;
import io.hdrf.wire.RecordSigner;
import io.hdrf.wire.RecordWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Any streams, read by HDRF and, through it, by a model of stock code: HDRF keeps for a block
 * exactly the data that stock code writes as that block. Runs on the kept inputs; with {@code
 * JAZZER_FUZZ=1} and one method chosen, it looks for new ones.
 */
class StreamFuzzTest {

  /** Records with any content, and right CRCs as far as their lengths fit. */
  @FuzzTest(maxDuration = "1m")
  void anyStream(byte[] stream) throws IOException {
    if (stream.length == 0) {
      return;
    }
    byte[] records = RecordSigner.signed(Arrays.copyOfRange(stream, 1, stream.length));
    try (OpenedStream opened = new OpenedStream()) {
      for (long block = 0; block < 256; block++) {
        opened.store.writing.add(new BlockRef(OpenedStream.POOL, block));
      }
      boolean complete = true;
      try {
        opened.read(records, 1 + (stream[0] & 0xFF));
      } catch (IOException | RuntimeException expected) {
        complete = false;
      }
      for (long block = 0; block < 256; block++) {
        BlockRef ref = new BlockRef(OpenedStream.POOL, block);
        byte[] kept = opened.kept(ref);
        if (kept != null
            && !(ref.equals(opened.written)
                && startsWith(kept, opened.data.toByteArray())
                && (!complete || kept.length == opened.data.size()))) {
          throw new AssertionError(
              "kept " + kept.length + " bytes for " + ref + ", written is " + opened.written);
        }
      }
    }
  }

  private static boolean startsWith(byte[] whole, byte[] begin) {
    return whole.length >= begin.length
        && Arrays.equals(whole, 0, begin.length, begin, 0, begin.length);
  }

  /** Stock code reads the same packet's head from accepted bytes. */
  @FuzzTest(maxDuration = "1m")
  void anyPacketHead(byte[] head) throws IOException {
    for (int dataLength : new int[] {0, 1, 512, 65_024}) {
      try {
        var header = MirrorInputStream.header(dataLength, ByteBuffer.wrap(head));
        ByteBuffer bytes = ByteBuffer.wrap(head);
        int payload = bytes.getInt();
        int headerLength = bytes.getShort();
        if (header.getDataLen() != dataLength
            || head.length + dataLength != 6 + headerLength + payload - 4) {
          throw new AssertionError("another length than stock code reads");
        }
      } catch (IOException | RuntimeException thrown) {
        if (!(thrown instanceof CorruptWireException || Protobuf.isInvalid(thrown))) {
          throw new AssertionError("no orderly refusal", thrown);
        }
      }
    }
  }

  /** Writes the inputs that are kept, to a directory. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    byte[] mine = OpenedStream.request(1);
    byte[] other = OpenedStream.request(2);
    byte[] head = OpenedStream.head(0, 512, false);
    byte[] last = OpenedStream.head(512, 0, true);
    Files.createDirectories(directory.resolve("anyPacketHead"));
    Files.write(directory.resolve("anyPacketHead/packet"), head);
    Files.write(directory.resolve("anyPacketHead/last"), last);
    Path streams = Files.createDirectories(directory.resolve("anyStream"));
    write(
        streams.resolve("block"),
        records -> {
          records.bytes(mine, 0, mine.length);
          records.packet(512, head, 0, head.length);
          frame(records);
          records.packet(0, last, 0, last.length);
        });
    write(
        streams.resolve("packet-that-is-a-request"),
        records -> {
          records.packet(0, mine, 0, mine.length);
          records.bytes(other, 0, other.length);
          records.packet(512, head, 0, head.length);
          frame(records);
          records.packet(0, last, 0, last.length);
        });
    write(
        streams.resolve("bytes-behind-the-request"),
        records -> {
          records.bytes(mine, 0, mine.length);
          records.bytes(last, 0, last.length);
          records.bytes(other, 0, other.length);
          records.packet(512, head, 0, head.length);
          frame(records);
          records.packet(0, last, 0, last.length);
        });
  }

  private interface Records {
    void writeTo(RecordWriter records) throws IOException;
  }

  private static void frame(RecordWriter records) throws IOException {
    records.chain(new int[] {OpenedStream.SCHEME});
    records.frame(512, 0, ByteBuffer.allocateDirect(512));
  }

  /** Behind how many bytes stock code is to ask for at once. */
  private static void write(Path file, Records content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(0xFF);
    try (RecordWriter records =
        new RecordWriter(
            part -> {
              byte[] copy = new byte[part.remaining()];
              part.get(copy);
              bytes.writeBytes(copy);
            })) {
      content.writeTo(records);
      records.flush();
    }
    Files.write(file, bytes.toByteArray());
  }
}
