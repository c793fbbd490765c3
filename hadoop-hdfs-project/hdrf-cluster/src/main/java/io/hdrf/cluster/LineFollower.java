/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads the lines of a file that is still being written, which need not exist yet. */
final class LineFollower implements Closeable {
  private final Path file;
  private final byte[] buffer = new byte[8192];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private InputStream in;

  LineFollower(Path file) {
    this.file = file;
  }

  /** Passes on the lines that have been completed since the last call. */
  void poll(Consumer<String> consumer) throws IOException {
    if (in == null) {
      if (!Files.exists(file)) {
        return;
      }
      in = Files.newInputStream(file);
    }
    for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
      for (int i = 0; i < count; i++) {
        if (buffer[i] == '\n') {
          consumer.accept(line.toString(StandardCharsets.UTF_8));
          line.reset();
        } else {
          line.write(buffer[i]);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (in != null) {
      in.close();
    }
  }
}
