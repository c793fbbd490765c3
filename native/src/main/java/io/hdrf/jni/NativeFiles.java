/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.io.FileDescriptor;
import java.nio.channels.FileChannel;

/**
 * Operations on open files that the operating system offers and Java does not. For all threads; the
 * caller keeps the file open during the call.
 */
public final class NativeFiles {

  /** How a range of a file will be used, as in posix_fadvise(2). */
  public enum Advice {
    /** Needed soon: starts reading it into the page cache. */
    WILLNEED(0),
    /** Not needed soon: drops it from the page cache, except pages not yet written to disk. */
    DONTNEED(1);

    /** The value in {@code enum hdrf_file_advice}. */
    private final int code;

    Advice(int code) {
      this.code = code;
    }
  }

  private NativeFiles() {}

  /**
   * Tells the kernel how a range of an open file will be used. Best effort; never changes what is
   * read.
   *
   * @param offset bytes from the file's beginning
   * @param length in bytes, 0 for all up to the file's end
   * @return whether the kernel took the advice; false also for a closed file, for one that is not
   *     seekable and without the native library
   * @throws IllegalArgumentException if {@code offset} or {@code length} is negative
   */
  public static boolean fadvise(FileDescriptor file, long offset, long length, Advice advice) {
    checkRange(offset, length);
    return NativeLibrary.isLoaded()
        && file.valid()
        && adviseDescriptor(file, offset, length, advice.code);
  }

  /**
   * Like {@link #fadvise(FileDescriptor, long, long, Advice)}; false also for a channel that is not
   * the JDK's own.
   */
  public static boolean fadvise(FileChannel channel, long offset, long length, Advice advice) {
    checkRange(offset, length);
    return NativeLibrary.isLoaded()
        && channel.isOpen()
        && adviseChannel(channel, offset, length, advice.code);
  }

  /**
   * Starts writing the dirty pages of a range of an open file, so that a later force waits for
   * less. Does not wait itself. Best effort; makes nothing durable.
   *
   * @param offset bytes from the file's beginning
   * @param length in bytes, 0 for all up to the file's end
   * @return whether the kernel took the request; false also for a channel that is closed or not the
   *     JDK's own, and without the native library
   * @throws IllegalArgumentException if {@code offset} or {@code length} is negative
   */
  public static boolean beginWriting(FileChannel channel, long offset, long length) {
    checkRange(offset, length);
    return NativeLibrary.isLoaded() && channel.isOpen() && writeChannel(channel, offset, length);
  }

  private static void checkRange(long offset, long length) {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException("offset " + offset + ", length " + length);
    }
  }

  private static native boolean adviseDescriptor(
      FileDescriptor file, long offset, long length, int advice);

  private static native boolean adviseChannel(
      FileChannel channel, long offset, long length, int advice);

  private static native boolean writeChannel(FileChannel channel, long offset, long length);
}
