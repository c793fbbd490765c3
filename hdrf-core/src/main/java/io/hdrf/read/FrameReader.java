/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.jni.NativeFiles;
import io.hdrf.scheme.ChainCodec;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Decoded bytes of a reduced block at any position. A sequential read decodes the next frames
 * ahead, in runs that grow at each step up to a limit, and tells the scheme which ones follow; a
 * positional read decodes single frames and uses the frame cache. Readers that come at once for a
 * long frame share what one of them decodes. For one thread.
 */
public final class FrameReader implements Closeable {

  /** A reader that decoded more frames than this reads in sequence and leaves the cache alone. */
  private static final int POSITIONAL_FRAMES = 2;

  /**
   * The most bytes of frames in one run, and the most stored bytes read for it; a longer frame is a
   * run by itself. Runs instead of single frames of a packet each halve the work of waiting and of
   * writing to the socket.
   */
  private static final int MAX_RUN = 256 << 10;

  /**
   * No longer frame is decoded ahead: it takes so much room that a reader holds one such alone, or
   * shares it with others. Frames of chunks end behind the length that is configured for them.
   */
  private static final int MAX_FRAME_AHEAD = 1 << 20;

  private static final int FIRST_RUN = 64 << 10;

  /**
   * The least number of stored bytes that the kernel reads ahead; a request asks for twice as many.
   */
  private static final long READAHEAD = 1 << 20;

  /**
   * The most runs decoded ahead. With one alone the reader and the thread that decodes wait for
   * each other at every run; more only take memory.
   */
  private static final int MAX_AHEAD = 2;

  private final ReducedBlock block;
  private final FrameTable frames;
  private final FrameReads shared;
  private final FrameCache cache;

  /** The block's file; null where the kernel is not to read ahead. */
  private final FileDescriptor file;

  private final FrameCheck check;
  private final long source;

  /** The end of what the kernel was asked to read ahead. */
  private long readAhead;

  private FrameSlot current;

  /** The runs after the current one, in order, decoded or to be decoded. */
  private final ArrayDeque<FrameSlot> upcoming = new ArrayDeque<>(MAX_AHEAD);

  private final ArrayDeque<FrameSlot> idle = new ArrayDeque<>(MAX_AHEAD);
  private int runLength;

  /** The frames of {@link #currentBytes}; none if the first is -1. */
  private int currentFirst = -1;

  private int currentEnd;
  private ByteBuffer currentBytes;

  /** Where {@link #currentBytes} are the cache's; otherwise null. */
  private FrameCache.Frame cached;

  private int decodedRuns;
  private final ChainCodec codec;
  private final StoreAhead storeAhead;
  private boolean closed;

  FrameReader(
      FrameReads shared,
      ReducedBlock block,
      ChainCodec codec,
      FileDescriptor file,
      FrameCheck check,
      long source) {
    this.shared = shared;
    this.block = block;
    this.frames = block.frames();
    this.codec = codec;
    this.cache = shared.cache();
    this.file = file;
    this.check = check;
    this.source = source;
    this.storeAhead = new StoreAhead(block, codec, shared.buffers());
  }

  /** The block that is read. */
  public ReducedBlock block() {
    return block;
  }

  /** Reads a frame as it is stored, as part of a sequential read. */
  public void readStored(int frame, ByteBuffer dst) throws IOException {
    readAhead(frames.storedPosition(frame));
    try {
      block.readStored(frame, dst);
    } catch (IOException e) {
      throw shared.owner().translate(block, e);
    }
  }

  /**
   * Advises the kernel that the stored bytes from {@code position} on are needed soon. Stock code
   * advises it with the descriptor of the null device.
   */
  private void readAhead(long position) {
    long end = block.physicalLength();
    if (file != null && readAhead < end && position + READAHEAD > readAhead) {
      long from = Math.max(readAhead, position);
      readAhead = Math.min(end, from + 2 * READAHEAD);
      NativeFiles.fadvise(file, from, readAhead - from, NativeFiles.Advice.WILLNEED);
    }
  }

  /** The block's length in bytes. */
  public long length() {
    return block.logicalLength();
  }

  /**
   * The bytes at {@code position}, which lies within the block, up to the end of their run of
   * frames. Valid until the next call; the caller may change position and limit.
   */
  public ByteBuffer at(long position) throws IOException {
    if (closed) {
      throw new java.nio.channels.ClosedChannelException();
    }
    if (currentFirst < 0 || !contains(currentFirst, currentEnd, position)) {
      moveTo(position);
    }
    long begin = frames.originalPosition(currentFirst);
    currentBytes
        .limit((int) (frames.originalEnd(currentEnd - 1) - begin))
        .position((int) (position - begin));
    return currentBytes;
  }

  private boolean contains(int first, int end, long position) {
    return position >= frames.originalPosition(first) && position < frames.originalEnd(end - 1);
  }

  private void moveTo(long position) throws IOException {
    int next = currentEnd;
    boolean sequential =
        currentFirst >= 0 && next < frames.frameCount() && contains(next, next + 1, position);
    int frame = sequential ? next : frames.frameAt(position);
    leaveCurrent();
    if (!sequential) {
      forgetUpcoming();
      storeAhead.begin(frame);
      if (source == FrameReads.NOT_CACHED) {
        decode(frame, false);
      } else if (isLong(frame) && cache.accepts(frames.originalLength(frame))) {
        decodeForAll(frame);
      } else if (!useCached(cache.get(key(frame)), frame)) {
        decode(frame, false);
      }
    } else {
      decode(frame, true);
    }
  }

  /** Forgets the bytes at hand, and lets the cache have what is its own. */
  private void leaveCurrent() {
    currentFirst = -1;
    currentBytes = null;
    if (cached != null) {
      cache.release(cached);
      cached = null;
    }
  }

  private void decode(int frame, boolean sequential) throws IOException {
    take(frame);
    if (sequential) {
      readAhead(frames.storedPosition(frame));
      if (shared.decodesAhead() && !codec.limitsDecoding()) {
        decodeAhead();
      }
      storeAhead.reached(frame);
    }
    currentBytes = current.get();
    decodedRuns++;
    currentFirst = frame;
    currentEnd = current.end();
  }

  /** Decodes a frame for all readers that ask for it meanwhile, unless one of them does so. */
  private void decodeForAll(int frame) throws IOException {
    ByteBuffer key = key(frame);
    try {
      if (useCached(cache.getOrBeginDecoding(key), frame)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw shared.owner().translate(block, new InterruptedIOException("interrupted"));
    } catch (IOException e) {
      throw shared.owner().translate(block, e);
    }
    try {
      decode(frame, false);
      cached = cache.share(key, current.detach());
      currentBytes = cached.bytes();
    } finally {
      cache.endDecoding(key);
    }
  }

  /** Makes the run that begins with the frame the current one. */
  private void take(int frame) throws IOException {
    if (current != null) {
      idle.add(current);
    }
    current = upcoming.poll();
    if (current != null && current.first() != frame) {
      idle.add(current);
      current = null;
      forgetUpcoming();
    }
    if (current == null) {
      if (isLong(frame)) {
        // None is upcoming then, so that this is all that the reader holds.
        idle.forEach(FrameSlot::release);
      }
      try {
        current = assigned(frame, 1);
      } catch (OutOfMemoryError e) {
        throw shared.owner().translate(block, e);
      }
    }
  }

  private void forgetUpcoming() {
    runLength = 0;
    for (FrameSlot slot : upcoming) {
      slot.unassign();
      idle.add(slot);
    }
    upcoming.clear();
  }

  private void decodeAhead() {
    int runs = runLength == 0 ? 1 : MAX_AHEAD;
    runLength = Math.min(Math.max(FIRST_RUN, 2 * runLength), MAX_RUN);
    int frame = upcoming.isEmpty() ? current.end() : upcoming.peekLast().end();
    while (upcoming.size() < runs && frame < frames.frameCount() && !isLong(frame)) {
      int end = runEnd(frame);
      FrameSlot slot;
      try {
        slot = assigned(frame, end - frame);
      } catch (OutOfMemoryError e) {
        // What can be decoded only when the reader gets there takes longer, and no more room.
        return;
      }
      upcoming.add(slot);
      shared.decodeAhead(slot);
      frame = end;
    }
  }

  private boolean isLong(int frame) {
    return frames.originalLength(frame) > MAX_FRAME_AHEAD;
  }

  /** The end of the run that begins with the frame, and has at least that one. */
  private int runEnd(int frame) {
    long limit = frames.originalPosition(frame) + runLength;
    long storedLimit = frames.storedPosition(frame) + runLength;
    int end = frame + 1;
    while (end < frames.frameCount()
        && frames.originalEnd(end) <= limit
        && frames.storedEnd(end) <= storedLimit) {
      end++;
    }
    return end;
  }

  private FrameSlot assigned(int frame, int count) {
    FrameSlot slot = idle.poll();
    if (slot == null) {
      slot = new FrameSlot(block, codec, shared, check);
    }
    boolean assigned = false;
    try {
      slot.assign(frame, count);
      assigned = true;
      return slot;
    } finally {
      if (!assigned) {
        idle.add(slot);
      }
    }
  }

  private boolean useCached(FrameCache.Frame found, int frame) {
    if (found == null) {
      return false;
    }
    shared.owner().frameCacheHit();
    cached = found;
    currentBytes = found.bytes();
    currentFirst = frame;
    currentEnd = frame + 1;
    return true;
  }

  private ByteBuffer key(int frame) {
    return FrameCache.key(
        source, block.header().tag(), block.header().blockId(), frame, frames.checksum(frame));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (current != null) {
        keepPositional();
      }
    } catch (OutOfMemoryError e) {
      // Then it is not kept.
    } finally {
      if (current != null) {
        current.release();
      }
      upcoming.forEach(FrameSlot::release);
      idle.forEach(FrameSlot::release);
      leaveCurrent();
    }
  }

  private void keepPositional() {
    if (source == FrameReads.NOT_CACHED
        || currentFirst < 0
        || decodedRuns > POSITIONAL_FRAMES
        || current.first() != currentFirst
        || currentEnd != currentFirst + 1
        || isLong(currentFirst)
        || !cache.accepts(frames.originalLength(currentFirst))) {
      return;
    }
    byte[] copy = new byte[frames.originalLength(currentFirst)];
    currentBytes.clear().limit(copy.length);
    currentBytes.get(copy);
    cache.put(key(currentFirst), copy);
  }
}
