/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;

/**
 * The rules for schemes, with a codec whose compressors are dummies. Small frames and blocks: bzip2
 * is slow, and allocates several times its block's length.
 */
class BZip2Test extends BaseSchemeTestCase {

  @Override
  protected ReductionScheme scheme() {
    return new HadoopCodecScheme();
  }

  @Override
  protected Configuration configuration() {
    Configuration configuration = super.configuration();
    configuration.set(HadoopCodecSchemeTest.CLASS, BZip2Codec.class.getName());
    configuration.setInt("bzip2.compress.blocksize", 1);
    configuration.set(HadoopCodecSchemeTest.FRAME_SIZE, "8k");
    return configuration;
  }

  @Override
  protected int longestBlock() {
    return 20_000;
  }

  @Override
  protected int damagedCopies() {
    return 60;
  }
}
