/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The content of a container: its chunks with number, length, fingerprint and CRC32C, and its
 * groups. Chunks have an index from 0, in the order of their numbers. Immutable; a directory of an
 * open container stays as it was when it was asked for, and later ones have more.
 *
 * <p>Takes about 50 bytes a chunk, see {@link #memory()}.
 */
public final class ContainerDirectory {

  private static final int OVERHEAD = 200;

  private final int groupCount;
  private final int chunkCount;

  /** Number of each chunk, or null if it is the index. */
  private final int[] numbers;

  private final int[] lengths;
  private final int[] checksums;

  /** Has all chunks, and maybe those of later directories. */
  private final FingerprintTable fingerprints;

  /** Index of each group's first chunk. */
  private final int[] groupFirst;

  private final long[] groupPosition;
  private final int[] groupHeaderLength;
  private final int[] groupStoredLength;
  private final int[] groupOriginalLength;
  private final byte[] groupStages;
  private final long originalBytes;

  /** Takes arrays that may be longer than needed and whose first elements never change. */
  ContainerDirectory(
      int groupCount,
      int chunkCount,
      int[] numbers,
      int[] lengths,
      int[] checksums,
      FingerprintTable fingerprints,
      int[] groupFirst,
      long[] groupPosition,
      int[] groupHeaderLength,
      int[] groupStoredLength,
      int[] groupOriginalLength,
      byte[] groupStages,
      long originalBytes) {
    this.groupCount = groupCount;
    this.chunkCount = chunkCount;
    this.numbers = numbers;
    this.lengths = lengths;
    this.checksums = checksums;
    this.fingerprints = fingerprints;
    this.groupFirst = groupFirst;
    this.groupPosition = groupPosition;
    this.groupHeaderLength = groupHeaderLength;
    this.groupStoredLength = groupStoredLength;
    this.groupOriginalLength = groupOriginalLength;
    this.groupStages = groupStages;
    this.originalBytes = originalBytes;
  }

  /** Returns the number of chunks. */
  public int chunkCount() {
    return chunkCount;
  }

  /** The number of a chunk. */
  public int number(int index) {
    checkIndex(index);
    return numbers == null ? index : numbers[index];
  }

  /** The index of the chunk with that number, or -1. */
  public int indexOf(int number) {
    if (numbers == null) {
      return number >= 0 && number < chunkCount ? number : -1;
    }
    return Math.max(-1, Arrays.binarySearch(numbers, 0, chunkCount, number));
  }

  /** The numbers of all chunks; the caller's own. */
  public BitSet numbers() {
    BitSet all = new BitSet();
    for (int i = 0; i < chunkCount; i++) {
      all.set(number(i));
    }
    return all;
  }

  /** A chunk's length in bytes. */
  public int length(int index) {
    checkIndex(index);
    return lengths[index];
  }

  /** Copies the {@link Fingerprinter#LENGTH} bytes of a chunk's fingerprint. */
  public void fingerprint(int index, byte[] dst, int offset) {
    checkIndex(index);
    System.arraycopy(
        fingerprints.fingerprints(),
        index * Fingerprinter.LENGTH,
        dst,
        offset,
        Fingerprinter.LENGTH);
  }

  /** Returns whether a chunk has the fingerprint that begins at {@code offset}. */
  public boolean hasFingerprint(int index, byte[] fingerprint, int offset) {
    checkIndex(index);
    return fingerprints.isEqual(index, fingerprint, offset);
  }

  /** The index of a chunk with the fingerprint that begins at {@code offset}, or -1. */
  public int find(byte[] fingerprint, int offset) {
    return fingerprints.find(fingerprint, offset, chunkCount);
  }

  /** Returns the number of chunks before a chunk in its group. */
  public int placeInGroup(int index) {
    checkIndex(index);
    return index - groupFirst[groupOf(index)];
  }

  /** Bytes of all chunks together. */
  public long originalBytes() {
    return originalBytes;
  }

  /**
   * About how many bytes of the file chunks take: of a group, as much as they are of its chunks'
   * bytes.
   *
   * @param wanted the chunks' numbers
   */
  public long storedBytes(BitSet wanted) {
    long stored = 0;
    for (int group = 0; group < groupCount; group++) {
      long bytes = 0;
      for (int i = firstChunk(group); i < endChunk(group); i++) {
        bytes += wanted.get(number(i)) ? lengths[i] : 0;
      }
      if (bytes > 0) {
        stored += groupLength(group) * bytes / Math.max(bytes, groupOriginalLength[group]);
      }
    }
    return stored;
  }

  /** Returns the number of bytes of the file that the groups take. */
  public long storedBytes() {
    long stored = 0;
    for (int group = 0; group < groupCount; group++) {
      stored += groupLength(group);
    }
    return stored;
  }

  /** Returns about the bytes of memory that this directory takes once a chunk was looked for. */
  public long memory() {
    return OVERHEAD
        + Integer.BYTES * (long) (numbers == null ? 0 : numbers.length)
        + (2L * Integer.BYTES) * lengths.length
        + fingerprints.memory()
        + (long) (4 * Integer.BYTES + Long.BYTES + 1) * groupFirst.length;
  }

  public int checksum(int index) {
    return checksums[index];
  }

  public int groupCount() {
    return groupCount;
  }

  /** The group that a chunk is in. */
  public int groupOf(int index) {
    int found = Arrays.binarySearch(groupFirst, 0, groupCount, index);
    return found >= 0 ? found : -found - 2;
  }

  /** Index of a group's first chunk. */
  public int firstChunk(int group) {
    return groupFirst[group];
  }

  /** Index behind a group's last chunk. */
  public int endChunk(int group) {
    return group + 1 < groupCount ? groupFirst[group + 1] : chunkCount;
  }

  /** Returns the position of a group's header in the file. */
  public long groupPosition(int group) {
    return groupPosition[group];
  }

  public int headerLength(int group) {
    return groupHeaderLength[group];
  }

  public int storedLength(int group) {
    return groupStoredLength[group];
  }

  public int originalLength(int group) {
    return groupOriginalLength[group];
  }

  public int stages(int group) {
    return groupStages[group];
  }

  /** A group's length in the file, with its header. */
  public int groupLength(int group) {
    return groupHeaderLength[group] + groupStoredLength[group];
  }

  /** Returns the end of a group in the file. */
  public long groupEnd(int group) {
    return groupPosition[group] + groupLength(group);
  }

  /** Returns the offset of a chunk in its decoded group. */
  public int offsetInGroup(int index, int group) {
    int offset = 0;
    for (int i = groupFirst[group]; i < index; i++) {
      offset += lengths[i];
    }
    return offset;
  }

  /** Returns whether both list the same chunks and groups, wherever these lie. */
  public boolean sameContent(ContainerDirectory other) {
    if (chunkCount != other.chunkCount || groupCount != other.groupCount) {
      return false;
    }
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < chunkCount; i++) {
      other.fingerprint(i, fingerprint, 0);
      if (number(i) != other.number(i)
          || lengths[i] != other.lengths[i]
          || checksums[i] != other.checksums[i]
          || !hasFingerprint(i, fingerprint, 0)) {
        return false;
      }
    }
    for (int g = 0; g < groupCount; g++) {
      if (groupFirst[g] != other.groupFirst[g]
          || groupHeaderLength[g] != other.groupHeaderLength[g]
          || groupStoredLength[g] != other.groupStoredLength[g]
          || groupStages[g] != other.groupStages[g]) {
        return false;
      }
    }
    return true;
  }

  private void checkIndex(int index) {
    if (index < 0 || index >= chunkCount) {
      throw new IndexOutOfBoundsException("chunk " + index + " of " + chunkCount);
    }
  }
}
