/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;

/**
 * Turns unchecked exceptions of a scheme into an {@link IOException}, so that it ends the work on
 * one block and no thread. {@link OutOfMemoryError} stays as it is: it is no mistake of the scheme.
 */
public final class SchemeErrors {

  private SchemeErrors() {}

  /**
   * For what fails whatever the data are.
   *
   * @throws Error if it is none that a scheme brings about
   */
  public static IOException failed(Throwable thrown, String message) {
    if (thrown instanceof Error && !isOfScheme((Error) thrown)) {
      throw (Error) thrown;
    }
    return new IOException(message, thrown);
  }

  /**
   * For decoding, where a {@link RuntimeException} says that the data are damaged, but for {@link
   * IllegalStateException}, which says that the codec can't work.
   *
   * @throws Error if it is none that a scheme brings about
   */
  public static IOException decoding(Throwable thrown, String scheme) {
    return thrown instanceof RuntimeException && !(thrown instanceof IllegalStateException)
        ? new CorruptFrameException(scheme + " can't decode a frame", thrown)
        : failed(thrown, scheme + " can't decode");
  }

  private static boolean isOfScheme(Error error) {
    return error instanceof LinkageError
        || error instanceof AssertionError
        || (error instanceof VirtualMachineError && !(error instanceof OutOfMemoryError));
  }
}
