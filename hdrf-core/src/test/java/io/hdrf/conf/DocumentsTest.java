/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The form of the documents: lines that fit on a screen, and links with a target. */
class DocumentsTest {
  private static final Path ROOT = Path.of("..");
  private static final int WIDTH = 120;
  private static final Pattern LISTING = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern LINK =
      Pattern.compile("\\[[^\\]]*\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              docs.filter(path -> path.toString().endsWith(".md")),
              Stream.of("README.md", "CONTRIBUTING.md").map(ROOT::resolve))
          .toList();
    }
  }

  /** A row of a table can't be broken. */
  @Test
  void linesAreShort() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path document : documents()) {
      Files.readAllLines(document).stream()
          .filter(line -> line.length() > WIDTH && !line.strip().startsWith("|"))
          .forEach(line -> found.add(document + ": " + line));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void linksLeadSomewhere() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path document : documents()) {
      String text = LISTING.matcher(Files.readString(document)).replaceAll("");
      for (MatchResult link : LINK.matcher(text).results().toList()) {
        String path = link.group(1);
        Path target = path.isEmpty() ? document : document.resolveSibling(path);
        String anchor = link.group(2);
        boolean leads =
            path.startsWith("http")
                || (Files.exists(target) && (anchor == null || anchors(target).contains(anchor)));
        if (!leads) {
          found.add(document + ": " + link.group());
        }
      }
    }
    assertThat(found).isEmpty();
  }

  /** The anchors of headings, as GitHub makes them. */
  private static Set<String> anchors(Path document) throws IOException {
    String text = LISTING.matcher(Files.readString(document)).replaceAll("");
    return HEADING
        .matcher(text)
        .results()
        .map(
            heading ->
                heading
                    .group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}
