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
 * the order of the frame; {@code docs/formats.md} ("Recipe") has its bytes. The chunks' lengths
 * stand in the containers; together they are the frame's. The payload's checksum is the frame's, in
 * the block file.
 *
 * <p>Behind them come the bases of those chunks that are kept as differences, each once: so a
 * recipe names all that the frame needs, and nothing else has to be looked at to know that a chunk
 * is needed. A recipe without bases has version 1, any other version 2.
 *
 * <p>With consecutive chunks a run of any length takes about six bytes; where no two neighbours are
 * consecutive, a chunk takes three to seven.
 *
 * <p>An object collects the chunks of one frame after the other. For one thread.
 */
final class Recipe {

  /** The latest version. */
  static final int VERSION = 2;

  private static final int WITHOUT_BASES = 1;

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
  private long[] bases = new long[64];
  private int baseCount;

  /**
   * Reads all that a frame needs: its chunks and their bases. Takes no memory, even if the recipe
   * is damaged.
   *
   * @throws CorruptFrameException if it is not well-formed
   * @throws IOException also if it is of a later version, which is no damage
   */
  static void parse(ByteBuffer payload, RunVisitor visitor) throws IOException {
    parse(payload, visitor, visitor);
  }

  /** As {@link #parse}, without the bases: the chunks that make the frame. */
  static void parseChunks(ByteBuffer payload, RunVisitor visitor) throws IOException {
    parse(payload, visitor, (container, first, count) -> {});
  }

  /** As {@link #parse}, the bases apart from the chunks that make the frame. */
  static void parse(ByteBuffer payload, RunVisitor chunks, RunVisitor bases) throws IOException {
    int version = payload.hasRemaining() ? payload.get() & 0xFF : -1;
    if (version > VERSION) {
      throw new IOException(
          "a recipe of version " + version + "; this HDRF reads up to " + VERSION);
    }
    if (version < WITHOUT_BASES) {
      throw new CorruptFrameException("a recipe of version " + version);
    }
    parseRuns(payload, chunks);
    if (version > WITHOUT_BASES) {
      parseRuns(payload, bases);
    }
    if (payload.hasRemaining()) {
      throw new CorruptFrameException("a recipe with " + payload.remaining() + " bytes behind it");
    }
  }

  private static void parseRuns(ByteBuffer payload, RunVisitor visitor) throws IOException {
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
    if (runs < 1) {
      throw new CorruptFrameException("a recipe of " + runs + " runs");
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

  /** Adds the base of a chunk; any number of times. */
  void addBase(long ref) {
    if (baseCount > 0 && bases[baseCount - 1] == ref) {
      return;
    }
    if (baseCount == bases.length) {
      bases = Arrays.copyOf(bases, 2 * baseCount);
    }
    bases[baseCount] = ref;
    baseCount++;
  }

  /** Returns the number of bytes of the block that the chunks have. */
  long originalLength() {
    return originalLength;
  }

  /** Returns the most bytes that {@link #write} needs. */
  int maxLength() {
    return 1 + 5 + runs * MAX_RUN_LENGTH + 5 + baseCount * MAX_RUN_LENGTH;
  }

  int runs() {
    return runs;
  }

  /** Writes the recipe and begins the next one. */
  void write(ByteBuffer out) {
    out.put((byte) (baseCount == 0 ? WITHOUT_BASES : VERSION));
    writeRuns(out);
    if (baseCount > 0) {
      // By way of the runs, which were written.
      runs = 0;
      Arrays.sort(bases, 0, baseCount);
      for (int i = 0; i < baseCount; i++) {
        if (i == 0 || bases[i] != bases[i - 1]) {
          add(bases[i], 0);
        }
      }
      writeRuns(out);
    }
    runs = 0;
    baseCount = 0;
    originalLength = 0;
  }

  private void writeRuns(ByteBuffer out) {
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
  }
}
