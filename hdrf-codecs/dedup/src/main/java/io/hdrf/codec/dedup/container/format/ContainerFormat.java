/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The container file: the common properties of its parts; {@code docs/formats.md} ("Container") has
 * its bytes.
 *
 * <p>A container holds chunks of one volume and block pool. Its file consists of a header ({@link
 * ContainerHeader}), groups of chunks ({@link GroupHeader}) and, when it is sealed, a directory
 * ({@link DirectoryFormat}), a group index ({@link GroupIndexFormat}) and a footer ({@link
 * ContainerFooter}), without gaps. Compaction leaves out chunks, and the others keep their numbers.
 * Numbers ascend in the file. Version 1, which can be read, has no group index: its directory has
 * the groups, too.
 *
 * <p>A file gets the name of a sealed container by a rename after it was forced, so that it is
 * complete whatever happens. Of an open one the groups count as far as they are sound, whatever
 * follows them.
 */
public final class ContainerFormat {

  /** The version that is written. */
  public static final int VERSION = 2;

  /**
   * The first version whose groups have the CRC32C of each chunk in their headers, and whose sealed
   * files have a group index.
   */
  static final int GROUP_INDEX = 2;

  /** The oldest version that can be read. */
  public static final int OLDEST_VERSION = 1;

  /** The longest chunk: 16 MiB. */
  public static final int MAX_CHUNK_LENGTH = 16 << 20;

  /** The most bytes of chunks in a group: 16 MiB. */
  public static final int MAX_GROUP_LENGTH = 16 << 20;

  /** The most chunks in a container; their numbers are less. */
  public static final int MAX_CHUNKS = 1 << 20;

  /** The most schemes in a container's chain. */
  public static final int MAX_CHAIN_LENGTH = 4;

  private ContainerFormat() {}

  public static ByteBuffer littleEndian(ByteBuffer buffer) {
    return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** CRC32C of bytes from index {@code from} to {@code to}, exclusively. */
  public static int crc(ByteBuffer buffer, int from, int to) {
    return crc(0, buffer, from, to);
  }

  public static int crc(int crc, ByteBuffer buffer, int from, int to) {
    ByteBuffer part = buffer.duplicate();
    part.limit(to);
    part.position(from);
    return Crc32c.update(crc, part);
  }

  public static void expect(Path file, String what, long expected, long found)
      throws CorruptFileException {
    if (expected != found) {
      throw new CorruptFileException(
          file, what, "0x" + Long.toHexString(expected), "0x" + Long.toHexString(found));
    }
  }

  static void requireRange(Path file, String what, long min, long max, long found)
      throws CorruptFileException {
    if (found < min || found > max) {
      throw new CorruptFileException(file, what, "from " + min + " to " + max, found);
    }
  }

  /** Refuses flags that this build does not know: a later one wrote them. */
  static void requireNoFlags(Path file, String part, int unknown)
      throws UnknownFormatVersionException {
    if (unknown != 0) {
      throw new UnknownFormatVersionException(
          file, "the " + part + " with the flags 0x" + Integer.toHexString(unknown));
    }
  }

  static void requireKnown(Path file, int version) throws UnknownFormatVersionException {
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new UnknownFormatVersionException(file, version, OLDEST_VERSION, VERSION);
    }
  }
}
