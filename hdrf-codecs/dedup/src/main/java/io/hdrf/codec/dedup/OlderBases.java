/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.delta.FeatureBatch;
import io.hdrf.codec.dedup.delta.RecentBases;
import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the table of bases, which is empty after a start, with the whole chunks of the store: from
 * the newest container to the oldest, until it was shown as many as it can have. What blocks bring
 * in meanwhile stays. Takes the memory of one directory and of {@value #MAX_READ} bytes of chunks.
 * Steps are for one thread.
 */
final class OlderBases {

  private static final Logger LOG = LoggerFactory.getLogger(OlderBases.class);

  /** Bytes of chunks that a step reads at most, about; a directory counts as {@link #MAX_READ}. */
  static final int STEP_BYTES = 4 << 20;

  /** Bytes that are read at once, unless a chunk is longer. */
  private static final int MAX_READ = 1 << 20;

  private final ContainerStore containers;
  private final RecentBases table;
  private final FeatureBatch batch;

  /** Chunks that the table was shown. */
  private long shown;

  private long container = Long.MAX_VALUE;

  /** Of the container; null if the next one's turn has come. */
  private ContainerDirectory content;

  /** Of the next chunk in it. */
  private int index;

  private int[] starts = new int[64];
  private int[] ends = new int[64];
  private long[] superFeatures = new long[64 * FeatureBatch.SUPER_FEATURES];
  private long[] refs = new long[64 * FeatureBatch.SUPER_FEATURES];

  private volatile boolean done;

  OlderBases(ContainerStore containers, RecentBases table) {
    this.containers = containers;
    this.table = table;
    this.batch = new FeatureBatch(table);
  }

  /** Returns whether there is nothing more to add. */
  boolean isDone() {
    return done;
  }

  /** Reads some chunks. A container that can't be read ends the step, and is left out. */
  void step() {
    int bytes = 0;
    while (bytes < STEP_BYTES && !done) {
      try {
        if (content == null) {
          nextContainer();
          bytes += MAX_READ;
        } else {
          bytes += nextRun();
        }
      } catch (IOException e) {
        LOG.debug("{} is left out", containers.file(container), e);
        content = null;
        return;
      }
    }
  }

  private void nextContainer() throws IOException {
    container = containers.previous(container);
    if (container < 0 || shown >= table.chunks()) {
      done = true;
      return;
    }
    index = 0;
    content = containers.directory(container);
  }

  /** Returns the bytes of chunks that were read. */
  private int nextRun() throws IOException {
    while (index < content.chunkCount() && content.isDifference(index)) {
      index++;
    }
    int first = index;
    int bytes = 0;
    while (index < content.chunkCount()
        && !content.isDifference(index)
        && content.number(index) - content.number(first) == index - first
        && (index == first || bytes + content.length(index) <= MAX_READ)) {
      bytes += content.length(index);
      index++;
    }
    if (index == first || shown >= table.chunks()) {
      content = null;
      return 0;
    }
    shown += index - first;
    add(first, index - first, bytes);
    return bytes;
  }

  private void add(int first, int count, int bytes) throws IOException {
    if (count > ends.length) {
      // The one that is looked at comes last, in case that there is no memory for all.
      starts = new int[count];
      superFeatures = new long[count * FeatureBatch.SUPER_FEATURES];
      refs = new long[count * FeatureBatch.SUPER_FEATURES];
      ends = new int[count];
    }
    ByteBuffer chunks = BufferPool.shared().take(bytes);
    try {
      containers.read(container, content.number(first), count, chunks);
      chunks.flip();
      int next = 0;
      for (int i = 0; i < count; i++) {
        starts[i] = next;
        next += content.length(first + i);
        ends[i] = next;
      }
      batch.take(chunks, starts, ends, count);
    } finally {
      BufferPool.shared().give(chunks);
    }
    for (int i = 0; i < count; i++) {
      int at = i * FeatureBatch.SUPER_FEATURES;
      batch.superFeatures(i, superFeatures, at);
      long ref = ChunkRef.pack(container, content.number(first + i));
      Arrays.fill(refs, at, at + FeatureBatch.SUPER_FEATURES, ref);
    }
    if (!table.addOlder(superFeatures, count * FeatureBatch.SUPER_FEATURES, refs)) {
      // Nor for more.
      shown = Long.MAX_VALUE;
    }
  }
}
