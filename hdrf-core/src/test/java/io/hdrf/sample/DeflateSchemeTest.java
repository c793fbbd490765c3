/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.List;
import java.util.Map;

class DeflateSchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new DeflateScheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.deflate.frame.size", List.of("0", "2g", "big"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(
        Map.of("hdrf.deflate.frame.size", "1000"), Map.of("hdrf.deflate.frame.size", "1g"));
  }
}
