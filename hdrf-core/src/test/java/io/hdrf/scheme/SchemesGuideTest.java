/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The scheme whose source is in {@code docs/schemes.md}. */
class SchemesGuideTest extends BaseSchemeTestCase {

  @TempDir static Path plugins;

  @TempDir static Path work;

  @BeforeAll
  static void build() throws Exception {
    Guide guide = new Guide(Path.of("../docs/schemes.md"), work);
    Files.copy(guide.build("acme-zlib.jar"), plugins.resolve("acme-zlib.jar"));
  }

  @Override
  protected ReductionScheme scheme() {
    try {
      return SchemeRegistry.load(plugins).byName("acme-zlib");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        "hdrf.acme-zlib.frame.size", List.of("4095", "17m"),
        "hdrf.acme-zlib.level", List.of("0", "10", "high"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(Map.of("hdrf.acme-zlib.level", "9"), Map.of("hdrf.acme-zlib.frame.size", "4k"));
  }
}
