/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import org.apache.hadoop.io.compress.DefaultCodec;

/** Hadoop's zlib codec. */
public final class DeflateScheme extends CompressionCodecScheme {
  public DeflateScheme() {
    super("deflate", 65001, DefaultCodec.class);
  }
}
