/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static io.hdrf.codec.dedup.container.format.ContainerFormat.crc;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.expect;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.littleEndian;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireNoFlags;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireRange;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.io.Varint;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The group index of a sealed container file, between the directory and the footer; {@code
 * docs/formats.md} ("Container") has its bytes. The first group begins behind the container's
 * header, each other one where the one before ends.
 */
public final class GroupIndexFormat {

  public static final int MAGIC = 0x49444889;

  private static final int FIXED_LENGTH = 16;
  private static final int CRC_LENGTH = Integer.BYTES;
  public static final int MIN_LENGTH = FIXED_LENGTH + CRC_LENGTH;

  /** Every chunk in a separate group, with the longest numbers. */
  public static final int MAX_LENGTH = MIN_LENGTH + 32 * ContainerFormat.MAX_CHUNKS;

  private static final int MIN_GROUP_LENGTH = 7;

  private GroupIndexFormat() {}

  /** Returns the length of the encoded form in bytes. */
  public static int encodedLength(ContainerDirectory directory) {
    int length = MIN_LENGTH;
    for (int g = 0; g < directory.groupCount(); g++) {
      int chunks = directory.endChunk(g) - directory.firstChunk(g);
      length +=
          Varint.length(directory.headerLength(g))
              + Varint.length(directory.storedLength(g))
              + Varint.length(directory.originalLength(g))
              + Varint.length(gapBefore(directory, g))
              + Varint.length(chunks)
              + Varint.length(gapsInside(directory, g))
              + 1;
    }
    return length;
  }

  private static int gapBefore(ContainerDirectory directory, int group) {
    int first = directory.firstChunk(group);
    int before = first == 0 ? -1 : directory.number(first - 1);
    return directory.number(first) - before - 1;
  }

  private static int gapsInside(ContainerDirectory directory, int group) {
    int first = directory.firstChunk(group);
    int last = directory.endChunk(group) - 1;
    return directory.number(last) - directory.number(first) - (last - first);
  }

  /**
   * Writes the group index at index 0 of {@code dst} and leaves it there from position to limit.
   *
   * @param dst has room for {@link #encodedLength} bytes
   */
  public static void encode(ContainerDirectory directory, ByteBuffer dst) {
    dst.clear();
    ByteBuffer out = littleEndian(dst);
    out.putInt(MAGIC);
    out.putInt(0);
    out.putInt(0);
    out.putInt(directory.groupCount());
    for (int g = 0; g < directory.groupCount(); g++) {
      Varint.put(out, directory.headerLength(g));
      Varint.put(out, directory.storedLength(g));
      Varint.put(out, directory.originalLength(g));
      Varint.put(out, gapBefore(directory, g));
      Varint.put(out, directory.endChunk(g) - directory.firstChunk(g));
      Varint.put(out, gapsInside(directory, g));
      out.put((byte) directory.stages(g));
    }
    int end = out.position();
    out.putInt(Integer.BYTES, end + CRC_LENGTH);
    out.putInt(crc(out, 0, end));
    dst.limit(end + CRC_LENGTH);
  }

  /**
   * Reads a group index.
   *
   * @param file for messages
   * @param bytes the group index from position to limit; not consumed
   * @param end where the last group ends in the file
   */
  public static GroupIndex parse(Path file, ByteBuffer bytes, long end)
      throws CorruptFileException, UnknownFormatVersionException {
    return parseGroups(file, bytes, end).index;
  }

  /** As {@link #parse}, with what only a directory needs. */
  static Groups parseGroups(Path file, ByteBuffer bytes, long end)
      throws CorruptFileException, UnknownFormatVersionException {
    ByteBuffer in = littleEndian(bytes.slice());
    int length = in.remaining();
    requireRange(file, "length of the group index", MIN_LENGTH, MAX_LENGTH, length);
    expect(file, "magic of the group index", MAGIC, in.getInt());
    expect(
        file,
        "CRC32C of the group index",
        crc(in, 0, length - CRC_LENGTH),
        in.getInt(length - CRC_LENGTH));
    expect(file, "length of the group index", length, in.getInt());
    requireNoFlags(file, "group index", in.getInt());
    in.limit(length - CRC_LENGTH);
    int count = in.getInt();
    requireRange(file, "number of groups", 0, in.remaining() / MIN_GROUP_LENGTH, count);
    Groups groups = new Groups(count);
    groups.parse(file, in, end);
    return groups;
  }

  /** The columns of a group index while it is read. */
  static final class Groups {

    GroupIndex index;

    /** Index of each group's first chunk. */
    final int[] firstChunk;

    final int[] originalLength;

    int chunkCount;

    /** Of all groups, in bytes. */
    long originalBytes;

    private final int count;

    private Groups(int count) {
      this.count = count;
      firstChunk = new int[count];
      originalLength = new int[count];
    }

    private void parse(Path file, ByteBuffer in, long end) throws CorruptFileException {
      int[] firstNumber = new int[count];
      long[] position = new long[count];
      int[] headerLength = new int[count];
      int[] storedLength = new int[count];
      byte[] stages = new byte[count];
      long next = ContainerHeader.LENGTH;
      int number = 0;
      for (int g = 0; g < count; g++) {
        position[g] = next;
        headerLength[g] =
            number(
                file,
                in,
                "length of a group header",
                GroupHeader.MIN_LENGTH,
                GroupHeader.MAX_LENGTH);
        storedLength[g] = number(file, in, "stored length", 0, ContainerFormat.MAX_GROUP_LENGTH);
        originalLength[g] =
            number(
                file,
                in,
                "bytes of a group",
                Math.max(1, storedLength[g]),
                ContainerFormat.MAX_GROUP_LENGTH);
        number += number(file, in, "gap", 0, ContainerFormat.MAX_CHUNKS - 1 - number);
        int left = ContainerFormat.MAX_CHUNKS - number;
        int chunks = number(file, in, "chunks of a group", 1, Math.min(left, originalLength[g]));
        int gaps = number(file, in, "gaps in a group", 0, chunks == 1 ? 0 : left - chunks);
        requireRange(file, "bytes left", 1, Integer.MAX_VALUE, in.remaining());
        stages[g] = in.get();
        requireRange(file, "stage mask", 0, (1 << ContainerFormat.MAX_CHAIN_LENGTH) - 1, stages[g]);
        firstNumber[g] = number;
        firstChunk[g] = chunkCount;
        chunkCount += chunks;
        number += chunks + gaps;
        originalBytes += originalLength[g];
        next += headerLength[g] + storedLength[g];
      }
      expect(file, "bytes behind the groups", 0, in.remaining());
      expect(file, "end of the last group", end, next);
      index =
          new GroupIndex(count, number, firstNumber, position, headerLength, storedLength, stages);
    }

    private static int number(Path file, ByteBuffer in, String what, int min, int max)
        throws CorruptFileException {
      int value = Varint.get(in);
      requireRange(file, what, min, max, value);
      return value;
    }
  }
}
