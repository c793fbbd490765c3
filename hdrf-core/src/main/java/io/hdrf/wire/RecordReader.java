/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;

/** Reads the records of {@link WireFormat}, and checks them. For one thread. */
public final class RecordReader implements Closeable {

  /** The buffer of every connection. */
  private static final int SMALL_BUFFER = 4 << 10;

  /**
   * The buffer of a connection on which a block comes: enough for a frame of 256 KiB, and its
   * header.
   */
  private static final int BUFFER_SIZE = 320 << 10;

  /** The most bytes read at once where there is no channel. */
  private static final int MAX_PIECE = 64 << 10;

  /** Decides about a record before memory is taken for it. */
  public interface Admission {
    /**
     * Looks at a record's type.
     *
     * @throws CorruptWireException if none of this type may come
     */
    void check(int type) throws IOException;
  }

  /** The source of the bytes. */
  interface Source {
    /**
     * Reads at least one byte.
     *
     * @return the number of bytes read, or -1 at the end
     */
    int read(ByteBuffer dst) throws IOException;
  }

  private final Source source;
  private final Admission admission;
  private final ReceiveMemory.Share memory;

  /** Null once closed. */
  private ByteBuffer buffer = BufferPool.shared().take(SMALL_BUFFER).order(ByteOrder.LITTLE_ENDIAN);

  /** Whether {@link #buffer} is of {@link #memory}. */
  private boolean grown;

  private boolean expectsMuch;

  private int filled;
  private int next;
  private int type;
  private int bodyStart;
  private long received;

  /** The bytes of a stream, read through its channel where it has one. */
  private static Source source(InputStream in) {
    if (in instanceof ReadableByteChannel) {
      return ((ReadableByteChannel) in)::read;
    }
    return new Source() {
      private byte[] piece = new byte[0];

      @Override
      public int read(ByteBuffer dst) throws IOException {
        int length = Math.min(MAX_PIECE, dst.remaining());
        if (piece.length < length) {
          piece = new byte[length];
        }
        int count = in.read(piece, 0, length);
        if (count > 0) {
          dst.put(piece, 0, count);
        }
        return count;
      }
    };
  }

  /** Makes a reader that admits all records and takes any memory. */
  RecordReader(Source source) {
    this(source, type -> {}, ReceiveMemory.unlimited().share());
  }

  /**
   * @param memory for all that does not fit into a few KiB
   */
  public RecordReader(InputStream in, Admission admission, ReceiveMemory.Share memory) {
    this(source(in), admission, memory);
  }

  RecordReader(Source source, Admission admission, ReceiveMemory.Share memory) {
    this.source = source;
    this.admission = admission;
    this.memory = memory;
  }

  /** Many long records come from now on. */
  void expectMuch() {
    expectsMuch = true;
  }

  /**
   * Goes on to the next record; what {@link #body} gave before is void.
   *
   * @return false at the end of the stream
   * @throws CorruptWireException if the record is damaged
   * @throws EOFException if the stream ends inside of the record
   */
  public boolean next() throws IOException {
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
    admission.check(recordType);
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

  /**
   * Returns whether all bytes of another record are here, sound or not, so that none is waited for.
   */
  public boolean hasNext() {
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

  /** Returns the number of bytes received. */
  long received() {
    return received;
  }

  /** Returns one of the types of {@link WireFormat}. */
  public int type() {
    return type;
  }

  /** The record's body, direct and little endian, until the next call of {@link #next}. */
  public ByteBuffer body() {
    ByteBuffer body = view().order(ByteOrder.LITTLE_ENDIAN);
    body.limit(next).position(bodyStart);
    return body;
  }

  /**
   * Reads until the buffer has {@code length} bytes from {@link #next} on.
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
      received += count;
    }
    return true;
  }

  /** Memory grows with the bytes that have come, not with what a record announces. */
  private void makeRoom(int length) throws IOException {
    ByteBuffer unread = buffer.duplicate();
    unread.limit(filled).position(next);
    int count = unread.remaining();
    if (count < buffer.capacity()) {
      unread = unread.slice();
      buffer.clear();
      buffer.put(unread);
    } else {
      int wanted = (int) Math.min(length, 2L * buffer.capacity());
      ByteBuffer larger = memory.take(Math.max(expectsMuch ? BUFFER_SIZE : 0, wanted));
      larger.order(ByteOrder.LITTLE_ENDIAN).clear();
      larger.put(unread);
      giveBuffer();
      buffer = larger;
      grown = true;
    }
    next = 0;
    filled = count;
  }

  private void giveBuffer() {
    if (grown) {
      memory.give(buffer);
    } else {
      BufferPool.shared().give(buffer);
    }
  }

  @Override
  public void close() {
    if (buffer != null) {
      giveBuffer();
      buffer = null;
    }
  }
}
