/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static io.hdrf.codec.dedup.container.format.ContainerFormat.crc;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.expect;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.littleEndian;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireNoFlags;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireRange;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.io.Varint;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The header before the stored bytes of a group of chunks; {@code docs/formats.md} ("Container")
 * has its bytes. The chunks of a group, put together in the order of their numbers, are encoded as
 * one frame by the container's tail chain. Those of version 2 have the chunks' CRC32C. Chunks have
 * an index from 0 in their group. Immutable.
 */
public final class GroupHeader {

  public static final int FIXED_LENGTH = 44;

  /** The shortest header since version 2: of one chunk. */
  public static final int MIN_LENGTH = FIXED_LENGTH + 1 + Integer.BYTES;

  /** The longest header: every chunk with a length and a gap of four bytes, and a CRC. */
  public static final int MAX_LENGTH = FIXED_LENGTH + 3 * 4 * ContainerFormat.MAX_CHUNKS;

  /** Magic and marker, by which a group is found. */
  static final int SIGN_LENGTH = 12;

  public static final int MAGIC = 0x47444889;
  private static final int FLAG_GAPS = 1;
  private static final int FLAG_CHECKSUMS = 2;
  private static final int FLAG_DIFFERENCES = 4;
  private static final int ORIGINAL_LENGTH_OFFSET = 12;
  private static final int STORED_LENGTH_OFFSET = 16;
  private static final int STORED_CRC_OFFSET = 20;
  private static final int FIRST_NUMBER_OFFSET = 24;
  private static final int CHUNK_COUNT_OFFSET = 28;
  private static final int TABLE_LENGTH_OFFSET = 32;
  private static final int STAGES_OFFSET = 36;
  private static final int FLAGS_OFFSET = 37;
  private static final int UNUSED_OFFSET = 38;
  private static final int CRC_OFFSET = 40;

  private final int length;
  private final int originalLength;
  private final int storedLength;
  private final int storedCrc;
  private final int stages;
  private final int firstNumber;
  private final int count;

  /** Where in the arrays the group begins, but for the CRCs. */
  private final int base;

  /** Null if the numbers are consecutive. */
  private final int[] numbers;

  private final int[] lengths;
  private final int firstCrc;

  /** Null if the header has none. */
  private final int[] checksums;

  /** By the chunks' places in the arrays, as {@link #base} says. */
  private final Differences differences;

  /** Takes arrays that may have other groups, too, and whose elements of this one never change. */
  GroupHeader(
      int length,
      int originalLength,
      int storedLength,
      int storedCrc,
      int stages,
      int firstNumber,
      int count,
      int base,
      int[] numbers,
      int[] lengths,
      int firstCrc,
      int[] checksums,
      Differences differences) {
    this.length = length;
    this.originalLength = originalLength;
    this.storedLength = storedLength;
    this.storedCrc = storedCrc;
    this.stages = stages;
    this.firstNumber = firstNumber;
    this.count = count;
    this.base = base;
    this.numbers = numbers;
    this.lengths = lengths;
    this.firstCrc = firstCrc;
    this.checksums = checksums;
    this.differences = differences;
  }

  /**
   * Returns the length of the header of a group with these chunks.
   *
   * @param differences among them, without checksums
   */
  public static int length(int[] numbers, int[] lengths, int count, Differences differences) {
    int length = FIXED_LENGTH + Integer.BYTES * count;
    length += differences.count() == 0 ? 0 : differences.encodedLength();
    boolean gaps = hasGaps(numbers, count);
    for (int i = 0; i < count; i++) {
      length += Varint.length(lengths[i]);
      if (gaps && i > 0) {
        length += Varint.length(numbers[i] - numbers[i - 1] - 1);
      }
    }
    return length;
  }

  private static boolean hasGaps(int[] numbers, int count) {
    return numbers[count - 1] - numbers[0] != count - 1;
  }

  /**
   * Writes a header at index 0 of {@code group}.
   *
   * @param checksums CRC32C of each chunk
   * @param differences among the chunks, without checksums
   * @param length what {@link #length} said; the stored bytes begin there
   * @param storedLength how many stored bytes there are
   * @param storedCrc CRC32C that these should have
   */
  public static void put(
      ByteBuffer group,
      long marker,
      int[] numbers,
      int[] lengths,
      int[] checksums,
      int count,
      Differences differences,
      int length,
      int storedLength,
      int storedCrc,
      int stages) {
    ByteBuffer out = littleEndian(group);
    out.clear();
    boolean gaps = hasGaps(numbers, count);
    out.putInt(0, MAGIC);
    out.putLong(4, marker);
    int originalLength = 0;
    for (int i = 0; i < count; i++) {
      originalLength += lengths[i];
    }
    out.putInt(ORIGINAL_LENGTH_OFFSET, originalLength);
    out.putInt(STORED_LENGTH_OFFSET, storedLength);
    out.putInt(STORED_CRC_OFFSET, storedCrc);
    out.putInt(FIRST_NUMBER_OFFSET, numbers[0]);
    out.putInt(CHUNK_COUNT_OFFSET, count);
    out.putInt(TABLE_LENGTH_OFFSET, length - FIXED_LENGTH);
    out.put(STAGES_OFFSET, (byte) stages);
    int flags = FLAG_CHECKSUMS | (gaps ? FLAG_GAPS : 0);
    flags |= differences.count() > 0 ? FLAG_DIFFERENCES : 0;
    out.put(FLAGS_OFFSET, (byte) flags);
    out.putShort(UNUSED_OFFSET, (short) 0);
    out.position(FIXED_LENGTH);
    for (int i = 0; i < count; i++) {
      Varint.put(out, lengths[i]);
    }
    for (int i = 1; gaps && i < count; i++) {
      Varint.put(out, numbers[i] - numbers[i - 1] - 1);
    }
    for (int i = 0; i < count; i++) {
      out.putInt(checksums[i]);
    }
    if (differences.count() > 0) {
      differences.put(out);
    }
    out.putInt(CRC_OFFSET, crc(crc(out, 0, CRC_OFFSET), out, FIXED_LENGTH, length));
  }

  /**
   * Returns whether magic and marker stand at the buffer's position, from where on it has enough
   * bytes.
   */
  static boolean hasSign(ByteBuffer bytes, int index, long marker) {
    return sameInt(bytes, index, MAGIC)
        && sameInt(bytes, index + 4, (int) marker)
        && sameInt(bytes, index + 8, (int) (marker >>> Integer.SIZE));
  }

  /**
   * Returns whether a little-endian number stands at that index, in any byte order of the buffer.
   */
  private static boolean sameInt(ByteBuffer bytes, int index, int value) {
    return bytes.get(index) == (byte) value
        && bytes.get(index + 1) == (byte) (value >>> 8)
        && bytes.get(index + 2) == (byte) (value >>> 16)
        && bytes.get(index + 3) == (byte) (value >>> 24);
  }

  /**
   * Returns the length of a header, from its first {@value #FIXED_LENGTH} bytes, which are not
   * checked yet.
   *
   * @throws CorruptFileException if this can't be the beginning of a header
   */
  public static int peekLength(Path file, ByteBuffer bytes, long marker)
      throws CorruptFileException {
    if (bytes.remaining() < FIXED_LENGTH) {
      throw new CorruptFileException(
          file, "group header", "at least " + FIXED_LENGTH + " bytes", bytes.remaining());
    }
    if (!hasSign(bytes, bytes.position(), marker)) {
      throw new CorruptFileException(file, "group", "magic and marker", "other bytes");
    }
    int table = littleEndian(bytes.slice()).getInt(TABLE_LENGTH_OFFSET);
    requireRange(file, "length of a group's table", 1, MAX_LENGTH - FIXED_LENGTH, table);
    return FIXED_LENGTH + table;
  }

  /**
   * Reads a header.
   *
   * @param file for messages
   * @param bytes at least the header, from the position on; not consumed
   * @throws UnknownFormatVersionException if a later build wrote it
   */
  public static GroupHeader parse(Path file, ByteBuffer bytes, long marker)
      throws CorruptFileException, UnknownFormatVersionException {
    int length = peekLength(file, bytes, marker);
    requireRange(file, "bytes of a group", length, Integer.MAX_VALUE, bytes.remaining());
    ByteBuffer in = littleEndian(bytes.slice());
    expect(
        file,
        "group header CRC32C",
        crc(crc(in, 0, CRC_OFFSET), in, FIXED_LENGTH, length),
        in.getInt(CRC_OFFSET));
    int flags = in.get(FLAGS_OFFSET) & 0xFF;
    requireNoFlags(file, "group", flags & ~(FLAG_GAPS | FLAG_CHECKSUMS | FLAG_DIFFERENCES));
    int original = in.getInt(ORIGINAL_LENGTH_OFFSET);
    requireRange(file, "original length", 1, ContainerFormat.MAX_GROUP_LENGTH, original);
    int stored = in.getInt(STORED_LENGTH_OFFSET);
    requireRange(file, "stored length", 0, original, stored);
    int stages = in.get(STAGES_OFFSET) & 0xFF;
    requireRange(file, "stage mask", 0, (1 << ContainerFormat.MAX_CHAIN_LENGTH) - 1, stages);
    expect(file, "unused bytes of a group header", 0, in.getShort(UNUSED_OFFSET));
    boolean crcs = (flags & FLAG_CHECKSUMS) != 0;
    boolean differ = (flags & FLAG_DIFFERENCES) != 0;
    if (differ && !crcs) {
      throw new CorruptFileException(file, "flags of a group with differences", "CRCs", flags);
    }
    int most = (length - FIXED_LENGTH) / (crcs ? 1 + Integer.BYTES : 1);
    int count = in.getInt(CHUNK_COUNT_OFFSET);
    requireRange(file, "chunks of a group", 1, Math.min(most, original), count);
    int first = in.getInt(FIRST_NUMBER_OFFSET);
    requireRange(file, "chunk number", 0, ContainerFormat.MAX_CHUNKS - count, first);
    in.position(FIXED_LENGTH);
    in.limit(length);
    int[] lengths = lengths(file, in, count, original);
    int[] numbers = (flags & FLAG_GAPS) != 0 ? numbers(file, in, first, count) : null;
    int crcBytes = crcs ? Integer.BYTES * count : 0;
    requireRange(file, "bytes of CRCs", crcBytes, Integer.MAX_VALUE, in.remaining());
    int[] checksums = crcs ? checksums(in, count) : null;
    Differences differences =
        differ ? Differences.parse(file, in, lengths, count, false) : Differences.NONE;
    expect(file, "bytes behind a group's table", 0, in.remaining());
    return new GroupHeader(
        length,
        original,
        stored,
        in.getInt(STORED_CRC_OFFSET),
        stages,
        first,
        count,
        0,
        numbers,
        lengths,
        0,
        checksums,
        differences);
  }

  /**
   * Returns whether a sound header at the position of {@code group} says that the stored bytes are
   * others. False also if the header itself is damaged.
   */
  public static boolean contradicts(ByteBuffer group, long marker, ByteBuffer stored) {
    int start = group.position();
    if (group.remaining() < FIXED_LENGTH || !hasSign(group, start, marker)) {
      return false;
    }
    ByteBuffer in = littleEndian(group);
    int table = in.getInt(start + TABLE_LENGTH_OFFSET);
    if (table < 1 || table > group.remaining() - FIXED_LENGTH) {
      return false;
    }
    int crc = crc(in, start, start + CRC_OFFSET);
    crc = crc(crc, in, start + FIXED_LENGTH, start + FIXED_LENGTH + table);
    return crc == in.getInt(start + CRC_OFFSET)
        && Crc32c.update(0, stored) != in.getInt(start + STORED_CRC_OFFSET);
  }

  private static int[] lengths(Path file, ByteBuffer in, int count, int original)
      throws CorruptFileException {
    int[] lengths = new int[count];
    int sum = 0;
    for (int i = 0; i < count; i++) {
      lengths[i] = Varint.get(in);
      requireRange(file, "length of a chunk", 1, original - sum, lengths[i]);
      sum += lengths[i];
    }
    expect(file, "lengths of a group's chunks", original, sum);
    return lengths;
  }

  private static int[] numbers(Path file, ByteBuffer in, int first, int count)
      throws CorruptFileException {
    int[] numbers = new int[count];
    numbers[0] = first;
    for (int i = 1; i < count; i++) {
      int gap = Varint.get(in);
      requireRange(
          file, "gap", 0, ContainerFormat.MAX_CHUNKS - 1 - (long) (numbers[i - 1] + 1), gap);
      numbers[i] = numbers[i - 1] + 1 + gap;
    }
    return numbers;
  }

  private static int[] checksums(ByteBuffer in, int count) {
    int[] checksums = new int[count];
    for (int i = 0; i < count; i++) {
      checksums[i] = in.getInt();
    }
    return checksums;
  }

  /** The header's length in bytes. */
  public int length() {
    return length;
  }

  public int originalLength() {
    return originalLength;
  }

  public int storedLength() {
    return storedLength;
  }

  /** CRC32C that the stored bytes should have; not known of a header that a directory made. */
  public int storedCrc() {
    return storedCrc;
  }

  public int stages() {
    return stages;
  }

  public int chunkCount() {
    return count;
  }

  public int firstNumber() {
    return firstNumber;
  }

  public int lastNumber() {
    return number(count - 1);
  }

  public int number(int chunk) {
    return numbers == null ? firstNumber + chunk : numbers[base + chunk];
  }

  /** The index of the chunk with that number, or -1. */
  public int indexOf(int number) {
    if (numbers == null) {
      return number >= firstNumber && number < firstNumber + count ? number - firstNumber : -1;
    }
    int found = Arrays.binarySearch(numbers, base, base + count, number);
    return found < 0 ? -1 : found - base;
  }

  /** The bytes of the group that a chunk takes, in those of all chunks. */
  public int chunkLength(int chunk) {
    return lengths[base + chunk];
  }

  public boolean isDifference(int chunk) {
    return differences.find(base + chunk) >= 0;
  }

  /** Returns whether any chunk of some indexes is a difference. */
  public boolean hasDifferences(int from, int to) {
    int place = differences.placeFrom(base + from);
    return place < differences.count() && differences.index(place) < base + to;
  }

  /** The length of the chunk itself, in bytes. */
  public int wholeLength(int chunk) {
    int place = differences.find(base + chunk);
    return place < 0 ? chunkLength(chunk) : differences.length(place);
  }

  /** The reference of the base of a chunk that is a difference. */
  public long baseOf(int chunk) {
    return differences.base(differences.find(base + chunk));
  }

  /** The differences, by the chunks' indexes in the group. */
  public Differences differences() {
    return differences.ofGroup(base, base + count);
  }

  /** Returns the length of the chunks themselves of some indexes together, in bytes. */
  public long wholeLengthOf(int from, int to) {
    long sum = lengthOf(from, to);
    for (int place = differences.placeFrom(base + from);
        place < differences.count() && differences.index(place) < base + to;
        place++) {
      sum += differences.length(place) - (long) lengths[differences.index(place)];
    }
    return sum;
  }

  /** Returns the bytes of the group that the chunks of some indexes take together. */
  public int lengthOf(int from, int to) {
    int sum = 0;
    for (int i = base + from; i < base + to; i++) {
      sum += lengths[i];
    }
    return sum;
  }

  /** The same with arrays that have nothing of other groups, to be kept for long. */
  public GroupHeader alone() {
    if (lengths.length == count) {
      return this;
    }
    return new GroupHeader(
        length,
        originalLength,
        storedLength,
        storedCrc,
        stages,
        firstNumber,
        count,
        0,
        numbers == null ? null : Arrays.copyOfRange(numbers, base, base + count),
        Arrays.copyOfRange(lengths, base, base + count),
        0,
        checksums == null ? null : Arrays.copyOfRange(checksums, firstCrc, firstCrc + count),
        differences());
  }

  public boolean hasChecksums() {
    return checksums != null;
  }

  /** The CRC32C of a chunk, where the header {@link #hasChecksums}. */
  public int checksum(int chunk) {
    return checksums[firstCrc + chunk];
  }
}
