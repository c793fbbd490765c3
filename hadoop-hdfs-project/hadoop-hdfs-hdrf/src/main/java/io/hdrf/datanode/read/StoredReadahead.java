/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.jni.NativeFiles;
import java.io.FileDescriptor;

/**
 * Has the kernel read a block's stored bytes ahead of a sequential reader. Stock code does so with
 * the descriptor that it is given, which for a reduced block is one of the null device. For one
 * thread.
 */
final class StoredReadahead {

  /** How many stored bytes ahead, and asked for at a time. */
  private static final long DISTANCE = 1 << 20;

  private final FileDescriptor file;
  private final long end;
  private long asked;

  /**
   * @param file null asks for nothing
   * @param end where the stored bytes end
   */
  StoredReadahead(FileDescriptor file, long end) {
    this.file = file;
    this.end = end;
  }

  /** The reader will soon need the bytes at {@code position}. */
  void reaches(long position) {
    if (file != null && asked < end && position + DISTANCE > asked) {
      long from = Math.max(asked, position);
      asked = Math.min(end, from + 2 * DISTANCE);
      NativeFiles.fadvise(file, from, asked - from, NativeFiles.Advice.WILLNEED);
    }
  }
}
