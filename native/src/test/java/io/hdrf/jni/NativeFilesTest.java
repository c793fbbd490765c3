/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.hdrf.jni.NativeFiles.Advice;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NativeFilesTest {

  @TempDir private Path directory;
  private Path path;

  @BeforeEach
  void write() throws IOException {
    assertThat(NativeLibrary.isLoaded()).as(NativeLibrary.whyNot()).isTrue();
    path = Files.write(directory.resolve("file"), new byte[100_000]);
  }

  @ParameterizedTest
  @EnumSource
  void takesEachAdvice(Advice advice) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
        FileChannel channel = FileChannel.open(path)) {
      assertThat(NativeFiles.fadvise(file.getFD(), 0, 0, advice)).isTrue();
      assertThat(NativeFiles.fadvise(file.getFD(), 4096, 10, advice)).isTrue();
      assertThat(NativeFiles.fadvise(file.getChannel(), 0, 0, advice)).isTrue();
      assertThat(NativeFiles.fadvise(channel, Long.MAX_VALUE / 2, 10, advice)).isTrue();
    }
    assertThat(path).hasBinaryContent(new byte[100_000]);
  }

  @Test
  void closedFilesAreNotAdvised() throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
    FileDescriptor descriptor = file.getFD();
    file.close();
    assertThat(NativeFiles.fadvise(descriptor, 0, 0, Advice.WILLNEED)).isFalse();
    assertThat(NativeFiles.fadvise(new FileDescriptor(), 0, 0, Advice.WILLNEED)).isFalse();
    FileChannel channel = FileChannel.open(path);
    channel.close();
    assertThat(NativeFiles.fadvise(channel, 0, 0, Advice.WILLNEED)).isFalse();
  }

  @Test
  void channelsOfOthersAreNotAdvised() throws IOException {
    try (FileChannel channel = new ForwardingFileChannel(FileChannel.open(path))) {
      assertThat(NativeFiles.fadvise(channel, 0, 0, Advice.WILLNEED)).isFalse();
      // The native code left no exception pending.
      assertThat(channel.size()).isEqualTo(100_000);
    }
  }

  @Test
  void rejectsNegativeRanges() throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> NativeFiles.fadvise(channel, -1, 0, Advice.WILLNEED))
          .withMessageContaining("-1");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> NativeFiles.fadvise(FileDescriptor.in, 0, -2, Advice.WILLNEED));
    }
  }

  @Test
  void beginsToWrite() throws IOException {
    FileChannel closed;
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        FileChannel channel = file.getChannel()) {
      file.write(new byte[50_000]);
      assertThat(NativeFiles.beginWriting(channel, 0, 50_000)).isTrue();
      assertThat(NativeFiles.beginWriting(channel, 1 << 20, 0)).isTrue();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> NativeFiles.beginWriting(channel, -1, 0));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> NativeFiles.beginWriting(channel, 0, -1));
      closed = channel;
    }
    assertThat(NativeFiles.beginWriting(closed, 0, 0)).isFalse();
  }
}
