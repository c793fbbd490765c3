/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.FingerprintTable;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupNames;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.GroupExport;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.spi.scheme.Pin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/**
 * Adds groups that another DataNode has encoded to a store. A group is taken if the store has none
 * of its chunks, so that nothing is stored twice. For one thread.
 */
final class GroupReceiver implements GroupImport {

  /** The most groups that may be wanted and not have come. */
  private static final int MAX_PENDING = 64;

  private static final int FIRST_ROOM = 1 << 9;

  private final ContainerStore containers;
  private final FrameChain tail;
  private final Fingerprinter fingerprinter;
  private final FingerprintIndex index;
  private final IndexLookup lookup;
  private final ChunkPins chunkPins;
  private final DedupCounters counters;
  private final Queue<GroupNames> pending = new ArrayDeque<>();

  /** The chunks of the groups that were wanted, in the order in which they come. */
  private FingerprintTable wanted = new FingerprintTable(FIRST_ROOM);

  /** The references of those that have come. */
  private long[] addedRefs = new long[FIRST_ROOM];

  private int addedCount;
  private final long[] refs = new long[IndexLookup.MAX_COUNT];

  /** Bytes of chunks that may still be wanted. */
  private long left;

  /** How many chunks may still be wanted. */
  private long chunksLeft;

  /** Null until the first group comes. */
  private ChunkAppender appender;

  /**
   * @param maxLength as for {@code BlockCodec.importGroups}
   * @param minChunk the bytes of the shortest chunk, but for the last of a block
   */
  GroupReceiver(
      ContainerStore containers,
      FrameChain tail,
      Fingerprinter fingerprinter,
      FingerprintIndex index,
      ChunkPins chunkPins,
      DedupCounters counters,
      long maxLength,
      int minChunk) {
    this.left = maxLength;
    // No chunk of a block is shorter but for the last.
    this.chunksLeft = 1 + maxLength / minChunk;
    this.containers = containers;
    this.tail = tail;
    this.fingerprinter = fingerprinter;
    this.index = index;
    this.lookup = index.newLookup();
    this.chunkPins = chunkPins;
    this.counters = counters;
  }

  @Override
  public boolean wants(ByteBuffer names) throws IOException {
    GroupNames group = GroupNames.parse(names);
    if (group.length() > left
        || group.count() > chunksLeft
        || pending.size() == MAX_PENDING
        || hasAny(group)) {
      return false;
    }
    left -= group.length();
    chunksLeft -= group.count();
    pending.add(group);
    for (int i = 0; i < group.count(); i++) {
      wanted = room(wanted);
      wanted.add(group.fingerprints(), i * Fingerprinter.LENGTH);
    }
    return true;
  }

  private static FingerprintTable room(FingerprintTable table) {
    return table.isFull() ? table.grown(2 * table.count()) : table;
  }

  private boolean hasAny(GroupNames group) {
    byte[] fingerprints = group.fingerprints();
    for (int i = 0; i < group.count(); i++) {
      if (wanted.find(fingerprints, i * Fingerprinter.LENGTH, wanted.count()) >= 0) {
        return true;
      }
    }
    try (Pin pin = chunkPins.pin()) {
      for (int first = 0; first < group.count(); first += IndexLookup.MAX_COUNT) {
        int count = Math.min(IndexLookup.MAX_COUNT, group.count() - first);
        int offset = first * Fingerprinter.LENGTH;
        byte[] batch =
            group.count() <= IndexLookup.MAX_COUNT
                ? fingerprints
                : Arrays.copyOfRange(fingerprints, offset, offset + count * Fingerprinter.LENGTH);
        lookup.find(batch, count, refs);
        for (int i = 0; i < count; i++) {
          if (refs[i] >= 0) {
            return true;
          }
        }
      }
    }
    return false;
  }

  @Override
  public void add(ByteBuffer content) throws IOException {
    GroupNames group = pending.poll();
    if (group == null) {
      throw new CorruptFrameException("a group that was not wanted");
    }
    int stages = content.hasRemaining() ? content.get() & 0xFF : -1;
    if (content.remaining() > group.length()) {
      throw new CorruptFrameException(
          "a group of " + content.remaining() + " bytes for " + group.length() + " of chunks");
    }
    ByteBuffer original = BufferPool.shared().take(group.length());
    try {
      tail.decode(stages, content.duplicate(), original);
      original.flip();
      byte[] actual = new byte[group.fingerprints().length];
      fingerprinter.fingerprints(original, group.ends(), group.count(), actual);
      if (!Arrays.equals(actual, group.fingerprints())) {
        throw new CorruptFrameException("a group whose chunks are others than were named");
      }
      append(group, original, stages, content);
    } finally {
      BufferPool.shared().give(original);
    }
  }

  private void append(GroupNames group, ByteBuffer original, int stages, ByteBuffer stored)
      throws IOException {
    if (appender == null) {
      appender = containers.appender(tail);
    }
    long first = appender.appendGroup(group, original, stages, stored);
    if (addedRefs.length < addedCount + group.count()) {
      addedRefs = Arrays.copyOf(addedRefs, wanted.count());
    }
    for (int i = 0; i < group.count(); i++) {
      addedRefs[addedCount + i] = first + i;
    }
    addedCount += group.count();
    counters.groupsReceived.increment();
    counters.bytesReceived.add(group.length());
  }

  @Override
  public GroupExport finish() throws IOException {
    if (appender == null) {
      return null;
    }
    appender.force();
    index.publish(wanted.fingerprints(), addedRefs, addedCount);
    return containers.groupsOf(appender);
  }

  @Override
  public void close() throws IOException {
    if (appender != null) {
      appender.close();
    }
  }
}
