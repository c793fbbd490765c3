/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

/**
 * The version of this package's interfaces. It rises when a change would break a scheme that was
 * compiled against the previous one.
 */
public final class SpiVersion {
  /** A compile-time constant on purpose: it is copied into the scheme that was compiled with it. */
  public static final int CURRENT = 2;

  private SpiVersion() {}
}
