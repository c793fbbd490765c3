/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.SizedFrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.nio.ByteBuffer;

/**
 * Replaces each byte by its difference to the one a distance before: for samples that change
 * little, and only before another scheme.
 */
public final class DeltaScheme extends SizedFrameScheme {

  public DeltaScheme() {
    super(SpiVersion.CURRENT, "delta", 65005, 64 << 10);
  }

  @Override
  public boolean keepsLength() {
    return true;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) throws BadSettingException {
    return new Codec(settings.getInt("distance", 1, 1, 100));
  }

  /** The distance (1 byte), then the differences. */
  private static final class Codec implements FrameCodec {
    private final int distance;

    Codec(int distance) {
      this.distance = distance;
    }

    @Override
    public int maxEncodedLength(int length) {
      return length + 1;
    }

    @Override
    public void encode(ByteBuffer src, ByteBuffer dst) {
      dst.put((byte) distance);
      int first = src.position();
      while (src.hasRemaining()) {
        int at = src.position();
        byte before = at - first < distance ? 0 : src.get(at - distance);
        dst.put((byte) (src.get() - before));
      }
    }

    @Override
    public void decode(ByteBuffer src, ByteBuffer dst) throws CorruptFrameException {
      if (src.remaining() != dst.remaining() + 1) {
        throw new CorruptFrameException(
            src.remaining() + " bytes for a frame of " + dst.remaining());
      }
      int written = src.get();
      if (written < 1 || written > 100) {
        throw new CorruptFrameException("differences at a distance of " + written);
      }
      int first = dst.position();
      while (dst.hasRemaining()) {
        int at = dst.position();
        byte before = at - first < written ? 0 : dst.get(at - written);
        dst.put((byte) (src.get() + before));
      }
    }
  }
}
