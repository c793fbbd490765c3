/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.io.IOException;

/** Slows down work in the background. */
@FunctionalInterface
public interface Throttle {

  /** No limit. */
  Throttle NONE = bytes -> {};

  /**
   * Called before that many bytes are read or written; returns when this may happen.
   *
   * @throws IOException if the work shall end; then nothing has changed
   */
  void acquire(long bytes) throws IOException;
}
