/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.corpus.SourceCorpus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Versions of source, which both kinds of schemes can make smaller: the same bytes each time. */
final class InputText {

  private final java.nio.file.Path home;

  /**
   * @param home HDRF's source tree
   */
  InputText(java.nio.file.Path home) {
    this.home = home;
  }

  /** Writes about as many bytes to {@link Applications#INPUT}, three files or more. */
  void writeTo(FileSystem fs, long bytes) throws IOException {
    long left = bytes;
    for (java.nio.file.Path tar : new SourceCorpus(home).files(version -> {})) {
      if (left <= 0) {
        return;
      }
      String name = tar.getFileName().toString().replace(".tar", ".txt");
      byte[] part;
      try (InputStream in = Files.newInputStream(tar)) {
        part = in.readNBytes((int) Math.min(left, Math.max(1_000_000, bytes / 5 * 2)));
      }
      // What is between the files of a tar is not text.
      for (int i = 0; i < part.length; i++) {
        part[i] = part[i] == 0 ? (byte) '\n' : part[i];
      }
      try (OutputStream out = fs.create(new Path(Applications.INPUT, name))) {
        out.write(part);
      }
      left -= part.length;
    }
  }
}
