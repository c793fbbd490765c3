/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;

/**
 * One compressed stream per frame, preceded by its length (u32, little-endian), since some codecs
 * ignore bytes after a stream. Compressors, which hold state, come from Hadoop's pool.
 */
final class CompressionCodecFrames implements FrameCodec {

  private final CompressionCodec codec;

  CompressionCodecFrames(CompressionCodec codec) {
    this.codec = codec;
  }

  @Override
  public int maxEncodedLength(int length) {
    return length + length / 8 + 1024;
  }

  @Override
  public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
    int start = dst.position();
    dst.putInt(0);
    Compressor compressor = CodecPool.getCompressor(codec);
    byte[] bytes = new byte[Math.min(src.remaining(), 64 << 10)];
    try (OutputStream out = codec.createOutputStream(new BufferOutput(dst), compressor)) {
      while (src.hasRemaining()) {
        int count = Math.min(bytes.length, src.remaining());
        src.get(bytes, 0, count);
        out.write(bytes, 0, count);
      }
    } finally {
      CodecPool.returnCompressor(compressor);
    }
    dst.putInt(start, littleEndian(dst, dst.position() - start - Integer.BYTES));
  }

  @Override
  public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
    if (src.remaining() < Integer.BYTES || littleEndian(src, src.getInt()) != src.remaining()) {
      throw new CorruptFrameException("the stream does not have the length it should");
    }
    Decompressor decompressor = CodecPool.getDecompressor(codec);
    try {
      InputStream in = codec.createInputStream(new BufferInput(src), decompressor);
      byte[] bytes = new byte[Math.min(dst.remaining(), 64 << 10)];
      while (dst.hasRemaining()) {
        int count = in.read(bytes, 0, Math.min(bytes.length, dst.remaining()));
        if (count < 1) {
          throw new EOFException("the stream is " + dst.remaining() + " bytes short");
        }
        dst.put(bytes, 0, count);
      }
      if (in.read() >= 0 || src.hasRemaining()) {
        throw new CorruptFrameException("the stream goes on after the frame");
      }
    } catch (IOException | RuntimeException e) {
      throw new CorruptFrameException("not a stream of " + codec.getClass().getName(), e);
    } finally {
      CodecPool.returnDecompressor(decompressor);
    }
  }

  private static int littleEndian(ByteBuffer buffer, int value) {
    return buffer.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
  }

  private static final class BufferOutput extends OutputStream {
    private final ByteBuffer dst;

    BufferOutput(ByteBuffer dst) {
      this.dst = dst;
    }

    @Override
    public void write(int b) {
      dst.put((byte) b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      dst.put(bytes, offset, length);
    }
  }

  private static final class BufferInput extends InputStream {
    private final ByteBuffer src;

    BufferInput(ByteBuffer src) {
      this.src = src;
    }

    @Override
    public int read() {
      return src.hasRemaining() ? src.get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      if (!src.hasRemaining()) {
        return -1;
      }
      int count = Math.min(length, src.remaining());
      src.get(bytes, offset, count);
      return count;
    }
  }
}
