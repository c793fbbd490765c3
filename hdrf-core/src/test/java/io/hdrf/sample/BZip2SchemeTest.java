/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

class BZip2SchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new BZip2Scheme();
  }

  /** Small frames and blocks: bzip2 is slow, and allocates several times its block's length. */
  @Override
  protected Configuration configuration() {
    Configuration configuration = super.configuration();
    configuration.setInt("bzip2.compress.blocksize", 1);
    configuration.set("hdrf.bzip2.frame.size", "8k");
    return configuration;
  }

  @Override
  protected int longestBlock() {
    return 20_000;
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.bzip2.frame.size", List.of("0", "2g", "big"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(Map.of("hdrf.bzip2.frame.size", "1000"), Map.of("hdrf.bzip2.frame.size", "1g"));
  }
}
