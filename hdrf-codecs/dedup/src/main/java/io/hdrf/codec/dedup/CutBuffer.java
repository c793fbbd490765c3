/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.io.BufferPool;
import io.hdrf.jni.Chunker;
import io.hdrf.scheme.BlockSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A piece of a block, cut into chunks, with their fingerprints. For one thread at a time; what
 * {@link #fill} has made may be read by any number of threads until the next one.
 */
final class CutBuffer implements Closeable {

  private final Chunker chunker;
  private final Fingerprinter fingerprinter;
  private final ByteBuffer bytes;
  private final int[] cuts = new int[1024];
  private int[] ends = new int[cuts.length];
  private byte[] fingerprints = new byte[cuts.length * Fingerprinter.LENGTH];
  private int count;
  private boolean last;

  /**
   * @param size of the piece in bytes; more where the chunker's chunks may be longer than half of
   *     it
   */
  CutBuffer(Chunker chunker, Fingerprinter fingerprinter, int size) {
    this.chunker = chunker;
    this.fingerprinter = fingerprinter;
    this.bytes = BufferPool.shared().take(Math.max(size, 2 * chunker.maximumSize()));
  }

  /**
   * Takes the next piece of a block.
   *
   * @param before the piece before it, whose bytes behind its last chunk come first; null at the
   *     block's beginning
   */
  void fill(BlockSource source, CutBuffer before) throws IOException {
    bytes.clear();
    if (before != null) {
      bytes.put(before.rest());
    }
    last = false;
    while (!last && bytes.hasRemaining()) {
      last = source.read(bytes) < 0;
    }
    bytes.flip();
    cut();
    fingerprinter.fingerprints(bytes, ends, count, fingerprints);
  }

  private void cut() {
    count = 0;
    int found;
    do {
      int base = end();
      bytes.position(base);
      found = bytes.hasRemaining() ? chunker.cut(bytes, last, cuts) : 0;
      if (count + found > ends.length) {
        ends = Arrays.copyOf(ends, 2 * ends.length);
        fingerprints = new byte[ends.length * Fingerprinter.LENGTH];
      }
      for (int i = 0; i < found; i++) {
        ends[count + i] = base + cuts[i];
      }
      count += found;
    } while (found == cuts.length);
    bytes.position(0);
    if (count == 0 && bytes.limit() == bytes.capacity()) {
      throw new IllegalStateException(
          "no cut in " + bytes.limit() + " bytes; chunks have at most " + chunker.maximumSize());
    }
  }

  /** Where the last chunk ends. */
  private int end() {
    return count == 0 ? 0 : ends[count - 1];
  }

  private ByteBuffer rest() {
    ByteBuffer rest = bytes.duplicate();
    rest.position(end());
    return rest;
  }

  /** Whether the block ends here. */
  boolean isLast() {
    return last;
  }

  /** How many chunks there are. */
  int count() {
    return count;
  }

  /** A view of the bytes, to show single chunks with. */
  ByteBuffer view() {
    return bytes.duplicate();
  }

  /**
   * Shows a chunk.
   *
   * @param view of this buffer; its position and limit are set to those of the chunk
   * @return the chunk's length in bytes
   */
  int show(int chunk, ByteBuffer view) {
    view.limit(ends[chunk]);
    view.position(chunk == 0 ? 0 : ends[chunk - 1]);
    return view.remaining();
  }

  /** Copies the fingerprints of chunks one after the other. */
  void copyFingerprints(int first, int number, byte[] dst) {
    System.arraycopy(
        fingerprints, first * Fingerprinter.LENGTH, dst, 0, number * Fingerprinter.LENGTH);
  }

  @Override
  public void close() {
    BufferPool.shared().give(bytes);
  }
}
