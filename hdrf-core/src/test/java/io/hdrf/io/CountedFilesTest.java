/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void nothingWrittenCountsNothing() throws IOException {
    try (DurableFile file = files.create(directory.resolve("a"))) {
      file.write(ByteBuffer.allocate(0), 50);
      assertTotal(0);
    }
  }

  /** A disk that fills up. */
  private static final class Failing extends ForwardingFiles {

    /** How many more bytes can be written. */
    private int room;

    Failing(int room) {
      super(LocalDurableFiles.INSTANCE);
      this.room = room;
    }

    @Override
    public DurableFile create(Path path) throws IOException {
      return new ForwardingFile(super.create(path)) {
        @Override
        public void write(ByteBuffer src, long position) throws IOException {
          int end = src.limit();
          int taken = Math.min(room, src.remaining());
          src.limit(src.position() + taken);
          super.write(src, position);
          room -= taken;
          src.limit(end);
          if (src.hasRemaining()) {
            throw new IOException("no room");
          }
        }
      };
    }

    @Override
    public void deleteIfExists(Path path) throws IOException {
      throw new IOException("not deleted");
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      throw new IOException("not renamed");
    }
  }

  @Test
  void ofAFailedWriteCountsWhatWasWritten() throws IOException {
    files = new CountedFiles(new Failing(70), total::addAndGet);
    try (DurableFile file = files.create(directory.resolve("a"))) {
      file.write(ByteBuffer.allocate(40), 0);
      assertThatThrownBy(() -> file.write(ByteBuffer.allocate(50), 40)).hasMessage("no room");
      assertTotal(70);
      assertThatThrownBy(() -> file.write(ByteBuffer.allocate(50), 100)).hasMessage("no room");
      assertTotal(70);
    }
  }

  @Test
  void whatIsNotDeletedOrReplacedStaysCounted() throws IOException {
    files = new CountedFiles(new Failing(1000), total::addAndGet);
    Path a = directory.resolve("a");
    Path b = directory.resolve("b");
    write(a, 100, 0);
    write(b, 30, 0);
    assertThatThrownBy(() -> files.deleteIfExists(a)).hasMessage("not deleted");
    assertThatThrownBy(() -> files.rename(b, a)).hasMessage("not renamed");
    assertTotal(130);
  }

  @Test
  void everythingElseIsThatOfTheOtherFiles() throws IOException {
    Path a = directory.resolve("a");
    Path model = directory.resolve("model");
    Files.write(model, new byte[0]);
    Files.setPosixFilePermissions(model, PosixFilePermissions.fromString("rw-r--r--"));
    List<String> begun = new ArrayList<>();
    files =
        new CountedFiles(
            new ForwardingFiles(LocalDurableFiles.INSTANCE) {
              @Override
              public DurableFile create(Path path) throws IOException {
                return new ForwardingFile(super.create(path)) {
                  @Override
                  public void beginWriting(long position, long length) {
                    begun.add(position + " " + length);
                  }
                };
              }
            },
            total::addAndGet);
    try (DurableFile file = files.create(a)) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
      file.beginWriting(1, 2);
      file.force();
      assertThat(file.length()).isEqualTo(3);
      ByteBuffer found = ByteBuffer.allocate(4);
      assertThat(file.read(found, 1)).isEqualTo(2);
      assertThat(found.array()).containsExactly(2, 3, 0, 0);
    }
    files.copyMode(model, a);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(a)))
        .isEqualTo("rw-r--r--");
    assertThat(begun).containsExactly("1 2");
  }
}
