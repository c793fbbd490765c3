/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file in memory; a hole follows its bytes up to its length. */
public class BytesFile implements ReadableFile {

  private final byte[] bytes;
  private final long length;

  public BytesFile(byte[] bytes) {
    this(bytes, bytes.length);
  }

  public BytesFile(byte[] bytes, long length) {
    this.bytes = bytes;
    this.length = length;
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    int n = (int) Math.max(0, Math.min(dst.remaining(), length - position));
    for (int i = 0; i < n; ) {
      if (position + i >= bytes.length) {
        dst.put((byte) 0);
        i++;
      } else {
        int inBytes = (int) Math.min(n - i, bytes.length - (position + i));
        dst.put(bytes, (int) (position + i), inBytes);
        i += inBytes;
      }
    }
    return n;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() {}
}
