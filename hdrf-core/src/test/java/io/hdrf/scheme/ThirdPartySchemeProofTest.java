/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link BaseSchemeTestCase} on a scheme with a separate class loader. */
class ThirdPartySchemeProofTest extends BaseSchemeTestCase {

  @TempDir static Path plugins;

  @BeforeAll
  static void build() throws IOException {
    ThirdPartySchemeJar.build(plugins);
  }

  @Override
  protected ReductionScheme scheme() {
    try {
      return SchemeRegistry.load(plugins).byName(ThirdPartySchemeJar.NAME);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.acme-lz4.frame.size", List.of("0", "1g"));
  }
}
