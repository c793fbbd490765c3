/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Deflates frames, and lets a test do something before each is encoded or after it is decoded. */
public class HookedScheme implements FrameScheme {

  public static final int FRAME_LENGTH = 64 << 10;

  /** Something that a test does to a frame. */
  public interface Hook {
    /**
     * Does it.
     *
     * @param frame its limit, where it was decoded, becomes that of the buffer
     */
    void run(ByteBuffer frame) throws IOException;
  }

  private final String name;
  private final int id;
  private final int maxConcurrentBlocks;
  public volatile Hook beforeEncode = frame -> {};
  public volatile Hook afterDecode = frame -> {};

  public HookedScheme(String name, int id, int maxConcurrentBlocks) {
    this.name = name;
    this.id = id;
    this.maxConcurrentBlocks = maxConcurrentBlocks;
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public int maxConcurrentBlocks() {
    return maxConcurrentBlocks;
  }

  @Override
  public int frameLength(PluginSettings settings) {
    return FRAME_LENGTH;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return new Codec();
  }

  private final class Codec implements FrameCodec {

    @Override
    public int maxEncodedLength(int length) {
      return length + length / 100 + 64;
    }

    @Override
    public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
      beforeEncode.run(src.duplicate());
      Deflater deflater = new Deflater(Deflater.BEST_SPEED);
      try {
        deflater.setInput(src);
        deflater.finish();
        while (!deflater.finished()) {
          deflater.deflate(dst);
        }
      } finally {
        deflater.end();
      }
    }

    @Override
    public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
      ByteBuffer frame = dst.duplicate();
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(src);
        while (dst.hasRemaining() && inflater.inflate(dst) > 0) {
          continue;
        }
        if (dst.hasRemaining()) {
          throw new CorruptFrameException(dst.remaining() + " bytes are missing");
        }
        src.position(src.limit());
      } catch (DataFormatException e) {
        throw new CorruptFrameException(String.valueOf(e.getMessage()));
      } finally {
        inflater.end();
      }
      afterDecode.run(frame);
      dst.limit(frame.limit());
    }
  }
}
