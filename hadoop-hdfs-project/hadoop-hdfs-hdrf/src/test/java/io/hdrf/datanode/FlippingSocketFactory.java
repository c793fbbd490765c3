/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flips bits in HDRF's streams from DataNodes that serve a connection to the next DataNode, a given
 * number of times.
 */
public final class FlippingSocketFactory extends WrappingSocketFactory {

  private static final Logger LOG = LoggerFactory.getLogger(FlippingSocketFactory.class);

  /** How many streams are still to be damaged. */
  static final AtomicInteger FLIPS = new AtomicInteger();

  /** How many streams that HDRF began were opened. */
  static final AtomicInteger STREAMS = new AtomicInteger();

  private static final byte[] PREAMBLE = {'H', 'D', 'R', 'F', 1, 1};

  /** The first packets' frames are within. */
  private static final int REACH = 30_000;

  private static volatile Random random;

  /**
   * Starts to damage streams, one bit each, at a random position after the preamble.
   *
   * @param flips how many streams
   */
  static void begin(int flips, Random chosen) {
    random = chosen;
    FLIPS.set(flips);
  }

  @Override
  OutputStream wrap(OutputStream out) {
    return new Flipping(out);
  }

  private static final class Flipping extends FilterOutputStream {
    private final int position;
    private final int bit;
    private long count;
    private boolean hdrf = true;

    Flipping(OutputStream out) {
      super(out);
      Random chosen = random;
      position = chosen == null ? REACH : PREAMBLE.length + chosen.nextInt(REACH - PREAMBLE.length);
      bit = chosen == null ? 0 : chosen.nextInt(Byte.SIZE);
    }

    @Override
    public void write(int value) throws IOException {
      int sent = value;
      if (count < PREAMBLE.length) {
        hdrf &= (byte) value == PREAMBLE[(int) count];
        if (hdrf && count == PREAMBLE.length - 1) {
          STREAMS.incrementAndGet();
        }
      } else if (hdrf && count == position && FLIPS.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        sent ^= 1 << bit;
        LOG.info("bit {} of byte {} flipped", bit, position);
      }
      count++;
      out.write(sent);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (hdrf && count <= position) {
        int rest = (int) Math.min(length, position + 1 - count);
        for (int i = 0; i < rest; i++) {
          write(bytes[offset + i]);
        }
        out.write(bytes, offset + rest, length - rest);
        count += length - rest;
      } else {
        out.write(bytes, offset, length);
        count += length;
      }
    }
  }
}
