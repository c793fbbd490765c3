/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.corpus.SourceCorpus;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What benchmarks write: versions of a source tree, the same with other bytes, and noise. */
public final class Inputs {

  private static final int PIECE = 1_000_000;

  private Inputs() {}

  private static List<java.nio.file.Path> versions() throws IOException {
    return new SourceCorpus(Directories.home()).files(version -> {});
  }

  /** All versions, one behind the other. */
  static byte[] text() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (java.nio.file.Path tar : versions()) {
      text.write(Files.readAllBytes(tar));
    }
    return text.toByteArray();
  }

  /**
   * Adds a number to each byte from {@code from} to {@code to}. The result compresses alike, but
   * deduplication finds nothing of it under another number, modulo 256.
   */
  static void shift(byte[] data, int from, int to, int by) {
    for (int i = from; i < to; i++) {
      data[i] += (byte) by;
    }
  }

  /** Writes random bytes to a file. */
  static void random(java.nio.file.Path file, int megabytes, long seed) throws IOException {
    Random random = new Random(seed);
    byte[] piece = new byte[PIECE];
    try (OutputStream to = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (int i = 0; i < megabytes; i++) {
        random.nextBytes(piece);
        to.write(piece);
      }
    }
  }

  /** Writes about as many bytes of text, which all schemes can make smaller, in some files. */
  public static void writeText(FileSystem fs, String directory, long bytes) throws IOException {
    long left = bytes;
    for (java.nio.file.Path tar : versions()) {
      if (left <= 0) {
        return;
      }
      String name = tar.getFileName().toString().replace(".tar", ".txt");
      byte[] part;
      try (InputStream in = Files.newInputStream(tar)) {
        part = in.readNBytes((int) Math.min(left, Math.max(PIECE, bytes / 5 * 2)));
      }
      // What is between the files of a tar is not text.
      for (int i = 0; i < part.length; i++) {
        part[i] = part[i] == 0 ? (byte) '\n' : part[i];
      }
      try (OutputStream out = fs.create(new Path(directory, name))) {
        out.write(part);
      }
      left -= part.length;
    }
  }
}
