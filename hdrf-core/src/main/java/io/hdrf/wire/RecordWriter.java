/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;

/**
 * Writes the records of {@link WireFormat}. They wait in a buffer until {@link #flush}, or until it
 * is full. For one thread.
 */
public final class RecordWriter implements Closeable {

  private static final int BUFFER_SIZE = 256 << 10;

  /** The target of the bytes. */
  public interface Sink {
    /** Writes all that remains of {@code bytes}, which is direct. */
    void write(ByteBuffer bytes) throws IOException;
  }

  private final Sink sink;
  private final int bufferSize;

  /** Taken when the first record is written. */
  private ByteBuffer buffer;

  private boolean closed;
  private int recordStart;

  public RecordWriter(Sink sink) {
    this(sink, BUFFER_SIZE);
  }

  /**
   * Makes a writer with a buffer of another size.
   *
   * @param bufferSize bytes, unless a record is longer
   */
  public RecordWriter(Sink sink, int bufferSize) {
    this.sink = sink;
    this.bufferSize = bufferSize;
  }

  /**
   * Begins the stream; see {@link WireFormat}.
   *
   * @param own what this side can receive
   */
  public void begin(Capabilities own) throws IOException {
    byte[] preamble = Preamble.encode(WireFormat.STREAM);
    require(preamble.length);
    buffer.put(preamble);
    byte[] hello = own.encode();
    begin(WireFormat.HELLO, hello.length);
    buffer.put(hello);
    end();
  }

  /** Sends bytes of HDFS's protocol as they are. */
  public void bytes(byte[] source, int offset, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int part = Math.min(WireFormat.MAX_BYTES, length - done);
      begin(WireFormat.BYTES, part);
      buffer.put(source, offset + done, part);
      end();
      done += part;
    }
  }

  /** Names the schemes of the frames that follow. */
  public void chain(int[] ids) throws IOException {
    begin(WireFormat.CHAIN, 2 * ids.length);
    for (int id : ids) {
      buffer.putShort((short) id);
    }
    end();
  }

  /**
   * Begins a packet, whose data are the next bytes of the frames.
   *
   * @param dataLength how many data it has
   * @param head holds what precedes its data
   */
  public void packet(int dataLength, byte[] head, int offset, int length) throws IOException {
    begin(WireFormat.PACKET, WireFormat.PACKET_PREFIX + length);
    buffer.putInt(dataLength);
    buffer.put(head, offset, length);
    end();
  }

  /**
   * Begins a packet as {@link #packet} does, whose checksums the receiver makes.
   *
   * @param dataLength at least 1
   * @param digest of the checksums, by {@link PacketSums#digest}
   * @param head holds what precedes the checksums, at most 64 KiB
   */
  public void summed(int dataLength, long digest, byte[] head, int offset, int length)
      throws IOException {
    begin(WireFormat.SUMMED, WireFormat.SUMMED_PREFIX + length);
    buffer.putInt(dataLength).putLong(digest);
    buffer.put(head, offset, length);
    end();
  }

  /**
   * Sends a frame.
   *
   * @param originalLength what it decodes to, from 1 to {@link WireFormat#MAX_FRAME}
   * @param stored consumed; direct
   */
  public void frame(int originalLength, int stages, ByteBuffer stored) throws IOException {
    begin(WireFormat.FRAME, WireFormat.FRAME_PREFIX + stored.remaining());
    buffer.putInt(originalLength);
    buffer.put((byte) stages);
    buffer.put(stored);
    end();
  }

  /** Names the session whose chunks the stream refers to from now on. */
  public void session(byte[] id) throws IOException {
    record(WireFormat.SESSION, ByteBuffer.wrap(id));
  }

  /**
   * Refers to chunks, all of whose bytes are data of the present packet.
   *
   * @param batch the batch in which they were asked for
   * @param first the first chunk's place in the batch
   * @param skip how many bytes of the first chunk are left out
   */
  public void references(int batch, int first, int count, int skip) throws IOException {
    begin(WireFormat.REFERENCES, WireFormat.REFERENCES_LENGTH);
    buffer.putInt(batch).putShort((short) first).putShort((short) count).putInt(skip);
    end();
  }

  /** Says that batches up to this one are of no more use. */
  public void release(int batch) throws IOException {
    begin(WireFormat.RELEASE, 4);
    buffer.putInt(batch);
    end();
  }

  /** Writes a record with any body. */
  public void record(int type, ByteBuffer body) throws IOException {
    begin(type, body.remaining());
    buffer.put(body);
    end();
  }

  private void begin(int type, int bodyLength) throws IOException {
    require(WireFormat.RECORD_HEADER + bodyLength);
    recordStart = buffer.position();
    buffer.put((byte) type).putInt(bodyLength);
    buffer.position(recordStart + WireFormat.RECORD_HEADER);
  }

  private void end() {
    buffer.putInt(recordStart + 5, recordCrc(buffer, recordStart, buffer.position()));
  }

  /** The checksum of the record from {@code start} to {@code end}, its CRC field left out. */
  static int recordCrc(ByteBuffer buffer, int start, int end) {
    ByteBuffer part = buffer.duplicate();
    part.limit(start + 5).position(start);
    int crc = Crc32c.update(0, part);
    part.limit(end).position(start + WireFormat.RECORD_HEADER);
    return Crc32c.update(crc, part);
  }

  private void require(int length) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (buffer != null && buffer.remaining() >= length) {
      return;
    }
    flush();
    buffer = BufferPool.shared().atLeast(buffer, Math.max(bufferSize, length));
    buffer.order(ByteOrder.LITTLE_ENDIAN).limit(buffer.capacity());
  }

  /** Hands everything to the sink. */
  public void flush() throws IOException {
    if (buffer == null) {
      return;
    }
    buffer.flip();
    try {
      if (buffer.hasRemaining()) {
        sink.write(buffer);
      }
    } finally {
      buffer.clear();
    }
  }

  /** Gives back the buffer, with what was not flushed. */
  @Override
  public void close() {
    closed = true;
    if (buffer != null) {
      BufferPool.shared().give(buffer);
      buffer = null;
    }
  }
}
