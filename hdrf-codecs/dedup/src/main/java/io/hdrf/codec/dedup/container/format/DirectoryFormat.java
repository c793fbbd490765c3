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
 * The directory of a sealed container file, behind the last group; {@code docs/formats.md}
 * ("Container") has its bytes. In version 1 it also has the groups, of which the first begins
 * behind the container's header, and each other one where the one before ends, and the chunks'
 * CRCs.
 */
public final class DirectoryFormat {

  public static final int MAGIC = 0x44444889;
  public static final int MIN_LENGTH = 20;

  /** Every chunk in a separate group, with the longest numbers. */
  public static final int MAX_LENGTH = MIN_LENGTH + 64 * ContainerFormat.MAX_CHUNKS;

  private static final int FIXED_LENGTH = 16;
  private static final int CRC_LENGTH = Integer.BYTES;
  private static final int FLAG_DIFFERENCES = 1;

  private DirectoryFormat() {}

  private static boolean hasGroups(int version) {
    return version < ContainerFormat.GROUP_INDEX;
  }

  private static int fixedChunkLength(int version) {
    return Fingerprinter.LENGTH + (hasGroups(version) ? Integer.BYTES : 0);
  }

  /**
   * Returns the length of the encoded form in bytes.
   *
   * @param version of the container
   */
  public static int encodedLength(ContainerDirectory directory, int version) {
    int length = FIXED_LENGTH + CRC_LENGTH;
    for (int g = 0; hasGroups(version) && g < directory.groupCount(); g++) {
      length +=
          Varint.length(directory.headerLength(g))
              + Varint.length(directory.storedLength(g))
              + Varint.length(directory.endChunk(g) - directory.firstChunk(g))
              + 1;
    }
    int chunks = directory.chunkCount();
    for (int i = 0; i < chunks; i = endOfRun(directory, i)) {
      length += Varint.length(gapBefore(directory, i)) + Varint.length(endOfRun(directory, i) - i);
    }
    for (int i = 0; i < chunks; i++) {
      length += Varint.length(directory.keptLength(i));
    }
    length += directory.differences().count() == 0 ? 0 : directory.differences().encodedLength();
    return length + chunks * fixedChunkLength(version);
  }

  private static int gapBefore(ContainerDirectory directory, int index) {
    int before = index == 0 ? -1 : directory.number(index - 1);
    return directory.number(index) - before - 1;
  }

  private static int endOfRun(ContainerDirectory directory, int first) {
    int end = first + 1;
    while (end < directory.chunkCount() && directory.number(end) == directory.number(end - 1) + 1) {
      end++;
    }
    return end;
  }

  /**
   * Writes a directory at index 0 of {@code dst} and leaves it there from position to limit.
   *
   * @param directory has the chunks' CRCs if version 1 is written
   * @param version of the container
   * @param dst has room for {@link #encodedLength} bytes
   */
  public static void encode(ContainerDirectory directory, int version, ByteBuffer dst) {
    int chunks = directory.chunkCount();
    dst.clear();
    ByteBuffer out = littleEndian(dst);
    out.putInt(MAGIC);
    out.putInt(0);
    // The place of the flags since version 2.
    int flags = directory.differences().count() == 0 ? 0 : FLAG_DIFFERENCES;
    out.putInt(hasGroups(version) ? directory.groupCount() : flags);
    out.putInt(chunks);
    if (hasGroups(version)) {
      putGroups(directory, out);
    }
    for (int i = 0; i < chunks; i = endOfRun(directory, i)) {
      Varint.put(out, gapBefore(directory, i));
      Varint.put(out, endOfRun(directory, i) - i);
    }
    for (int i = 0; i < chunks; i++) {
      Varint.put(out, directory.keptLength(i));
    }
    for (int i = 0; hasGroups(version) && i < chunks; i++) {
      out.putInt(directory.checksum(i));
    }
    if (directory.differences().count() > 0) {
      directory.differences().put(out);
    }
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < chunks; i++) {
      directory.fingerprint(i, fingerprint, 0);
      out.put(fingerprint);
    }
    int end = out.position();
    out.putInt(Integer.BYTES, end + CRC_LENGTH);
    out.putInt(crc(out, 0, end));
    dst.limit(end + CRC_LENGTH);
  }

  private static void putGroups(ContainerDirectory directory, ByteBuffer out) {
    for (int g = 0; g < directory.groupCount(); g++) {
      Varint.put(out, directory.headerLength(g));
      Varint.put(out, directory.storedLength(g));
      Varint.put(out, directory.endChunk(g) - directory.firstChunk(g));
      out.put((byte) directory.stages(g));
    }
  }

  /**
   * Reads a directory of version 1.
   *
   * @param file for messages
   * @param bytes the directory from position to limit; not consumed
   * @param position where it stands in the file
   */
  public static ContainerDirectory parse(Path file, ByteBuffer bytes, long position)
      throws CorruptFileException {
    ByteBuffer in = checked(file, bytes);
    int groups = in.getInt();
    int chunks = in.getInt();
    requireRange(file, "number of chunks", 0, in.remaining() / (fixedChunkLength(1) + 1), chunks);
    requireRange(file, "number of chunks", 0, ContainerFormat.MAX_CHUNKS, chunks);
    requireRange(file, "number of groups", chunks == 0 ? 0 : 1, chunks, groups);
    return new GroupsParser(file, in, groups, chunks).parse(position);
  }

  /**
   * Reads a directory that stands beside a group index.
   *
   * @param file for messages
   * @param bytes the directory from position to limit; not consumed
   * @param groups of the group index
   */
  static ContainerDirectory parse(Path file, ByteBuffer bytes, GroupIndexFormat.Groups groups)
      throws CorruptFileException, UnknownFormatVersionException {
    ByteBuffer in = checked(file, bytes);
    int flags = in.getInt();
    requireNoFlags(file, "directory", flags & ~FLAG_DIFFERENCES);
    int chunks = in.getInt();
    expect(file, "chunks of all groups", groups.chunkCount, chunks);
    requireRange(
        file,
        "number of chunks",
        0,
        in.remaining() / (fixedChunkLength(ContainerFormat.GROUP_INDEX) + 1),
        chunks);
    int[] numbers = parseNumbers(file, in, chunks);
    int[] lengths = parseLengths(file, in, chunks);
    Differences differences =
        flags == 0 ? Differences.NONE : Differences.parse(file, in, lengths, chunks, true);
    GroupIndex index = groups.index;
    for (int g = 0; g < index.groupCount(); g++) {
      int first = groups.firstChunk[g];
      int end = g + 1 < index.groupCount() ? groups.firstChunk[g + 1] : chunks;
      expect(
          file,
          "first chunk of a group",
          index.firstNumber(g),
          numbers == null ? first : numbers[first]);
      expect(file, "bytes of a group", groups.originalLength[g], sum(lengths, first, end));
    }
    if (chunks > 0) {
      int last = numbers == null ? chunks - 1 : numbers[chunks - 1];
      expect(file, "last chunk", index.endNumber(index.groupCount() - 1), last + 1);
    }
    return new ContainerDirectory(
        index,
        chunks,
        numbers,
        lengths,
        null,
        parseFingerprints(file, in, chunks),
        groups.firstChunk,
        groups.originalLength,
        groups.originalBytes,
        differences);
  }

  /** A view from behind the length to the CRC, which is right. */
  private static ByteBuffer checked(Path file, ByteBuffer bytes) throws CorruptFileException {
    ByteBuffer in = littleEndian(bytes.slice());
    int length = in.remaining();
    requireRange(file, "directory length", MIN_LENGTH, MAX_LENGTH, length);
    expect(file, "magic of the directory", MAGIC, in.getInt());
    expect(
        file, "directory CRC32C", crc(in, 0, length - CRC_LENGTH), in.getInt(length - CRC_LENGTH));
    expect(file, "directory length", length, in.getInt());
    in.limit(length - CRC_LENGTH);
    return in;
  }

  /** Returns the numbers; null if each is the index. */
  private static int[] parseNumbers(Path file, ByteBuffer in, int chunks)
      throws CorruptFileException {
    int[] numbers = new int[chunks];
    int next = 0;
    int count = 0;
    while (count < chunks) {
      next += number(file, in, "gap", 0, ContainerFormat.MAX_CHUNKS - 1 - next);
      int run = number(file, in, "run of chunks", 1, chunks - count);
      requireRange(file, "chunk number", 0, ContainerFormat.MAX_CHUNKS - (long) run, next);
      for (int i = 0; i < run; i++) {
        numbers[count++] = next++;
      }
    }
    return next == chunks ? null : numbers;
  }

  private static int[] parseLengths(Path file, ByteBuffer in, int chunks)
      throws CorruptFileException {
    int[] lengths = new int[chunks];
    for (int i = 0; i < chunks; i++) {
      lengths[i] = number(file, in, "length of a chunk", 1, ContainerFormat.MAX_CHUNK_LENGTH);
    }
    return lengths;
  }

  /** Reads the fingerprints, which are the last part. */
  private static FingerprintTable parseFingerprints(Path file, ByteBuffer in, int chunks)
      throws CorruptFileException {
    expect(file, "bytes of fingerprints", chunks * (long) Fingerprinter.LENGTH, in.remaining());
    byte[] fingerprints = new byte[chunks * Fingerprinter.LENGTH];
    in.get(fingerprints);
    return new FingerprintTable(fingerprints);
  }

  private static long sum(int[] lengths, int from, int to) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      sum += lengths[i];
    }
    return sum;
  }

  private static int number(Path file, ByteBuffer in, String what, int min, int max)
      throws CorruptFileException {
    int value = Varint.get(in);
    requireRange(file, what, min, max, value);
    return value;
  }

  /** Of version 1. */
  private static final class GroupsParser {
    private final Path file;
    private final ByteBuffer in;
    private final int groups;
    private final int chunks;
    private final int[] first;
    private final int[] firstNumber;
    private final long[] positions;
    private final int[] headerLengths;
    private final int[] storedLengths;
    private final int[] originalLengths;
    private final byte[] stages;

    GroupsParser(Path file, ByteBuffer in, int groups, int chunks) {
      this.file = file;
      this.in = in;
      this.groups = groups;
      this.chunks = chunks;
      first = new int[groups];
      firstNumber = new int[groups];
      positions = new long[groups];
      headerLengths = new int[groups];
      storedLengths = new int[groups];
      originalLengths = new int[groups];
      stages = new byte[groups];
    }

    ContainerDirectory parse(long position) throws CorruptFileException {
      parseGroups(position);
      int[] numbers = parseNumbers(file, in, chunks);
      int[] lengths = parseLengths(file, in, chunks);
      long total = sumGroups(lengths);
      for (int g = 0; g < groups; g++) {
        firstNumber[g] = numbers == null ? first[g] : numbers[first[g]];
      }
      expect(
          file,
          "bytes of CRCs and fingerprints",
          chunks * (long) fixedChunkLength(1),
          in.remaining());
      int[] checksums = new int[chunks];
      for (int i = 0; i < chunks; i++) {
        checksums[i] = in.getInt();
      }
      int end = numbers == null || chunks == 0 ? chunks : numbers[chunks - 1] + 1;
      return new ContainerDirectory(
          new GroupIndex(groups, end, firstNumber, positions, headerLengths, storedLengths, stages),
          chunks,
          numbers,
          lengths,
          checksums,
          parseFingerprints(file, in, chunks),
          first,
          originalLengths,
          total,
          Differences.NONE);
    }

    private void parseGroups(long directoryPosition) throws CorruptFileException {
      long position = ContainerHeader.LENGTH;
      int chunk = 0;
      for (int g = 0; g < groups; g++) {
        first[g] = chunk;
        positions[g] = position;
        headerLengths[g] =
            number(
                file,
                in,
                "length of a group header",
                GroupHeader.FIXED_LENGTH + 1,
                GroupHeader.MAX_LENGTH);
        storedLengths[g] = number(file, in, "stored length", 0, ContainerFormat.MAX_GROUP_LENGTH);
        chunk += number(file, in, "chunks of a group", 1, chunks - chunk);
        requireRange(file, "bytes left", 1, Integer.MAX_VALUE, in.remaining());
        stages[g] = in.get();
        requireRange(file, "stage mask", 0, (1 << ContainerFormat.MAX_CHAIN_LENGTH) - 1, stages[g]);
        position += headerLengths[g] + storedLengths[g];
      }
      expect(file, "chunks of all groups", chunks, chunk);
      expect(file, "end of the last group", directoryPosition, position);
    }

    private long sumGroups(int[] lengths) throws CorruptFileException {
      long total = 0;
      for (int g = 0; g < groups; g++) {
        long sum = sum(lengths, first[g], g + 1 < groups ? first[g + 1] : chunks);
        requireRange(
            file,
            "bytes of a group",
            Math.max(1, storedLengths[g]),
            ContainerFormat.MAX_GROUP_LENGTH,
            sum);
        originalLengths[g] = (int) sum;
        total += sum;
      }
      return total;
    }
  }
}
