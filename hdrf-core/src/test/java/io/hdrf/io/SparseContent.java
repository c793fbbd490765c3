/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.ChannelFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.TreeMap;

/** A file's content in memory; pages that are all zero take none. */
final class SparseContent {

  static final int PAGE = 4096;

  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private long length;

  SparseContent copy() {
    SparseContent copy = new SparseContent();
    pages.forEach((number, page) -> copy.pages.put(number, page.clone()));
    copy.length = length;
    return copy;
  }

  static SparseContent of(Path file) throws IOException {
    SparseContent content = new SparseContent();
    ByteBuffer piece = ByteBuffer.allocate(64 * PAGE);
    try (ChannelFile channel = ChannelFile.open(file)) {
      long position = 0;
      while (channel.read(piece, position) > 0) {
        content.write(position, piece.array(), 0, piece.position());
        position += piece.position();
        piece.clear();
      }
    }
    return content;
  }

  long length() {
    return length;
  }

  void write(long position, byte[] bytes, int offset, int count) {
    int done = 0;
    while (done < count) {
      long number = (position + done) / PAGE;
      int inPage = (int) ((position + done) % PAGE);
      int n = Math.min(count - done, PAGE - inPage);
      byte[] page = pages.get(number);
      if (page == null && !isZero(bytes, offset + done, n)) {
        page = new byte[PAGE];
        pages.put(number, page);
      }
      if (page != null) {
        System.arraycopy(bytes, offset + done, page, inPage, n);
      }
      done += n;
    }
    length = Math.max(length, position + count);
  }

  private static boolean isZero(byte[] bytes, int offset, int count) {
    for (int i = offset; i < offset + count; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  void setLength(long newLength) {
    if (newLength < length) {
      pages.tailMap((newLength + PAGE - 1) / PAGE, true).clear();
      byte[] last = pages.get(newLength / PAGE);
      if (last != null) {
        java.util.Arrays.fill(last, (int) (newLength % PAGE), PAGE, (byte) 0);
      }
    }
    length = newLength;
  }

  void writeTo(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (var page : pages.entrySet()) {
        long position = page.getKey() * PAGE;
        int n = (int) Math.min(PAGE, length - position);
        channel.write(ByteBuffer.wrap(page.getValue(), 0, n), position);
      }
      if (channel.size() < length) {
        channel.write(ByteBuffer.allocate(1), length - 1);
      }
    }
  }
}
