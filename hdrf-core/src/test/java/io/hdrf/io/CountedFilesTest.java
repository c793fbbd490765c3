/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountedFilesTest {

  @TempDir private Path directory;

  private final AtomicLong total = new AtomicLong();
  private DurableFiles files;

  @BeforeEach
  void count() {
    files = new CountedFiles(LocalDurableFiles.INSTANCE, total::addAndGet);
  }

  private void write(Path path, int length, long position) throws IOException {
    try (DurableFile file = files.create(path)) {
      file.write(ByteBuffer.allocate(length), position);
      file.force();
    }
  }

  private void assertTotal(long expected) throws IOException {
    assertThat(total.get()).isEqualTo(expected);
    try (Stream<Path> list = Files.list(directory)) {
      assertThat(list.filter(Files::isRegularFile).mapToLong(path -> path.toFile().length()).sum())
          .isEqualTo(expected);
    }
  }

  @Test
  void whatIsWrittenTwiceCountsOnce() throws IOException {
    try (DurableFile file = files.create(directory.resolve("a"))) {
      file.write(ByteBuffer.allocate(100), 0);
      file.write(ByteBuffer.allocate(50), 80);
      file.write(ByteBuffer.allocate(10), 0);
      assertTotal(130);
      file.setLength(70);
      assertTotal(70);
      file.write(ByteBuffer.allocate(10), 65);
      assertTotal(75);
    }
  }

  @Test
  void deletedAndReplacedFilesAreTakenOff() throws IOException {
    Path a = directory.resolve("a");
    Path b = directory.resolve("b");
    write(a, 100, 0);
    write(b, 30, 0);
    files.rename(b, a);
    assertTotal(30);
    files.rename(a, b);
    assertTotal(30);
    files.deleteIfExists(a);
    assertTotal(30);
    files.deleteIfExists(b);
    assertTotal(0);
  }

  @Test
  void whatWasThereBeforeIsTakenOffToo() throws IOException {
    Path old = directory.resolve("old");
    Files.write(old, new byte[40]);
    files.deleteIfExists(old);
    assertThat(total.get()).isEqualTo(-40);
  }

  @Test
  void directoriesAndFailuresCountNothing() throws IOException {
    Path inner = directory.resolve("x/y");
    files.createDirectories(inner);
    files.forceDirectory(inner);
    files.deleteIfExists(inner);
    Path a = directory.resolve("a");
    write(a, 10, 0);
    assertThatThrownBy(() -> files.create(a)).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> files.rename(directory.resolve("absent"), a))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> files.deleteIfExists(a.resolve("below")))
        .isInstanceOf(IOException.class);
    assertTotal(10);
  }
}
