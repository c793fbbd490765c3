/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.GzipCodec;

/** The rules for schemes, with a codec that has no compressor where native code is missing. */
class GzipTest extends BaseSchemeTestCase {

  @Override
  protected ReductionScheme scheme() {
    return new HadoopCodecScheme();
  }

  @Override
  protected Configuration configuration() {
    Configuration configuration = super.configuration();
    configuration.set(HadoopCodecSchemeTest.CLASS, GzipCodec.class.getName());
    return configuration;
  }
}
