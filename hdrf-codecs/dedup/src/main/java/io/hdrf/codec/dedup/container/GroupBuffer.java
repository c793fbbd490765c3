/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.Differences;
import io.hdrf.codec.dedup.container.format.DifferencesBuilder;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects the chunks of a group and encodes them. For one thread; {@link #close} gives the buffers
 * back to the pool. Keeps its memory from group to group.
 */
final class GroupBuffer implements AutoCloseable {

  /** The most bytes of chunks for each byte of a group: it is read for any of them. */
  private static final int MAX_EXPANSION = 16;

  private final BufferPool buffers = BufferPool.shared();
  private final FrameChain chain;
  private final int groupSize;

  /** May be null while there is no chunk. */
  private ByteBuffer original;

  private ByteBuffer group;
  private int count;
  private int[] numbers = new int[64];
  private int[] lengths = new int[64];
  private int[] ends = new int[64];
  private int[] checksums = new int[64];
  private byte[] fingerprints = new byte[64 * Fingerprinter.LENGTH];
  private int headerLength;
  private int stages;

  /** Bytes of the chunks themselves. */
  private long wholeBytes;

  private final DifferencesBuilder differences = new DifferencesBuilder();

  /**
   * @param groupSize how many bytes of chunks go into a group; a longer chunk is one by itself
   */
  GroupBuffer(FrameChain chain, int groupSize) {
    this.chain = chain;
    this.groupSize = groupSize;
    this.original = buffers.take(groupSize);
  }

  boolean isEmpty() {
    return count == 0;
  }

  /**
   * Returns whether a chunk may be added; to an empty group it always may.
   *
   * @param length what is kept of it: all, or a difference
   * @param wholeLength of the chunk itself
   */
  boolean hasRoomFor(int length, int wholeLength) {
    return count == 0
        || (original.position() + (long) length <= groupSize
            && wholeBytes + wholeLength <= (long) MAX_EXPANSION * groupSize
            && differences.count() < Differences.MAX_OF_GROUP);
  }

  /** Adds a chunk, from position to limit, and consumes it. */
  void add(int number, byte[] fingerprint, int offset, ByteBuffer chunk) {
    int length = chunk.remaining();
    if (count == numbers.length) {
      grow(2 * count);
    }
    original = buffers.atLeast(original, Math.max(length, groupSize));
    if (count == 0) {
      original.clear();
    }
    original.put(chunk);
    numbers[count] = number;
    lengths[count] = length;
    ends[count] = original.position();
    System.arraycopy(
        fingerprint, offset, fingerprints, count * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
    count++;
    wholeBytes += length;
  }

  /**
   * Adds a chunk as a difference, from position to limit, and consumes it.
   *
   * @param wholeLength of the chunk itself, more than that of the difference
   * @param base reference of the whole chunk that it is a difference to
   */
  void addDifference(
      int number,
      byte[] fingerprint,
      int offset,
      ByteBuffer difference,
      int wholeLength,
      long base) {
    int length = difference.remaining();
    if (length >= wholeLength) {
      throw new IllegalArgumentException(
          "a difference of " + length + " bytes for a chunk of " + wholeLength);
    }
    differences.reserve();
    add(number, fingerprint, offset, difference);
    differences.add(count - 1, wholeLength, base, 0);
    wholeBytes += wholeLength - length;
  }

  /** Those of the group; they change with it. */
  private Differences differences() {
    return differences.build(differences.count(), false);
  }

  /** All or nothing, also where there is no memory. */
  private void grow(int capacity) {
    int[] newNumbers = Arrays.copyOf(numbers, capacity);
    int[] newLengths = Arrays.copyOf(lengths, capacity);
    int[] newEnds = Arrays.copyOf(ends, capacity);
    int[] newChecksums = Arrays.copyOf(checksums, capacity);
    fingerprints = Arrays.copyOf(fingerprints, capacity * Fingerprinter.LENGTH);
    numbers = newNumbers;
    lengths = newLengths;
    ends = newEnds;
    checksums = newChecksums;
  }

  /** Encodes the chunks; there is at least one. */
  void encode(long marker) throws IOException {
    Differences all = differences();
    headerLength = GroupHeader.length(numbers, lengths, count, all);
    int originalLength = original.position();
    int room = headerLength + chain.maxEncodedLength(originalLength);
    group = buffers.atLeast(group, room);
    group.clear();
    group.position(headerLength);
    original.flip();
    try {
      Crc32c.ofEach(original, ends, count, checksums);
      stages = chain.encode(original, group);
    } finally {
      original.limit(original.capacity());
      original.position(originalLength);
    }
    int end = group.position();
    GroupHeader.put(
        group,
        marker,
        numbers,
        lengths,
        checksums,
        count,
        all,
        headerLength,
        end - headerLength,
        ContainerFormat.crc(group, headerLength, end),
        stages);
    group.position(0);
    group.limit(end);
  }

  /** The group with its header, as it was encoded last, from position 0 to limit. */
  ByteBuffer encoded() {
    return group;
  }

  /** Adds the group that was encoded last to a directory. */
  void addTo(DirectoryBuilder directory, long position) {
    Differences all = differences();
    int next = 0;
    for (int i = 0; i < count; i++) {
      int name = i * Fingerprinter.LENGTH;
      if (next < all.count() && all.index(next) == i) {
        directory.addDifference(
            numbers[i],
            lengths[i],
            checksums[i],
            fingerprints,
            name,
            all.length(next),
            all.base(next));
        next++;
      } else {
        directory.addChunk(numbers[i], lengths[i], checksums[i], fingerprints, name);
      }
    }
    directory.endGroup(position, headerLength, group.limit() - headerLength, stages);
  }

  /** Begins a new group. */
  void clear() {
    count = 0;
    wholeBytes = 0;
    differences.clear();
    if (original != null && original.capacity() > 2L * groupSize) {
      giveOriginal();
      giveGroup();
    }
  }

  private void giveOriginal() {
    ByteBuffer given = original;
    original = null;
    buffers.give(given);
  }

  private void giveGroup() {
    if (group != null) {
      ByteBuffer given = group;
      group = null;
      buffers.give(given);
    }
  }

  @Override
  public void close() {
    giveGroup();
    if (original != null) {
      giveOriginal();
    }
  }
}
