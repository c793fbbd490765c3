/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static io.hdrf.codec.dedup.container.format.ContainerFormat.crc;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.expect;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.littleEndian;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireKnown;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireNoFlags;
import static io.hdrf.codec.dedup.container.format.ContainerFormat.requireRange;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The first {@value #LENGTH} bytes of a container file, and the description in them, which the
 * footer repeats; {@code docs/formats.md} ("Container") has its bytes. Immutable.
 *
 * <p>Every group header repeats the marker, so that no data that a user wrote can be taken for a
 * group. Magic, version and CRC stand at their places in every version, which distinguishes a file
 * of a later version from a damaged one.
 */
public final class ContainerHeader {

  public static final int LENGTH = 64;
  static final int DESCRIPTION_LENGTH = 40;

  private static final int MAGIC = 0x43444889;
  private static final int DESCRIPTION_OFFSET = 8;
  private static final int CRC_OFFSET = 60;
  private static final int MAX_SCHEME_ID = 0xFFFF;

  private final int version;
  private final long id;
  private final long identity;
  private final int[] chainIds;
  private final long creationTime;
  private final long marker;

  /** A new container's, of the version that is written. */
  public ContainerHeader(long id, long identity, int[] chainIds, long creationTime, long marker) {
    this(ContainerFormat.VERSION, id, identity, chainIds, creationTime, marker);
  }

  private ContainerHeader(
      int version, long id, long identity, int[] chainIds, long creationTime, long marker) {
    if (chainIds.length > ContainerFormat.MAX_CHAIN_LENGTH) {
      throw new IllegalArgumentException("a chain of " + chainIds.length + " schemes");
    }
    for (int scheme : chainIds) {
      if (scheme < 1 || scheme > MAX_SCHEME_ID) {
        throw new IllegalArgumentException("no scheme id: " + scheme);
      }
    }
    this.version = version;
    this.id = id;
    this.identity = identity;
    this.chainIds = chainIds.clone();
    this.creationTime = creationTime;
    this.marker = marker;
  }

  /** Reads the header at the beginning of a file. */
  public static ContainerHeader read(Path path, ReadableFile file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    file.read(bytes, 0);
    bytes.flip();
    return parse(path, bytes);
  }

  /** Returns whether a file begins like a container. */
  public static boolean begins(ReadableFile file) throws IOException {
    ByteBuffer magic = littleEndian(ByteBuffer.allocate(Integer.BYTES));
    return file.read(magic, 0) == Integer.BYTES && magic.getInt(0) == MAGIC;
  }

  /**
   * Reads a header.
   *
   * @param file for messages
   * @param bytes the header from position to limit; not consumed
   */
  public static ContainerHeader parse(Path file, ByteBuffer bytes)
      throws CorruptFileException, UnknownFormatVersionException {
    if (bytes.remaining() < LENGTH) {
      throw new CorruptFileException(file, "header", LENGTH + " bytes", bytes.remaining());
    }
    ByteBuffer in = littleEndian(bytes.slice());
    expect(file, "magic", MAGIC, in.getInt(0));
    expect(file, "header CRC32C", crc(in, 0, CRC_OFFSET), in.getInt(CRC_OFFSET));
    int version = in.get(4) & 0xFF;
    requireKnown(file, version);
    checkFlags(file, "header", version, in.get(5));
    expect(file, "header length", LENGTH, in.getShort(6) & 0xFFFF);
    for (int i = DESCRIPTION_OFFSET + DESCRIPTION_LENGTH; i < CRC_OFFSET; i++) {
      expect(file, "unused bytes of the header", 0, in.get(i));
    }
    in.position(DESCRIPTION_OFFSET);
    return parseDescription(file, in, version);
  }

  /** Refuses flags: they are damage in version 1, and of a later build since. */
  static void checkFlags(Path file, String part, int version, byte flags)
      throws CorruptFileException, UnknownFormatVersionException {
    if (version < ContainerFormat.GROUP_INDEX) {
      expect(file, "flags of the " + part, 0, flags);
    }
    requireNoFlags(file, part, flags & 0xFF);
  }

  /** Reads a description; {@code in} is little-endian and has enough bytes, which are consumed. */
  static ContainerHeader parseDescription(Path file, ByteBuffer in, int version)
      throws CorruptFileException {
    long id = in.getLong();
    requireRange(file, "container id", 0, ChunkRef.MAX_CONTAINER, id);
    long identity = in.getLong();
    int[] chain = new int[ContainerFormat.MAX_CHAIN_LENGTH];
    int length = 0;
    for (int i = 0; i < chain.length; i++) {
      chain[i] = in.getShort() & 0xFFFF;
      if (chain[i] != 0) {
        if (length != i) {
          throw new CorruptFileException(file, "tail chain", "0 after the last scheme", chain[i]);
        }
        length++;
      }
    }
    return new ContainerHeader(
        version, id, identity, Arrays.copyOf(chain, length), in.getLong(), in.getLong());
  }

  /** Writes the description at the position of {@code out}, which is little-endian. */
  void putDescription(ByteBuffer out) {
    out.putLong(id);
    out.putLong(identity);
    for (int i = 0; i < ContainerFormat.MAX_CHAIN_LENGTH; i++) {
      out.putShort((short) (i < chainIds.length ? chainIds[i] : 0));
    }
    out.putLong(creationTime);
    out.putLong(marker);
  }

  /** The header's {@value #LENGTH} bytes. */
  public ByteBuffer encode() {
    ByteBuffer out = littleEndian(ByteBuffer.allocate(LENGTH));
    out.putInt(MAGIC);
    out.put((byte) version);
    out.put((byte) 0);
    out.putShort((short) LENGTH);
    putDescription(out);
    out.putInt(CRC_OFFSET, crc(out, 0, CRC_OFFSET));
    out.clear();
    return out;
  }

  /**
   * Checks that this is the expected container.
   *
   * @throws CorruptFileException if the file belongs to another store or id
   */
  public void check(Path file, long expectedId, long expectedIdentity) throws CorruptFileException {
    expect(file, "identity of the store", expectedIdentity, identity);
    expect(file, "container id", expectedId, id);
  }

  /** Of the same container, in the version that is written. */
  public ContainerHeader latest() {
    return new ContainerHeader(id, identity, chainIds, creationTime, marker);
  }

  public int version() {
    return version;
  }

  /** Returns whether the file has a group index, and chunks' CRCs in the headers of its groups. */
  public boolean hasGroupIndex() {
    return version >= ContainerFormat.GROUP_INDEX;
  }

  public long id() {
    return id;
  }

  public long identity() {
    return identity;
  }

  /** The ids of the tail chain's schemes, 0 to 4 of them. */
  public int[] chainIds() {
    return chainIds.clone();
  }

  public boolean hasChain(int[] ids) {
    return Arrays.equals(chainIds, ids);
  }

  public long creationTime() {
    return creationTime;
  }

  public long marker() {
    return marker;
  }
}
