/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireRange;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.Varint;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Which chunks of a group or a container are kept as differences to other chunks, their bases;
 * {@code docs/formats.md} ("Container") has the bytes. Chunks are named by their index there, in
 * ascending order. A base is a whole chunk of the same store. Immutable. Takes no memory for whole
 * chunks.
 */
public final class Differences {

  public static final Differences NONE =
      new Differences(0, new int[0], new int[0], new long[0], new int[0]);

  /** The most of a group, so that its header has less than the most bytes of one. */
  public static final int MAX_OF_GROUP = 1 << 17;

  private static final int BYTES_EACH = 3 * Integer.BYTES + Long.BYTES;

  private final int count;
  private final int[] indexes;
  private final int[] lengths;
  private final long[] bases;
  private final int[] checksums;

  /**
   * Takes arrays that may be longer than needed and whose first elements never change.
   *
   * @param indexes of the chunks
   * @param lengths of the whole chunks, in bytes
   * @param bases references of their bases
   * @param checksums CRC32C of what is kept of them; null in a group's header, which has those of
   *     all chunks
   */
  public Differences(int count, int[] indexes, int[] lengths, long[] bases, int[] checksums) {
    this.count = count;
    this.indexes = indexes;
    this.lengths = lengths;
    this.bases = bases;
    this.checksums = checksums;
  }

  public int count() {
    return count;
  }

  /** The place of a chunk among the differences, or -1 if it is whole. */
  int find(int index) {
    if (count == 0) {
      return -1;
    }
    return Math.max(-1, Arrays.binarySearch(indexes, 0, count, index));
  }

  /** The place of the first difference whose index is not below {@code index}. */
  int placeFrom(int index) {
    int found = count == 0 ? 0 : Arrays.binarySearch(indexes, 0, count, index);
    return found >= 0 ? found : -found - 1;
  }

  /** Index of the chunk. */
  public int index(int place) {
    return indexes[place];
  }

  /** Length of the whole chunk in bytes. */
  public int length(int place) {
    return lengths[place];
  }

  /** The reference of the base. */
  public long base(int place) {
    return bases[place];
  }

  /** The CRC32C of what is kept of the chunk. */
  int checksum(int place) {
    return checksums[place];
  }

  /** Those of a group, with indexes in it, in arrays of their own. */
  Differences ofGroup(int first, int end) {
    int from = placeFrom(first);
    int to = placeFrom(end);
    if (from == to) {
      return NONE;
    }
    int[] moved = new int[to - from];
    for (int i = from; i < to; i++) {
      moved[i - from] = indexes[i] - first;
    }
    return new Differences(
        to - from,
        moved,
        Arrays.copyOfRange(lengths, from, to),
        Arrays.copyOfRange(bases, from, to),
        null);
  }

  boolean isSame(Differences other) {
    for (int i = 0; i < count && count == other.count; i++) {
      if (indexes[i] != other.indexes[i]
          || lengths[i] != other.lengths[i]
          || bases[i] != other.bases[i]
          || checksums[i] != other.checksums[i]) {
        return false;
      }
    }
    return count == other.count;
  }

  /** Returns about the bytes of memory that this takes; 0 if there are none. */
  long memory() {
    return count == 0 ? 0 : (long) BYTES_EACH * indexes.length;
  }

  /** Returns the length of the encoded form in bytes. There is at least one difference. */
  int encodedLength() {
    int length = Varint.length(count);
    for (int i = 0; i < count; i++) {
      length +=
          Varint.length(gap(i))
              + Varint.length(lengths[i])
              + longLength(zigzag(container(i)))
              + longLength(zigzag(number(i)));
    }
    return length + (checksums == null ? 0 : count * Integer.BYTES);
  }

  /**
   * Writes the encoded form.
   *
   * @param out little-endian
   */
  void put(ByteBuffer out) {
    Varint.put(out, count);
    for (int i = 0; i < count; i++) {
      Varint.put(out, gap(i));
      Varint.put(out, lengths[i]);
      Varint.putLong(out, zigzag(container(i)));
      Varint.putLong(out, zigzag(number(i)));
    }
    for (int i = 0; checksums != null && i < count; i++) {
      out.putInt(checksums[i]);
    }
  }

  private int gap(int place) {
    return indexes[place] - (place == 0 ? 0 : indexes[place - 1] + 1);
  }

  /** The base's container, as it differs from the one of the base before. */
  private long container(int place) {
    return ChunkRef.container(bases[place])
        - (place == 0 ? 0 : ChunkRef.container(bases[place - 1]));
  }

  /** The base's number, as it differs from the one that follows the base before. */
  private long number(int place) {
    int expected = place == 0 || container(place) != 0 ? 0 : ChunkRef.number(bases[place - 1]) + 1;
    return (long) ChunkRef.number(bases[place]) - expected;
  }

  private static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  private static int longLength(long value) {
    return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
  }

  /**
   * Reads the encoded form, and what it says of each chunk.
   *
   * @param in little-endian, from the position on, which moves behind it
   * @param kept lengths of what is kept of all chunks
   * @param chunks how many there are
   * @param withChecksums whether it has those
   */
  static Differences parse(Path file, ByteBuffer in, int[] kept, int chunks, boolean withChecksums)
      throws CorruptFileException {
    int count = Varint.get(in);
    // Four bytes at least each; no memory for what can't be there.
    requireRange(file, "number of differences", 1, Math.min(chunks, in.remaining() / 4), count);
    int[] indexes = new int[count];
    int[] lengths = new int[count];
    long[] bases = new long[count];
    int index = -1;
    long container = 0;
    long next = 0;
    for (int i = 0; i < count; i++) {
      int gap = Varint.get(in);
      requireRange(file, "whole chunks before a difference", 0, chunks - 2 - index, gap);
      index += 1 + gap;
      indexes[i] = index;
      lengths[i] = Varint.get(in);
      requireRange(
          file,
          "length of a chunk kept as a difference",
          kept[index] + 1L,
          ContainerFormat.MAX_CHUNK_LENGTH,
          lengths[i]);
      long step = readZigzag(file, in);
      // First, as the sum of both may be too long for a number.
      requireRange(
          file, "container of a base", -container, ChunkRef.MAX_CONTAINER - container, step);
      container += step;
      next = step == 0 ? next : 0;
      long far = readZigzag(file, in);
      requireRange(file, "number of a base", -next, ContainerFormat.MAX_CHUNKS - 1 - next, far);
      next += far;
      bases[i] = ChunkRef.pack(container, (int) next);
      next++;
    }
    int[] checksums = null;
    if (withChecksums) {
      requireRange(
          file,
          "bytes of differences",
          (long) count * Integer.BYTES,
          Long.MAX_VALUE,
          in.remaining());
      checksums = new int[count];
      for (int i = 0; i < count; i++) {
        checksums[i] = in.getInt();
      }
    }
    return new Differences(count, indexes, lengths, bases, checksums);
  }

  private static long readZigzag(Path file, ByteBuffer in) throws CorruptFileException {
    long value = Varint.getLong(in);
    requireRange(file, "number of a difference", 0, Long.MAX_VALUE, value);
    return value >>> 1 ^ -(value & 1);
  }
}
