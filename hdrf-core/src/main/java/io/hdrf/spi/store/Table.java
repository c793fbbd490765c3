/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The subjects of a store's entries. The codes are written into stores and never reused. */
public enum Table {
  /** The facts that HDRF must know of the store itself; a few entries. */
  STATE(0),
  /** Block id (8 bytes, big-endian) to {@code BlockRecord}. */
  BLOCKS(1),
  /** Fingerprint of a chunk to the chunk's place. */
  CHUNKS(2);

  private final int code;

  Table(int code) {
    this.code = code;
  }

  /** Returns the code, 0 to 255. */
  public int code() {
    return code;
  }
}
