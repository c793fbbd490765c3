/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.List;
import java.util.Map;

class DeltaSchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new DeltaScheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.delta.distance", List.of("0", "101", "far"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(Map.of("hdrf.delta.distance", "7"));
  }
}
