/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Forwards every operation to another {@link DurableFile}, which it owns; a subclass overrides
 * those that it changes. For one thread at a time.
 */
public abstract class ForwardingFile implements DurableFile {

  private final DurableFile file;

  protected ForwardingFile(DurableFile file) {
    this.file = file;
  }

  @Override
  public void write(ByteBuffer src, long position) throws IOException {
    file.write(src, position);
  }

  @Override
  public void setLength(long length) throws IOException {
    file.setLength(length);
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    return file.read(dst, position);
  }

  @Override
  public long length() throws IOException {
    return file.length();
  }

  @Override
  public void beginWriting(long position, long length) {
    file.beginWriting(position, length);
  }

  @Override
  public void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
