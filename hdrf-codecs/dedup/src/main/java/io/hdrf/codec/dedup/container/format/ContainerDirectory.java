/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The content of a container: its chunks with number, length and fingerprint, and its groups. That
 * of a file without a group index, and one that was made from groups, has the chunks' CRC32C, too.
 * Chunks have an index from 0, in the order of their numbers. Immutable; a directory of an open
 * container stays as it was when it was asked for, and later ones have more.
 *
 * <p>Takes about 50 bytes a chunk, see {@link #memory()}.
 */
public final class ContainerDirectory {

  private static final int OVERHEAD = 200;

  private final GroupIndex groups;
  private final int groupCount;
  private final int chunkCount;

  /** Number of each chunk, or null if it is the index. */
  private final int[] numbers;

  private final int[] lengths;

  /** Null if they are in the groups' headers alone. */
  private final int[] checksums;

  /** Has all chunks, and maybe those of later directories. */
  private final FingerprintTable fingerprints;

  /** Index of each group's first chunk. */
  private final int[] groupFirst;

  private final int[] groupOriginalLength;
  private final long originalBytes;
  private final Differences differences;

  /** Takes arrays that may be longer than needed and whose first elements never change. */
  ContainerDirectory(
      GroupIndex groups,
      int chunkCount,
      int[] numbers,
      int[] lengths,
      int[] checksums,
      FingerprintTable fingerprints,
      int[] groupFirst,
      int[] groupOriginalLength,
      long originalBytes,
      Differences differences) {
    this.groups = groups;
    this.groupCount = groups.groupCount();
    this.chunkCount = chunkCount;
    this.numbers = numbers;
    this.lengths = lengths;
    this.checksums = checksums;
    this.fingerprints = fingerprints;
    this.groupFirst = groupFirst;
    this.groupOriginalLength = groupOriginalLength;
    this.originalBytes = originalBytes;
    this.differences = differences;
  }

  /** Where the groups lie. */
  public GroupIndex groups() {
    return groups;
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
    BitSet all = new BitSet(endNumber());
    for (int i = 0; i < chunkCount; i++) {
      all.set(number(i));
    }
    return all;
  }

  /** Returns the number behind that of the last chunk. */
  public int endNumber() {
    return chunkCount == 0 ? 0 : number(chunkCount - 1) + 1;
  }

  /** The bytes that a chunk takes in its group: its own, or those of its difference. */
  public int keptLength(int index) {
    checkIndex(index);
    return lengths[index];
  }

  /** A chunk's length in bytes, however it is kept. */
  public int length(int index) {
    checkIndex(index);
    int place = differences.find(index);
    return place < 0 ? lengths[index] : differences.length(place);
  }

  /** Returns the reference of the base of a chunk that is kept as a difference; -1 of another. */
  public long baseOf(int index) {
    checkIndex(index);
    int place = differences.find(index);
    return place < 0 ? -1 : differences.base(place);
  }

  public boolean isDifference(int index) {
    checkIndex(index);
    return differences.find(index) >= 0;
  }

  /** The CRC32C of what is kept of a chunk that is a difference. */
  public int differenceChecksum(int index) {
    return differences.checksum(differences.find(index));
  }

  /** The chunks that are kept as differences. */
  public Differences differences() {
    return differences;
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

  /**
   * Returns whether a chunk has the fingerprint that begins at {@code offset}; false of one whose
   * fingerprint is unknown.
   */
  public boolean hasFingerprint(int index, byte[] fingerprint, int offset) {
    checkIndex(index);
    return fingerprints.isEqual(index, fingerprint, offset) && !lacksFingerprint(index);
  }

  /**
   * Returns whether the fingerprint of a chunk is unknown: of a difference whose directory was made
   * again without its base. It can be read, but not be found, until {@link #withFingerprints} tells
   * it.
   */
  public boolean lacksFingerprint(int index) {
    checkIndex(index);
    return UnknownFingerprint.is(fingerprints.fingerprints(), index * Fingerprinter.LENGTH)
        && isDifference(index);
  }

  /** Returns whether a chunk {@link #lacksFingerprint}. Goes through the differences. */
  public boolean lacksFingerprints() {
    for (int place = 0; place < differences.count(); place++) {
      if (lacksFingerprint(differences.index(place))) {
        return true;
      }
    }
    return false;
  }

  /** The fingerprints of all chunks, one after the other; the caller's own. */
  public byte[] fingerprints() {
    return Arrays.copyOf(fingerprints.fingerprints(), chunkCount * Fingerprinter.LENGTH);
  }

  /**
   * The same directory with other fingerprints.
   *
   * @param all as {@link #fingerprints} returns them; taken over
   */
  public ContainerDirectory withFingerprints(byte[] all) {
    return new ContainerDirectory(
        groups,
        chunkCount,
        numbers,
        lengths,
        checksums,
        new FingerprintTable(all),
        groupFirst,
        groupOriginalLength,
        originalBytes,
        differences);
  }

  /** The index of a chunk with the fingerprint that begins at {@code offset}, or -1. */
  public int find(byte[] fingerprint, int offset) {
    int found = fingerprints.find(fingerprint, offset, chunkCount);
    return found >= 0 && lacksFingerprint(found) ? -1 : found;
  }

  /** Returns the number of chunks before a chunk in its group. */
  public int placeInGroup(int index) {
    checkIndex(index);
    return index - groupFirst[groupOf(index)];
  }

  /** Bytes that all chunks take in their groups together. */
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
        + Integer.BYTES * (long) lengths.length
        + Integer.BYTES * (long) (checksums == null ? 0 : checksums.length)
        + fingerprints.memory()
        + differences.memory()
        + (2L * Integer.BYTES) * groupFirst.length
        + groups.memory();
  }

  /**
   * Returns whether the chunks' CRC32C are known; otherwise the headers of the groups have them.
   */
  public boolean hasChecksums() {
    return checksums != null;
  }

  public int checksum(int index) {
    return checksums[index];
  }

  /**
   * What the header of a group says, for a directory that {@link #hasChecksums}. It takes no memory
   * for each chunk.
   */
  public GroupHeader header(int group) {
    return header(group, checksums, groupFirst[group]);
  }

  /**
   * What the header of a group says.
   *
   * @param crcs of its chunks; taken over
   */
  public GroupHeader header(int group, int[] crcs) {
    return header(group, crcs, 0);
  }

  private GroupHeader header(int group, int[] crcs, int firstCrc) {
    return new GroupHeader(
        groups.headerLength(group),
        groupOriginalLength[group],
        groups.storedLength(group),
        0,
        groups.stages(group),
        groups.firstNumber(group),
        endChunk(group) - groupFirst[group],
        groupFirst[group],
        numbers,
        lengths,
        firstCrc,
        crcs,
        differences);
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
    return groups.position(group);
  }

  public int headerLength(int group) {
    return groups.headerLength(group);
  }

  public int storedLength(int group) {
    return groups.storedLength(group);
  }

  public int originalLength(int group) {
    return groupOriginalLength[group];
  }

  public int stages(int group) {
    return groups.stages(group);
  }

  /** A group's length in the file, with its header. */
  public int groupLength(int group) {
    return groups.length(group);
  }

  /** Returns the end of a group in the file. */
  public long groupEnd(int group) {
    return groups.end(group);
  }

  /**
   * Returns whether both list the same chunks and groups, wherever these lie. CRCs are compared if
   * both have them.
   */
  public boolean sameContent(ContainerDirectory other) {
    if (chunkCount != other.chunkCount || groupCount != other.groupCount) {
      return false;
    }
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < chunkCount; i++) {
      other.fingerprint(i, fingerprint, 0);
      if (number(i) != other.number(i)
          || lengths[i] != other.lengths[i]
          || (checksums != null && other.checksums != null && checksums[i] != other.checksums[i])
          || !fingerprints.isEqual(i, fingerprint, 0)) {
        return false;
      }
    }
    for (int g = 0; g < groupCount; g++) {
      if (groupFirst[g] != other.groupFirst[g]
          || headerLength(g) != other.headerLength(g)
          || storedLength(g) != other.storedLength(g)
          || stages(g) != other.stages(g)) {
        return false;
      }
    }
    return differences.isSame(other.differences);
  }

  private void checkIndex(int index) {
    if (index < 0 || index >= chunkCount) {
      throw new IndexOutOfBoundsException("chunk " + index + " of " + chunkCount);
    }
  }
}
