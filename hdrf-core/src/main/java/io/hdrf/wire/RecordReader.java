/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.io.BufferPool;
import io.hdrf.scheme.ChunkLookup;
import io.hdrf.scheme.SchemeChain;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;

/** Reads the records of {@link WireFormat}, and checks them. For one thread. */
final class RecordReader implements Closeable {

  /** What a record may announce before its bytes are there without memory being taken for all. */
  private static final int BUFFER_SIZE = 256 << 10;

  /** Where the bytes come from. */
  interface Source {
    /**
     * Reads at least one byte.
     *
     * @return the number of bytes read, or -1 at the end
     */
    int read(ByteBuffer dst) throws IOException;
  }

  private final Source source;

  /** Null once closed. */
  private ByteBuffer buffer = take(BUFFER_SIZE);

  private int filled;
  private int next;
  private int type;
  private int bodyStart;

  RecordReader(Source source) {
    this.source = source;
  }

  private static ByteBuffer take(int length) {
    return BufferPool.shared().take(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Goes on to the next record; what {@link #body} gave before is void.
   *
   * @return false at the end of the stream
   * @throws CorruptWireException if the record is damaged
   * @throws EOFException if the stream ends inside of the record
   */
  boolean next() throws IOException {
    if (buffer == null) {
      throw new ClosedChannelException();
    }
    if (!fill(WireFormat.RECORD_HEADER)) {
      return false;
    }
    int recordType = buffer.get(next);
    int length = buffer.getInt(next + 1);
    int max = maxLength(recordType);
    if (length < 0 || length > max) {
      throw new CorruptWireException(
          "a record of type " + recordType + " and " + (length & 0xFFFFFFFFL) + " bytes");
    }
    fill(WireFormat.RECORD_HEADER + length);
    int end = next + WireFormat.RECORD_HEADER + length;
    if (RecordWriter.recordCrc(view(), next, end) != buffer.getInt(next + 5)) {
      throw new CorruptWireException("a record of type " + recordType + " is damaged");
    }
    type = recordType;
    bodyStart = next + WireFormat.RECORD_HEADER;
    next = end;
    return true;
  }

  /** Whether all bytes of another record are here, sound or not, so that none is waited for. */
  boolean hasNext() {
    int left = filled - next;
    return buffer != null
        && left >= WireFormat.RECORD_HEADER
        && left - WireFormat.RECORD_HEADER >= buffer.getInt(next + 1);
  }

  private ByteBuffer view() {
    ByteBuffer view = buffer.duplicate();
    view.clear();
    return view;
  }

  private static int maxLength(int type) throws CorruptWireException {
    switch (type) {
      case WireFormat.BYTES:
        return WireFormat.MAX_BYTES;
      case WireFormat.CHAIN:
        return 2 * SchemeChain.MAX_LENGTH;
      case WireFormat.PACKET:
        return WireFormat.PACKET_PREFIX + WireFormat.MAX_PACKET;
      case WireFormat.SUMMED:
        return WireFormat.SUMMED_PREFIX + WireFormat.MAX_SUMMED_HEAD;
      case WireFormat.FRAME:
        return WireFormat.FRAME_PREFIX + WireFormat.MAX_FRAME;
      case WireFormat.HELLO:
        return WireFormat.MAX_HELLO;
      case WireFormat.SESSION:
        return WireFormat.SESSION_ID;
      case WireFormat.REFERENCES:
        return WireFormat.REFERENCES_LENGTH;
      case WireFormat.RELEASE:
        return 4;
      case WireFormat.OPEN:
      case WireFormat.CHALLENGE:
      case WireFormat.PROOF:
      case WireFormat.GRANT:
        return WireFormat.MAX_OPENING;
      case WireFormat.QUESTION:
        return WireFormat.BATCH_PREFIX + ChunkLookup.MAX_CHUNKS * WireFormat.CHUNK_LENGTH;
      case WireFormat.ANSWER:
        return WireFormat.BATCH_PREFIX + ChunkLookup.MAX_CHUNKS / 8;
      default:
        throw new CorruptWireException("a record of type " + type);
    }
  }

  /** One of the types of {@link WireFormat}. */
  int type() {
    return type;
  }

  /** The record's body, direct and little endian, until the next call of {@link #next}. */
  ByteBuffer body() {
    ByteBuffer body = view().order(ByteOrder.LITTLE_ENDIAN);
    body.limit(next).position(bodyStart);
    return body;
  }

  /**
   * Has {@code length} bytes from {@link #next} on in the buffer.
   *
   * @return false if the stream has ended before the first of them
   */
  private boolean fill(int length) throws IOException {
    if (next == filled) {
      next = 0;
      filled = 0;
    }
    while (filled - next < length) {
      if (filled == buffer.capacity() || (next + length > buffer.capacity() && next > 0)) {
        makeRoom(length);
      }
      buffer.clear().position(filled);
      int count = source.read(buffer);
      if (count < 0) {
        if (filled == next && length == WireFormat.RECORD_HEADER) {
          return false;
        }
        throw new EOFException("the stream ends inside of a record");
      }
      filled += count;
    }
    return true;
  }

  /** Memory grows with the bytes that have come, not with what a record announces. */
  private void makeRoom(int length) {
    ByteBuffer unread = buffer.duplicate();
    unread.limit(filled).position(next);
    int count = unread.remaining();
    if (count < buffer.capacity()) {
      unread = unread.slice();
      buffer.clear();
      buffer.put(unread);
    } else {
      ByteBuffer larger = take((int) Math.min(length, 2L * buffer.capacity()));
      larger.clear();
      larger.put(unread);
      BufferPool.shared().give(buffer);
      buffer = larger;
    }
    next = 0;
    filled = count;
  }

  @Override
  public void close() {
    if (buffer != null) {
      BufferPool.shared().give(buffer);
      buffer = null;
    }
  }
}
