/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The scheme whose source is printed in {@code docs/schemes.md}. */
class SchemesGuideTest extends BaseSchemeTestCase {

  private static final String SCHEME = "com.acme.AcmeZlibScheme";

  @TempDir static Path plugins;

  @TempDir static Path work;

  private static Guide guide;

  @BeforeAll
  static void build() throws Exception {
    guide = new Guide("schemes.md", work);
    assertThat(guide.text()).contains("\n```\n" + SCHEME + "\n```\n");
    Files.copy(
        guide.build("AcmeZlibScheme.java", "acme-zlib.jar"), plugins.resolve("acme-zlib.jar"));
  }

  /** What the guide says of a test and a project fits this tree. */
  @Test
  void theTestAndTheProjectAreComplete() throws Exception {
    guide.compileTest("AcmeZlibSchemeTest.java");
    Document pom = pom(new InputSource(new StringReader(guide.listing("xml(?=\n<project)"))));
    Document own = pom(new InputSource(Path.of("pom.xml").toUri().toString()));
    String version = "/project/parent/version/text()";
    XPath xpath = XPathFactory.newInstance().newXPath();
    assertThat(xpath.evaluate("//dependency[artifactId='hdrf-core'][1]/version/text()", pom))
        .isEqualTo(xpath.evaluate(version, own))
        .isNotEmpty();
  }

  private static Document pom(InputSource source) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(source);
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
