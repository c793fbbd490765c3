/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.spi.io.ReadableFile;
import java.nio.ByteBuffer;

/** A file in memory. */
final class MemoryFile implements ReadableFile {

  private final byte[] bytes;

  MemoryFile(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(ByteBuffer dst, long position) {
    int n = (int) Math.max(0, Math.min(dst.remaining(), bytes.length - position));
    dst.put(bytes, (int) position, n);
    return n;
  }

  @Override
  public long length() {
    return bytes.length;
  }

  @Override
  public void close() {}
}
