/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Comment;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * {@code docs/configuration.md}, made from {@code conf/hdrf-default.xml}: a comment in it is the
 * subject of the properties that follow.
 */
final class ConfigurationPage {
  static final String SOURCE = "conf/hdrf-default.xml";
  static final String PAGE = "docs/configuration.md";

  private static final int WIDTH = 120;

  private static final String HEAD =
      """
      # Configuration

      Every key goes into `hdfs-site.xml` of the DataNodes. This page is made from `conf/hdrf-default.xml` by
      `bin/hdrf docs`; change that file, not this one.

      """;

  private final StringBuilder contents = new StringBuilder(HEAD);
  private final StringBuilder sections = new StringBuilder();
  private final Set<String> seen = new HashSet<>();
  private boolean inSubject;

  private ConfigurationPage() {}

  /**
   * Renders the page.
   *
   * @throws IOException if the file can't be read, or a property lacks its name, description or
   *     subject or is there twice
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
    ConfigurationPage page = new ConfigurationPage();
    for (Node node = root.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Comment) {
        page.subject(node.getNodeValue().trim());
      } else if (node instanceof Element property) {
        page.property(property);
      }
    }
    return page.contents.append(page.sections).toString();
  }

  private void subject(String title) {
    inSubject = true;
    String anchor = title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
    contents.append("- [").append(title).append("](#").append(anchor).append(")\n");
    sections.append("\n## ").append(title).append('\n');
  }

  private void property(Element property) throws IOException {
    String name = text(property, "name");
    String description = text(property, "description");
    String value = text(property, "value");
    if (name.isEmpty() || description.isEmpty()) {
      throw new IOException("Property '" + name + "' lacks its name or description");
    }
    if (!inSubject) {
      throw new IOException("Property " + name + " has no comment with its subject before it");
    }
    if (!seen.add(name)) {
      throw new IOException("Property " + name + " is there twice");
    }
    sections.append("\n### `").append(name).append("`\n\n");
    sections.append("Default: ").append(value.isEmpty() ? "empty" : "`" + value + "`");
    sections.append("\n\n").append(wrapped(description)).append('\n');
  }

  private static String text(Element property, String tag) {
    NodeList found = property.getElementsByTagName(tag);
    return found.getLength() == 0
        ? ""
        : found.item(0).getTextContent().trim().replaceAll("\\s+", " ");
  }

  private static String wrapped(String text) {
    StringBuilder lines = new StringBuilder();
    int length = 0;
    for (String word : text.split(" ", -1)) {
      boolean fits = length + 1 + word.length() <= WIDTH;
      lines.append(length == 0 ? "" : fits ? " " : "\n").append(word);
      length = word.length() + (length > 0 && fits ? length + 1 : 0);
    }
    return lines.toString();
  }
}
