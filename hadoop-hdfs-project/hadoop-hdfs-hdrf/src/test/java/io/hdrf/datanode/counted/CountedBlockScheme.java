/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.counted;

import io.hdrf.spi.scheme.ArrayBlockCodec;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Deflates a block as one array, two at a time, and counts what it decodes. The counts lie in the
 * system properties, where they are seen through any class loader.
 */
public final class CountedBlockScheme implements BlockScheme {

  public static final int LIMIT = 2;

  private static final int PAUSE_MILLIS = 30;

  /** The number of blocks decoded so far. */
  public static AtomicInteger decoded() {
    return count("decoded");
  }

  /** The most blocks that were decoded at the same time. */
  public static AtomicInteger mostAtOnce() {
    return count("most");
  }

  private static AtomicInteger count(String name) {
    return (AtomicInteger)
        System.getProperties()
            .computeIfAbsent("hdrf.test.counted." + name, key -> new AtomicInteger());
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "counted";
  }

  @Override
  public int id() {
    return 65201;
  }

  @Override
  public int maxConcurrentBlocks() {
    return LIMIT;
  }

  @Override
  public BlockCodec open(SchemeContext context) {
    return new Codec();
  }

  private static final class Codec extends ArrayBlockCodec {
    Codec() {
      super(1 << 30);
    }

    @Override
    protected ByteBuffer encode(ByteBuffer block) {
      ByteBuffer encoded = ByteBuffer.allocateDirect(block.remaining() * 2 + 64);
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
      decoded().incrementAndGet();
      AtomicInteger now = count("now");
      mostAtOnce().accumulateAndGet(now.incrementAndGet(), Math::max);
      Inflater inflater = new Inflater();
      try {
        Thread.sleep(PAUSE_MILLIS);
        inflater.setInput(payload);
        while (frame.hasRemaining() && inflater.inflate(frame) > 0) {
          continue;
        }
        if (frame.hasRemaining()) {
          throw new CorruptFrameException(frame.remaining() + " bytes are missing");
        }
        payload.position(payload.limit());
      } catch (DataFormatException e) {
        throw new CorruptFrameException(String.valueOf(e.getMessage()));
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      } finally {
        inflater.end();
        now.decrementAndGet();
      }
    }
  }
}
