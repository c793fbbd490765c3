/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/**
 * The version of this package's interfaces. It rises when a change would break a store that was
 * compiled against the previous one.
 */
public final class MetadataSpiVersion {
  /**
   * The current version. A compile-time constant on purpose: the compiler copies it into each
   * store.
   */
  public static final int CURRENT = 3;

  private MetadataSpiVersion() {}
}
