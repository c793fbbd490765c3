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
 * Tells what went wrong below Java. Java gives no error numbers, only the C library's messages, and
 * these are in the language of the process. Safe for use by many threads.
 */
public final class DiskErrors {

  /** How the message of EIO begins in English; the DataNode looks for it too. */
  private static final String READ_ERROR = "Input/output error";

  private static final String NO_SPACE = "No space left on device";
  private static final String OUT_OF_HANDLES = "Too many open files";

  /** {@link #NO_SPACE} in the language of this process. */
  private static final String LOCAL_NO_SPACE = messageOfFullDevice();

  /** {@link #READ_ERROR} in the language of this process; null if that can't be told. */
  private static final String LOCAL_READ_ERROR = messageOfUnmappedMemory();

  private DiskErrors() {}

  private static String messageOfFullDevice() {
    // Never made where there is none.
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

  /** A device that can't be opened tells nothing. */
  private static String messageOf(IOException e, String otherwise) {
    return e instanceof FileNotFoundException
            || e instanceof FileSystemException
            || e.getMessage() == null
        ? otherwise
        : e.getMessage();
  }

  /**
   * What a failed read of an open file is to be known as. Where it can't be told what EIO is called
   * here, whatever is no matter of Java, such as a closed channel, is the disk's.
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
   * Whether the disk could not read what was asked for, as where a sector is bad. The message of
   * one that comes from a {@link ReadableFile} begins in English, as the DataNode wants it.
   */
  public static boolean isReadError(Throwable e) {
    return contains(e, READ_ERROR) || (LOCAL_READ_ERROR != null && contains(e, LOCAL_READ_ERROR));
  }

  /** Whether the disk is full. */
  public static boolean isNoSpace(Throwable e) {
    return contains(e, NO_SPACE) || contains(e, LOCAL_NO_SPACE);
  }

  /**
   * Whether a file could not be opened just now because this process has too many open. In other
   * languages than English it can't be told any more when one was closed meanwhile.
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
