/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;

/** Damages files as disks do. */
final class Damage {

  private Damage() {}

  /** Inverts bits of one byte. */
  static void flip(File file, long position, int bits) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file, "rw")) {
      opened.seek(position);
      int value = opened.read();
      opened.seek(position);
      opened.write(value ^ bits);
    }
  }

  /** Cuts the file, and extends it to its old length by a hole if {@code refill}. */
  static void truncate(File file, long length, boolean refill) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file, "rw")) {
      long before = opened.length();
      opened.setLength(length);
      if (refill) {
        opened.setLength(before);
      }
    }
  }
}
