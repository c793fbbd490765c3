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

  /**
   * Writes so many bytes of text, which all schemes can make smaller, in three files: the versions
   * one behind the other and, where these are too few, again with other letters.
   */
  public static void writeText(FileSystem fs, String directory, long bytes) throws IOException {
    long file = Math.max(PIECE, bytes / 5 * 2);
    OutputStream out = null;
    try {
      long written = 0;
      for (int pass = 0; written < bytes; pass++) {
        for (java.nio.file.Path tar : versions()) {
          try (InputStream in = Files.newInputStream(tar)) {
            while (written < bytes) {
              long left = Math.min(bytes, (written / file + 1) * file) - written;
              byte[] part = in.readNBytes((int) Math.min(left, PIECE));
              if (part.length == 0) {
                break;
              }
              if (written % file == 0) {
                if (out != null) {
                  out.close();
                }
                out = fs.create(new Path(directory, "text-" + written / file));
              }
              out.write(asText(part, pass));
              written += part.length;
            }
          }
        }
      }
    } finally {
      if (out != null) {
        out.close();
      }
    }
  }

  /**
   * Makes the bytes of a tar text: what is between its files becomes empty lines, each letter the
   * one {@code by} places after it.
   */
  static byte[] asText(byte[] part, int by) {
    for (int i = 0; i < part.length; i++) {
      byte b = part[i];
      if (b == 0) {
        part[i] = '\n';
      } else if (b >= 'a' && b <= 'z') {
        part[i] = (byte) ('a' + (b - 'a' + by) % 26);
      } else if (b >= 'A' && b <= 'Z') {
        part[i] = (byte) ('A' + (b - 'A' + by) % 26);
      }
    }
    return part;
  }
}
