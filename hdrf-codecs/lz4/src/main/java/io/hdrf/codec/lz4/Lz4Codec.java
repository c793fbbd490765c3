/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** Raw LZ4 blocks. The decompressor checks every offset. */
final class Lz4Codec implements FrameCodec {

  private final LZ4Factory factory;
  private final LZ4Compressor compressor;
  private final LZ4SafeDecompressor decompressor;

  Lz4Codec(LZ4Factory factory) {
    this.factory = factory;
    this.compressor = factory.fastCompressor();
    this.decompressor = factory.safeDecompressor();
  }

  @Override
  public int maxEncodedLength(int length) {
    return compressor.maxCompressedLength(length);
  }

  @Override
  public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
    try {
      compressor.compress(src, dst);
    } catch (LZ4Exception e) {
      throw new IOException("LZ4 can't compress " + src + " into " + dst, e);
    }
  }

  @Override
  public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
    try {
      decompressor.decompress(src, dst);
    } catch (LZ4Exception e) {
      throw new CorruptFrameException("not an LZ4 block of " + dst.remaining() + " bytes", e);
    }
    if (dst.hasRemaining()) {
      throw new CorruptFrameException("an LZ4 block is " + dst.remaining() + " bytes short");
    }
  }

  @Override
  public String toString() {
    return factory.toString();
  }
}
