/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.util.BitSet;

/** What {@link ContainerStore#check} found in a container. Immutable. */
public final class CheckedContainer {

  private final long bytesRead;
  private final BitSet damaged;
  private final String beside;
  private final boolean headerDamaged;

  CheckedContainer(long bytesRead, BitSet damaged, String beside, boolean headerDamaged) {
    this.bytesRead = bytesRead;
    this.damaged = damaged;
    this.beside = beside;
    this.headerDamaged = headerDamaged;
  }

  /** Returns about how many bytes of the file were read. */
  public long bytesRead() {
    return bytesRead;
  }

  /** Returns how many chunks can't be read, or are not what their fingerprints say. */
  public int damagedChunks() {
    return damaged.cardinality();
  }

  /**
   * Returns what is damaged besides chunks: the directory, a header, or all of the file; null if
   * nothing is.
   */
  public String damageBeside() {
    return beside;
  }

  /** Returns whether the container's header is damaged, or one of a group. */
  public boolean isHeaderDamaged() {
    return headerDamaged;
  }

  /** Returns whether all is as it was written. */
  public boolean isSound() {
    return damaged.isEmpty() && beside == null;
  }
}
