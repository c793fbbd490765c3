/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.ArrayBlockCodec;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Compresses a block as one array, which makes one frame of it ('block array mode'). */
public final class WholeBlockScheme implements BlockScheme {

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "whole-block";
  }

  @Override
  public int id() {
    return 65003;
  }

  /** Two, as each takes twice a block's length of memory. */
  @Override
  public int maxConcurrentBlocks() {
    return 2;
  }

  @Override
  public BlockCodec open(SchemeContext context) throws IOException {
    return new Codec(context.settings().getSize("max.block.size", 256 << 20, 1, 1 << 30));
  }

  private static final class Codec extends ArrayBlockCodec {
    Codec(int maxBlockLength) {
      super(maxBlockLength);
    }

    @Override
    protected ByteBuffer encode(ByteBuffer block) {
      ByteBuffer encoded =
          ByteBuffer.allocateDirect(block.remaining() + block.remaining() / 64 + 64);
      Deflater deflater = new Deflater(Deflater.BEST_SPEED);
      try {
        deflater.setInput(block);
        deflater.finish();
        while (!deflater.finished()) {
          deflater.deflate(encoded);
        }
        return encoded.flip();
      } finally {
        deflater.end();
      }
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) throws IOException {
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(payload);
        while (frame.hasRemaining()) {
          if (inflater.inflate(frame) == 0) {
            throw new CorruptFrameException("the block is " + frame.remaining() + " bytes short");
          }
        }
        if (inflater.inflate(new byte[1]) != 0 || !inflater.finished()) {
          throw new CorruptFrameException("the block does not end where it should");
        }
      } catch (DataFormatException e) {
        throw new CorruptFrameException("not a deflated block", e);
      } finally {
        inflater.end();
      }
    }
  }
}
