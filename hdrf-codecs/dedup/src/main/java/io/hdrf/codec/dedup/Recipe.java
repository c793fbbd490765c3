/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.io.Varint;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The chunks of a frame of a block: runs of chunks with consecutive numbers of one container, in
 * the order of the frame; {@code docs/formats.md} ("Recipe") has its bytes. Nothing follows the
 * last run. The chunks' lengths stand in the containers; together they are the frame's. The
 * payload's checksum is the frame's, in the block file.
 *
 * <p>With consecutive chunks a run of any length takes about six bytes; where no two neighbours are
 * consecutive, a chunk takes three to seven.
 *
 * <p>An object collects the chunks of one frame after the other. For one thread.
 */
final class Recipe {

  static final int VERSION = 1;

  /** The most bytes that a run takes: container, first and count. */
  private static final int MAX_RUN_LENGTH = 10 + 5 + 4;

  private static final long MAX_COUNT = ChunkRef.MAX_NUMBER + 1L;

  /** Receives the runs of a recipe in order. */
  interface RunVisitor {

    /**
     * A run.
     *
     * @param container from 0 to {@link ChunkRef#MAX_CONTAINER}
     * @param first number of the first chunk
     * @param count number of chunks, at least 1
     */
    void run(long container, int first, int count) throws IOException;
  }

  private long[] containers = new long[64];
  private int[] firsts = new int[64];
  private int[] counts = new int[64];
  private int runs;
  private long originalLength;

  /**
   * Reads a recipe to its end. Takes no memory, even if the recipe is damaged.
   *
   * @throws CorruptFrameException if it is not well-formed
   * @throws IOException also if it is of a later version, which is no damage
   */
  static void parse(ByteBuffer payload, RunVisitor visitor) throws IOException {
    int version = payload.hasRemaining() ? payload.get() & 0xFF : -1;
    if (version > VERSION) {
      throw new IOException(
          "a recipe of version " + version + "; this HDRF reads up to " + VERSION);
    }
    if (version != VERSION) {
      throw new CorruptFrameException("a recipe of version " + version + ", not " + VERSION);
    }
    long runs = readVarint(payload);
    long container = 0;
    long next = 0;
    for (long i = 0; i < runs; i++) {
      long delta = readZigzag(payload);
      container += delta;
      long first = readZigzag(payload) + (delta == 0 ? next : 0);
      long count = readVarint(payload);
      if (container < 0
          || container > ChunkRef.MAX_CONTAINER
          || first < 0
          || first >= MAX_COUNT
          || count < 1
          || count > MAX_COUNT - first) {
        throw new CorruptFrameException(
            "run "
                + i
                + " of a recipe: container "
                + container
                + ", "
                + count
                + " chunks from "
                + first);
      }
      visitor.run(container, (int) first, (int) count);
      next = first + count;
    }
    if (runs < 1 || payload.hasRemaining()) {
      throw new CorruptFrameException(
          "a recipe of " + runs + " runs, and " + payload.remaining() + " bytes behind it");
    }
  }

  private static long readVarint(ByteBuffer in) throws CorruptFrameException {
    long value = Varint.getLong(in);
    if (value < 0) {
      throw new CorruptFrameException("a number in a recipe is too long, or cut off");
    }
    return value;
  }

  private static long readZigzag(ByteBuffer in) throws CorruptFrameException {
    long value = readVarint(in);
    return value >>> 1 ^ -(value & 1);
  }

  private static void writeZigzag(ByteBuffer out, long value) {
    Varint.putLong(out, (value << 1) ^ (value >> 63));
  }

  /** Adds a chunk; returns whether it begins a run. */
  boolean add(long ref, int length) {
    long container = ChunkRef.container(ref);
    int number = ChunkRef.number(ref);
    originalLength += length;
    if (runs > 0
        && containers[runs - 1] == container
        && firsts[runs - 1] + counts[runs - 1] == number) {
      counts[runs - 1]++;
      return false;
    }
    if (runs == containers.length) {
      containers = Arrays.copyOf(containers, 2 * runs);
      firsts = Arrays.copyOf(firsts, 2 * runs);
      counts = Arrays.copyOf(counts, 2 * runs);
    }
    containers[runs] = container;
    firsts[runs] = number;
    counts[runs] = 1;
    runs++;
    return true;
  }

  /** Returns the number of bytes of the block that the chunks have. */
  long originalLength() {
    return originalLength;
  }

  /** Returns the most bytes that {@link #write} needs. */
  int maxLength() {
    return 1 + 5 + runs * MAX_RUN_LENGTH;
  }

  int runs() {
    return runs;
  }

  /** Writes the recipe and begins the next one. */
  void write(ByteBuffer out) {
    out.put((byte) VERSION);
    Varint.putLong(out, runs);
    long container = 0;
    long next = 0;
    for (int i = 0; i < runs; i++) {
      long delta = containers[i] - container;
      writeZigzag(out, delta);
      writeZigzag(out, firsts[i] - (delta == 0 ? next : 0));
      Varint.putLong(out, counts[i]);
      container = containers[i];
      next = (long) firsts[i] + counts[i];
    }
    runs = 0;
    originalLength = 0;
  }
}
