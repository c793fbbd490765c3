/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static io.hdrf.codec.dedup.container.ContainerFormat.crc;
import static io.hdrf.codec.dedup.container.ContainerFormat.expect;
import static io.hdrf.codec.dedup.container.ContainerFormat.requireKnown;
import static io.hdrf.codec.dedup.container.ContainerFormat.requireRange;

import io.hdrf.io.CorruptFileException;
import io.hdrf.io.UnknownFormatVersionException;
import io.hdrf.io.Varint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The file {@code quarantine} of a store, format version 1: which chunks are known to be damaged.
 * It is replaced as a whole. Numbers are little-endian, varints those of {@link ContainerFormat}.
 *
 * <table>
 * <caption>Fields</caption>
 * <tr><th>offset</th><th>bytes</th><th>field</th></tr>
 * <tr><td>0</td><td>4</td><td>magic: 89 48 44 51 (0x89, "HDQ")</td></tr>
 * <tr><td>4</td><td>1</td><td>format version: 1</td></tr>
 * <tr><td>5</td><td>3</td><td>0</td></tr>
 * <tr><td>8</td><td>4</td><td>the file's length in bytes, at most 64 MiB</td></tr>
 * <tr><td>12</td><td>4</td><td>number of containers</td></tr>
 * <tr><td>16</td><td></td><td>the containers in the order of their ids, each: id (8 bytes), number
 * of runs (varint, at least 1), runs of damaged chunks: how many numbers are left out before the
 * run (varint), how many chunks it has (varint, at least 1)</td></tr>
 * <tr><td>end - 4</td><td>4</td><td>CRC32C of all bytes before</td></tr>
 * </table>
 */
final class QuarantineFormat {

  static final int MAX_FILE_LENGTH = 64 << 20;

  private static final int MAGIC = 0x51444889;
  private static final int FIXED_LENGTH = 16;
  private static final int CRC_LENGTH = 4;
  private static final int MIN_FILE_LENGTH = FIXED_LENGTH + CRC_LENGTH;
  private static final int MIN_ENTRY_LENGTH = Long.BYTES + 3;

  private QuarantineFormat() {}

  static byte[] encode(SortedMap<Long, BitSet> containers) throws IOException {
    long length = MIN_FILE_LENGTH;
    for (BitSet bad : containers.values()) {
      length += Long.BYTES + Varint.MAX_LENGTH + 2L * Varint.MAX_LENGTH * runs(bad);
    }
    if (length > MAX_FILE_LENGTH) {
      throw new IOException("too many damaged containers: " + containers.size());
    }
    ByteBuffer out = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC);
    out.putInt(ContainerFormat.VERSION);
    out.putInt(0);
    out.putInt(containers.size());
    for (Map.Entry<Long, BitSet> entry : containers.entrySet()) {
      BitSet bad = entry.getValue();
      out.putLong(entry.getKey());
      Varint.put(out, runs(bad));
      int end = 0;
      for (int i = bad.nextSetBit(0); i >= 0; i = bad.nextSetBit(end)) {
        Varint.put(out, i - end);
        end = bad.nextClearBit(i);
        Varint.put(out, end - i);
      }
    }
    int end = out.position();
    out.putInt(8, end + CRC_LENGTH);
    out.putInt(crc(out, 0, end));
    byte[] bytes = new byte[end + CRC_LENGTH];
    out.flip();
    out.get(bytes);
    return bytes;
  }

  static int runs(BitSet bits) {
    int runs = 0;
    for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(bits.nextClearBit(i))) {
      runs++;
    }
    return runs;
  }

  /**
   * Reads a file's content.
   *
   * @param file for messages
   * @param bytes all bytes of the file, from position to limit; not consumed
   */
  static SortedMap<Long, BitSet> parse(Path file, ByteBuffer bytes)
      throws CorruptFileException, UnknownFormatVersionException {
    ByteBuffer in = ContainerFormat.littleEndian(bytes.slice());
    int length = in.remaining();
    requireRange(file, "length", MIN_FILE_LENGTH, MAX_FILE_LENGTH, length);
    expect(file, "magic", MAGIC, in.getInt(0));
    expect(file, "CRC32C", crc(in, 0, length - CRC_LENGTH), in.getInt(length - CRC_LENGTH));
    requireKnown(file, in.get(4) & 0xFF);
    expect(file, "flags", ContainerFormat.VERSION, in.getInt(4));
    expect(file, "file length", length, in.getInt(8));
    in.limit(length - CRC_LENGTH);
    in.position(FIXED_LENGTH);
    int count = in.getInt(12);
    requireRange(file, "containers", 0, in.remaining() / MIN_ENTRY_LENGTH, count);
    SortedMap<Long, BitSet> containers = new TreeMap<>();
    long previous = -1;
    for (int i = 0; i < count; i++) {
      requireRange(file, "bytes left", Long.BYTES, Integer.MAX_VALUE, in.remaining());
      long id = in.getLong();
      requireRange(file, "container id", previous + 1, ChunkRef.MAX_CONTAINER, id);
      containers.put(id, parseRuns(file, in));
      previous = id;
    }
    expect(file, "bytes behind the last container", 0, in.remaining());
    return containers;
  }

  private static BitSet parseRuns(Path file, ByteBuffer in) throws CorruptFileException {
    int runs = Varint.get(in);
    requireRange(file, "runs", 1, in.remaining() / 2, runs);
    BitSet bad = new BitSet();
    int end = 0;
    for (int i = 0; i < runs; i++) {
      int gap = Varint.get(in);
      requireRange(file, "gap", i == 0 ? 0 : 1, ContainerFormat.MAX_CHUNKS - 1L - end, gap);
      int length = Varint.get(in);
      requireRange(file, "run of chunks", 1, ContainerFormat.MAX_CHUNKS - (long) end - gap, length);
      bad.set(end + gap, end + gap + length);
      end += gap + length;
    }
    return bad;
  }
}
