/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDurableFilesTest {

  private static final DurableFiles FILES = LocalDurableFiles.INSTANCE;

  @TempDir Path dir;

  @Test
  void readsBackWhatWasWritten() throws IOException {
    try (DurableFile file = FILES.create(dir.resolve("f"))) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 10);
      file.force();
      assertThat(file.length()).isEqualTo(14);
      ByteBuffer read = ByteBuffer.allocate(8);
      assertThat(file.read(read, 9)).isEqualTo(5);
      assertThat(read.array()).containsExactly(0, 1, 2, 3, 4, 0, 0, 0);
      assertThat(file.read(ByteBuffer.allocate(1), 14)).isZero();
    }
  }

  @Test
  void createsFilesForTheirOwnerAlone() throws IOException {
    FILES.create(dir.resolve("f")).close();
    assertThat(mode(dir.resolve("f"))).isEqualTo(0600);
  }

  @Test
  void refusesToCreateWhatExists() throws IOException {
    FILES.create(dir.resolve("f")).close();
    assertThatThrownBy(() -> FILES.create(dir.resolve("f")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void extendsByAHoleAndCuts() throws IOException, InterruptedException {
    Path path = dir.resolve("f");
    try (DurableFile file = FILES.create(path)) {
      file.setLength(5L << 30);
      assertThat(file.length()).isEqualTo(5L << 30);
      file.force();
      assertThat(allocatedBytes(path)).isZero();
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
      file.setLength(2);
      assertThat(Files.readAllBytes(path)).containsExactly(1, 2);
    }
  }

  private static long allocatedBytes(Path path) throws IOException, InterruptedException {
    Process stat = new ProcessBuilder("stat", "-c", "%b %B", path.toString()).start();
    String[] blocks =
        new String(stat.getInputStream().readAllBytes(), US_ASCII).trim().split(" ", 2);
    assertThat(stat.waitFor()).isZero();
    return Long.parseLong(blocks[0]) * Long.parseLong(blocks[1]);
  }

  @Test
  void copiesAllModeBits() throws IOException {
    Path model = Files.createFile(dir.resolve("model"));
    Path target = Files.createFile(dir.resolve("target"));
    for (int mode : new int[] {01644, 0640, 01777, 0400, 0600}) {
      Files.setAttribute(model, "unix:mode", mode);
      FILES.copyMode(model, target);
      assertThat(mode(target)).isEqualTo(mode);
    }
  }

  @Test
  void renamesOverAFile() throws IOException {
    Files.write(dir.resolve("old"), new byte[] {1});
    Files.write(dir.resolve("new"), new byte[] {2});
    FILES.rename(dir.resolve("new"), dir.resolve("old"));
    assertThat(Files.readAllBytes(dir.resolve("old"))).containsExactly(2);
    assertThat(dir.resolve("new")).doesNotExist();
  }

  @Test
  void deletesWhatExistsOnly() throws IOException {
    Files.createFile(dir.resolve("f"));
    FILES.deleteIfExists(dir.resolve("f"));
    FILES.deleteIfExists(dir.resolve("f"));
    assertThat(dir.resolve("f")).doesNotExist();
  }

  @Test
  void createsParents() throws IOException {
    FILES.createDirectories(dir.resolve("a/b/c"));
    FILES.createDirectories(dir.resolve("a/b/c"));
    assertThat(dir.resolve("a/b/c")).isDirectory();
    Files.createFile(dir.resolve("file"));
    assertThatThrownBy(() -> FILES.createDirectories(dir.resolve("file/d")))
        .isInstanceOf(IOException.class);
  }

  /** Tests replace these files by ones that lose power, so only this test sees real forces. */
  @Test
  void forcesReachTheOperatingSystem() throws IOException {
    Path path = dir.resolve("f");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold();
      recording.start();
      try (DurableFile file = FILES.create(path)) {
        file.write(ByteBuffer.wrap(new byte[10]), 0);
        assertThat(forced(recording)).doesNotContain(path.toString());
        file.force();
        assertThat(forced(recording)).contains(path.toString()).doesNotContain(dir.toString());
      }
      FILES.forceDirectory(dir);
      assertThat(forced(recording)).contains(dir.toString());
      FILES.createDirectories(dir.resolve("a/b"));
      assertThat(forced(recording)).contains(dir.resolve("a").toString());
    }
  }

  private List<String> forced(Recording recording) throws IOException {
    Path dump = Files.createTempFile(dir, "events", ".jfr");
    recording.dump(dump);
    return RecordingFile.readAllEvents(dump).stream()
        .map(event -> event.getString("path"))
        .toList();
  }

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode") & 07777;
  }
}
