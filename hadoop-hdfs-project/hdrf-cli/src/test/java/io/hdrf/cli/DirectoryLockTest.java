/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
  @TempDir private Path directory;

  @Test
  void somebodyElsesDirectoryIsLeftAlone() throws IOException {
    Files.writeString(directory.resolve("thesis.txt"), "x");
    assertThatThrownBy(() -> DirectoryLock.take(directory)).hasMessageContaining("not HDRF's");
    assertThat(Files.exists(directory.resolve(DirectoryLock.FILE))).isFalse();
  }

  @Test
  void isTakenOnceAndAgainAfterwards() throws IOException {
    Path fresh = directory.resolve("a/b");
    try (DirectoryLock lock = DirectoryLock.take(fresh)) {
      // Within one JVM, the JDK itself throws.
      assertThatThrownBy(() -> DirectoryLock.take(fresh))
          .isInstanceOf(OverlappingFileLockException.class);
    }
    Files.writeString(fresh.resolve("cluster"), "x");
    DirectoryLock.take(fresh).close();
  }
}
