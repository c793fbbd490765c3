/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.jni.Crc32c;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects the encoded frames of one block while it is written. The first {@value #BUFFER_SIZE}
 * bytes stay in memory; a longer block goes to a file. Frames count only if they run from the
 * block's beginning to its end without gap or overlap, all of one chain. For one thread.
 */
public final class FrameSpool implements Closeable {

  static final int BUFFER_SIZE = 256 << 10;

  /** Beyond this many bytes, blocks that save nothing are given up. */
  private static final long PATIENCE = 4 << 20;

  /** Below this mean length, frames are too short to be worth storing. */
  static final int MIN_MEAN_FRAME = 16 << 10;

  /** The number of frames, taking memory, by which that mean may be missed for a while. */
  static final int MAX_SHORT_FRAMES = 1024;

  /** Makes the file when it is needed. */
  public interface Place {
    /** A new file on the block's own volume. */
    SpoolFile newFile() throws IOException;
  }

  private final long generationStamp;
  private final Place place;
  private final int maxFrame;
  private final ReceiveMemory.Share memory;

  /** Null where there was no memory, and once closed. */
  private ByteBuffer buffer;

  private SpoolFile file;
  private int[] chainIds;
  private int[] originalLengths = new int[256];
  private int[] storedLengths = new int[256];
  private byte[] stages = new byte[256];
  private int[] checksums = new int[256];

  private int count;
  private long packetEnd;
  private long frameEnd;
  private boolean complete;

  /**
   * @param generationStamp of the replica that is written
   */
  public FrameSpool(long generationStamp, Place place) {
    this(generationStamp, place, Integer.MAX_VALUE, ReceiveMemory.unlimited());
  }

  /**
   * Makes a spool with limits.
   *
   * @param maxFrame bytes that a frame may decode to; each later reader of the block holds as many
   * @param memory nothing is collected where it has none for optional use
   */
  public FrameSpool(long generationStamp, Place place, int maxFrame, ReceiveMemory memory) {
    this.maxFrame = maxFrame;
    this.generationStamp = generationStamp;
    this.memory = memory.optional();
    this.buffer = this.memory.tryTake(BUFFER_SIZE);
    this.place = place;
  }

  /**
   * Notes a packet of the block.
   *
   * @param offset of its data in the block
   * @return false if the sequence is broken; the spool is then of no more use
   */
  public boolean packet(long offset, int length) {
    if (length == 0) {
      return true;
    }
    if (complete || offset != packetEnd) {
      return false;
    }
    packetEnd += length;
    return true;
  }

  /**
   * Appends a frame.
   *
   * @param stored not consumed
   * @return false if the frames are not worth keeping
   * @throws IOException if the file can't be written
   */
  public boolean frame(int[] ids, int originalLength, int stageMask, ByteBuffer stored)
      throws IOException {
    if (buffer == null || originalLength > maxFrame) {
      return false;
    }
    if (chainIds == null) {
      chainIds = ids.clone();
    } else if (!Arrays.equals(chainIds, ids)) {
      return false;
    }
    if (count == originalLengths.length) {
      originalLengths = Arrays.copyOf(originalLengths, 2 * count);
      storedLengths = Arrays.copyOf(storedLengths, 2 * count);
      stages = Arrays.copyOf(stages, 2 * count);
      checksums = Arrays.copyOf(checksums, 2 * count);
    }
    originalLengths[count] = originalLength;
    storedLengths[count] = stored.remaining();
    stages[count] = (byte) stageMask;
    checksums[count] = Crc32c.update(0, stored);
    count++;
    frameEnd += originalLength;
    append(stored.duplicate());
    if (count - frameEnd / MIN_MEAN_FRAME > MAX_SHORT_FRAMES) {
      return false;
    }
    long stored95 = ((file == null ? 0 : file.length()) + buffer.position()) / 19 * 20;
    return frameEnd < PATIENCE || stored95 <= frameEnd;
  }

  private void append(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int part = Math.min(bytes.remaining(), buffer.remaining());
      ByteBuffer slice = bytes.duplicate();
      slice.limit(slice.position() + part);
      buffer.put(slice);
      bytes.position(bytes.position() + part);
    }
  }

  private void flush() throws IOException {
    if (file == null) {
      file = place.newFile();
    }
    buffer.flip();
    file.append(buffer);
    buffer.clear();
    buffer.limit(BUFFER_SIZE);
  }

  /**
   * Ends the block.
   *
   * @return the block's frames, which are the caller's to close, or null if they are of no use
   * @throws IOException if the file can't be written
   */
  public SpooledFrames finish() throws IOException {
    complete = true;
    if (count == 0 || frameEnd != packetEnd || (count > 1 && packetEnd / count < MIN_MEAN_FRAME)) {
      return null;
    }
    byte[] held = null;
    if (file == null) {
      buffer.flip();
      held = new byte[buffer.remaining()];
      buffer.get(held);
    } else {
      flush();
    }
    SpooledFrames frames =
        new SpooledFrames(
            generationStamp,
            chainIds,
            packetEnd,
            Arrays.copyOf(originalLengths, count),
            Arrays.copyOf(storedLengths, count),
            Arrays.copyOf(stages, count),
            Arrays.copyOf(checksums, count),
            held,
            file);
    file = null;
    return frames;
  }

  @Override
  public void close() throws IOException {
    complete = true;
    if (buffer != null) {
      memory.give(buffer);
      buffer = null;
    }
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
