/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

/**
 * The version of this package's interfaces. It rises when a scheme may rely on something that older
 * ones did not have.
 */
public final class SpiVersion {
  /** A compile-time constant on purpose: it is copied into the scheme that was compiled with it. */
  public static final int CURRENT = 3;

  /**
   * The oldest version whose schemes run: since then only what schemes may leave out was added. 3
   * added {@link FrameScheme#keepsLength}, so that an HDRF which would misread such frames refuses
   * the scheme.
   */
  public static final int OLDEST = 2;

  private SpiVersion() {}
}
