/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.CrashableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GoldenContainersTest {

  @TempDir Path scratch;

  @ParameterizedTest
  @MethodSource("io.hdrf.codec.dedup.container.GoldenContainers#all")
  void oldFilesStayReadable(GoldenContainers golden) throws IOException {
    Path dir = Files.createDirectory(scratch.resolve("containers"));
    Files.write(ContainerNames.file(dir, golden.id, ContainerNames.SEALED), golden.read());
    checkContent(golden, dir);
  }

  /** Without directory and footer, and as a container that was open. */
  @ParameterizedTest
  @MethodSource("io.hdrf.codec.dedup.container.GoldenContainers#all")
  void oldFilesStayRecoverable(GoldenContainers golden) throws IOException {
    Path dir = Files.createDirectory(scratch.resolve("containers"));
    byte[] file = golden.read();
    int end = file.length - 60;
    Files.write(ContainerNames.file(dir, golden.id, ContainerNames.OPEN), Arrays.copyOf(file, end));
    checkContent(golden, dir);
  }

  private void checkContent(GoldenContainers golden, Path dir) throws IOException {
    try (ContainerStore store = Chunks.open(dir, new CrashableFiles(scratch), Chunks.settings())) {
      ContainerDirectory content = store.directory(golden.id);
      assertThat(content.chunkCount()).isEqualTo(golden.numbers.length);
      for (int i = 0; i < golden.numbers.length; i++) {
        assertThat(content.number(i)).isEqualTo(golden.numbers[i]);
        Chunks.assertHas(store, ChunkRef.pack(golden.id, golden.numbers[i]), golden.chunk(i));
      }
      assertThat(ContainerVerifier.verify(store, golden.id).problems()).isEmpty();
    }
  }

  /** The bytes may change one day, but only by a decision. */
  @ParameterizedTest
  @MethodSource("io.hdrf.codec.dedup.container.GoldenContainers#plain")
  void theSameIsWrittenToday(GoldenContainers golden) throws IOException {
    golden.write(scratch.resolve("f"));
    assertThat(Files.readAllBytes(scratch.resolve("f"))).isEqualTo(golden.read());
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void oneChunkByteByByte() throws IOException {
    byte[] file = GoldenContainers.ONE_CHUNK.read();
    HexFormat hex = HexFormat.of();
    String description =
        "0100000000000000"
            + "8877665544332211"
            + "0000000000000000"
            + "0068e5cf8b010000"
            + "8796a5b4c3d2e1f0";
    assertThat(hex.formatHex(file, 0, 60))
        .isEqualTo("89484443" + "01" + "00" + "4000" + description + "00".repeat(12));
    // 300 bytes, as they are, chunk 0, 1 chunk, a table of 2 bytes, stages 0, no gaps.
    assertThat(hex.formatHex(file, 64, 84))
        .isEqualTo("89484447" + "8796a5b4c3d2e1f0" + "2c010000" + "2c010000");
    assertThat(hex.formatHex(file, 88, 104))
        .isEqualTo("00000000" + "01000000" + "02000000" + "00" + "00" + "0000");
    assertThat(hex.formatHex(file, 108, 110)).isEqualTo("ac02");
    byte[] chunk = GoldenContainers.ONE_CHUNK.chunk(0);
    assertThat(Arrays.copyOfRange(file, 110, 410)).isEqualTo(chunk);
    // 1 group, 1 chunk; header of 46 bytes, 300 stored, 1 chunk, stages 0; a run of 1; its length.
    int directoryLength = 16 + 5 + 2 + 2 + 4 + 32 + 4;
    assertThat(hex.formatHex(file, 410, 435))
        .isEqualTo(
            "89484444" + "41000000" + "01000000" + "01000000" + "2eac020100" + "0001" + "ac02");
    ByteBuffer bytes = ByteBuffer.wrap(file);
    assertThat(Integer.reverseBytes(bytes.getInt(435)))
        .isEqualTo(ContainerFormat.crc(bytes, 110, 410));
    assertThat(Arrays.copyOfRange(file, 439, 471)).isEqualTo(Chunks.fingerprint(chunk));
    assertThat(410 + directoryLength).isEqualTo(475);
    assertThat(hex.formatHex(file, 475, 567))
        .isEqualTo(
            "89484446"
                + "01"
                + "00"
                + "6000"
                + description
                + "9a01000000000000"
                + "41000000"
                + "01000000"
                + "01000000"
                + "2c01000000000000"
                + "404ae7cf8b010000"
                + "00".repeat(8));
    assertThat(file).hasSize(475 + 96);
    for (int[] crc : new int[][] {{0, 60}, {410, 471}, {475, 567}}) {
      assertThat(Integer.reverseBytes(bytes.getInt(crc[1])))
          .isEqualTo(ContainerFormat.crc(bytes, crc[0], crc[1]));
    }
  }
}
