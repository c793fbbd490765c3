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
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The number of a package's mutants that its tests detected.
 *
 * @param classes including nested ones
 * @param killed by a test that failed or did not end
 * @param survived although a test ran the line
 * @param uncovered no test ran the line
 */
record MutationScore(int classes, int killed, int survived, int uncovered) {

  /** The least score that a package must reach, in per cent of its mutants. */
  static final int GOAL = 85;

  /** Reads PIT's {@code mutations.xml}. */
  static MutationScore read(Path report) throws IOException {
    NodeList mutations;
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      mutations =
          factory.newDocumentBuilder().parse(report.toFile()).getElementsByTagName("mutation");
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(report + ": " + e.getMessage(), e);
    }
    Set<String> classes = new HashSet<>();
    int killed = 0;
    int survived = 0;
    int uncovered = 0;
    for (int i = 0; i < mutations.getLength(); i++) {
      Element mutation = (Element) mutations.item(i);
      classes.add(mutation.getElementsByTagName("mutatedClass").item(0).getTextContent());
      switch (mutation.getAttribute("status")) {
        case "KILLED", "TIMED_OUT", "MEMORY_ERROR" -> killed++;
        case "SURVIVED" -> survived++;
        case "NO_COVERAGE" -> uncovered++;
        case "NON_VIABLE" -> {} // no class that the JVM loads
        default ->
            throw new IOException(
                report + ": a mutant was not run to its end: " + mutation.getAttribute("status"));
      }
    }
    return new MutationScore(classes.size(), killed, survived, uncovered);
  }

  int mutants() {
    return killed + survived + uncovered;
  }

  boolean reachesGoal() {
    return mutants() > 0 && 100L * killed >= (long) GOAL * mutants();
  }

  /** Returns the score as a row of a table. */
  String row(String name, String commit, String date) {
    return String.format(
        Locale.ROOT,
        "| `%s` | %d | %d | %d | %d | %d | %.1f | %s | %s |",
        name,
        classes,
        mutants(),
        killed,
        survived,
        uncovered,
        mutants() == 0 ? 0 : Math.floor(1000.0 * killed / mutants()) / 10,
        commit,
        date);
  }
}
