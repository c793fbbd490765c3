/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.wire.Preamble;
import io.hdrf.wire.WireFormat;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Withholds the probes of DataNodes that serve a connection, so that they get no answer. */
public final class SilentSocketFactory extends WrappingSocketFactory {

  /** How many probes were kept back. */
  static final AtomicInteger PROBES = new AtomicInteger();

  private static final byte[] PROBE = Preamble.encode(WireFormat.PROBE);

  @Override
  OutputStream wrap(OutputStream out) {
    return new Silent(out);
  }

  private static final class Silent extends FilterOutputStream {

    Silent(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (Arrays.equals(bytes, offset, offset + length, PROBE, 0, PROBE.length)) {
        PROBES.incrementAndGet();
      } else {
        out.write(bytes, offset, length);
      }
    }
  }
}
