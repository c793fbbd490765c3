/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The scheme whose source is printed in {@code docs/schemes.md}. */
class SchemesGuideTest extends BaseSchemeTestCase {

  private static final Path GUIDE = Path.of("..", "docs", "schemes.md");
  private static final String SCHEME = "com.acme.AcmeZlibScheme";

  @TempDir static Path plugins;

  @BeforeAll
  static void build() throws IOException {
    String guide = Files.readString(GUIDE);
    Matcher source = Pattern.compile("(?s)```java\n(.*?)```").matcher(guide);
    assertThat(source.find()).isTrue();
    assertThat(guide).contains("\n```\n" + SCHEME + "\n```\n");
    new PluginJarBuilder()
        .source(SCHEME, source.group(1))
        .scheme(SCHEME)
        .write(plugins.resolve("acme-zlib.jar"));
  }

  @Override
  protected ReductionScheme scheme() {
    try {
      return SchemeLoader.load(plugins).byName("acme-zlib");
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
