/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A block of toy frames, and its expected content. */
final class TestBlock {

  static final BlockRef ID = new BlockRef("BP-526805057-127.0.0.1-1411980876842", 1073741825);
  static final TagKey KEY = key(7);

  final int[] lengths;
  final long[] numbers;
  final int[] stages;
  final long length;

  TestBlock(int[] lengths, long[] numbers, int[] stages) {
    this.lengths = lengths;
    this.numbers = numbers;
    this.stages = stages;
    this.length = Arrays.stream(lengths).asLongStream().sum();
  }

  static TagKey key(int fill) {
    byte[] secret = new byte[TagKey.LENGTH];
    Arrays.fill(secret, (byte) fill);
    return new TagKey(secret);
  }

  /**
   * Frames of random lengths from {@code min} (at least 100) to {@code max}; about one of ten, but
   * none of the first two, is stored as it is.
   */
  static TestBlock random(Random random, int frames, int min, int max) {
    int[] lengths = new int[frames];
    int length = min + random.nextInt(max - min + 1);
    boolean runs = random.nextBoolean();
    for (int i = 0; i < frames; i++) {
      if (!runs || random.nextInt(5) == 0) {
        length = min + random.nextInt(max - min + 1);
      }
      lengths[i] = length;
    }
    int[] stages = new int[frames];
    Arrays.setAll(stages, i -> i > 1 && random.nextInt(10) == 0 ? 0 : 1);
    return new TestBlock(lengths, random.longs(frames).toArray(), stages);
  }

  void writeFrames(ReducedBlockWriter writer) throws IOException {
    for (int i = 0; i < lengths.length; i++) {
      ToyFrames.write(writer, numbers[i], lengths[i], stages[i]);
    }
  }

  /** Writes the file and returns its physical length. */
  long write(Path path) throws IOException {
    return write(LocalDurableFiles.INSTANCE, path, ID, KEY);
  }

  long write(DurableFiles files, Path path, BlockRef id, TagKey key) throws IOException {
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(files, path, id, length, ToyFrames.CHAIN, key, length)) {
      writeFrames(writer);
      return writer.finish();
    }
  }

  static ReducedBlock open(Path path) throws IOException {
    return ReducedBlock.open(path, ChannelFile.open(path), ID, KEY);
  }

  /**
   * Puts buffers into the shared pool, so that a buffer that is not given back is noticed.
   *
   * @return how many bytes lie idle
   */
  static long idleWithSpares(int... lengths) {
    List<ByteBuffer> spares = new ArrayList<>();
    for (int length : lengths) {
      for (int i = 0; i < 10; i++) {
        spares.add(BufferPool.shared().take(length));
      }
    }
    spares.forEach(BufferPool.shared()::give);
    return BufferPool.shared().idleBytes();
  }

  /** The block's data; for short blocks. */
  byte[] data() {
    byte[] data = new byte[Math.toIntExact(length)];
    int position = 0;
    for (int i = 0; i < lengths.length; i++) {
      System.arraycopy(ToyFrames.data(numbers[i], lengths[i]), 0, data, position, lengths[i]);
      position += lengths[i];
    }
    return data;
  }
}
