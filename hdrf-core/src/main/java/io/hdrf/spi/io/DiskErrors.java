/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/**
 * Recognizes errors of the operating system. Java gives no error numbers, only the C library's
 * messages, and these are in the language of the process. Safe for use by many threads.
 */
public final class DiskErrors {

  /** The beginning of EIO's message in English; the DataNode looks for it too. */
  private static final String READ_ERROR = "Input/output error";

  private static final String NO_SPACE = "No space left on device";
  private static final String OUT_OF_HANDLES = "Too many open files";

  /** {@link #NO_SPACE} in the language of this process. */
  private static final String LOCAL_NO_SPACE = messageOfFullDevice();

  /** {@link #READ_ERROR} in the language of this process; null if it could not be found out. */
  private static final String LOCAL_READ_ERROR = messageOfUnmappedMemory();

  private DiskErrors() {}

  private static String messageOfFullDevice() {
    // Opened without CREATE: a missing device is never made.
    try (OutputStream full =
        Files.newOutputStream(Paths.get("/dev/full"), StandardOpenOption.WRITE)) {
      full.write(0);
    } catch (IOException e) {
      return messageOf(e, NO_SPACE);
    }
    return NO_SPACE;
  }

  private static String messageOfUnmappedMemory() {
    String otherwise = LOCAL_NO_SPACE.equals(NO_SPACE) ? READ_ERROR : null;
    try (InputStream memory = new FileInputStream("/proc/self/mem")) {
      memory.read();
    } catch (IOException e) {
      return messageOf(e, otherwise);
    }
    return otherwise;
  }

  /**
   * Returns the message; the default where the device can't be opened, for then the message says
   * nothing.
   */
  private static String messageOf(IOException e, String otherwise) {
    return e instanceof FileNotFoundException
            || e instanceof FileSystemException
            || e.getMessage() == null
        ? otherwise
        : e.getMessage();
  }

  /**
   * Returns the exception to throw for a failed read of an open file. If EIO's message in this
   * language is not known, every error that is no matter of Java, unlike a closed channel, counts
   * as the disk's.
   */
  static IOException ofRead(IOException e) {
    if (e.getClass() != IOException.class || contains(e, READ_ERROR)) {
      return e;
    }
    return LOCAL_READ_ERROR == null || contains(e, LOCAL_READ_ERROR)
        ? new IOException(READ_ERROR + ": " + e.getMessage(), e)
        : e;
  }

  /**
   * Returns whether the disk could not read the requested bytes, as with a bad sector. The message
   * of such an error from a {@link ReadableFile} begins in English, as the DataNode expects.
   */
  public static boolean isReadError(Throwable e) {
    return contains(e, READ_ERROR) || (LOCAL_READ_ERROR != null && contains(e, LOCAL_READ_ERROR));
  }

  /** Returns whether the disk is full. */
  public static boolean isNoSpace(Throwable e) {
    return contains(e, NO_SPACE) || contains(e, LOCAL_NO_SPACE);
  }

  /**
   * Returns whether a file could not be opened because this process has too many open files. In
   * other languages than English this can't be recognized any more once a file was closed
   * meanwhile.
   */
  public static boolean isOutOfHandles(Throwable e) {
    return contains(e, OUT_OF_HANDLES) || !canOpen();
  }

  private static boolean canOpen() {
    try (InputStream any = new FileInputStream("/dev/null")) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean contains(Throwable e, String text) {
    return String.valueOf(e.getMessage()).contains(text);
  }
}
