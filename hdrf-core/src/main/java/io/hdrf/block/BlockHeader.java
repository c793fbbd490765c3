/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/** The header of a reduced block file; {@link BlockFormat} specifies it. Immutable. */
public final class BlockHeader {

  private static final int VERSION_OFFSET = 4;
  private static final int FLAGS_OFFSET = 5;
  private static final int HEADER_LENGTH_OFFSET = 6;
  private static final int CHAIN_OFFSET = 8;
  private static final int POOL_OFFSET = 16;
  private static final int BLOCK_ID_OFFSET = 24;
  private static final int LOGICAL_LENGTH_OFFSET = 32;
  private static final int TABLE_POSITION_OFFSET = 38;
  private static final int TABLE_LENGTH_OFFSET = 44;
  private static final int CRC_OFFSET = 48;
  private static final int TAG_OFFSET = 52;

  private final int[] chainIds;
  private final long poolHash;
  private final long blockId;
  private final long logicalLength;
  private final long tablePosition;
  private final int tableLength;
  private final long tag;

  BlockHeader(
      int[] chainIds,
      long poolHash,
      long blockId,
      long logicalLength,
      long tablePosition,
      int tableLength) {
    this(chainIds, poolHash, blockId, logicalLength, tablePosition, tableLength, 0);
  }

  private BlockHeader(
      int[] chainIds,
      long poolHash,
      long blockId,
      long logicalLength,
      long tablePosition,
      int tableLength,
      long tag) {
    this.chainIds = chainIds.clone();
    this.poolHash = poolHash;
    this.blockId = blockId;
    this.logicalLength = logicalLength;
    this.tablePosition = tablePosition;
    this.tableLength = tableLength;
    this.tag = tag;
  }

  /** Returns whether the buffer's remaining bytes begin with the magic. */
  public static boolean hasMagic(ByteBuffer bytes) {
    return bytes.remaining() >= Integer.BYTES
        && littleEndian(bytes).getInt(bytes.position()) == BlockFormat.MAGIC;
  }

  /**
   * Reads a header and checks all of it but the block that it names.
   *
   * @param file for messages
   * @param bytes the header's {@value BlockFormat#HEADER_LENGTH} bytes; not consumed
   * @param key the volume's key, or null to leave the tag unchecked: then the header must not
   *     decide how data are decoded that a user will see
   * @throws CorruptBlockException if it is damaged, or was not made with the key
   * @throws UnknownFormatVersionException if it is sound, but of another format version
   */
  public static BlockHeader parse(Path file, ByteBuffer bytes, TagKey key)
      throws CorruptBlockException, UnknownFormatVersionException {
    if (bytes.remaining() < BlockFormat.HEADER_LENGTH) {
      throw new CorruptBlockException(
          file, "header", BlockFormat.HEADER_LENGTH + " bytes", bytes.remaining());
    }
    byte[] raw = new byte[BlockFormat.HEADER_LENGTH];
    bytes.duplicate().get(raw);
    ByteBuffer in = littleEndian(ByteBuffer.wrap(raw));
    expect(file, "magic", BlockFormat.MAGIC, in.getInt(0));
    expect(file, "header CRC32C", crc(raw), in.getInt(CRC_OFFSET));
    if (key != null
        && !key.verifies(raw, TAG_OFFSET, Arrays.copyOfRange(raw, TAG_OFFSET, raw.length))) {
      throw new CorruptBlockException(file, "tag", "that of the volume's secret", "another");
    }
    int version = raw[VERSION_OFFSET] & 0xFF;
    if (version < BlockFormat.OLDEST_VERSION || version > BlockFormat.VERSION) {
      throw new UnknownFormatVersionException(
          file, version, BlockFormat.OLDEST_VERSION, BlockFormat.VERSION);
    }
    expect(file, "flags", 0, raw[FLAGS_OFFSET]);
    expect(file, "header length", BlockFormat.HEADER_LENGTH, in.getShort(HEADER_LENGTH_OFFSET));
    BlockHeader header =
        new BlockHeader(
            parseChain(file, in),
            in.getLong(POOL_OFFSET),
            in.getLong(BLOCK_ID_OFFSET),
            getLong48(in, LOGICAL_LENGTH_OFFSET),
            getLong48(in, TABLE_POSITION_OFFSET),
            in.getInt(TABLE_LENGTH_OFFSET),
            in.getLong(TAG_OFFSET));
    header.checkBounds(file);
    return header;
  }

  private static int[] parseChain(Path file, ByteBuffer in) throws CorruptBlockException {
    int[] ids = new int[BlockFormat.MAX_CHAIN_LENGTH];
    int length = 0;
    for (int i = 0; i < ids.length; i++) {
      ids[i] = in.getShort(CHAIN_OFFSET + Short.BYTES * i) & 0xFFFF;
      if (ids[i] != 0) {
        if (length != i) {
          throw new CorruptBlockException(file, "scheme chain", "0 after the last scheme", ids[i]);
        }
        length++;
      }
    }
    if (length == 0) {
      throw new CorruptBlockException(file, "scheme chain", "at least one scheme", "none");
    }
    return Arrays.copyOf(ids, length);
  }

  private void checkBounds(Path file) throws CorruptBlockException {
    if (tablePosition < BlockFormat.HEADER_LENGTH) {
      throw new CorruptBlockException(
          file, "frame table position", "at least " + BlockFormat.HEADER_LENGTH, tablePosition);
    }
    if (tableLength < FrameTable.MIN_LENGTH || tableLength > BlockFormat.MAX_TABLE_LENGTH) {
      throw new CorruptBlockException(
          file,
          "frame table length",
          "from " + FrameTable.MIN_LENGTH + " to " + BlockFormat.MAX_TABLE_LENGTH,
          Integer.toUnsignedString(tableLength));
    }
    if (physicalLength() > logicalLength) {
      throw new CorruptBlockException(
          file, "physical end", "at most " + logicalLength, physicalLength());
    }
  }

  /**
   * Checks that this header is the one of a block.
   *
   * @param file for messages
   * @throws CorruptBlockException if it names another pool or block
   */
  public void checkIdentity(Path file, BlockRef block) throws CorruptBlockException {
    if (poolHash != block.poolHash()) {
      throw new CorruptBlockException(
          file,
          "block pool",
          block.poolId() + " (" + Long.toHexString(block.poolHash()) + ")",
          Long.toHexString(poolHash));
    }
    if (blockId != block.blockId()) {
      throw new CorruptBlockException(file, "block id", block.blockId(), blockId);
    }
  }

  /**
   * Checks that a file has the whole block. A longer one is not damaged: as in a plain block, bytes
   * behind the block are not read.
   */
  void checkFileLength(Path file, long length) throws CorruptBlockException {
    if (length < logicalLength) {
      throw new CorruptBlockException(file, "file length", logicalLength, length);
    }
  }

  /** The first bytes of a file, up to a header's length. */
  static ByteBuffer bytes(ReadableFile file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BlockFormat.HEADER_LENGTH);
    file.read(bytes, 0);
    bytes.flip();
    return bytes;
  }

  /** The header's {@value BlockFormat#HEADER_LENGTH} bytes, with the key's tag. */
  byte[] encode(TagKey key) {
    byte[] raw = new byte[BlockFormat.HEADER_LENGTH];
    ByteBuffer out = littleEndian(ByteBuffer.wrap(raw));
    out.putInt(0, BlockFormat.MAGIC);
    out.put(VERSION_OFFSET, (byte) BlockFormat.VERSION);
    out.putShort(HEADER_LENGTH_OFFSET, (short) BlockFormat.HEADER_LENGTH);
    for (int i = 0; i < chainIds.length; i++) {
      out.putShort(CHAIN_OFFSET + Short.BYTES * i, (short) chainIds[i]);
    }
    out.putLong(POOL_OFFSET, poolHash);
    out.putLong(BLOCK_ID_OFFSET, blockId);
    putLong48(out, LOGICAL_LENGTH_OFFSET, logicalLength);
    putLong48(out, TABLE_POSITION_OFFSET, tablePosition);
    out.putInt(TABLE_LENGTH_OFFSET, tableLength);
    out.putInt(CRC_OFFSET, crc(raw));
    System.arraycopy(key.tag(raw, TAG_OFFSET), 0, raw, TAG_OFFSET, TagKey.TAG_LENGTH);
    return raw;
  }

  /**
   * The first bytes of the tag: other ones on another volume, or where any field differs. 0 in a
   * header that was not read.
   */
  public long tag() {
    return tag;
  }

  /** The ids of the chain's schemes in the order in which they encode, 1 to 4 of them. */
  public int[] chainIds() {
    return chainIds.clone();
  }

  int chainLength() {
    return chainIds.length;
  }

  /** The hash of the block pool's id; see {@link BlockRef#poolHash()}. */
  public long poolHash() {
    return poolHash;
  }

  /** The block's id. */
  public long blockId() {
    return blockId;
  }

  /** The block's length in bytes; also the file's length. */
  public long logicalLength() {
    return logicalLength;
  }

  /** The frame table's position in the file, in bytes. */
  public long tablePosition() {
    return tablePosition;
  }

  /** The frame table's length in bytes. */
  public int tableLength() {
    return tableLength;
  }

  /** The number of bytes of the file in use; the rest is a hole. */
  public long physicalLength() {
    return tablePosition + tableLength;
  }

  /**
   * @throws IllegalArgumentException if these ids are no chain
   */
  static void checkChain(int[] chainIds) {
    if (chainIds.length < 1 || chainIds.length > BlockFormat.MAX_CHAIN_LENGTH) {
      throw new IllegalArgumentException(
          "a chain has 1 to " + BlockFormat.MAX_CHAIN_LENGTH + " schemes: " + chainIds.length);
    }
    for (int id : chainIds) {
      if (id < 1 || id > ReductionScheme.MAX_ID) {
        throw new IllegalArgumentException("no scheme id: " + id);
      }
    }
  }

  private static void expect(Path file, String what, int expected, int found)
      throws CorruptBlockException {
    if (expected != found) {
      throw new CorruptBlockException(
          file, what, "0x" + Integer.toHexString(expected), "0x" + Integer.toHexString(found));
    }
  }

  private static int crc(byte[] raw) {
    return Crc32c.update(0, ByteBuffer.wrap(raw, 0, CRC_OFFSET));
  }

  private static long getLong48(ByteBuffer in, int offset) {
    return (in.getInt(offset) & 0xFFFFFFFFL)
        | (in.getShort(offset + Integer.BYTES) & 0xFFFFL) << Integer.SIZE;
  }

  private static void putLong48(ByteBuffer out, int offset, long value) {
    out.putInt(offset, (int) value);
    out.putShort(offset + Integer.BYTES, (short) (value >>> Integer.SIZE));
  }

  private static ByteBuffer littleEndian(ByteBuffer buffer) {
    return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }
}
