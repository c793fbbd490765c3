/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static io.hdrf.codec.dedup.container.format.ContainerFormat.crc;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.expect;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.littleEndian;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireRange;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.Varint;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The directory of a sealed container file, between the last group and the footer; {@code
 * docs/formats.md} ("Container") has its bytes. The first group begins behind the container's
 * header, each other one where the one before ends, and the directory where the last one ends.
 */
public final class DirectoryFormat {

  public static final int MAGIC = 0x44444889;
  public static final int MIN_LENGTH = 20;

  /** Every chunk in a separate group, with the longest numbers. */
  public static final int MAX_LENGTH = MIN_LENGTH + 64 * ContainerFormat.MAX_CHUNKS;

  private static final int FIXED_LENGTH = 16;
  private static final int CRC_LENGTH = Integer.BYTES;

  private DirectoryFormat() {}

  /** Returns the length of the encoded form in bytes. */
  public static int encodedLength(ContainerDirectory directory) {
    int length = FIXED_LENGTH + CRC_LENGTH;
    for (int g = 0; g < directory.groupCount(); g++) {
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
      length += Varint.length(directory.length(i));
    }
    return length + chunks * (Integer.BYTES + Fingerprinter.LENGTH);
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
   * @param dst has room for {@link #encodedLength} bytes
   */
  public static void encode(ContainerDirectory directory, ByteBuffer dst) {
    int chunks = directory.chunkCount();
    dst.clear();
    ByteBuffer out = littleEndian(dst);
    out.putInt(MAGIC);
    out.putInt(0);
    out.putInt(directory.groupCount());
    out.putInt(chunks);
    for (int g = 0; g < directory.groupCount(); g++) {
      Varint.put(out, directory.headerLength(g));
      Varint.put(out, directory.storedLength(g));
      Varint.put(out, directory.endChunk(g) - directory.firstChunk(g));
      out.put((byte) directory.stages(g));
    }
    for (int i = 0; i < chunks; i = endOfRun(directory, i)) {
      Varint.put(out, gapBefore(directory, i));
      Varint.put(out, endOfRun(directory, i) - i);
    }
    for (int i = 0; i < chunks; i++) {
      Varint.put(out, directory.length(i));
    }
    for (int i = 0; i < chunks; i++) {
      out.putInt(directory.checksum(i));
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

  /**
   * Reads a directory.
   *
   * @param file for messages
   * @param bytes the directory from position to limit; not consumed
   * @param position where it stands in the file
   */
  public static ContainerDirectory parse(Path file, ByteBuffer bytes, long position)
      throws CorruptFileException {
    ByteBuffer in = littleEndian(bytes.slice());
    int length = in.remaining();
    requireRange(file, "directory length", MIN_LENGTH, MAX_LENGTH, length);
    expect(file, "magic of the directory", MAGIC, in.getInt());
    expect(
        file, "directory CRC32C", crc(in, 0, length - CRC_LENGTH), in.getInt(length - CRC_LENGTH));
    expect(file, "directory length", length, in.getInt());
    in.limit(length - CRC_LENGTH);
    int groups = in.getInt();
    int chunks = in.getInt();
    int fixed = Integer.BYTES + Fingerprinter.LENGTH;
    requireRange(file, "number of chunks", 0, in.remaining() / (fixed + 1), chunks);
    requireRange(file, "number of chunks", 0, ContainerFormat.MAX_CHUNKS, chunks);
    requireRange(file, "number of groups", chunks == 0 ? 0 : 1, chunks, groups);
    return new Parser(file, in, groups, chunks).parse(position);
  }

  private static final class Parser {
    private final Path file;
    private final ByteBuffer in;
    private final int groups;
    private final int chunks;
    private final int[] first;
    private final long[] positions;
    private final int[] headerLengths;
    private final int[] storedLengths;
    private final int[] originalLengths;
    private final byte[] stages;

    Parser(Path file, ByteBuffer in, int groups, int chunks) {
      this.file = file;
      this.in = in;
      this.groups = groups;
      this.chunks = chunks;
      first = new int[groups];
      positions = new long[groups];
      headerLengths = new int[groups];
      storedLengths = new int[groups];
      originalLengths = new int[groups];
      stages = new byte[groups];
    }

    public ContainerDirectory parse(long position) throws CorruptFileException {
      parseGroups(position);
      int[] numbers = parseNumbers();
      int[] lengths = parseLengths();
      long total = sumGroups(lengths);
      expect(
          file,
          "bytes of CRCs and fingerprints",
          chunks * (long) (Integer.BYTES + Fingerprinter.LENGTH),
          in.remaining());
      int[] checksums = new int[chunks];
      for (int i = 0; i < chunks; i++) {
        checksums[i] = in.getInt();
      }
      byte[] fingerprints = new byte[chunks * Fingerprinter.LENGTH];
      in.get(fingerprints);
      return new ContainerDirectory(
          groups,
          chunks,
          numbers,
          lengths,
          checksums,
          new FingerprintTable(fingerprints),
          first,
          positions,
          headerLengths,
          storedLengths,
          originalLengths,
          stages,
          total);
    }

    private void parseGroups(long directoryPosition) throws CorruptFileException {
      long position = ContainerHeader.LENGTH;
      int chunk = 0;
      for (int g = 0; g < groups; g++) {
        first[g] = chunk;
        positions[g] = position;
        headerLengths[g] =
            number(
                "length of a group header", GroupHeader.FIXED_LENGTH + 1, GroupHeader.MAX_LENGTH);
        storedLengths[g] = number("stored length", 0, ContainerFormat.MAX_GROUP_LENGTH);
        chunk += number("chunks of a group", 1, chunks - chunk);
        requireRange(file, "bytes left", 1, Integer.MAX_VALUE, in.remaining());
        stages[g] = in.get();
        requireRange(file, "stage mask", 0, (1 << ContainerFormat.MAX_CHAIN_LENGTH) - 1, stages[g]);
        position += headerLengths[g] + storedLengths[g];
      }
      expect(file, "chunks of all groups", chunks, chunk);
      expect(file, "end of the last group", directoryPosition, position);
    }

    /** Returns the numbers; null if each is the index. */
    private int[] parseNumbers() throws CorruptFileException {
      int[] numbers = new int[chunks];
      int next = 0;
      int count = 0;
      while (count < chunks) {
        next += number("gap", 0, ContainerFormat.MAX_CHUNKS - 1 - next);
        int run = number("run of chunks", 1, chunks - count);
        requireRange(file, "chunk number", 0, ContainerFormat.MAX_CHUNKS - (long) run, next);
        for (int i = 0; i < run; i++) {
          numbers[count++] = next++;
        }
      }
      return next == chunks ? null : numbers;
    }

    private int[] parseLengths() throws CorruptFileException {
      int[] lengths = new int[chunks];
      for (int i = 0; i < chunks; i++) {
        lengths[i] = number("length of a chunk", 1, ContainerFormat.MAX_CHUNK_LENGTH);
      }
      return lengths;
    }

    private long sumGroups(int[] lengths) throws CorruptFileException {
      long total = 0;
      for (int g = 0; g < groups; g++) {
        int end = g + 1 < groups ? first[g + 1] : chunks;
        long sum = 0;
        for (int i = first[g]; i < end; i++) {
          sum += lengths[i];
        }
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

    private int number(String what, int min, int max) throws CorruptFileException {
      int value = Varint.get(in);
      requireRange(file, what, min, max, value);
      return value;
    }
  }
}
