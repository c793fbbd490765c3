/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolFileTest {

  @TempDir(factory = InMemory.class)
  Path directory;

  private SpoolFile create(ForwardingFiles files) throws IOException {
    return SpoolFile.create(files, directory.resolve("spool"));
  }

  private static ForwardingFiles files() {
    return new ForwardingFiles(LocalDurableFiles.INSTANCE) {};
  }

  private static ByteBuffer bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void bytesBeginWhereTheFramesOfAReducedBlockDo() throws IOException {
    try (SpoolFile file = create(files())) {
      file.append(bytes(10, 1));
      file.append(bytes(20, 2));
      assertThat(file.length()).isEqualTo(30);
      ByteBuffer read = ByteBuffer.allocate(12);
      file.read(read, 9);
      assertThat(read.get(0)).isEqualTo((byte) 1);
      assertThat(read.get(1)).isEqualTo((byte) 2);
      Path moved = directory.resolve("moved");
      try (DurableFile given = file.moveTo(moved)) {
        given.setLength(ReducedBlockWriter.FRAMES_START + 30);
      }
      byte[] expected = new byte[ReducedBlockWriter.FRAMES_START + 30];
      Arrays.fill(expected, ReducedBlockWriter.FRAMES_START, expected.length - 20, (byte) 1);
      Arrays.fill(expected, expected.length - 20, expected.length, (byte) 2);
      assertThat(moved).hasBinaryContent(expected);
    }
    assertThat(directory.resolve("moved")).exists();
  }

  @Test
  void closingDeletesIt() throws IOException {
    SpoolFile file = create(files());
    file.append(bytes(10, 1));
    file.close();
    file.close();
    assertThat(directory).isEmptyDirectory();
    assertThatThrownBy(() -> file.append(bytes(1, 1))).hasMessageContaining("was closed");
  }

  /** It must not delete what came into the place meanwhile, either. */
  @Test
  void oneThatWasMovedIsNoLongerItsOwn() throws IOException {
    SpoolFile file = create(files());
    file.append(bytes(10, 1));
    file.moveTo(directory.resolve("moved")).close();
    Files.write(directory.resolve("spool"), new byte[1]);
    file.close();
    assertThat(directory.resolve("spool")).exists();
    assertThat(directory.resolve("moved")).exists();
    assertThatThrownBy(() -> file.read(bytes(1, 0), 0)).hasMessageContaining("was closed");
  }

  @Test
  void oneThatCanNotBeMovedStays() throws IOException {
    try (SpoolFile file = create(files())) {
      file.append(bytes(10, 1));
      Path nowhere = directory.resolve("missing").resolve("moved");
      assertThatThrownBy(() -> file.moveTo(nowhere)).isInstanceOf(IOException.class);
      ByteBuffer read = ByteBuffer.allocate(10);
      file.read(read, 0);
      assertThat(read.flip()).isEqualTo(bytes(10, 1));
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void whatIsMissingIsAnError() throws IOException {
    try (SpoolFile file = create(files())) {
      file.append(bytes(10, 1));
      Path spool = directory.resolve("spool");
      try (RandomAccessFile cut = new RandomAccessFile(spool.toFile(), "rw")) {
        cut.setLength(ReducedBlockWriter.FRAMES_START + 9);
      }
      assertThatThrownBy(() -> file.read(ByteBuffer.allocate(10), 0))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("spool");
    }
  }

  /** A file system would allocate space behind the end of a file that grows. */
  @Test
  void nothingIsWrittenBeyondTheFilesEnd() throws IOException {
    List<Long> beyond = new ArrayList<>();
    ForwardingFiles watched =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public DurableFile create(Path path) throws IOException {
            return new ForwardingFile(super.create(path)) {
              @Override
              public void write(ByteBuffer src, long position) throws IOException {
                if (position + src.remaining() > length()) {
                  beyond.add(position);
                }
                src.position(src.limit());
              }
            };
          }
        };
    try (SpoolFile file = create(watched)) {
      for (int i = 0; i < 1000; i++) {
        file.append(ByteBuffer.allocate(1_000_000));
      }
      assertThat(file.length()).isEqualTo(1_000_000_000L);
    }
    assertThat(beyond).isEmpty();
  }
}
