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

  int chunkCount() {
    return chunkCount;
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
        originalBytes);
  }

  private int number(int index) {
    return numbers == null ? index : numbers[index];
  }
}
