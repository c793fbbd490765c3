/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.FingerprintTable;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.jni.Chunker;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.FrameSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Turns one block after the other into recipes. Holds the buffers for that; a buffer of chunks is
 * cut, fingerprinted and looked up at once. For one thread.
 */
final class BlockDeduplicator implements Closeable {

  private static final int MIN_BUFFER = 4 << 20;
  private static final int BATCH = IndexLookup.MAX_COUNT;

  private static final int MIN_OWN = 1 << 9;

  /**
   * The number of new chunks of a block that are kept at hand: 5 GiB of 5 KiB each, in 50 MB of
   * heap.
   */
  static final int MAX_OWN = 1 << 20;

  private final Chunker chunker;
  private final Fingerprinter fingerprinter;
  private final int frameSize;
  private final FingerprintIndex index;
  private final IndexLookup indexLookup;

  /** Null if all chunks are stored whole. */
  private final BlockDifferences differences;

  private final DedupCounters counters;

  private final ByteBuffer buffer;
  private final ByteBuffer chunk;
  private ByteBuffer payload = ByteBuffer.allocateDirect(64 << 10);
  private final int[] cuts = new int[BATCH];
  private final byte[] fingerprints = new byte[BATCH * Fingerprinter.LENGTH];
  private final long[] refs = new long[BATCH];

  /** The bases of chunks that were found, or -1. */
  private final long[] bases = new long[BATCH];

  private final ContainerCap cap;
  private final FrameBases frameBases;
  private final int maxOwn;

  /** The chunks that the block brought in: it finds them again before anybody else can. */
  private FingerprintTable own = new FingerprintTable(MIN_OWN);

  /** The references of these. */
  private long[] ownRefs = new long[MIN_OWN];

  /** The bases of these, or -1; null as long as all are whole. */
  private long[] ownBases;

  /** Which chunks of a buffer are stored again though they were found. */
  private final boolean[] again = new boolean[BATCH];

  /** The containers that the block's chunks lie in: how much a read of it jumps about. */
  private final Set<Long> touched = new HashSet<>();

  /** The container that was appended to last; -1: none yet. */
  private long appended = -1;

  /** The container added last, so that not each of its runs boxes its id. */
  private long lastTouched;

  private final Recipe recipe = new Recipe();

  /**
   * @param frameBases of {@code cap}
   * @param differences null if all chunks are stored whole
   * @param maxOwn how many new chunks are kept at hand
   */
  BlockDeduplicator(
      DedupSettings settings,
      FingerprintIndex index,
      ContainerCap cap,
      FrameBases frameBases,
      BlockDifferences differences,
      DedupCounters counters,
      int maxOwn) {
    this.differences = differences;
    this.maxOwn = maxOwn;
    this.chunker = settings.chunker();
    this.fingerprinter = settings.fingerprint();
    this.frameSize = settings.frameSize();
    this.index = index;
    this.indexLookup = index.newLookup();
    this.cap = cap;
    this.frameBases = frameBases;
    this.counters = counters;
    this.buffer = BufferPool.shared().take(Math.max(MIN_BUFFER, 2 * chunker.maximumSize()));
    this.chunk = buffer.duplicate();
  }

  /**
   * Encodes a block. When this returns, its chunks are durable.
   *
   * @param appender takes the new chunks
   */
  void encode(long length, BlockSource source, ChunkAppender appender, FrameSink sink)
      throws IOException {
    own.clear();
    ownBases = null;
    cap.beginBlock();
    frameBases.beginFrame();
    if (differences != null) {
      differences.beginBlock();
    }
    touched.clear();
    lastTouched = -1;
    buffer.clear();
    boolean last = false;
    while (!last || buffer.position() > 0) {
      while (!last && buffer.hasRemaining()) {
        last = source.read(buffer) < 0;
      }
      buffer.flip();
      cutAll(last, appender, sink);
      buffer.compact();
    }
    if (recipe.originalLength() > 0) {
      emit(sink);
    }
    settle(appender);
    counters.blocks.increment();
    counters.bytes.add(length);
    counters.containersTouched.add(touched.size());
  }

  /** Makes the new chunks durable, and has them found by way of the index from now on. */
  private void settle(ChunkAppender appender) throws IOException {
    appender.flush();
    long flushed = System.nanoTime();
    appender.force();
    counters.forceNanos.add(System.nanoTime() - flushed);
    index.publish(own.fingerprints(), ownRefs, own.count());
    if (differences != null) {
      differences.publish();
    }
    own.clear();
    ownBases = null;
  }

  /** Leaves the buffer's position behind the last chunk that is complete. */
  private void cutAll(boolean last, ChunkAppender appender, FrameSink sink) throws IOException {
    int count = chunker.cut(buffer, last, cuts);
    while (count > 0) {
      int base = buffer.position();
      deduplicate(base, count, appender, sink);
      buffer.position(base + cuts[count - 1]);
      count = buffer.hasRemaining() ? chunker.cut(buffer, last, cuts) : 0;
    }
    if (buffer.remaining() == buffer.capacity()) {
      throw new IllegalStateException(
          "no cut in "
              + buffer.remaining()
              + " bytes; chunks have at most "
              + chunker.maximumSize());
    }
  }

  private void deduplicate(int base, int count, ChunkAppender appender, FrameSink sink)
      throws IOException {
    fingerprinter.fingerprints(buffer, cuts, count, fingerprints);
    indexLookup.find(fingerprints, count, refs);
    for (int i = 0; i < count; i++) {
      again[i] = refs[i] >= 0;
      bases[i] = again[i] ? indexLookup.base(i) : -1;
    }
    counters.chunksStoredAgain.add(cap.apply(refs, bases, cuts, count, appended));
    if (differences != null) {
      differences.take(buffer, cuts, count, refs);
    }
    for (int i = 0; i < count; i++) {
      int offset = i * Fingerprinter.LENGTH;
      int length = showChunk(base, i);
      long ref = refs[i];
      long chunkBase = ref < 0 ? -1 : bases[i];
      int place = -1;
      if (ref >= 0 && !mayTake(i, chunkBase)) {
        ref = -1;
      }
      if (ref < 0) {
        place = own.find(fingerprints, offset, own.count());
        chunkBase = place < 0 || ownBases == null ? -1 : ownBases[place];
        ref = place < 0 || !mayTake(i, chunkBase) ? -1 : ownRefs[place];
      }
      if (ref >= 0) {
        counters.chunksFound.increment();
        counters.bytesFound.add(length);
        if (differences != null) {
          differences.known(ref);
        }
      } else {
        chunkBase = baseOfNew(i, i + 1 < count ? refs[i + 1] : -1);
        ref = append(i, chunkBase, length, place, appender);
        if (own.count() == maxOwn) {
          settle(appender);
        }
        counters.chunksNew.increment();
        counters.bytesNew.add(length);
      }
      if (chunkBase >= 0) {
        recipe.addBase(chunkBase);
        touch(ChunkRef.container(chunkBase));
      }
      if (recipe.add(ref, length)) {
        touch(ChunkRef.container(ref));
      }
      if (recipe.originalLength() >= frameSize) {
        emit(sink);
      }
    }
  }

  /** Returns whether the frame may have a chunk; otherwise it is stored again, whole. */
  private boolean mayTake(int i, long chunkBase) {
    if (chunkBase < 0 || frameBases.add(chunkBase)) {
      return true;
    }
    counters.basesRefused.increment();
    again[i] = true;
    return false;
  }

  private void touch(long container) {
    if (container != lastTouched) {
      touched.add(container);
      lastTouched = container;
    }
  }

  /**
   * Returns what a new chunk is stored as a difference to, or -1. One that is stored again is
   * stored whole: it would take the very container that the block is to do without.
   */
  private long baseOfNew(int i, long following) {
    return differences == null || again[i] ? -1 : differences.find(i, chunk, following);
  }

  /**
   * Appends a chunk.
   *
   * @param place of the block's own chunk that is the same, or -1
   */
  private long append(int i, long chunkBase, int length, int place, ChunkAppender appender)
      throws IOException {
    int offset = i * Fingerprinter.LENGTH;
    long ref =
        chunkBase >= 0
            ? appender.appendDifference(
                fingerprints, offset, differences.difference(), length, chunkBase)
            : appender.append(fingerprints, offset, chunk);
    appended = ChunkRef.container(ref);
    if (place < 0) {
      addOwn(offset, ref, chunkBase);
    } else {
      // Whole: the next ones need no base.
      ownRefs[place] = ref;
      ownBases[place] = -1;
    }
    if (differences != null) {
      differences.appended(ref);
      if (chunkBase < 0 && refs[i] < 0) {
        differences.appendedWhole(i, ref);
      }
      if (again[i]) {
        differences.known(ref);
      }
    }
    return ref;
  }

  private void addOwn(int offset, long ref, long chunkBase) {
    if (own.isFull()) {
      own = own.grown(2 * own.count());
      ownRefs = Arrays.copyOf(ownRefs, 2 * own.count());
    }
    if (ownBases == null && chunkBase >= 0) {
      ownBases = new long[ownRefs.length];
      Arrays.fill(ownBases, -1);
    } else if (ownBases != null && ownBases.length < ownRefs.length) {
      int before = ownBases.length;
      ownBases = Arrays.copyOf(ownBases, ownRefs.length);
      Arrays.fill(ownBases, before, ownBases.length, -1);
    }
    if (ownBases != null) {
      ownBases[own.count()] = chunkBase;
    }
    ownRefs[own.count()] = ref;
    own.add(fingerprints, offset);
  }

  /** Sets {@link #chunk} to a chunk of the buffer and returns its length. */
  private int showChunk(int base, int i) {
    chunk.limit(base + cuts[i]);
    chunk.position(base + (i == 0 ? 0 : cuts[i - 1]));
    return chunk.remaining();
  }

  private void emit(FrameSink sink) throws IOException {
    int room = recipe.maxLength();
    if (payload.capacity() < room) {
      payload = ByteBuffer.allocateDirect(2 * room);
    }
    payload.clear();
    int originalLength = (int) recipe.originalLength();
    counters.runs.add(recipe.runs());
    recipe.write(payload);
    frameBases.beginFrame();
    payload.flip();
    counters.recipeBytes.add(payload.remaining());
    sink.frame(originalLength, payload);
  }

  @Override
  public void close() {
    BufferPool.shared().give(buffer);
  }
}
