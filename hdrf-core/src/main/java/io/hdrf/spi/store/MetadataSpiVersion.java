/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/**
 * The version of this package's interfaces. It rises when a change would break a store that was
 * compiled against the previous one.
 */
public final class MetadataSpiVersion {
  /** A compile-time constant on purpose: it is copied into the store that was compiled with it. */
  public static final int CURRENT = 2;

  private MetadataSpiVersion() {}
}
