/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Reads the {@code TEST-*.xml} files of Surefire. */
final class SurefireReports {
  private SurefireReports() {}

  /** Returns the outcome of {@code testClass}; {@link Outcome#unfinished} if it has no report. */
  static Outcome read(Path reports, String testClass) throws IOException {
    Path file = reports.resolve("TEST-" + testClass + ".xml");
    if (!Files.exists(file)) {
      return Outcome.unfinished(testClass);
    }
    Element suite;
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      suite = factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException(e);
    } catch (SAXException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
    NodeList cases = suite.getElementsByTagName("testcase");
    int skipped = 0;
    SortedSet<String> failed = new TreeSet<>();
    for (int i = 0; i < cases.getLength(); i++) {
      Element testCase = (Element) cases.item(i);
      if (has(testCase, "failure") || has(testCase, "error")) {
        failed.add(name(testCase));
      } else if (has(testCase, "skipped")) {
        skipped++;
      }
    }
    double seconds = Double.parseDouble(suite.getAttribute("time").replace(",", ""));
    return new Outcome(testClass, cases.getLength(), skipped, seconds, failed);
  }

  private static boolean has(Element testCase, String child) {
    return testCase.getElementsByTagName(child).getLength() > 0;
  }

  /** Returns a method's name without characters that would break a line of {@link OutcomeTable}. */
  private static String name(Element testCase) {
    String name = testCase.getAttribute("name").replaceAll("[,\\s]+", "_");
    return name.isEmpty() ? "(class)" : name;
  }
}
