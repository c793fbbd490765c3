/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.ReceiveMemory;
import io.hdrf.wire.RecordWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The packet that a DataNode is receiving, in the form in which it came, so that it can pass it on
 * in that form. For one thread.
 */
final class PacketFrames implements Closeable {

  /** One frame; its buffer is reused by later packets. */
  private static final class Frame {
    /** The offset of its data in those of the packet, if the packet {@link #isInStep}. */
    private long start;

    private int[] chainIds;
    private int originalLength;
    private int stages;
    private ByteBuffer stored;
  }

  /** A packet of more is not passed on in the form in which it came. */
  private static final int MAX_FRAMES = 256;

  private final ReceiveMemory.Share memory;
  private byte[] head = new byte[0];
  private int headLength;
  private int dataLength;

  /** Whether the checksums came as a digest. */
  private boolean summed;

  private long digest;
  private final List<Frame> frames = new ArrayList<>();
  private int count;
  private boolean oneChain;
  private boolean tooMany;

  /** Bytes of the block that this packet's frames and references stand for. */
  private long total;

  /**
   * The number of bytes of the block by which the frames before this packet's were ahead of the
   * packets.
   */
  private long ahead;

  private boolean references;

  /** Whether any frame of the packet came encoded. */
  private boolean encoded;

  PacketFrames(ReceiveMemory.Share memory) {
    this.memory = memory;
  }

  void begin(int packetDataLength, ByteBuffer packetHead) {
    ahead += total - dataLength;
    total = 0;
    references = false;
    encoded = false;
    tooMany = false;
    dataLength = packetDataLength;
    headLength = packetHead.remaining();
    if (head.length < headLength) {
      head = new byte[headLength];
    }
    packetHead.get(head, 0, headLength);
    summed = false;
    count = 0;
    oneChain = true;
  }

  /** The packet's checksums, which its head lacks, and their digest. */
  void checksums(ByteBuffer checksums, long digestOfSums) {
    int length = checksums.remaining();
    checksums.get(head, headLength - length, length);
    summed = true;
    digest = digestOfSums;
  }

  /** Returns whether a digest came instead of the packet's checksums. */
  boolean isSummed() {
    return summed;
  }

  /** Returns that digest. */
  long digest() {
    return digest;
  }

  void add(int[] chainIds, int originalLength, int stages, ByteBuffer stored) throws IOException {
    encoded |= stages != 0;
    if (count == MAX_FRAMES) {
      tooMany = true;
      total += originalLength;
      return;
    }
    if (count == frames.size()) {
      frames.add(new Frame());
    }
    oneChain &= count == 0 || Arrays.equals(frames.get(0).chainIds, chainIds);
    Frame frame = frames.get(count++);
    frame.start = total;
    total += originalLength;
    frame.chainIds = chainIds;
    frame.originalLength = originalLength;
    frame.stages = stages;
    if (frame.stored == null || frame.stored.capacity() < stored.remaining()) {
      give(frame);
      frame.stored = memory.take(stored.remaining());
    }
    frame.stored.clear();
    frame.stored.put(stored.duplicate());
    frame.stored.flip();
  }

  /** Takes note that some of the packet's data came as references. */
  void addReferences(int originalLength) {
    total += originalLength;
    references = true;
  }

  /** Returns whether frames and references are the packet's data, no more and no less. */
  boolean isInStep() {
    return ahead == 0 && total == dataLength && !tooMany;
  }

  /**
   * Returns whether nothing of the packet came as references, and all of it in frames of one chain.
   */
  boolean isFrames() {
    return oneChain && !references && !tooMany;
  }

  /** Returns whether any of the packet's data came by reference. */
  boolean hasReferences() {
    return references;
  }

  /** Returns whether any of the packet's frames came encoded. */
  boolean areEncoded() {
    return encoded;
  }

  /** Returns a copy with separate buffers, or null where there is no memory for optional use. */
  PacketFrames copy() {
    PacketFrames copy = new PacketFrames(memory.optional());
    boolean done = false;
    try {
      done = copyTo(copy);
    } finally {
      if (!done) {
        copy.close();
      }
    }
    return done ? copy : null;
  }

  private boolean copyTo(PacketFrames copy) {
    copy.begin(dataLength, ByteBuffer.wrap(head, 0, headLength));
    for (Frame frame : frames.subList(0, count)) {
      ByteBuffer stored = copy.memory.tryTake(frame.stored.remaining());
      if (stored == null) {
        return false;
      }
      stored.put(frame.stored.duplicate());
      stored.flip();
      Frame copied = new Frame();
      copied.start = frame.start;
      copied.chainIds = frame.chainIds;
      copied.originalLength = frame.originalLength;
      copied.stages = frame.stages;
      copied.stored = stored;
      copy.frames.add(copied);
      copy.count++;
    }
    copy.oneChain = oneChain;
    copy.tooMany = tooMany;
    copy.total = total;
    copy.ahead = ahead;
    copy.references = references;
    copy.summed = summed;
    copy.digest = digest;
    return true;
  }

  /** Returns whether this is the packet whose bytes before its data are these. */
  boolean matches(int otherDataLength, byte[] otherHead, int otherHeadLength) {
    return dataLength == otherDataLength
        && headLength == otherHeadLength
        && ByteBuffer.wrap(head, 0, headLength)
            .equals(ByteBuffer.wrap(otherHead, 0, otherHeadLength));
  }

  /** The chain of the packet's frames, or null if it has none. */
  int[] chainIds() {
    return count == 0 ? null : frames.get(0).chainIds;
  }

  /**
   * The frame that is just a part of the data of a packet that {@link #isInStep}; -1 if there is
   * none.
   */
  int indexOf(int from, int to) {
    for (int i = 0; i < count; i++) {
      Frame frame = frames.get(i);
      if (frame.start == from && frame.originalLength == to - from) {
        return i;
      }
    }
    return -1;
  }

  /** The chain of a frame. */
  int[] chainIds(int frame) {
    return frames.get(frame).chainIds;
  }

  /** Writes a frame. */
  void writeTo(RecordWriter out, int frame) throws IOException {
    Frame written = frames.get(frame);
    out.frame(written.originalLength, written.stages, written.stored.duplicate());
  }

  /**
   * Writes the packet's frames.
   *
   * @return how many bytes of the block they stand for
   */
  long writeTo(RecordWriter out) throws IOException {
    long total = 0;
    for (Frame frame : frames.subList(0, count)) {
      out.frame(frame.originalLength, frame.stages, frame.stored.duplicate());
      total += frame.originalLength;
    }
    return total;
  }

  private void give(Frame frame) {
    if (frame.stored != null) {
      memory.give(frame.stored);
      frame.stored = null;
    }
  }

  int count() {
    return count;
  }

  @Override
  public void close() {
    frames.forEach(this::give);
    frames.clear();
    count = 0;
  }
}
