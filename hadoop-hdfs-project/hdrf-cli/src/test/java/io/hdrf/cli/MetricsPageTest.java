/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final String LIST =
      "# One\ncounter A What A is\ngauge A-* By b\n\n# Two: x\ngauge C What C is\n";
  private static final String END = "<!-- end of metrics -->\n";
  private static final String TWO = "<!-- metrics: Two: x -->\n" + END;

  @Test
  void thePageInTheTreeIsFresh() throws IOException {
    String page = Files.readString(ROOT.resolve(MetricsPage.PAGE));
    String list = Files.readString(ROOT.resolve(MetricsPage.SOURCE));
    assertThat(page).as("run bin/hdrf docs").isEqualTo(MetricsPage.render(page, list));
  }

  @Test
  void tablesAreReplacedAndTheRestStays() throws IOException {
    String before = "By hand.\n\n<!-- metrics: One -->\n";
    String after = END + "\nMore.\n" + TWO;
    String rendered = MetricsPage.render(before + "| `old` | |\n" + after, LIST);
    assertThat(rendered)
        .startsWith(before + "| metric | kind | what it is |\n|---|---|---|\n| `A` | counter |")
        .contains("| What A is |\n| `A-…` | gauge | By b |\n" + END + "\nMore.\n")
        .doesNotContain("old");
    assertThat(MetricsPage.render(rendered, LIST)).isEqualTo(rendered);
  }

  @Test
  void eachSectionHasOnePlace() {
    assertThatThrownBy(() -> MetricsPage.render(TWO, LIST)).hasMessageContaining("metrics: One");
    assertThatThrownBy(() -> MetricsPage.render(TWO + TWO, LIST)).hasMessageContaining("twice");
    assertThatThrownBy(() -> MetricsPage.render(TWO.replace("x", "y"), LIST))
        .hasMessageContaining("Two: y are not listed");
  }
}
