/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.List;
import java.util.Map;

class WholeBlockSchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new WholeBlockScheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.whole-block.max.block.size", List.of("0", "2g", "big"));
  }
}
