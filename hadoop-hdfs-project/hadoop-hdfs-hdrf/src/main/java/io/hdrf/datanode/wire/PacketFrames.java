/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.io.BufferPool;
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
    private int[] chainIds;
    private int originalLength;
    private int stages;
    private ByteBuffer stored = BufferPool.shared().take(0);
  }

  private byte[] head = new byte[0];
  private int headLength;
  private int dataLength;
  private final List<Frame> frames = new ArrayList<>();
  private int count;
  private boolean oneChain;

  /** Bytes of the block that this packet's frames and references stand for. */
  private long total;

  /** How many bytes of the block the frames before this packet's were ahead of the packets. */
  private long ahead;

  private boolean references;

  void begin(int packetDataLength, ByteBuffer packetHead) {
    ahead += total - dataLength;
    total = 0;
    references = false;
    dataLength = packetDataLength;
    headLength = packetHead.remaining();
    if (head.length < headLength) {
      head = new byte[headLength];
    }
    packetHead.get(head, 0, headLength);
    count = 0;
    oneChain = true;
  }

  void add(int[] chainIds, int originalLength, int stages, ByteBuffer stored) {
    if (count == frames.size()) {
      frames.add(new Frame());
    }
    oneChain &= count == 0 || Arrays.equals(frames.get(0).chainIds, chainIds);
    total += originalLength;
    Frame frame = frames.get(count++);
    frame.chainIds = chainIds;
    frame.originalLength = originalLength;
    frame.stages = stages;
    if (frame.stored.capacity() < stored.remaining()) {
      BufferPool.shared().give(frame.stored);
      frame.stored = BufferPool.shared().take(stored.remaining());
    }
    frame.stored.clear();
    frame.stored.put(stored.duplicate());
    frame.stored.flip();
  }

  /** Some of the packet's data came as references. */
  void addReferences(int originalLength) {
    total += originalLength;
    references = true;
  }

  /** Whether the frames are the packet's data, no more and no less. */
  boolean isExact() {
    return !references && ahead == 0 && total == dataLength;
  }

  /** A copy, with buffers of its own. */
  PacketFrames copy() {
    PacketFrames copy = new PacketFrames();
    copy.begin(dataLength, ByteBuffer.wrap(head, 0, headLength));
    for (Frame frame : frames.subList(0, count)) {
      copy.add(frame.chainIds, frame.originalLength, frame.stages, frame.stored);
    }
    return copy;
  }

  /** Whether this is the packet whose bytes before its data are these. */
  boolean matches(int otherDataLength, byte[] otherHead, int otherHeadLength) {
    if (!oneChain || references || dataLength != otherDataLength || headLength != otherHeadLength) {
      return false;
    }
    return ByteBuffer.wrap(head, 0, headLength)
        .equals(ByteBuffer.wrap(otherHead, 0, otherHeadLength));
  }

  /** The chain of the packet's frames, or null if it has none. */
  int[] chainIds() {
    return count == 0 ? null : frames.get(0).chainIds;
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

  int count() {
    return count;
  }

  @Override
  public void close() {
    frames.forEach(frame -> BufferPool.shared().give(frame.stored));
    frames.clear();
    count = 0;
  }
}
