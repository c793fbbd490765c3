/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Checks single groups. In each method, {@code bytes} is the whole group, and not consumed. */
final class GroupCheck {

  private GroupCheck() {}

  /**
   * Checks that a group's header and stored bytes are sound, and that the header says the same as
   * the directory.
   */
  static void checkHeader(
      LoadedContainer container, ContainerDirectory directory, int group, ByteBuffer bytes)
      throws CorruptFileException {
    Path path = container.path();
    GroupHeader header = GroupHeader.parse(path, bytes, container.header().marker());
    int first = directory.firstChunk(group);
    boolean same =
        header.length() == directory.headerLength(group)
            && header.storedLength() == directory.storedLength(group)
            && header.stages() == directory.stages(group)
            && header.chunkCount() == directory.endChunk(group) - first;
    for (int i = 0; same && i < header.chunkCount(); i++) {
      same =
          header.number(i) == directory.number(first + i)
              && header.chunkLength(i) == directory.length(first + i);
    }
    if (!same) {
      throw new CorruptFileException(
          path, "group of chunk " + directory.number(first), "as in the directory", "another");
    }
    ByteBuffer stored = bytes.duplicate();
    stored.position(bytes.position() + header.length());
    ContainerFormat.expect(
        path,
        "CRC32C of the stored bytes of chunk " + directory.number(first),
        header.storedCrc(),
        Crc32c.update(0, stored));
  }

  /**
   * Checks that a group can be decoded and all its chunks have their CRC32C.
   *
   * @throws io.hdrf.spi.scheme.CorruptFrameException if not
   */
  static void checkChunks(
      LoadedContainer container, ContainerDirectory directory, int group, ByteBuffer bytes)
      throws IOException {
    ByteBuffer original = BufferPool.shared().take(directory.originalLength(group));
    try {
      container.decode(directory, group, bytes, original);
      int offset = 0;
      for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
        original.limit(offset + directory.length(i));
        original.position(offset);
        container.checkChunk(directory, i, original);
        offset += directory.length(i);
      }
    } finally {
      BufferPool.shared().give(original);
    }
  }
}
