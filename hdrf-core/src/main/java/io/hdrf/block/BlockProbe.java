/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The kind of a finalized block's file, judged by its header alone. Immutable. */
public final class BlockProbe {

  /** The kinds of files. */
  public enum Kind {
    /** No magic, or too short for a header: the data as they were written. */
    PLAIN,
    /** The header is whole, names this block, and bears the volume's tag. */
    REDUCED,
    /**
     * The magic is there, but the rest of the header is wrong: a damaged reduced block, one from
     * another volume, one of a later format version, or user data that look like one. The file is
     * plain if its bytes as they lie match the block's checksums; if they don't, the reader throws
     * {@link BlockProbe#reason}.
     */
    FOREIGN
  }

  private static final BlockProbe PLAIN = new BlockProbe(Kind.PLAIN, null, null);

  private final Kind kind;
  private final BlockHeader header;
  private final IOException reason;

  private BlockProbe(Kind kind, BlockHeader header, IOException reason) {
    this.kind = kind;
    this.header = header;
    this.reason = reason;
  }

  /**
   * Reads and judges a file's header.
   *
   * @param name the file's name, for messages
   * @param block the block that the file is said to hold
   * @param key the volume's key
   * @throws IOException only if reading fails, never for the content
   */
  public static BlockProbe examine(Path name, ReadableFile file, BlockRef block, TagKey key)
      throws IOException {
    return judge(name, BlockHeader.bytes(file), file.length(), block, key);
  }

  /**
   * Judges a file's header.
   *
   * @param head the file's first bytes, up to a header's length
   * @param length the file's
   */
  public static BlockProbe judge(
      Path name, ByteBuffer head, long length, BlockRef block, TagKey key) {
    if (head.remaining() < BlockFormat.HEADER_LENGTH || !BlockHeader.hasMagic(head)) {
      return PLAIN;
    }
    try {
      BlockHeader header = BlockHeader.parse(name, head, key);
      header.checkFileLength(name, length);
      header.checkIdentity(name, block);
      return new BlockProbe(Kind.REDUCED, header, null);
    } catch (CorruptFileException | UnknownFormatVersionException e) {
      return new BlockProbe(Kind.FOREIGN, null, e);
    }
  }

  public Kind kind() {
    return kind;
  }

  /** The header of a {@link Kind#REDUCED} file, otherwise null. */
  public BlockHeader header() {
    return header;
  }

  /**
   * The reason why a {@link Kind#FOREIGN} file is not reduced, otherwise null: a {@link
   * CorruptBlockException}, or, where the volume's tag is right, an {@link
   * UnknownFormatVersionException}.
   */
  public IOException reason() {
    return reason;
  }
}
