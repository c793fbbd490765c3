/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.DefaultCodec;

/** Fails like Hadoop's codecs without their native libraries. */
public final class BrokenCodec extends DefaultCodec {
  @Override
  public Compressor createCompressor() {
    throw new RuntimeException("native broken library not available");
  }
}
