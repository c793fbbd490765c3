/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.IOException;
import java.io.OutputStream;

/** A {@link MirrorOutput} as a stream, where the connection has no channel. */
final class MirrorOutputStream extends OutputStream {

  private final MirrorOutput out;

  MirrorOutputStream(MirrorOutput out) {
    this.out = out;
  }

  @Override
  public void write(int value) throws IOException {
    out.write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
