/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.io.IOException;

/**
 * A container or a chunk that was asked for is not in the store. Nothing is known to be damaged.
 */
public class MissingChunkException extends IOException {
  private static final long serialVersionUID = 1L;

  MissingChunkException(String message) {
    super(message);
  }
}
