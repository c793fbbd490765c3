/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A store with one sealed container of small groups, which tests damage. */
abstract class OneContainerTestCase {

  static final int CHUNKS = 24;

  @TempDir(factory = InMemory.class)
  Path scratch;

  /** Of the store. */
  Path dir;

  /** Of the container. */
  Path file;

  @BeforeEach
  void start() {
    dir = scratch.resolve("containers");
    file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
  }

  /** Groups that were read are kept. */
  static ContainerSettings settings() {
    return Chunks.settings().containerSize(1 << 20).groupSize(600).groupMemory(1 << 20);
  }

  ContainerStore open() throws IOException {
    return Chunks.open(dir, LocalDurableFiles.INSTANCE, settings());
  }

  static byte[] chunk(int number) {
    return Chunks.chunk(number, 100 + number);
  }

  /** Returns the bytes of the container. */
  byte[] fill(FrameChain tail) throws IOException {
    try (ContainerStore store = open()) {
      fill(store, tail);
    }
    return Files.readAllBytes(file);
  }

  static void fill(ContainerStore store, FrameChain tail) throws IOException {
    try (ChunkAppender appender = store.appender(tail)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunks.append(appender, chunk(i));
      }
    }
    store.sealIdle(0);
  }
}
