/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.io.LittleEndian;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Frames that bear the name of the codec that made them; {@code docs/formats.md} ("Frame of
 * hadoop-codec") has the bytes.
 */
final class HadoopFrames implements FrameCodec {

  private final HadoopCodecs codecs;
  private final HadoopCodec encoder;
  private final byte[] name;

  /** Takes over {@code codecs}. */
  HadoopFrames(HadoopCodecs codecs, HadoopCodec encoder) {
    this.codecs = codecs;
    this.encoder = encoder;
    this.name = encoder.className().getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public int maxEncodedLength(int length) {
    return length + 1;
  }

  @Override
  public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
    int start = dst.position();
    int header = 1 + name.length + Integer.BYTES;
    int room = src.remaining() - header;
    if (room > 0) {
      dst.put((byte) name.length).put(name);
      dst.position(start + header);
      BufferOutput stream = new BufferOutput(dst, room);
      encoder.encode(src.duplicate(), stream);
      if (!stream.isFull()) {
        int end = dst.position();
        dst.position(start + 1 + name.length);
        LittleEndian.putInt(dst, end - start - header);
        dst.position(end);
        src.position(src.limit());
        return;
      }
    }
    dst.position(start);
    dst.put((byte) 0).put(src);
  }

  @Override
  public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
    if (!src.hasRemaining()) {
      throw new CorruptFrameException("an empty frame");
    }
    int nameLength = src.get() & 0xFF;
    if (nameLength == 0) {
      if (src.remaining() != dst.remaining()) {
        throw new CorruptFrameException(
            src.remaining() + " bytes stored as they are for a frame of " + dst.remaining());
      }
      dst.put(src);
      return;
    }
    if (src.remaining() < nameLength + Integer.BYTES) {
      throw new CorruptFrameException("a frame that ends in its codec's name");
    }
    byte[] codec = new byte[nameLength];
    src.get(codec);
    if (LittleEndian.getInt(src) != src.remaining()) {
      throw new CorruptFrameException("the stream does not have the length it should");
    }
    codecs.get(new String(codec, StandardCharsets.ISO_8859_1)).decode(src, dst);
  }

  /** Returns the name of the class that is needed to decode a frame; null if none is. */
  static String codecOf(ByteBuffer encoded) {
    ByteBuffer frame = encoded.duplicate();
    int nameLength = frame.hasRemaining() ? frame.get() & 0xFF : 0;
    if (nameLength == 0 || nameLength > frame.remaining()) {
      return null;
    }
    byte[] codec = new byte[nameLength];
    frame.get(codec);
    return new String(codec, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    codecs.close();
  }
}
