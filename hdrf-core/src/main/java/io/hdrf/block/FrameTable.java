/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.Varint;
import io.hdrf.spi.scheme.FrameCodec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The positions of the frames of a reduced block; {@link BlockFormat} specifies its stored form.
 * Immutable. Frames are numbered from 0. Takes about 21 bytes of memory a frame.
 */
public final class FrameTable {

  /** CRC, frame count, one run of lengths, one of stages, one stored length and CRC. */
  static final int MIN_LENGTH = 4 + 1 + 2 + 2 + 1 + 4;

  /** The least room of a frame: a stored length of one byte, and a CRC. */
  private static final int MIN_FRAME_LENGTH = 1 + Integer.BYTES;

  /** Frame i stands for bytes originalEnd[i] (inclusive) to originalEnd[i + 1] of the block. */
  private final long[] originalEnd;

  /** Frame i is stored in bytes storedEnd[i] (inclusive) to storedEnd[i + 1] of the file. */
  private final long[] storedEnd;

  private final byte[] stages;
  private final int[] checksums;
  private final int maxOriginalLength;
  private final int maxStoredLength;

  private FrameTable(long[] originalEnd, long[] storedEnd, byte[] stages, int[] checksums) {
    this.originalEnd = originalEnd;
    this.storedEnd = storedEnd;
    this.stages = stages;
    this.checksums = checksums;
    this.maxOriginalLength = maxDifference(originalEnd);
    this.maxStoredLength = maxDifference(storedEnd);
  }

  private static int maxDifference(long[] ends) {
    long max = 0;
    for (int i = 1; i < ends.length; i++) {
      max = Math.max(max, ends[i] - ends[i - 1]);
    }
    return (int) max;
  }

  /**
   * Reads a table and checks it against its CRC and against the header.
   *
   * @param file for messages
   * @param header the checked header of the same file
   * @param bytes the table, exactly {@link BlockHeader#tableLength} bytes; not consumed
   * @throws CorruptBlockException if anything is wrong; nothing is allocated before the frame count
   *     was found to fit the table's length
   */
  public static FrameTable parse(Path file, BlockHeader header, ByteBuffer bytes)
      throws CorruptBlockException {
    ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() != header.tableLength()) {
      throw new CorruptBlockException(
          file, "frame table", header.tableLength() + " bytes", in.remaining());
    }
    int storedCrc = in.getInt();
    int crc = Crc32c.update(0, in.slice());
    if (crc != storedCrc) {
      throw new CorruptBlockException(
          file,
          "frame table CRC32C",
          "0x" + Integer.toHexString(storedCrc),
          "0x" + Integer.toHexString(crc));
    }
    return new Parser(file, header, in).parse();
  }

  /** The number of frames, at least 1. */
  public int frameCount() {
    return checksums.length;
  }

  /**
   * The frame that holds a byte of the block.
   *
   * @param position from 0 to the logical length, exclusive
   */
  public int frameAt(long position) {
    if (position < 0 || position >= originalEnd[originalEnd.length - 1]) {
      throw new IndexOutOfBoundsException("no byte " + position + " in this block");
    }
    int found = Arrays.binarySearch(originalEnd, position);
    return found >= 0 ? found : -found - 2;
  }

  /** The position of the frame's original data in the block, in bytes. */
  public long originalPosition(int frame) {
    return originalEnd[checkFrame(frame)];
  }

  /** The end of the frame's original data in the block, in bytes. */
  public long originalEnd(int frame) {
    return originalEnd[checkFrame(frame) + 1];
  }

  /** The length of the frame's original data in bytes, from 1 to 2<sup>30</sup>. */
  public int originalLength(int frame) {
    return (int) (originalEnd[checkFrame(frame) + 1] - originalEnd[frame]);
  }

  /** The position of the frame's stored bytes in the file. */
  public long storedPosition(int frame) {
    return storedEnd[checkFrame(frame)];
  }

  /** The end of the frame's stored bytes in the file. */
  public long storedEnd(int frame) {
    return storedEnd[checkFrame(frame) + 1];
  }

  /** The number of stored bytes, from 0 to 2<sup>30</sup>. */
  public int storedLength(int frame) {
    return (int) (storedEnd[checkFrame(frame) + 1] - storedEnd[frame]);
  }

  /** The schemes of the chain that were applied to the frame: bit i for the i-th. */
  public int stages(int frame) {
    return stages[frame];
  }

  /** The CRC32C of the frame's stored bytes. */
  public int checksum(int frame) {
    return checksums[frame];
  }

  /** The greatest {@link #originalLength}. */
  public int maxOriginalLength() {
    return maxOriginalLength;
  }

  /** The greatest {@link #storedLength}. */
  public int maxStoredLength() {
    return maxStoredLength;
  }

  private int checkFrame(int frame) {
    if (frame < 0 || frame >= checksums.length) {
      throw new IndexOutOfBoundsException("no frame " + frame + " of " + checksums.length);
    }
    return frame;
  }

  /** Reads the table's parts in the order in which they are stored. */
  private static final class Parser {
    private final Path file;
    private final BlockHeader header;
    private final ByteBuffer in;

    Parser(Path file, BlockHeader header, ByteBuffer in) {
      this.file = file;
      this.header = header;
      this.in = in;
    }

    FrameTable parse() throws CorruptBlockException {
      long mostFrames = Math.min(in.remaining() / MIN_FRAME_LENGTH, header.logicalLength());
      int count = varint("frame count", 1, (int) mostFrames);
      long[] originalEnds = originalEnds(count);
      byte[] stages = stages(count);
      long[] storedEnds = storedEnds(count);
      FrameTable table = new FrameTable(originalEnds, storedEnds, stages, checksums(count));
      if (in.hasRemaining()) {
        throw new CorruptBlockException(
            file, "bytes behind the last frame of the table", 0, in.remaining());
      }
      return table;
    }

    private long[] originalEnds(int count) throws CorruptBlockException {
      long[] ends = new long[count + 1];
      int frame = 0;
      while (frame < count) {
        int run = varint("run of original lengths", 1, count - frame);
        int length = varint("original length", 1, FrameCodec.MAX_FRAME_LENGTH);
        for (int i = 0; i < run; i++, frame++) {
          ends[frame + 1] = ends[frame] + length;
        }
      }
      if (ends[count] != header.logicalLength()) {
        throw new CorruptBlockException(
            file, "sum of original lengths", header.logicalLength(), ends[count]);
      }
      return ends;
    }

    private byte[] stages(int count) throws CorruptBlockException {
      byte[] stages = new byte[count];
      int frame = 0;
      while (frame < count) {
        int run = varint("run of stages", 1, count - frame);
        int value = in.hasRemaining() ? in.get() & 0xFF : -1;
        if (value < 0 || value >= 1 << header.chainLength()) {
          throw new CorruptBlockException(
              file, "stages", "those of a chain of " + header.chainLength(), value);
        }
        Arrays.fill(stages, frame, frame + run, (byte) value);
        frame += run;
      }
      return stages;
    }

    private long[] storedEnds(int count) throws CorruptBlockException {
      long[] ends = new long[count + 1];
      ends[0] = BlockFormat.HEADER_LENGTH;
      for (int frame = 0; frame < count; frame++) {
        ends[frame + 1] = ends[frame] + varint("stored length", 0, FrameCodec.MAX_FRAME_LENGTH);
      }
      if (ends[count] != header.tablePosition()) {
        throw new CorruptBlockException(
            file, "end of the last frame", header.tablePosition(), ends[count]);
      }
      return ends;
    }

    private int[] checksums(int count) throws CorruptBlockException {
      if (in.remaining() < (long) count * Integer.BYTES) {
        throw new CorruptBlockException(
            file, "frame CRCs", (long) count * Integer.BYTES + " bytes", in.remaining());
      }
      int[] checksums = new int[count];
      in.asIntBuffer().get(checksums);
      in.position(in.position() + count * Integer.BYTES);
      return checksums;
    }

    private int varint(String what, int min, int max) throws CorruptBlockException {
      int value = Varint.get(in);
      if (value < min || value > max) {
        throw new CorruptBlockException(
            file, what + " in the frame table", "from " + min + " to " + max, value);
      }
      return value;
    }
  }

  /** Collects the table of a block that is being written. */
  static final class Builder {
    private int[] originalLengths = new int[64];
    private int[] storedLengths = new int[64];
    private int[] checksums = new int[64];
    private byte[] stages = new byte[64];
    private int count;

    /** The numbers of frames in the last run of equal lengths and in that of equal stages. */
    private int lengthRun;

    private int stageRun;

    /** The bytes of all frames and runs in the encoded table. */
    private long frameBytes;

    void add(int originalLength, int storedLength, int stage, int checksum) {
      if (count == checksums.length) {
        int capacity = count * 2;
        originalLengths = Arrays.copyOf(originalLengths, capacity);
        storedLengths = Arrays.copyOf(storedLengths, capacity);
        checksums = Arrays.copyOf(checksums, capacity);
        stages = Arrays.copyOf(stages, capacity);
      }
      if (count > 0 && originalLengths[count - 1] == originalLength) {
        frameBytes += Varint.length(lengthRun + 1) - Varint.length(lengthRun);
        lengthRun++;
      } else {
        frameBytes += 1 + Varint.length(originalLength);
        lengthRun = 1;
      }
      if (count > 0 && stages[count - 1] == (byte) stage) {
        frameBytes += Varint.length(stageRun + 1) - Varint.length(stageRun);
        stageRun++;
      } else {
        frameBytes += 1 + Byte.BYTES;
        stageRun = 1;
      }
      frameBytes += Varint.length(storedLength) + Integer.BYTES;
      originalLengths[count] = originalLength;
      storedLengths[count] = storedLength;
      checksums[count] = checksum;
      stages[count] = (byte) stage;
      count++;
    }

    /** The encoded table's length in bytes. */
    long encodedLength() {
      return Integer.BYTES + Varint.length(count) + frameBytes;
    }

    ByteBuffer encode() {
      ByteBuffer out =
          ByteBuffer.allocate(Math.toIntExact(encodedLength())).order(ByteOrder.LITTLE_ENDIAN);
      out.position(Integer.BYTES);
      Varint.put(out, count);
      for (int i = 0; i < count; ) {
        int run = 1;
        while (i + run < count && originalLengths[i + run] == originalLengths[i]) {
          run++;
        }
        Varint.put(out, run);
        Varint.put(out, originalLengths[i]);
        i += run;
      }
      for (int i = 0; i < count; ) {
        int run = 1;
        while (i + run < count && stages[i + run] == stages[i]) {
          run++;
        }
        Varint.put(out, run);
        out.put(stages[i]);
        i += run;
      }
      for (int i = 0; i < count; i++) {
        Varint.put(out, storedLengths[i]);
      }
      for (int i = 0; i < count; i++) {
        out.putInt(checksums[i]);
      }
      out.flip();
      out.position(Integer.BYTES);
      out.putInt(0, Crc32c.update(0, out.slice()));
      out.position(0);
      return out;
    }
  }
}
