/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Has DataNodes that serve a connection flip a bit of what HDRF sends to the next DataNode, as
 * often as asked for.
 */
public final class FlippingSocketFactory extends WrappingSocketFactory {

  /** How many streams are still to be damaged. */
  static final AtomicInteger FLIPS = new AtomicInteger();

  /** How many streams that HDRF began were opened. */
  static final AtomicInteger STREAMS = new AtomicInteger();

  private static final byte[] PREAMBLE = {'H', 'D', 'R', 'F', 1, 1};

  /** Where the bit is flipped: in the first packets' frames. */
  private static final int POSITION = 30_000;

  @Override
  OutputStream wrap(OutputStream out) {
    return new Flipping(out);
  }

  private static final class Flipping extends FilterOutputStream {
    private long count;
    private boolean hdrf = true;

    Flipping(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      int sent = value;
      if (count < PREAMBLE.length) {
        hdrf &= (byte) value == PREAMBLE[(int) count];
        if (hdrf && count == PREAMBLE.length - 1) {
          STREAMS.incrementAndGet();
        }
      } else if (hdrf && count == POSITION && FLIPS.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        sent ^= 4;
      }
      count++;
      out.write(sent);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (hdrf && count <= POSITION) {
        int rest = (int) Math.min(length, POSITION + 1 - count);
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
