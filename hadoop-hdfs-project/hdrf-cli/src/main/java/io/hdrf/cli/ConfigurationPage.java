/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** {@code docs/configuration.md}, made from {@code conf/hdrf-default.xml}. */
final class ConfigurationPage {
  static final String SOURCE = "conf/hdrf-default.xml";
  static final String PAGE = "docs/configuration.md";

  private static final String HEAD =
      """
      # Configuration

      Every key goes into `hdfs-site.xml` of the DataNodes. This page is made from
      `conf/hdrf-default.xml` by `bin/hdrf docs`; change that file, not this one.
      """;

  private ConfigurationPage() {}

  /**
   * Renders the page.
   *
   * @throws IOException if the file can't be read, or a property lacks its name or description or
   *     is there twice
   */
  static String render(Path source) throws IOException {
    Element root;
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      root = factory.newDocumentBuilder().parse(source.toFile()).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("Can't parse " + source + ": " + e.getMessage(), e);
    }
    StringBuilder page = new StringBuilder(HEAD);
    Set<String> seen = new HashSet<>();
    NodeList properties = root.getElementsByTagName("property");
    for (int i = 0; i < properties.getLength(); i++) {
      Element property = (Element) properties.item(i);
      String name = text(property, "name");
      String description = text(property, "description");
      String value = text(property, "value");
      if (name.isEmpty() || description.isEmpty()) {
        throw new IOException("Property " + i + " '" + name + "' lacks its name or description");
      }
      if (!seen.add(name)) {
        throw new IOException("Property " + name + " is there twice");
      }
      page.append("\n## `").append(name).append("`\n\n");
      page.append("Default: ").append(value.isEmpty() ? "empty" : "`" + value + "`").append("\n\n");
      page.append(description).append('\n');
    }
    return page.toString();
  }

  private static String text(Element property, String tag) {
    NodeList found = property.getElementsByTagName(tag);
    return found.getLength() == 0
        ? ""
        : found.item(0).getTextContent().trim().replaceAll("\\s+", " ");
  }
}
