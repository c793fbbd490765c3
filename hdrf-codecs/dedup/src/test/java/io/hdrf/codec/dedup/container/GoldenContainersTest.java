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
    for (int version = 1; version <= ContainerFormat.VERSION; version++) {
      Path dir = Files.createDirectory(scratch.resolve("v" + version));
      Files.write(ContainerNames.file(dir, golden.id, ContainerNames.SEALED), golden.read(version));
      checkContent(golden, dir);
    }
  }

  /** Without directory and footer, and as a container that was open. */
  @ParameterizedTest
  @MethodSource("io.hdrf.codec.dedup.container.GoldenContainers#all")
  void oldFilesStayRecoverable(GoldenContainers golden) throws IOException {
    for (int version = 1; version <= ContainerFormat.VERSION; version++) {
      Path dir = Files.createDirectory(scratch.resolve("v" + version));
      byte[] file = golden.read(version);
      int end = file.length - 60;
      Path open = ContainerNames.file(dir, golden.id, ContainerNames.OPEN);
      Files.write(open, Arrays.copyOf(file, end));
      checkContent(golden, dir);
      // What was written as one version is sealed as it, byte by byte but for the time.
      byte[] sealed =
          Files.readAllBytes(ContainerNames.file(dir, golden.id, ContainerNames.SEALED));
      assertThat(Arrays.copyOf(sealed, end - 36)).isEqualTo(Arrays.copyOf(file, end - 36));
      assertThat(sealed).hasSameSizeAs(file);
    }
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
    assertThat(Files.readAllBytes(scratch.resolve("f")))
        .isEqualTo(golden.read(ContainerFormat.VERSION));
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void oneChunkOfVersionTwoByteByByte() throws IOException {
    byte[] file = GoldenContainers.ONE_CHUNK.read(2);
    HexFormat hex = HexFormat.of();
    ByteBuffer bytes = ByteBuffer.wrap(file);
    assertThat(hex.formatHex(file, 0, 8)).isEqualTo("89484443" + "02" + "00" + "4000");
    // 300 bytes, as they are, chunk 0, 1 chunk, a table of 6 bytes, stages 0, with CRCs.
    assertThat(hex.formatHex(file, 64, 84))
        .isEqualTo("89484447" + "8796a5b4c3d2e1f0" + "2c010000" + "2c010000");
    assertThat(hex.formatHex(file, 88, 104))
        .isEqualTo("00000000" + "01000000" + "06000000" + "00" + "02" + "0000");
    assertThat(hex.formatHex(file, 108, 110)).isEqualTo("ac02");
    byte[] chunk = GoldenContainers.ONE_CHUNK.chunk(0);
    assertThat(Arrays.copyOfRange(file, 114, 414)).isEqualTo(chunk);
    assertThat(Integer.reverseBytes(bytes.getInt(110)))
        .isEqualTo(ContainerFormat.crc(bytes, 114, 414));
    // No flags, 1 chunk; a run of 1; its length; its fingerprint.
    assertThat(hex.formatHex(file, 414, 434))
        .isEqualTo("89484444" + "38000000" + "00000000" + "01000000" + "0001" + "ac02");
    assertThat(Arrays.copyOfRange(file, 434, 466)).isEqualTo(Chunks.fingerprint(chunk));
    // No flags, 1 group; a header of 50 bytes, 300 stored and original ones, no gap, 1 chunk, no
    // gaps in it, stages 0.
    assertThat(hex.formatHex(file, 470, 495))
        .isEqualTo("89484449" + "1d000000" + "00000000" + "01000000" + "32ac02ac02000100" + "00");
    assertThat(hex.formatHex(file, 499, 507)).isEqualTo("89484446" + "02" + "00" + "6000");
    assertThat(hex.formatHex(file, 547, 591))
        .isEqualTo(
            "9e01000000000000"
                + "38000000"
                + "01000000"
                + "01000000"
                + "2c01000000000000"
                + "404ae7cf8b010000"
                + "1d000000"
                + "00000000");
    assertThat(file).hasSize(499 + 96);
    for (int[] crc : new int[][] {{0, 60}, {414, 466}, {470, 495}, {499, 591}}) {
      assertThat(Integer.reverseBytes(bytes.getInt(crc[1])))
          .isEqualTo(ContainerFormat.crc(bytes, crc[0], crc[1]));
    }
  }

  /** The bytes follow the specification, written by hand. */
  @Test
  void oneChunkByteByByte() throws IOException {
    byte[] file = GoldenContainers.ONE_CHUNK.read(1);
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
