/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.scheme.CorruptFrameException;

/** A chunk's bytes are damaged. The message names the file. */
public class DamagedChunkException extends CorruptFrameException {
  private static final long serialVersionUID = 1L;

  private final long ref;

  DamagedChunkException(String message, Throwable cause, long ref) {
    super(message, cause);
    this.ref = ref;
  }

  /** The chunk; where a whole group is damaged, the first of it. See {@link ChunkRef}. */
  public long ref() {
    return ref;
  }
}
