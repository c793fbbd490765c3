/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationPageTest {
  private static final Path ROOT = Path.of("..", "..");

  @TempDir private Path directory;

  private String render(String... properties) throws IOException {
    Path file = directory.resolve("x.xml");
    Files.writeString(file, "<configuration>" + String.join("", properties) + "</configuration>");
    return ConfigurationPage.render(file);
  }

  private static String property(String name, String value, String description) {
    return "<property><name>"
        + name
        + "</name><value>"
        + value
        + "</value><description>"
        + description
        + "</description></property>";
  }

  @Test
  void thePageInTheTreeIsFresh() throws IOException {
    assertThat(Files.readString(ROOT.resolve(ConfigurationPage.PAGE)))
        .as("run bin/hdrf docs")
        .isEqualTo(ConfigurationPage.render(ROOT.resolve(ConfigurationPage.SOURCE)));
  }

  @Test
  void everyPropertyHasASectionInItsSubject() throws IOException {
    String second = property("b", "", "Two words ".repeat(30).trim() + ".");
    String page =
        render("<!-- First -->", property("a", "1", "One\n  line."), "<!-- It: 2 -->", second);
    assertThat(page)
        .contains("- [First](#first)\n- [It: 2](#it-2)\n")
        .contains("\n## First\n\n### `a`\n\nDefault: `1`\n\nOne line.\n")
        .contains("\n## It: 2\n\n### `b`\n\nDefault: empty\n\nTwo words Two");
    assertThat(page.lines()).allMatch(line -> line.length() <= 120);
  }

  @Test
  void refusesWhatIsNotDocumented() {
    String subject = "<!-- A subject -->";
    assertThatThrownBy(() -> render(subject, property("a", "1", ""))).hasMessageContaining("'a'");
    assertThatThrownBy(() -> render(property("a", "1", "x")))
        .hasMessageContaining("a has no comment with its subject");
    assertThatThrownBy(() -> render(subject, property("a", "1", "x"), property("a", "2", "x")))
        .hasMessageContaining("twice");
    assertThatThrownBy(() -> render("<property>")).isInstanceOf(IOException.class);
  }
}
