/* SPDX-License-Identifier: Apache-2.0 */
package com.acme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.SpiVersion;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/**
 * A third party's scheme with its own old lz4-java. The first byte of each frame tells which
 * version encoded it: 'o' for the old one, 'n' for one with features of newer versions.
 */
public final class AcmeLz4Scheme implements FrameScheme {

  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  public String name() {
    return "acme-lz4";
  }

  public int id() {
    return 64001;
  }

  public int frameLength(PluginSettings settings) throws BadSettingException {
    return settings.getSize("frame.size", 64 << 10, 1, 64 << 20);
  }

  public FrameCodec newCodec(PluginSettings settings) {
    return new Codec(LZ4Factory.nativeInstance());
  }

  private static final class Codec implements FrameCodec {
    private final LZ4Factory lz4;
    private final byte version;

    Codec(LZ4Factory lz4) {
      this.lz4 = lz4;
      this.version = version();
    }

    private static byte version() {
      try {
        LZ4Factory.class.getMethod("nativeInsecureInstance");
        return 'n';
      } catch (NoSuchMethodException e) {
        return 'o';
      }
    }

    public int maxEncodedLength(int length) {
      return 1 + lz4.fastCompressor().maxCompressedLength(length);
    }

    public void encode(ByteBuffer src, ByteBuffer dst) {
      dst.put(version);
      lz4.fastCompressor().compress(src, dst);
    }

    public void decode(ByteBuffer src, ByteBuffer dst) throws CorruptFrameException {
      if (!src.hasRemaining() || src.get() != version) {
        throw new CorruptFrameException("encoded by another version of lz4-java");
      }
      try {
        lz4.safeDecompressor().decompress(src, dst);
      } catch (LZ4Exception e) {
        throw new CorruptFrameException("not an LZ4 block", e);
      }
      if (dst.hasRemaining()) {
        throw new CorruptFrameException("too short");
      }
    }
  }
}
