/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A container with differences that must be readable for ever. */
class GoldenDifferencesTest {

  private static final String NAME = "container-v2-differences.golden";
  private static final long ID = 9;
  private static final int LENGTH = 300;

  @TempDir Path scratch;

  /** Whole ones have even numbers. */
  private static byte[] chunk(int number) {
    byte[] chunk = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      chunk[i] = (byte) ((i * i * (number / 2 + 3)) >>> 4);
    }
    chunk[7] = (byte) (chunk[7] + number % 2);
    return chunk;
  }

  /** Of 300 bytes: 7 are copied, one is inserted, the others are copied. */
  private static ByteBuffer difference(int number) {
    byte[] chunk = chunk(number);
    ByteBuffer delta = ByteBuffer.allocateDirect(20);
    delta.put(HexFormat.of().parseHex("01ac02" + "00" + "0700" + "01")).put(chunk[7]);
    delta.put(HexFormat.of().parseHex("a40200")).flip();
    ByteBuffer kept = ByteBuffer.allocateDirect(40);
    DifferenceFormat.put(Chunks.direct(chunk), delta, kept);
    return kept.flip();
  }

  private static void write(Path path) throws IOException {
    ContainerHeader header =
        new ContainerHeader(
            ID, Chunks.IDENTITY, new int[0], 1_700_000_000_000L, 0xF0E1D2C3B4A59687L);
    try (ContainerWriter writer = new ContainerWriter(LocalDurableFiles.INSTANCE, path, header);
        GroupBuffer group = new GroupBuffer(Chunks.PLAIN, 700)) {
      for (int number = 0; number < 8; number++) {
        byte[] name = Chunks.fingerprint(chunk(number));
        if (number % 2 == 0) {
          group.add(number, name, 0, Chunks.direct(chunk(number)));
        } else {
          group.addDifference(
              number, name, 0, difference(number), LENGTH, ChunkRef.pack(ID, number - 1));
        }
        if (number % 4 == 3) {
          group.encode(header.marker());
          writer.write(group);
          group.clear();
        }
      }
      writer.finish(1_700_000_123_456L);
    }
  }

  private static byte[] read() throws IOException {
    try (var in = GoldenDifferencesTest.class.getResourceAsStream(NAME)) {
      return in.readAllBytes();
    }
  }

  private void check(boolean named) throws IOException {
    try (ContainerStore store =
        Chunks.open(scratch, LocalDurableFiles.INSTANCE, Chunks.settings())) {
      for (int number = 0; number < 8; number++) {
        long ref = ChunkRef.pack(ID, number);
        assertThat(Chunks.read(store, ref, LENGTH)).isEqualTo(chunk(number));
        assertThat(store.holds(ref, Chunks.fingerprint(chunk(number)), 0))
            .isEqualTo(named || number % 2 == 0);
        assertThat(store.wholeChunk(ref, false)).isEqualTo(ChunkRef.pack(ID, number / 2 * 2));
      }
      assertThat(ContainerVerifier.verify(store, ID).problems()).isEmpty();
    }
  }

  @Test
  void theOldFileStaysReadable() throws IOException {
    Files.write(ContainerNames.file(scratch, ID, ContainerNames.SEALED), read());
    check(true);
  }

  @Test
  void theOldFileStaysRecoverable() throws IOException {
    byte[] file = read();
    Path open = ContainerNames.file(scratch, ID, ContainerNames.OPEN);
    Files.write(open, Arrays.copyOf(file, file.length - 60));
    check(false);
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    write(scratch.resolve("f"));
    assertThat(Files.readAllBytes(scratch.resolve("f"))).isEqualTo(read());
  }

  /** Writes the file; only another form gives a reason, and then for another file. */
  public static void main(String[] args) throws IOException {
    write(Path.of(args[0]).resolve(NAME));
  }
}
