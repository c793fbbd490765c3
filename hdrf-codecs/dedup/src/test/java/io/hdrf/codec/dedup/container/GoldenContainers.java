/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The containers of each format version that are kept in the resources and must be readable for
 * ever. {@code main} writes those of today's version; only a new one gives a reason to run it, and
 * then for new files.
 */
final class GoldenContainers {

  static final GoldenContainers ONE_CHUNK =
      new GoldenContainers("one-chunk", 1, Chunks.PLAIN, 3000, new int[] {0}, 300);
  static final GoldenContainers CONSECUTIVE =
      new GoldenContainers("consecutive", 0x123456789aL, Chunks.PLAIN, 700, numbers(25, 1), 130);
  static final GoldenContainers WITH_GAPS =
      new GoldenContainers("with-gaps", 7, Chunks.PLAIN, 900, numbers(12, 300), 20);
  static final GoldenContainers EMPTY =
      new GoldenContainers("empty", 8, Chunks.PLAIN, 900, new int[0], 0);
  static final GoldenContainers ENCODED =
      new GoldenContainers("encoded", 9, Chunks.DEFLATE, 3000, numbers(20, 1), 400);

  private final String name;
  final long id;
  final FrameChain tail;
  private final int groupSize;
  final int[] numbers;
  private final int firstLength;

  private GoldenContainers(
      String name, long id, FrameChain tail, int groupSize, int[] numbers, int firstLength) {
    this.name = name;
    this.id = id;
    this.tail = tail;
    this.groupSize = groupSize;
    this.numbers = numbers;
    this.firstLength = firstLength;
  }

  static List<GoldenContainers> all() {
    return List.of(ONE_CHUNK, CONSECUTIVE, WITH_GAPS, EMPTY, ENCODED);
  }

  /** Those whose bytes don't depend on the JDK's compressor. */
  static List<GoldenContainers> plain() {
    return List.of(ONE_CHUNK, CONSECUTIVE, WITH_GAPS, EMPTY);
  }

  private static int[] numbers(int count, int step) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i / 3 * 3 * step + i % 3;
    }
    return numbers;
  }

  byte[] chunk(int index) {
    byte[] chunk = new byte[firstLength + 7 * index];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = (byte) (i < chunk.length / 2 ? index : (i * i) >>> 3);
    }
    return chunk;
  }

  private String fileName(int version) {
    return "container-v" + version + "-" + name + ".golden";
  }

  byte[] read(int version) throws IOException {
    try (var in = GoldenContainers.class.getResourceAsStream(fileName(version))) {
      return in.readAllBytes();
    }
  }

  void write(Path path) throws IOException {
    ContainerHeader header =
        new ContainerHeader(
            id, Chunks.IDENTITY, tail.ids(), 1_700_000_000_000L, 0xF0E1D2C3B4A59687L);
    try (ContainerWriter writer = new ContainerWriter(LocalDurableFiles.INSTANCE, path, header);
        GroupBuffer group = new GroupBuffer(tail, groupSize)) {
      for (int i = 0; i < numbers.length; i++) {
        byte[] chunk = chunk(i);
        if (!group.hasRoomFor(chunk.length, chunk.length)) {
          flush(writer, group);
        }
        group.add(numbers[i], Chunks.fingerprint(chunk), 0, Chunks.direct(chunk));
      }
      if (!group.isEmpty()) {
        flush(writer, group);
      }
      writer.finish(1_700_000_123_456L);
    }
  }

  private static void flush(ContainerWriter writer, GroupBuffer group) throws IOException {
    group.encode(writer.header().marker());
    writer.write(group);
    group.clear();
  }

  @Override
  public String toString() {
    return name;
  }

  public static void main(String[] args) throws IOException {
    for (GoldenContainers golden : all()) {
      Path path = Path.of(args[0]).resolve(golden.fileName(ContainerFormat.VERSION));
      Files.deleteIfExists(path);
      golden.write(path);
    }
  }
}
