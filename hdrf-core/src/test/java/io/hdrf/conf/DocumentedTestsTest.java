/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the tests named in documents exist. */
class DocumentedTestsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern NAMED = Pattern.compile("`(\\w+Test)(?:#(\\w+))?`");

  @ParameterizedTest
  @ValueSource(strings = {"security.md", "compatibility.md", "design.md"})
  void eachClaimsTestIsThere(String document) throws IOException {
    Map<String, String> sources = sources();
    List<String> missing = new ArrayList<>();
    Matcher named = NAMED.matcher(Files.readString(ROOT.resolve("docs").resolve(document)));
    int count = 0;
    while (named.find()) {
      count++;
      String source = sources.get(named.group(1));
      if (source == null
          || (named.group(2) != null && !source.contains("void " + named.group(2) + "("))) {
        missing.add(named.group());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(count).isGreaterThan(20);
  }

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path file : SourceTree.files(ROOT)) {
      if (file.toString().matches(".*/src/test/java/.*Test\\.java")) {
        sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
      }
    }
    return sources;
  }
}
