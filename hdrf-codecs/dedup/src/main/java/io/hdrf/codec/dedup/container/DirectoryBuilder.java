/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.util.Arrays;

/**
 * Collects a {@link ContainerDirectory}: {@link #addChunk} for each chunk of a group, then {@link
 * #endGroup}. For one thread; the directories that it made don't change when more is added.
 */
final class DirectoryBuilder {

  private int groupCount;
  private int chunkCount;
  private int endOfGroups;
  private long originalBytes;
  private int[] numbers;
  private int[] lengths;
  private int[] checksums;
  private byte[] fingerprints;
  private FingerprintSlots slots;
  private int[] groupFirst;
  private long[] groupPosition;
  private int[] groupHeaderLength;
  private int[] groupStoredLength;
  private int[] groupOriginalLength;
  private byte[] groupStages;

  DirectoryBuilder() {
    this(256, 16);
  }

  DirectoryBuilder(int chunks, int groups) {
    lengths = new int[chunks];
    checksums = new int[chunks];
    fingerprints = new byte[chunks * Fingerprinter.LENGTH];
    slots = new FingerprintSlots(chunks);
    groupFirst = new int[groups];
    groupPosition = new long[groups];
    groupHeaderLength = new int[groups];
    groupStoredLength = new int[groups];
    groupOriginalLength = new int[groups];
    groupStages = new byte[groups];
  }

  /** Adds a chunk; its number is greater than the one before. */
  void addChunk(int number, int length, int checksum, byte[] fingerprint, int offset) {
    if (chunkCount == lengths.length) {
      int capacity = Math.max(16, 2 * chunkCount);
      lengths = Arrays.copyOf(lengths, capacity);
      checksums = Arrays.copyOf(checksums, capacity);
      fingerprints = Arrays.copyOf(fingerprints, capacity * Fingerprinter.LENGTH);
      slots = FingerprintSlots.of(fingerprints, chunkCount, capacity);
    }
    putNumber(number);
    lengths[chunkCount] = length;
    checksums[chunkCount] = checksum;
    System.arraycopy(
        fingerprint, offset, fingerprints, chunkCount * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
    slots.add(fingerprints, chunkCount);
    chunkCount++;
  }

  private void putNumber(int number) {
    if (numbers == null) {
      if (number == chunkCount) {
        return;
      }
      numbers = new int[lengths.length];
      for (int i = 0; i < chunkCount; i++) {
        numbers[i] = i;
      }
    } else if (numbers.length < lengths.length) {
      numbers = Arrays.copyOf(numbers, lengths.length);
    }
    numbers[chunkCount] = number;
  }

  /** Makes a group of the chunks that were added since the last one. */
  void endGroup(long position, int headerLength, int storedLength, int stages) {
    if (groupCount == groupFirst.length) {
      int capacity = Math.max(16, 2 * groupCount);
      groupFirst = Arrays.copyOf(groupFirst, capacity);
      groupPosition = Arrays.copyOf(groupPosition, capacity);
      groupHeaderLength = Arrays.copyOf(groupHeaderLength, capacity);
      groupStoredLength = Arrays.copyOf(groupStoredLength, capacity);
      groupOriginalLength = Arrays.copyOf(groupOriginalLength, capacity);
      groupStages = Arrays.copyOf(groupStages, capacity);
    }
    int original = 0;
    for (int i = endOfGroups; i < chunkCount; i++) {
      original += lengths[i];
    }
    groupFirst[groupCount] = endOfGroups;
    groupPosition[groupCount] = position;
    groupHeaderLength[groupCount] = headerLength;
    groupStoredLength[groupCount] = storedLength;
    groupOriginalLength[groupCount] = original;
    groupStages[groupCount] = (byte) stages;
    groupCount++;
    endOfGroups = chunkCount;
    originalBytes += original;
  }

  int chunkCount() {
    return chunkCount;
  }

  /** The groups that were ended. */
  ContainerDirectory build() {
    return new ContainerDirectory(
        groupCount,
        endOfGroups,
        numbers,
        lengths,
        checksums,
        fingerprints,
        groupFirst,
        groupPosition,
        groupHeaderLength,
        groupStoredLength,
        groupOriginalLength,
        groupStages,
        originalBytes,
        slots);
  }
}
