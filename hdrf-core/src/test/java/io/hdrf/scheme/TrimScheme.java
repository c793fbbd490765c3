/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.LittleEndian;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.nio.ByteBuffer;

/**
 * Cuts off bytes of one value at a frame's end and puts their number (4 bytes) before the rest, so
 * that a test can tell beforehand which stages of a chain will make a frame shorter.
 */
public class TrimScheme implements FrameScheme {

  private final int value;

  public TrimScheme(int value) {
    this.value = value;
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "trim" + value;
  }

  @Override
  public int id() {
    return 60000 + value;
  }

  @Override
  public int frameLength(PluginSettings settings) throws BadSettingException {
    return settings.getSize("frame.size", 1000, 1, 1 << 20);
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return new FrameCodec() {
      @Override
      public int maxEncodedLength(int length) {
        return length + 4;
      }

      @Override
      public void encode(ByteBuffer src, ByteBuffer dst) {
        int end = src.limit();
        int keep = end;
        while (keep > src.position() && src.get(keep - 1) == value) {
          keep--;
        }
        LittleEndian.putInt(dst, end - keep);
        src.limit(keep);
        dst.put(src);
        src.limit(end).position(end);
      }

      @Override
      public void decode(ByteBuffer src, ByteBuffer dst) throws CorruptFrameException {
        int cut = src.remaining() < Integer.BYTES ? -1 : LittleEndian.getInt(src);
        if (cut < 0 || src.remaining() + (long) cut != dst.remaining()) {
          throw new CorruptFrameException(cut + " bytes cut off");
        }
        dst.put(src);
        while (dst.hasRemaining()) {
          dst.put((byte) value);
        }
      }
    };
  }
}
