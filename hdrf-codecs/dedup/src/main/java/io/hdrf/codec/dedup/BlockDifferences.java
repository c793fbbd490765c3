/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.DifferenceFormat;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.delta.BaseChunks;
import io.hdrf.codec.dedup.delta.BaseTable;
import io.hdrf.codec.dedup.delta.DifferenceEncoder;
import io.hdrf.codec.dedup.delta.FeatureBatch;
import io.hdrf.codec.dedup.delta.SimilarChunks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what the new chunks of a block are similar to, and makes their differences. A base is a
 * whole chunk that is durable, or that the block itself has written. Candidates are tried as they
 * are; the one that is taken is acquired before it is confirmed that it is there, as any chunk that
 * a block comes to need (see {@link ChunkPins}): the others need not be kept from a collection.
 * Whatever fails, the chunk is stored whole. For one thread.
 */
final class BlockDifferences implements BaseChunks {

  private static final Logger LOG = LoggerFactory.getLogger(BlockDifferences.class);

  /** The most new chunks of a block that become known as bases; those behind are not. */
  private static final int MAX_PENDING = 1 << 17;

  /** Directories that are read for a buffer of chunks, to look at what may be a base. */
  static final int MAX_FOLLOWED = 16;

  private static final int SUPER_FEATURES = FeatureBatch.SUPER_FEATURES;

  private final ContainerStore containers;
  private final ChunkPins chunkPins;
  private final BaseTable table;
  private final FrameBases frameBases;
  private final DedupCounters counters;
  private final FeatureBatch batch;
  private final SimilarChunks similar;

  /** Where the chunks begin and end that are looked at, and their places among the features. */
  private int[] starts = new int[64];

  private int[] ends = new int[64];
  private int[] places = new int[64];

  private ByteBuffer kept = ByteBuffer.allocateDirect(4 << 10);

  /** The content of the base that was read last. */
  private ByteBuffer content = ByteBuffer.allocateDirect(16 << 10);

  private long contentOf = NONE;

  /** Whether one was not tried, as the frame has bases in enough places. */
  private boolean refused;

  /** Directories that were read for this buffer. */
  private int followed;

  /** Containers that the block has appended to, and the number of its first chunk there. */
  private long[] ownContainers = new long[4];

  private int[] ownFirst = new int[4];
  private int ownCount;

  /** Super-features and references of whole chunks that are not durable yet. */
  private long[] pending = new long[SUPER_FEATURES * 256];

  private long[] pendingRefs = new long[SUPER_FEATURES * 256];
  private int pendingCount;

  private static final long NONE = BaseTable.NONE;

  BlockDifferences(
      ContainerStore containers,
      ChunkPins chunkPins,
      BaseTable table,
      FrameBases frameBases,
      DedupCounters counters) {
    this.frameBases = frameBases;
    this.containers = containers;
    this.chunkPins = chunkPins;
    this.table = table;
    this.counters = counters;
    this.batch = new FeatureBatch(table);
    this.similar =
        new SimilarChunks(batch, this, new DifferenceEncoder(DifferenceEncoder.DEFAULT_PERCENT));
  }

  void beginBlock() {
    similar.beginBlock();
    ownCount = 0;
    pendingCount = 0;
    // Its reference may have become another chunk's if it was never durable.
    contentOf = NONE;
  }

  /**
   * Takes the chunks of a buffer.
   *
   * @param data chunks from its position on
   * @param cuts where each chunk ends
   * @param refs of those that are known; the others are looked at
   */
  void take(ByteBuffer data, int[] cuts, int count, long[] refs) {
    if (count > starts.length) {
      starts = new int[count];
      ends = new int[count];
      places = new int[count];
    }
    followed = 0;
    int wanted = 0;
    for (int i = 0; i < count; i++) {
      places[i] = wanted;
      if (refs[i] < 0) {
        starts[wanted] = i == 0 ? 0 : cuts[i - 1];
        ends[wanted] = cuts[i];
        wanted++;
      }
    }
    batch.take(data, starts, ends, wanted);
  }

  /** The block's next chunk is in the store. */
  void known(long ref) {
    similar.known(ref);
  }

  /**
   * Looks for a base for the block's next chunk, which is new.
   *
   * @param i its place in the buffer
   * @param chunk from position to limit; stays as it is
   * @param following the reference of the chunk behind it, or -1
   * @return the base, which is held for the block and counted for the frame, or -1: then the chunk
   *     is to be stored whole
   */
  long find(int i, ByteBuffer chunk, long following) {
    refused = false;
    try {
      long base = similar.find(places[i], chunk, following);
      if (base == NONE) {
        counters.basesRefused.add(refused ? 1 : 0);
        return NONE;
      }
      ByteBuffer delta = similar.difference();
      int length = DifferenceFormat.HEAD + delta.remaining();
      if (length >= chunk.remaining() || !acquire(base) || !frameBases.add(base)) {
        return NONE;
      }
      if (kept.capacity() < length) {
        kept = ByteBuffer.allocateDirect(2 * length);
      }
      kept.clear();
      DifferenceFormat.put(chunk, delta, kept);
      kept.flip();
      counters.chunksAsDifferences.increment();
      counters.bytesAsDifferences.add(chunk.remaining());
      counters.bytesOfDifferences.add(length);
      return base;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.debug("no base is looked for", e);
      return NONE;
    }
  }

  /** First acquired, then confirmed. No other chunk ever gets its reference. */
  private boolean acquire(long base) throws IOException {
    return chunkPins.acquire(base) && containers.lengthOfBase(base, isOwn(base)) > 0;
  }

  /** What is to be kept of the chunk for which a base was found last. */
  ByteBuffer difference() {
    return kept;
  }

  /** The block appended a chunk. */
  void appended(long ref) {
    long container = ChunkRef.container(ref);
    if (ownCount > 0 && ownContainers[ownCount - 1] == container) {
      return;
    }
    if (ownCount == ownContainers.length) {
      ownFirst = Arrays.copyOf(ownFirst, 2 * ownCount);
      ownContainers = Arrays.copyOf(ownContainers, 2 * ownCount);
    }
    ownContainers[ownCount] = container;
    ownFirst[ownCount] = ChunkRef.number(ref);
    ownCount++;
  }

  /** The block appended a chunk whole, which may be a base once it is durable. */
  void appendedWhole(int i, long ref) {
    int at = SUPER_FEATURES * pendingCount;
    if (pendingCount == MAX_PENDING) {
      return;
    }
    if (at == pending.length) {
      pendingRefs = Arrays.copyOf(pendingRefs, 2 * at);
      pending = Arrays.copyOf(pending, 2 * at);
    }
    batch.superFeatures(places[i], pending, at);
    Arrays.fill(pendingRefs, at, at + SUPER_FEATURES, ref);
    pendingCount++;
  }

  /** What was appended is durable. */
  void publish() {
    table.add(pending, SUPER_FEATURES * pendingCount, pendingRefs);
    pendingCount = 0;
  }

  /** Nobody else writes to the containers that a block appends to, until it is at its end. */
  private boolean isOwn(long ref) {
    long container = ChunkRef.container(ref);
    for (int i = ownCount - 1; i >= 0; i--) {
      if (ownContainers[i] == container) {
        return ChunkRef.number(ref) >= ownFirst[i];
      }
    }
    return false;
  }

  @Override
  public long fullChunk(long ref) {
    try {
      if (!mayLookAt(ref)) {
        return NONE;
      }
      long whole = containers.wholeChunk(ref, isOwn(ref));
      return whole >= 0 && mayLookAt(whole) && containers.lengthOfBase(whole, isOwn(whole)) > 0
          ? whole
          : NONE;
    } catch (IOException e) {
      LOG.debug("{} can't be a base", ChunkRef.toString(ref), e);
      return NONE;
    }
  }

  /** Returns whether the directory of a chunk is at hand, or may be read for this buffer. */
  private boolean mayLookAt(long ref) {
    long container = ChunkRef.container(ref);
    if (containers.isLoaded(container) || !containers.exists(container)) {
      return true;
    }
    if (!frameBases.allowsContainerOf(ref)) {
      refused = true;
      return false;
    }
    followed++;
    return followed <= MAX_FOLLOWED;
  }

  @Override
  public ByteBuffer content(long base) {
    if (!frameBases.allows(base)) {
      refused = true;
      return null;
    }
    if (base == contentOf) {
      return content;
    }
    contentOf = NONE;
    try {
      int length = containers.lengthOfBase(base, isOwn(base));
      if (length < 0) {
        return null;
      }
      if (content.capacity() < length) {
        content = ByteBuffer.allocateDirect(length + length / 2);
      }
      content.clear();
      content.limit(length);
      containers.read(ChunkRef.container(base), ChunkRef.number(base), 1, content);
      content.flip();
      counters.basesRead.increment();
      if (!containers.matchesFingerprint(base, isOwn(base), content)) {
        // Healing would take away what the difference was made to.
        return null;
      }
      contentOf = base;
      return content;
    } catch (IOException e) {
      LOG.debug("{} can't be read as a base", ChunkRef.toString(base), e);
      return null;
    }
  }
}
