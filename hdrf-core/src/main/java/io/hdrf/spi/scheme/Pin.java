/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

/**
 * Keeps what a block refers to from being taken away until it is closed; see {@link
 * BlockCodec#pin}.
 */
public interface Pin extends AutoCloseable {

  /** Keeps nothing. */
  Pin NONE = () -> {};

  @Override
  void close();
}
