/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.corpus;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a POSIX ustar archive of regular files. The same entries in the same order give the same
 * bytes: owner and time are fixed. For one thread.
 */
public final class TarWriter implements Closeable {
  private static final int RECORD = 512;
  private static final int NAME = 100;
  private static final int PREFIX = 155;
  private static final int FILE_MODE = 0644;

  /** 2020-01-01, in seconds. */
  private static final long TIME = 1_577_836_800L;

  private final OutputStream out;

  /**
   * @param out closed by {@link #close}
   */
  public TarWriter(OutputStream out) {
    this.out = out;
  }

  /** Adds a file that everybody may read. */
  public void add(String path, byte[] content) throws IOException {
    add(path, FILE_MODE, content);
  }

  /**
   * Adds a file.
   *
   * @param mode permission bits, for instance 0755
   * @throws IOException if the path is too long for ustar, or {@code out} fails
   */
  public void add(String path, int mode, byte[] content) throws IOException {
    byte[] header = new byte[RECORD];
    byte[] name = path.getBytes(StandardCharsets.UTF_8);
    int split = 0;
    if (name.length > NAME) {
      // The prefix ends before a slash, which neither part holds.
      split = name.length - NAME - 1;
      while (split < name.length && name[split] != '/') {
        split++;
      }
      if (split > PREFIX || split >= name.length - 1) {
        throw new IOException("Path too long for ustar: " + path);
      }
      System.arraycopy(name, 0, header, 345, split);
      name = Arrays.copyOfRange(name, split + 1, name.length);
    }
    System.arraycopy(name, 0, header, 0, name.length);
    octal(header, 100, 8, mode);
    octal(header, 108, 8, 0);
    octal(header, 116, 8, 0);
    octal(header, 124, 12, content.length);
    octal(header, 136, 12, TIME);
    header[156] = '0';
    text(header, 257, "ustar");
    text(header, 263, "00");
    Arrays.fill(header, 148, 156, (byte) ' ');
    long sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    octal(header, 148, 7, sum);
    out.write(header);
    out.write(content);
    out.write(new byte[(RECORD - content.length % RECORD) % RECORD]);
  }

  private static void text(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  /** Writes {@code width - 1} octal digits and a NUL. */
  private static void octal(byte[] header, int at, int width, long value) {
    String digits = Long.toOctalString(value);
    text(header, at, "0".repeat(width - 1 - digits.length()) + digits);
    header[at + width - 1] = 0;
  }

  @Override
  public void close() throws IOException {
    try (out) {
      out.write(new byte[2 * RECORD]);
    }
  }
}
