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
  void everyPropertyHasASection() throws IOException {
    assertThat(render(property("a", "1", "One\n  line."), property("b", "", "Two.")))
        .contains("## `a`\n\nDefault: `1`\n\nOne line.\n")
        .contains("## `b`\n\nDefault: empty\n\nTwo.\n");
  }

  @Test
  void refusesWhatIsNotDocumented() {
    assertThatThrownBy(() -> render(property("a", "1", ""))).hasMessageContaining("'a'");
    assertThatThrownBy(() -> render(property("a", "1", "x"), property("a", "2", "x")))
        .hasMessageContaining("twice");
    assertThatThrownBy(() -> render("<property>")).isInstanceOf(IOException.class);
  }
}
