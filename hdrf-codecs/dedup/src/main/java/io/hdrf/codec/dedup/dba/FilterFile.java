/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static io.hdrf.spi.io.CorruptFileException.expect;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The file of one filter; {@code docs/formats.md} ("Filter of the dedup index") has its bytes. All
 * its segments share the filter: this is the alias table. Where the bits of an element stand is
 * told by {@link FilterGroup#hash}. Magic, version and CRC of the header stand at their places in
 * every version.
 */
final class FilterFile {

  static final int VERSION = 1;
  static final int MAX_SEGMENTS = 64;

  private static final int OLDEST_VERSION = 1;
  private static final int MAGIC = 0x46424889;
  private static final int HEADER_LENGTH = 32;
  private static final int CRC_OFFSET = 28;
  private static final int CRC_LENGTH = 4;
  private static final int SEGMENT_LENGTH = 12;
  private static final int SEALED = 1;

  private final Shape shape;
  private final boolean sealed;
  private final int elements;
  private final int stale;
  private final int[] segments;
  private final long[] generations;

  FilterFile(
      Shape shape, boolean sealed, int elements, int stale, int[] segments, long[] generations) {
    this.shape = shape;
    this.sealed = sealed;
    this.elements = elements;
    this.stale = stale;
    this.segments = segments;
    this.generations = generations;
  }

  /** Reads all but the rows, and checks the file's length. */
  static FilterFile readHeader(Path name, ReadableFile file) throws IOException {
    ByteBuffer in = read(name, file, 0, HEADER_LENGTH);
    expect(name, "magic", MAGIC, in.getInt(0));
    expect(name, "CRC32C of the header", crc(in, CRC_OFFSET), in.getInt(CRC_OFFSET));
    int version = in.get(4) & 0xFF;
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new UnknownFormatVersionException(name, version, OLDEST_VERSION, VERSION);
    }
    int flags = in.get(5) & 0xFF;
    range(name, "flags", flags, 0, SEALED);
    int count = in.getShort(6) & 0xFFFF;
    range(name, "number of segments", count, 1, MAX_SEGMENTS);
    int capacity = in.getInt(8);
    range(name, "capacity", capacity, 1, Shape.MAX_CAPACITY);
    int rows = in.getInt(12);
    range(name, "number of rows", rows, 1, Shape.MAX_HASHES);
    Shape shape = new Shape(capacity, rows);
    expect(name, "row length", shape.rowLength(), in.getInt(16));
    int elements = in.getInt(20);
    range(name, "elements", elements, 0, Integer.MAX_VALUE);
    int stale = in.getInt(24);
    range(name, "deleted elements", stale, 0, elements);
    ByteBuffer table = read(name, file, HEADER_LENGTH, SEGMENT_LENGTH * count + CRC_LENGTH);
    expect(
        name,
        "CRC32C of the segments",
        crc(table, SEGMENT_LENGTH * count),
        table.getInt(SEGMENT_LENGTH * count));
    int[] segments = new int[count];
    long[] generations = new long[count];
    for (int i = 0; i < count; i++) {
      segments[i] = table.getInt(SEGMENT_LENGTH * i);
      generations[i] = table.getLong(SEGMENT_LENGTH * i + Integer.BYTES);
      range(name, "segment", segments[i], 0, Integer.MAX_VALUE);
    }
    if (Arrays.stream(segments).distinct().count() != count) {
      throw new CorruptFileException(name, "a segment stands there twice");
    }
    FilterFile header =
        new FilterFile(shape, flags == SEALED, elements, stale, segments, generations);
    if (file.length() != header.length()) {
      throw new CorruptFileException(name, "length", header.length(), file.length());
    }
    return header;
  }

  /** Reads the rows. */
  ColumnBits readRows(Path name, ReadableFile file) throws IOException {
    ColumnBits bits = new ColumnBits(shape);
    long at = rowsOffset();
    for (int j = 0; j < shape.hashes(); j++) {
      long[] row = bits.row(j);
      int bytes = row.length * Long.BYTES;
      ByteBuffer in = read(name, file, at, bytes + CRC_LENGTH);
      expect(name, "CRC32C of row " + j, crc(in, bytes), in.getInt(bytes));
      in.asLongBuffer().get(row);
      int last = shape.rowLength() % Long.SIZE;
      if (last != 0 && row[row.length - 1] >>> last != 0) {
        throw new CorruptFileException(name, "bits behind the end of row " + j);
      }
      at += bytes + CRC_LENGTH;
    }
    return bits;
  }

  /** Gives the bits of one row at a time. */
  interface Rows {
    void read(int row, long[] words);
  }

  /** Writes all of the file. */
  void write(DurableFile file, Rows rows) throws IOException {
    ByteBuffer out = buffer((int) rowsOffset());
    out.putInt(MAGIC).put((byte) VERSION).put((byte) (sealed ? SEALED : 0));
    out.putShort((short) segments.length);
    out.putInt(shape.capacity()).putInt(shape.hashes()).putInt(shape.rowLength());
    out.putInt(elements).putInt(stale);
    out.putInt(crc(out, CRC_OFFSET));
    ByteBuffer table = buffer(SEGMENT_LENGTH * segments.length);
    for (int i = 0; i < segments.length; i++) {
      table.putInt(segments[i]).putLong(generations[i]);
    }
    int tableCrc = crc(table, table.capacity());
    table.flip();
    out.put(table).putInt(tableCrc).flip();
    file.write(out, 0);
    long[] row = new long[ColumnBits.rowWords(shape)];
    int bytes = row.length * Long.BYTES;
    ByteBuffer body = buffer(bytes + CRC_LENGTH);
    long at = rowsOffset();
    for (int j = 0; j < shape.hashes(); j++) {
      rows.read(j, row);
      body.clear();
      body.asLongBuffer().put(row);
      body.putInt(bytes, crc(body, bytes));
      file.write(body, at);
      at += bytes + CRC_LENGTH;
    }
  }

  private long rowsOffset() {
    return HEADER_LENGTH + (long) SEGMENT_LENGTH * segments.length + CRC_LENGTH;
  }

  /** The length of the whole file. */
  long length() {
    long row = (long) ColumnBits.rowWords(shape) * Long.BYTES + CRC_LENGTH;
    return rowsOffset() + row * shape.hashes();
  }

  Shape shape() {
    return shape;
  }

  boolean sealed() {
    return sealed;
  }

  int elements() {
    return elements;
  }

  int stale() {
    return stale;
  }

  /** Returns the segments, which the caller must not change. */
  int[] segments() {
    return segments;
  }

  /** Returns the generations, which the caller must not change. */
  long[] generations() {
    return generations;
  }

  private static ByteBuffer buffer(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer read(Path name, ReadableFile file, long position, int length)
      throws IOException {
    if (file.length() < position + length) {
      throw new CorruptFileException(
          name, "length", "at least " + (position + length), file.length());
    }
    ByteBuffer in = buffer(length);
    int n = file.read(in, position);
    if (n != length) {
      throw new CorruptFileException(name, "bytes at " + position, length, n);
    }
    in.flip();
    return in;
  }

  private static int crc(ByteBuffer bytes, int length) {
    ByteBuffer part = bytes.duplicate();
    part.clear();
    part.limit(length);
    return Crc32c.update(0, part);
  }

  private static void range(Path name, String what, int found, int min, int max)
      throws CorruptFileException {
    if (found < min || found > max) {
      throw new CorruptFileException(name, what, "from " + min + " to " + max, found);
    }
  }
}
