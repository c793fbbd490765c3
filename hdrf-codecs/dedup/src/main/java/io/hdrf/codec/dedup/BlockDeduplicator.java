/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.codec.dedup.index.Finder;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.scheme.BlockSource;
import io.hdrf.scheme.FrameSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Turns one block after the other into recipes. Holds the buffers for that; a buffer of chunks is
 * cut, fingerprinted and looked up at once. For one thread, besides that of {@link CutAhead}.
 */
final class BlockDeduplicator implements Closeable {

  private static final int PIECE_SIZE = 4 << 20;
  private static final int BATCH = Finder.MAX_COUNT;

  private final CutAhead pieces;
  private final int frameSize;
  private final FingerprintIndex index;
  private final Finder finder;
  private final DedupCounters counters;

  private ByteBuffer payload = ByteBuffer.allocateDirect(64 << 10);
  private final byte[] fingerprints = new byte[BATCH * Fingerprinter.LENGTH];
  private final long[] refs = new long[BATCH];
  private final OwnChunks own = new OwnChunks();
  private final TouchedContainers touched = new TouchedContainers();
  private final Recipe.Builder recipe = new Recipe.Builder();

  BlockDeduplicator(DedupSettings settings, FingerprintIndex index, DedupCounters counters) {
    this.pieces = new CutAhead(settings.chunker(), settings.fingerprint(), PIECE_SIZE);
    this.frameSize = settings.frameSize();
    this.index = index;
    this.finder = index.newFinder();
    this.counters = counters;
  }

  /**
   * Encodes a block. When this returns, its chunks are durable.
   *
   * @param appender takes the new chunks
   */
  void encode(BlockSource source, ChunkAppender appender, FrameSink sink) throws IOException {
    own.clear();
    touched.clear();
    try {
      CutBuffer piece = pieces.begin(source);
      deduplicate(piece, appender, sink);
      while (!piece.isLast()) {
        piece = pieces.next();
        deduplicate(piece, appender, sink);
      }
    } finally {
      pieces.end();
    }
    if (recipe.originalLength() > 0) {
      emit(sink);
    }
    appender.flush();
    long flushed = System.nanoTime();
    appender.force();
    counters.forceNanos.add(System.nanoTime() - flushed);
    counters.blocks.increment();
    counters.bytes.add(source.length());
    counters.containersTouched.add(touched.count());
    index.publish(own.fingerprints(), own.refs(), own.count());
  }

  private void deduplicate(CutBuffer piece, ChunkAppender appender, FrameSink sink)
      throws IOException {
    ByteBuffer chunk = piece.view();
    for (int first = 0; first < piece.count(); first += BATCH) {
      int count = Math.min(BATCH, piece.count() - first);
      piece.copyFingerprints(first, count, fingerprints);
      finder.find(fingerprints, count, refs);
      deduplicate(piece, first, count, chunk, appender, sink);
    }
  }

  /** Stores those of the chunks that were not found. */
  private void deduplicate(
      CutBuffer piece,
      int first,
      int count,
      ByteBuffer chunk,
      ChunkAppender appender,
      FrameSink sink)
      throws IOException {
    for (int i = 0; i < count; i++) {
      int offset = i * Fingerprinter.LENGTH;
      int length = piece.show(first + i, chunk);
      long ref = refs[i] >= 0 ? refs[i] : own.find(fingerprints, offset);
      if (ref >= 0) {
        counters.chunksFound.increment();
        counters.bytesFound.add(length);
      } else {
        ref = appender.append(fingerprints, offset, chunk);
        own.add(fingerprints, offset, ref);
        counters.chunksNew.increment();
        counters.bytesNew.add(length);
      }
      touched.add(ChunkRef.container(ref));
      recipe.add(ref, length);
      if (recipe.originalLength() >= frameSize) {
        emit(sink);
      }
    }
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
    payload.flip();
    counters.recipeBytes.add(payload.remaining());
    sink.frame(originalLength, payload);
  }

  @Override
  public void close() {
    pieces.close();
  }
}
