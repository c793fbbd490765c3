/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.util.Arrays;

/**
 * Collects a {@link ContainerDirectory}: {@link #addChunk} for each chunk of a group, then {@link
 * #endGroup}. For one thread; the directories that it made don't change when more is added.
 */
public final class DirectoryBuilder {

  private int groupCount;
  private int chunkCount;
  private int endOfGroups;
  private long originalBytes;
  private int[] numbers;
  private int[] lengths;
  private int[] checksums;
  private FingerprintTable fingerprints;
  private int[] groupFirst;
  private int[] groupFirstNumber;
  private long[] groupPosition;
  private int[] groupHeaderLength;
  private int[] groupStoredLength;
  private int[] groupOriginalLength;
  private byte[] groupStages;
  private final DifferencesBuilder differences = new DifferencesBuilder();
  private int endOfDifferences;

  public DirectoryBuilder() {
    this(256, 16);
  }

  public DirectoryBuilder(int chunks, int groups) {
    lengths = new int[chunks];
    checksums = new int[chunks];
    fingerprints = new FingerprintTable(chunks);
    groupFirst = new int[groups];
    groupFirstNumber = new int[groups];
    groupPosition = new long[groups];
    groupHeaderLength = new int[groups];
    groupStoredLength = new int[groups];
    groupOriginalLength = new int[groups];
    groupStages = new byte[groups];
  }

  /** Adds a chunk; its number is greater than the one before. */
  public void addChunk(int number, int length, int checksum, byte[] fingerprint, int offset) {
    if (chunkCount == lengths.length) {
      growChunks(Math.max(16, 2 * chunkCount));
    }
    putNumber(number);
    lengths[chunkCount] = length;
    checksums[chunkCount] = checksum;
    fingerprints.add(fingerprint, offset);
    chunkCount++;
  }

  /**
   * Adds a chunk that is kept as a difference.
   *
   * @param length of what is kept of it, as is the checksum
   * @param wholeLength of the chunk itself, in bytes
   * @param base reference of its base
   */
  public void addDifference(
      int number,
      int length,
      int checksum,
      byte[] fingerprint,
      int offset,
      int wholeLength,
      long base) {
    differences.reserve();
    addChunk(number, length, checksum, fingerprint, offset);
    differences.add(chunkCount - 1, wholeLength, base, checksum);
  }

  /** Adds a chunk as another directory has it. */
  public void addFrom(ContainerDirectory other, int index, int checksum, byte[] fingerprint) {
    other.fingerprint(index, fingerprint, 0);
    long base = other.baseOf(index);
    if (base < 0) {
      addChunk(other.number(index), other.keptLength(index), checksum, fingerprint, 0);
    } else {
      addDifference(
          other.number(index),
          other.keptLength(index),
          other.differenceChecksum(index),
          fingerprint,
          0,
          other.length(index),
          base);
    }
  }

  /** All or nothing, also where there is no memory. */
  private void growChunks(int capacity) {
    int[] newNumbers = numbers == null ? null : Arrays.copyOf(numbers, capacity);
    int[] newLengths = Arrays.copyOf(lengths, capacity);
    int[] newChecksums = Arrays.copyOf(checksums, capacity);
    fingerprints = fingerprints.grown(capacity);
    numbers = newNumbers;
    lengths = newLengths;
    checksums = newChecksums;
  }

  private void putNumber(int number) {
    if (numbers == null) {
      if (number == chunkCount) {
        return;
      }
      int[] first = new int[lengths.length];
      for (int i = 0; i < chunkCount; i++) {
        first[i] = i;
      }
      numbers = first;
    }
    numbers[chunkCount] = number;
  }

  /** Makes a group of the chunks that were added since the last one. */
  public void endGroup(long position, int headerLength, int storedLength, int stages) {
    if (groupCount == groupFirst.length) {
      growGroups(Math.max(16, 2 * groupCount));
    }
    int original = 0;
    for (int i = endOfGroups; i < chunkCount; i++) {
      original += lengths[i];
    }
    groupFirst[groupCount] = endOfGroups;
    groupFirstNumber[groupCount] = number(endOfGroups);
    groupPosition[groupCount] = position;
    groupHeaderLength[groupCount] = headerLength;
    groupStoredLength[groupCount] = storedLength;
    groupOriginalLength[groupCount] = original;
    groupStages[groupCount] = (byte) stages;
    groupCount++;
    endOfGroups = chunkCount;
    endOfDifferences = differences.count();
    originalBytes += original;
  }

  /** All or nothing, also where there is no memory. */
  private void growGroups(int capacity) {
    int[] newFirst = Arrays.copyOf(groupFirst, capacity);
    int[] newFirstNumber = Arrays.copyOf(groupFirstNumber, capacity);
    long[] newPosition = Arrays.copyOf(groupPosition, capacity);
    int[] newHeaderLength = Arrays.copyOf(groupHeaderLength, capacity);
    int[] newStoredLength = Arrays.copyOf(groupStoredLength, capacity);
    int[] newOriginalLength = Arrays.copyOf(groupOriginalLength, capacity);
    groupStages = Arrays.copyOf(groupStages, capacity);
    groupFirst = newFirst;
    groupFirstNumber = newFirstNumber;
    groupPosition = newPosition;
    groupHeaderLength = newHeaderLength;
    groupStoredLength = newStoredLength;
    groupOriginalLength = newOriginalLength;
  }

  /** The groups that were ended. */
  public ContainerDirectory build() {
    return new ContainerDirectory(
        new GroupIndex(
            groupCount,
            endOfGroups == 0 ? 0 : number(endOfGroups - 1) + 1,
            groupFirstNumber,
            groupPosition,
            groupHeaderLength,
            groupStoredLength,
            groupStages),
        endOfGroups,
        numbers,
        lengths,
        checksums,
        fingerprints,
        groupFirst,
        groupOriginalLength,
        originalBytes,
        differences.build(endOfDifferences, true));
  }

  private int number(int index) {
    return numbers == null ? index : numbers[index];
  }
}
