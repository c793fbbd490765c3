/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import org.apache.hadoop.conf.Configuration;

/**
 * The rules for schemes, with a codec whose stream contains lengths, like Hadoop's lz4 and snappy.
 */
class PiecesTest extends BaseSchemeTestCase {

  @Override
  protected ReductionScheme scheme() {
    return new HadoopCodecScheme();
  }

  @Override
  protected Configuration configuration() {
    Configuration configuration = super.configuration();
    configuration.set(HadoopCodecSchemeTest.CLASS, PiecesCodec.class.getName());
    return configuration;
  }
}
