/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.BufferPool;
import io.hdrf.jni.Crc32c;
import io.hdrf.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads runs of chunks from a loaded container. Safe for use by many threads. */
final class ChunkReader {

  /** Neighbouring groups are read together up to this many bytes. */
  private static final int MAX_READ = 1 << 20;

  private final BufferPool buffers = BufferPool.shared();
  private final GroupCache cache;

  ChunkReader(GroupCache cache) {
    this.cache = cache;
  }

  /**
   * Reads chunks with consecutive numbers; {@code dst} gets their bytes one after the other.
   *
   * @throws MissingChunkException if one of them is not there
   * @throws DamagedChunkException if one of them can't be read
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
      GroupCache.Group cached = cache.acquire(container, group);
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
   * Has the groups of chunks with consecutive numbers read from disk, without waiting for them.
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
  private static void readPlain(
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
      throw damaged(
          container,
          directory,
          first,
          new CorruptFrameException(
              container.path() + ": a group stored as it is has another length than its chunks"));
    }
    readBytes(container, directory, group, part, start);
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
      readBytes(container, directory, group, bytes, start);
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

  private static void readBytes(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      ByteBuffer bytes,
      long start)
      throws IOException {
    try {
      container.read(bytes, start);
    } catch (CorruptFrameException e) {
      throw damaged(container, directory, directory.firstChunk(group), e);
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
    GroupCache.Group cached = cache.put(container, group, whole);
    try {
      copy(container, directory, group, cached.bytes(), first, end, dst);
    } finally {
      cache.release(cached);
    }
  }

  private static void decodeGroup(
      LoadedContainer container,
      ContainerDirectory directory,
      int group,
      ByteBuffer bytes,
      ByteBuffer dst)
      throws IOException {
    try {
      container.decode(directory, group, bytes, dst);
    } catch (CorruptFrameException e) {
      throw damaged(container, directory, directory.firstChunk(group), e);
    }
  }

  private static void copy(
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
  private static void check(
      LoadedContainer container, ContainerDirectory directory, int first, int end, ByteBuffer dst)
      throws DamagedChunkException {
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
        throw damaged(container, directory, i, e);
      }
    }
    dst.position(dst.position() + length);
  }

  private static DamagedChunkException damaged(
      LoadedContainer container, ContainerDirectory directory, int index, CorruptFrameException e) {
    return new DamagedChunkException(
        e.getMessage(), e, ChunkRef.pack(container.id(), directory.number(index)));
  }
}
