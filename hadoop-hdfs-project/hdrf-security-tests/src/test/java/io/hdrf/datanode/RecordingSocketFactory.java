/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the bytes that DataNodes serving a connection send to other DataNodes, like a listener on
 * the network.
 */
public final class RecordingSocketFactory extends WrappingSocketFactory {

  private static final List<Recording> RECORDINGS = new ArrayList<>();

  static void clear() {
    synchronized (RECORDINGS) {
      RECORDINGS.clear();
    }
  }

  /** Returns the number of connections over which bytes were sent. */
  static int connections() {
    synchronized (RECORDINGS) {
      return RECORDINGS.size();
    }
  }

  /** Returns whether bytes went over one of the connections in the clear. */
  static boolean wereSent(byte[] bytes) {
    String wanted = new String(bytes, StandardCharsets.ISO_8859_1);
    synchronized (RECORDINGS) {
      return RECORDINGS.stream().anyMatch(recording -> recording.text().contains(wanted));
    }
  }

  @Override
  OutputStream wrap(OutputStream out) {
    return new Recording(out);
  }

  private static final class Recording extends FilterOutputStream {
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    Recording(OutputStream out) {
      super(out);
      synchronized (RECORDINGS) {
        RECORDINGS.add(this);
      }
    }

    String text() {
      return sent.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void write(int value) throws IOException {
      sent.write(value);
      out.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      sent.write(bytes, offset, length);
      out.write(bytes, offset, length);
    }
  }
}
