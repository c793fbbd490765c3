/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

/** The version of the interface between HDRF and metadata stores. */
public final class MetadataSpiVersion {
  public static final int CURRENT = 1;

  private MetadataSpiVersion() {}
}
