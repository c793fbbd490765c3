/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import org.apache.hadoop.io.compress.BZip2Codec;

/** Hadoop's bzip2 codec. */
public final class BZip2Scheme extends CompressionCodecScheme {
  public BZip2Scheme() {
    super("bzip2", 65002, BZip2Codec.class);
  }
}
