/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.BitSet;

/**
 * Reads runs of chunks from a loaded container, and quarantines what can't be read: the chunks of
 * one group at most, or those of it that were wanted where they are stored as they are. Safe for
 * use by many threads.
 */
final class ChunkReader {

  /** Neighbouring groups are read together up to this many bytes. */
  private static final int MAX_READ = 1 << 20;

  private final BufferPool buffers = BufferPool.shared();
  private final GroupCache cache;
  private final Quarantine unreadable;

  /**
   * @param unreadable gets the chunks that can't be read
   */
  ChunkReader(GroupCache cache, Quarantine unreadable) {
    this.cache = cache;
    this.unreadable = unreadable;
  }

  /**
   * Reads chunks with consecutive numbers; {@code dst} gets their bytes one after the other.
   *
   * @throws MissingChunkException if one of them is not there
   * @throws CorruptFrameException if one of them is damaged
   */
  void read(LoadedContainer container, int firstNumber, int count, ByteBuffer dst)
      throws IOException {
    ContainerDirectory directory = container.directory();
    int first = find(container, directory, firstNumber, count);
    int end = first + count;
    checkRoom(container, directory, first, end, dst);
    int index = first;
    while (index < end) {
      int group = directory.groupOf(index);
      if (directory.stages(group) == 0) {
        int stop = Math.min(end, directory.endChunk(group));
        readPlain(container, directory, group, index, stop, dst);
        index = stop;
        continue;
      }
      GroupCache.DecodedGroup cached = cache.acquire(container, group);
      if (cached != null) {
        try {
          int stop = Math.min(end, directory.endChunk(group));
          copy(container, directory, group, cached.bytes(), index, stop, dst);
          index = stop;
        } finally {
          cache.release(cached);
        }
      } else {
        index = readGroups(container, directory, group, index, end, dst);
      }
    }
  }

  /**
   * Starts to read the groups of chunks with consecutive numbers, without waiting for them.
   *
   * @return false if nothing was begun, as where they are decoded already
   */
  boolean prefetch(LoadedContainer container, int firstNumber, int count) {
    ContainerDirectory directory = container.directory();
    int first = directory.indexOf(firstNumber);
    int last = directory.indexOf(firstNumber + count - 1);
    if (first < 0 || last < first) {
      return false;
    }
    int firstGroup = directory.groupOf(first);
    int lastGroup = directory.groupOf(last);
    if (firstGroup == lastGroup && cache.contains(container, firstGroup)) {
      return false;
    }
    long start = directory.groupPosition(firstGroup);
    return container.file().prefetch(start, directory.groupEnd(lastGroup) - start);
  }

  private static int find(
      LoadedContainer container, ContainerDirectory directory, int firstNumber, int count)
      throws IOException {
    int first = directory.indexOf(firstNumber);
    int last = directory.indexOf(firstNumber + count - 1);
    if (first < 0 || last < 0 || last - first != count - 1) {
      String message =
          container.path()
              + ": not all of the chunks from "
              + firstNumber
              + " to "
              + (firstNumber + count - 1)
              + " are there";
      IOException readError = container.readError();
      if (readError != null) {
        throw new IOException(readError.getMessage() + "; " + message, readError);
      }
      if (container.origin() == LoadedContainer.Origin.LOSSY) {
        throw new CorruptFrameException(message + "; the file is damaged");
      }
      throw new MissingChunkException(message);
    }
    return first;
  }

  private static void checkRoom(
      LoadedContainer container, ContainerDirectory directory, int first, int end, ByteBuffer dst)
      throws CorruptFrameException {
    long length = 0;
    for (int i = first; i < end; i++) {
      length += directory.length(i);
    }
    if (length > dst.remaining()) {
      throw new CorruptFrameException(
          container.path()
              + ": "
              + (end - first)
              + " chunks from "
              + directory.number(first)
              + " on have "
              + length
              + " bytes, where at most "
              + dst.remaining()
              + " were expected");
    }
  }

  /** Reads chunks of a group that is stored as it is. */
  private void readPlain(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      int first,
      int end,
      ByteBuffer dst)
      throws IOException {
    int length = 0;
    for (int i = first; i < end; i++) {
      length += directory.length(i);
    }
    ByteBuffer part = dst.duplicate();
    part.limit(part.position() + length);
    long start =
        directory.groupPosition(group)
            + directory.headerLength(group)
            + directory.offsetInGroup(first, group);
    if (directory.storedLength(group) != directory.originalLength(group)) {
      quarantine(container, directory, first, end);
      throw new CorruptFrameException(
          container.path() + ": a group stored as it is has another length than its chunks");
    }
    readBytes(container, directory, first, end, part, start);
    check(container, directory, first, end, dst);
  }

  /** Reads neighbouring groups at once, from {@code group} on; returns the next chunk. */
  private int readGroups(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      int first,
      int end,
      ByteBuffer dst)
      throws IOException {
    long start = directory.groupPosition(group);
    int endGroup = group + 1;
    while (endGroup < directory.groupCount()
        && directory.stages(endGroup) != 0
        && directory.firstChunk(endGroup) < end
        && directory.groupPosition(endGroup) == directory.groupEnd(endGroup - 1)
        && directory.groupEnd(endGroup) - start <= MAX_READ
        && !(end < directory.endChunk(endGroup) && cache.contains(container, endGroup))) {
      endGroup++;
    }
    ByteBuffer bytes = buffers.take((int) (directory.groupEnd(endGroup - 1) - start));
    try {
      if (endGroup > group + 1 && !readTogether(container, bytes, start)) {
        // One by one, so that it shows which of them is damaged.
        endGroup = group + 1;
        bytes.clear();
        bytes.limit(directory.groupLength(group));
      }
      if (endGroup == group + 1) {
        readBytes(
            container,
            directory,
            directory.firstChunk(group),
            directory.endChunk(group),
            bytes,
            start);
      }
      int index = first;
      for (int g = group; g < endGroup; g++) {
        int offset = (int) (directory.groupPosition(g) - start);
        bytes.limit(offset + directory.groupLength(g));
        bytes.position(offset);
        int stop = Math.min(end, directory.endChunk(g));
        decode(container, directory, g, bytes, index, stop, dst);
        index = stop;
      }
      return index;
    } finally {
      buffers.give(bytes);
    }
  }

  /** Returns false if the disk fails, or the file is too short. */
  private static boolean readTogether(LoadedContainer container, ByteBuffer bytes, long start)
      throws IOException {
    try {
      container.read(bytes, start);
      return true;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return false;
    }
  }

  /** Fills {@code bytes}; if this fails, the chunks from {@code first} to {@code end} are lost. */
  private void readBytes(
      LoadedContainer container,
      ContainerDirectory directory,
      int first,
      int end,
      ByteBuffer bytes,
      long start)
      throws IOException {
    try {
      container.read(bytes, start);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      quarantine(container, directory, first, end);
      throw e;
    }
  }

  private void decode(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      ByteBuffer bytes,
      int first,
      int end,
      ByteBuffer dst)
      throws IOException {
    if (first == directory.firstChunk(group) && end == directory.endChunk(group)) {
      ByteBuffer part = dst.duplicate();
      part.limit(part.position() + directory.originalLength(group));
      decodeGroup(container, directory, group, bytes, part);
      check(container, directory, first, end, dst);
      return;
    }
    ByteBuffer whole = buffers.take(directory.originalLength(group));
    boolean decoded = false;
    try {
      decodeGroup(container, directory, group, bytes, whole);
      decoded = true;
    } finally {
      if (!decoded) {
        buffers.give(whole);
      }
    }
    whole.flip();
    GroupCache.DecodedGroup cached = cache.put(container, group, whole);
    try {
      copy(container, directory, group, cached.bytes(), first, end, dst);
    } finally {
      cache.release(cached);
    }
  }

  private void decodeGroup(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      ByteBuffer bytes,
      ByteBuffer dst)
      throws IOException {
    try {
      container.decode(directory, group, bytes, dst);
    } catch (CorruptFrameException e) {
      quarantine(container, directory, directory.firstChunk(group), directory.endChunk(group));
      throw e;
    }
  }

  private void copy(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      ByteBuffer decoded,
      int first,
      int end,
      ByteBuffer dst)
      throws IOException {
    int start = directory.offsetInGroup(first, group);
    int length = 0;
    for (int i = first; i < end; i++) {
      length += directory.length(i);
    }
    decoded.limit(start + length);
    decoded.position(start);
    dst.duplicate().put(decoded);
    check(container, directory, first, end, dst);
  }

  /** Checks chunks that begin at the position of {@code dst}, and moves it behind them. */
  private void check(
      LoadedContainer container, ContainerDirectory directory, int first, int end, ByteBuffer dst)
      throws CorruptFrameException {
    int[] ends = new int[end - first];
    int length = 0;
    for (int i = first; i < end; i++) {
      length += directory.length(i);
      ends[i - first] = length;
    }
    int[] checksums = new int[ends.length];
    Crc32c.ofEach(dst, ends, ends.length, checksums);
    for (int i = first; i < end; i++) {
      try {
        container.checkChunk(directory, i, checksums[i - first]);
      } catch (CorruptFrameException e) {
        quarantine(container, directory, i, i + 1);
        throw e;
      }
    }
    dst.position(dst.position() + length);
  }

  private void quarantine(
      LoadedContainer container, ContainerDirectory directory, int first, int end) {
    BitSet numbers = new BitSet();
    for (int i = first; i < end; i++) {
      numbers.set(directory.number(i));
    }
    unreadable.add(container.id(), numbers);
    // Read from memory, they would seem to be mended.
    for (int group = directory.groupOf(first); group <= directory.groupOf(end - 1); group++) {
      cache.remove(container, group);
    }
  }
}
