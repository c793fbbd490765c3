/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** A frame scheme for tests. */
public final class DeflateScheme implements FrameScheme {

  public static final int ID = 60_100;

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "deflate";
  }

  @Override
  public int id() {
    return ID;
  }

  @Override
  public int frameLength(PluginSettings settings) {
    return 1 << 16;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return new FrameCodec() {
      @Override
      public int maxEncodedLength(int length) {
        return length + length / 100 + 100;
      }

      @Override
      public void encode(ByteBuffer src, ByteBuffer dst) {
        Deflater deflater = new Deflater(1);
        deflater.setInput(src);
        deflater.finish();
        deflater.deflate(dst);
        deflater.end();
      }

      @Override
      public void decode(ByteBuffer src, ByteBuffer dst) throws CorruptFrameException {
        Inflater inflater = new Inflater();
        try {
          inflater.setInput(src);
          inflater.inflate(dst);
          if (!inflater.finished() && inflater.inflate(new byte[1]) > 0) {
            throw new CorruptFrameException("too long");
          }
        } catch (DataFormatException e) {
          throw new CorruptFrameException("not deflated", e);
        } finally {
          inflater.end();
        }
      }
    };
  }
}
