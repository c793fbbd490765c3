/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import org.apache.hadoop.io.compress.DefaultCodec;

/** Hadoop's zlib codec. */
public final class DeflateScheme extends CompressionCodecScheme {

  public DeflateScheme() {
    this(65_001);
  }

  /** For data that were encoded under another id. */
  public DeflateScheme(int id) {
    super("deflate", id, DefaultCodec.class);
  }
}
