/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerScanner;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.codec.dedup.container.format.GroupIndex;
import io.hdrf.codec.dedup.container.format.GroupIndexFormat;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.io.Varint;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads any bytes as the parts of a container, with right CRCs to reach the code after this check.
 * Runs on the kept inputs; with {@code JAZZER_FUZZ=1} and one method chosen, it looks for new ones.
 */
class ContainerFuzzTest {

  private static final Path NAME = Path.of("000000000001.hdc");
  private static final int MAX_LENGTH = 1 << 18;
  private static final long MARKER = 0xF0E1D2C3B4A59687L;

  /** Reads one structure. */
  private interface Reader {
    void read(ByteBuffer bytes) throws IOException;
  }

  /** As it is, and with a CRC at {@code crcOffset} of all that stands before. */
  private static void readBoth(byte[] bytes, int crcOffset, Reader reader) throws IOException {
    if (bytes.length > MAX_LENGTH) {
      return;
    }
    read(bytes, reader);
    if (crcOffset >= 0 && crcOffset + 4 <= bytes.length) {
      ByteBuffer repaired = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
      repaired.putInt(crcOffset, ContainerFormat.crc(repaired, 0, crcOffset));
      read(repaired.array(), reader);
    }
  }

  private static void read(byte[] bytes, Reader reader) throws IOException {
    try {
      reader.read(ByteBuffer.wrap(bytes));
    } catch (CorruptFileException | CorruptFrameException | UnknownFormatVersionException e) {
      // Refused.
    }
  }

  private static void check(boolean right) {
    if (!right) {
      throw new AssertionError();
    }
  }

  @FuzzTest(maxDuration = "1m")
  void header(byte[] bytes) throws IOException {
    readBoth(
        bytes,
        60,
        in -> {
          ContainerHeader header = ContainerHeader.parse(NAME, in);
          check(header.encode().equals(in.duplicate().limit(ContainerHeader.LENGTH)));
        });
  }

  @FuzzTest(maxDuration = "1m")
  void footer(byte[] bytes) throws IOException {
    readBoth(
        bytes,
        92,
        in -> {
          long length = in.remaining() < 60 ? 0 : directoryEnd(in) + ContainerFooter.LENGTH;
          ContainerFooter footer = ContainerFooter.parse(NAME, in, length);
          check(footer.encode().equals(in));
        });
  }

  private static long directoryEnd(ByteBuffer footer) {
    ByteBuffer in = ContainerFormat.littleEndian(footer);
    return in.getLong(48) + in.getInt(56) + (in.remaining() < 88 ? 0 : in.getInt(84));
  }

  @FuzzTest(maxDuration = "1m")
  void directory(byte[] bytes) throws IOException {
    readBoth(
        bytes,
        bytes.length - 4,
        in -> {
          for (long position : new long[] {64, 64 + 46 + 300, 5000}) {
            try {
              checkDirectory(DirectoryFormat.parse(NAME, in, position));
            } catch (CorruptFileException e) {
              // Perhaps at another position.
            }
          }
        });
  }

  private static void checkDirectory(ContainerDirectory directory) throws IOException {
    int last = -1;
    for (int i = 0; i < directory.chunkCount(); i++) {
      int group = directory.groupOf(i);
      check(directory.firstChunk(group) <= i && i < directory.endChunk(group));
      check(directory.number(i) > last && directory.indexOf(directory.number(i)) == i);
      last = directory.number(i);
    }
    ByteBuffer out = ByteBuffer.allocate(DirectoryFormat.encodedLength(directory, 1));
    DirectoryFormat.encode(directory, 1, out);
    long end = directory.groupCount() == 0 ? 64 : directory.groupEnd(directory.groupCount() - 1);
    check(DirectoryFormat.parse(NAME, out, end).sameContent(directory));
  }

  /** A group index. */
  @FuzzTest(maxDuration = "1m")
  void index(byte[] bytes) throws IOException {
    readBoth(
        bytes,
        bytes.length - 4,
        in -> {
          for (long end : new long[] {64, 64 + 50 + 300, 5000}) {
            try {
              checkIndex(GroupIndexFormat.parse(NAME, in, end), end);
            } catch (CorruptFileException e) {
              // Perhaps with another end.
            }
          }
        });
  }

  private static void checkIndex(GroupIndex groups, long end) {
    long position = 64;
    int number = -1;
    for (int g = 0; g < groups.groupCount(); g++) {
      check(groups.position(g) == position && groups.end(g) > position);
      check(groups.firstNumber(g) > number && groups.groupOf(groups.firstNumber(g)) == g);
      check(groups.endNumber(g) > groups.firstNumber(g));
      position = groups.end(g);
      number = groups.firstNumber(g);
    }
    check(position == end);
  }

  /** The end of a file: directory, group index and footer. */
  @FuzzTest(maxDuration = "1m")
  void tail(byte[] bytes) throws IOException {
    if (bytes.length > MAX_LENGTH) {
      return;
    }
    byte[] repaired = bytes.clone();
    repairTail(repaired);
    for (byte[] file : new byte[][] {bytes, repaired}) {
      read(file, in -> inspect(file));
      read(
          file,
          in -> {
            ReadableFile tail = new Bytes(file);
            ContainerFooter footer = ContainerFooter.read(NAME, tail);
            ContainerDirectory directory = footer.readDirectory(NAME, tail);
            check(directory.chunkCount() == footer.chunkCount());
            checkDifferences(directory);
            for (int i = 0; i < directory.chunkCount(); i++) {
              check(directory.groups().groupOf(directory.number(i)) == directory.groupOf(i));
            }
            if (footer.header().hasGroupIndex()) {
              GroupIndex groups = footer.readGroups(NAME, tail, in);
              check(groups.groupCount() == directory.groupCount());
              checkIndex(groups, footer.directoryPosition());
            }
          });
    }
  }

  private static void checkDifferences(ContainerDirectory directory) {
    int differences = 0;
    for (int i = 0; i < directory.chunkCount(); i++) {
      boolean difference = directory.isDifference(i);
      differences += difference ? 1 : 0;
      check(difference == (directory.length(i) > directory.keptLength(i)));
      check(difference == (directory.baseOf(i) >= 0));
      check(!difference || ChunkRef.container(directory.baseOf(i)) <= ChunkRef.MAX_CONTAINER);
      check(!difference || ChunkRef.number(directory.baseOf(i)) < ContainerFormat.MAX_CHUNKS);
    }
    check(differences == directory.differences().count());
    ContainerDirectory same = directory.withFingerprints(directory.fingerprints());
    check(same.sameContent(directory) && same.lacksFingerprints() == directory.lacksFingerprints());
  }

  /**
   * A difference as a group has it, to a base whose length is the first byte: refused, or a chunk
   * with the CRC32C that stands before it.
   */
  @FuzzTest(maxDuration = "1m")
  void difference(byte[] bytes) {
    if (bytes.length == 0 || bytes.length > MAX_LENGTH) {
      return;
    }
    int end = Math.min(1 + (bytes[0] & 0xFF), bytes.length);
    ByteBuffer base = Chunks.direct(Arrays.copyOfRange(bytes, 1, end));
    byte[] kept = Arrays.copyOfRange(bytes, end, bytes.length);
    ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 12);
    if (kept.length > DifferenceFormat.HEAD) {
      ByteBuffer delta =
          Chunks.direct(Arrays.copyOfRange(kept, DifferenceFormat.HEAD, kept.length));
      int length = Varint.get(delta.duplicate().position(1));
      chunk.limit(length > 0 && length < chunk.limit() ? length : 1);
      if (ChunkDelta.decode(base, delta, chunk.duplicate())) {
        // Right, to reach what follows.
        int crc = Crc32c.update(0, chunk.duplicate());
        check(!DifferenceFormat.make(base, withCrc(kept, crc + 1), chunk));
        check(DifferenceFormat.make(base, withCrc(kept, crc), chunk));
      }
    }
    if (DifferenceFormat.make(base, Chunks.direct(kept), chunk)) {
      check(
          Crc32c.update(0, chunk.duplicate())
              == ByteBuffer.wrap(kept).order(ByteOrder.LITTLE_ENDIAN).getInt(0));
    }
  }

  private static ByteBuffer withCrc(byte[] kept, int crc) {
    ByteBuffer repaired = Chunks.direct(kept);
    repaired.order(ByteOrder.LITTLE_ENDIAN).putInt(0, crc);
    return repaired;
  }

  private static void inspect(byte[] file) throws IOException {
    Map<String, Object> facts = new HashMap<>();
    try {
      ContainerInspection.inspect(NAME, new Bytes(file), true, facts);
    } finally {
      if (facts.get("chunkList") instanceof List<?> chunks) {
        check(chunks.size() == (Long) facts.get("chunks"));
        chunks.forEach(chunk -> check(chunk instanceof Map<?, ?> row && row.size() == 6));
      }
    }
  }

  /** Sets the CRCs of what the footer says there is. */
  private static void repairTail(byte[] bytes) {
    int footer = bytes.length - ContainerFooter.LENGTH;
    if (footer < 0) {
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int index = in.getInt(footer + 84);
    int directory = in.getInt(footer + 56);
    if (index >= 0 && directory >= 4 && footer - (long) index - directory >= 0) {
      int end = footer - index;
      in.putInt(end - 4, ContainerFormat.crc(in, end - directory, end - 4));
      if (index >= 4) {
        in.putInt(footer - 4, ContainerFormat.crc(in, end, footer - 4));
      }
    }
    in.putInt(footer + 92, ContainerFormat.crc(in, footer, footer + 92));
  }

  @FuzzTest(maxDuration = "1m")
  void group(byte[] bytes) throws IOException {
    if (bytes.length > MAX_LENGTH) {
      return;
    }
    read(bytes, in -> GroupHeader.parse(NAME, in, MARKER));
    if (bytes.length > GroupHeader.FIXED_LENGTH) {
      byte[] repaired = bytes.clone();
      repairGroup(repaired);
      read(
          repaired,
          in -> {
            GroupHeader header = GroupHeader.parse(NAME, in, MARKER);
            long sum = 0;
            for (int i = 0; i < header.chunkCount(); i++) {
              check(header.number(i) <= header.lastNumber() && header.chunkLength(i) > 0);
              check(header.indexOf(header.number(i)) == i);
              sum += header.chunkLength(i);
              check(header.isDifference(i) == (header.wholeLength(i) > header.chunkLength(i)));
              check(!header.isDifference(i) || header.baseOf(i) >> 24 <= ChunkRef.MAX_CONTAINER);
            }
            check(sum == header.originalLength());
          });
    }
  }

  /** Sets magic, marker and CRCs of a group, as far as its lengths allow. */
  private static void repairGroup(byte[] bytes) {
    ByteBuffer group = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    group.putInt(0, GroupHeader.MAGIC);
    group.putLong(4, MARKER);
    int end = GroupHeader.FIXED_LENGTH + group.getInt(32);
    if (end > GroupHeader.FIXED_LENGTH && end <= bytes.length) {
      int stored = group.getInt(16);
      if (stored >= 0 && stored <= bytes.length - end) {
        group.putInt(20, ContainerFormat.crc(group, end, end + stored));
      }
      int crc = ContainerFormat.crc(group, 0, 40);
      group.putInt(40, ContainerFormat.crc(crc, group, GroupHeader.FIXED_LENGTH, end));
    }
  }

  /** The groups of a file that has lost its directory, if it ever had one. */
  @FuzzTest(maxDuration = "1m")
  void scan(byte[] bytes) throws IOException {
    if (bytes.length > MAX_LENGTH) {
      return;
    }
    byte[] repaired = bytes.clone();
    if (bytes.length > 64 + GroupHeader.FIXED_LENGTH) {
      byte[] group = Arrays.copyOfRange(bytes, 64, bytes.length);
      repairGroup(group);
      System.arraycopy(group, 0, repaired, 64, group.length);
    }
    for (byte[] file : new byte[][] {bytes, repaired}) {
      ContainerHeader header =
          new ContainerHeader(1, Chunks.IDENTITY, Chunks.DEFLATE.ids(), 0, MARKER);
      ContainerScanner scanner =
          new ContainerScanner(
              NAME, new Bytes(file), header, Chunks.DEFLATE, (chunk, dst, at) -> {}, file.length);
      scanner.scan();
      check(scanner.endOfGroups() <= Math.max(64, file.length));
    }
  }

  private static final class Bytes implements ReadableFile {
    private final byte[] bytes;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer dst, long position) {
      int count = (int) Math.max(0, Math.min(dst.remaining(), bytes.length - position));
      if (count > 0) {
        dst.put(bytes, (int) position, count);
      }
      return count;
    }

    @Override
    public long length() {
      return bytes.length;
    }

    @Override
    public void close() {}
  }
}
