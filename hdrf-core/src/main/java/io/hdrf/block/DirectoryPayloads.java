/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static io.hdrf.spi.io.CorruptFileException.expect;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.StoredPayloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The payloads of the blocks of one directory, as an earlier pass read them, and what a pass adds
 * to them; {@code docs/formats.md} ("Payloads of a directory") has the bytes. A block's payloads
 * are used as long as its file is the same. Of files without payloads nothing is kept: no checksum
 * tells a plain block from one whose first bytes were misread.
 *
 * <p>For one thread.
 */
final class DirectoryPayloads {

  static final int VERSION = 1;

  /** The greatest length of a file in bytes. What is beyond it is read from the blocks. */
  static final int MAX_LENGTH = 64 << 20;

  private static final int MAGIC = 0x4C504889;
  private static final int HEADER_LENGTH = 28;
  private static final int ENTRY_LENGTH = 36;
  private static final int FRAME_LENGTH = 8;
  private static final int CRC_LENGTH = 4;
  private static final int MIN_LENGTH = HEADER_LENGTH + CRC_LENGTH;

  private final int schemeId;
  private final long volumeId;
  private final byte[] raw;

  /** The begin and the end of each block's entry in {@link #raw}. */
  private final Map<Long, int[]> entries;

  private final Set<Long> used = new LinkedHashSet<>();
  private final List<byte[]> added = new ArrayList<>();
  private long addedLength;

  private DirectoryPayloads(int schemeId, long volumeId, byte[] raw, Map<Long, int[]> entries) {
    this.schemeId = schemeId;
    this.volumeId = volumeId;
    this.raw = raw;
    this.entries = entries;
  }

  /** Begins without any. */
  static DirectoryPayloads empty(int schemeId, long volumeId) {
    return new DirectoryPayloads(schemeId, volumeId, new byte[0], new LinkedHashMap<>());
  }

  /**
   * Reads a file's content.
   *
   * @param file for messages
   * @param raw all bytes of the file; kept
   * @throws CorruptFileException if it is damaged, or of another scheme or volume
   */
  static DirectoryPayloads parse(Path file, byte[] raw, int schemeId, long volumeId)
      throws CorruptFileException, UnknownFormatVersionException {
    if (raw.length < MIN_LENGTH || raw.length > MAX_LENGTH) {
      throw new CorruptFileException(
          file, "length", "from " + MIN_LENGTH + " to " + MAX_LENGTH, raw.length);
    }
    ByteBuffer in = littleEndian(raw);
    int end = raw.length - CRC_LENGTH;
    expect(file, "magic", MAGIC, in.getInt());
    expect(file, "CRC32C", Crc32c.update(0, ByteBuffer.wrap(raw, 0, end)), in.getInt(end));
    int version = in.get() & 0xFF;
    if (version != VERSION) {
      throw new UnknownFormatVersionException(file, version, VERSION, VERSION);
    }
    expect(file, "byte 5", 0, in.get());
    expect(file, "scheme", schemeId, in.getShort() & 0xFFFF);
    expect(file, "volume", volumeId, in.getLong());
    expect(file, "length of the entries", end - HEADER_LENGTH, in.getInt());
    int count = in.getInt();
    expect(file, "bytes 24 to 27", 0, in.getInt());
    in.limit(end);
    Map<Long, int[]> entries = new LinkedHashMap<>();
    while (in.hasRemaining()) {
      int begin = in.position();
      long blockId = skipEntry(file, in);
      if (entries.put(blockId, new int[] {begin, in.position()}) != null) {
        throw new CorruptFileException(file, "blk_" + blockId + " stands there twice");
      }
    }
    expect(file, "number of entries", entries.size(), count);
    return new DirectoryPayloads(schemeId, volumeId, raw, entries);
  }

  private static long skipEntry(Path file, ByteBuffer in) throws CorruptFileException {
    require(file, in, ENTRY_LENGTH);
    final long blockId = in.getLong();
    in.position(in.position() + 3 * Long.BYTES);
    int frames = in.getInt();
    if (frames < 1) {
      throw new CorruptFileException(file, "frames of blk_" + blockId, "at least 1", frames);
    }
    for (int i = 0; i < frames; i++) {
      require(file, in, FRAME_LENGTH);
      int originalLength = in.getInt();
      int length = in.getInt();
      if (originalLength < 1 || length < 0) {
        throw new CorruptFileException(
            file, "a frame of blk_" + blockId, "positive lengths", originalLength + ", " + length);
      }
      require(file, in, length);
      in.position(in.position() + length);
    }
    return blockId;
  }

  private static void require(Path file, ByteBuffer in, int length) throws CorruptFileException {
    if (in.remaining() < length) {
      throw new CorruptFileException(
          file, "bytes at " + in.position(), "at least " + length, in.remaining());
    }
  }

  /** Returns the length in bytes of the file that was read; 0 if none was. */
  int length() {
    return raw.length;
  }

  /** Returns the blocks of which something was read; the caller must not change them. */
  Set<Long> blockIds() {
    return entries.keySet();
  }

  /** Returns whether the payloads of this file are known. */
  boolean has(long blockId, FileIdentity identity) {
    int[] place = entries.get(blockId);
    if (place == null) {
      return false;
    }
    ByteBuffer in = littleEndian(raw);
    in.position(place[0] + Long.BYTES);
    return new FileIdentity(in.getLong(), in.getLong(), in.getLong()).equals(identity);
  }

  /** Shows the known payloads of a block, and keeps them for the next pass. */
  void show(long blockId, StoredPayloads.Visitor visitor) throws IOException {
    int[] place = entries.get(blockId);
    ByteBuffer in = littleEndian(raw);
    in.position(place[0] + ENTRY_LENGTH - Integer.BYTES);
    int frames = in.getInt();
    for (int i = 0; i < frames; i++) {
      int originalLength = in.getInt();
      int length = in.getInt();
      ByteBuffer payload = BufferPool.shared().take(length);
      try {
        payload.put(raw, in.position(), length);
        payload.flip();
        visitor.frame(blockId, originalLength, payload);
      } finally {
        BufferPool.shared().give(payload);
      }
      in.position(in.position() + length);
    }
    use(blockId);
  }

  /** Keeps the known payloads of a block for the next pass. */
  void use(long blockId) {
    used.add(blockId);
  }

  /** Returns whether the known payloads of a block are those of an entry. */
  boolean isSame(long blockId, Entry entry) {
    int[] place = entries.get(blockId);
    byte[] bytes = entry.bytes();
    return bytes != null
        && ByteBuffer.wrap(raw, place[0], place[1] - place[0]).equals(ByteBuffer.wrap(bytes));
  }

  /** Adds the payloads of a block, if it has any and there is room. */
  void add(Entry entry) {
    byte[] bytes = entry.bytes();
    if (bytes != null && MIN_LENGTH + raw.length + addedLength + bytes.length <= MAX_LENGTH) {
      added.add(bytes);
      addedLength += bytes.length;
    }
  }

  /** Returns whether {@link #encode} would give something else than what was read. */
  boolean isChanged() {
    return !added.isEmpty() || used.size() < entries.size();
  }

  /** Returns the file for the next pass; null if there is nothing to keep. */
  byte[] encode() {
    long length = MIN_LENGTH + addedLength;
    for (long blockId : used) {
      length += entries.get(blockId)[1] - entries.get(blockId)[0];
    }
    int count = used.size() + added.size();
    if (count == 0) {
      return null;
    }
    byte[] next = new byte[(int) length];
    ByteBuffer out = littleEndian(next);
    out.putInt(MAGIC).put((byte) VERSION).put((byte) 0).putShort((short) schemeId);
    out.putLong(volumeId).putInt((int) length - MIN_LENGTH).putInt(count).putInt(0);
    for (long blockId : used) {
      int[] place = entries.get(blockId);
      out.put(raw, place[0], place[1] - place[0]);
    }
    added.forEach(out::put);
    out.putInt(Crc32c.update(0, ByteBuffer.wrap(next, 0, out.position())));
    return next;
  }

  /** The payloads of one block, as they are read. */
  static final class Entry implements StoredPayloads.Visitor {
    private final StoredPayloads.Visitor visitor;
    private byte[] bytes = new byte[256];
    private int length;
    private int frames;

    /**
     * @param visitor is shown them too
     */
    Entry(long blockId, FileIdentity identity, StoredPayloads.Visitor visitor) {
      this.visitor = visitor;
      ByteBuffer out = littleEndian(bytes);
      out.putLong(blockId).putLong(identity.inode()).putLong(identity.changed());
      out.putLong(identity.length()).putInt(0);
      length = out.position();
    }

    @Override
    public void frame(long blockId, int originalLength, ByteBuffer payload) throws IOException {
      ByteBuffer kept = payload.duplicate();
      visitor.frame(blockId, originalLength, payload);
      long needed = (long) length + FRAME_LENGTH + kept.remaining();
      if (bytes == null || needed > MAX_LENGTH) {
        bytes = null;
        return;
      }
      if (needed > bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.max(needed, 2L * bytes.length));
      }
      ByteBuffer out = littleEndian(bytes);
      out.position(length);
      out.putInt(originalLength).putInt(kept.remaining()).put(kept);
      length = out.position();
      frames++;
    }

    @Override
    public void fileRead(long count) throws IOException {
      visitor.fileRead(count);
    }

    /** Returns the entry; null if there are no payloads, or they are too long to be kept. */
    private byte[] bytes() {
      if (bytes == null || frames == 0) {
        return null;
      }
      littleEndian(bytes).putInt(ENTRY_LENGTH - Integer.BYTES, frames);
      return Arrays.copyOf(bytes, length);
    }
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
