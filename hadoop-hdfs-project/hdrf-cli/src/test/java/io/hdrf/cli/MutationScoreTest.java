/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutationScoreTest {

  @TempDir private Path directory;

  private Path report(String... statuses) throws IOException {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?><mutations>");
    for (int i = 0; i < statuses.length; i++) {
      xml.append("<mutation status='").append(statuses[i]).append("'><mutatedClass>a.C");
      xml.append(i % 2).append("</mutatedClass></mutation>");
    }
    return Files.writeString(directory.resolve("mutations.xml"), xml.append("</mutations>"));
  }

  @Test
  void countsMutantsByWhatBecameOfThem() throws IOException {
    MutationScore score =
        MutationScore.read(
            report("KILLED", "SURVIVED", "TIMED_OUT", "NO_COVERAGE", "NON_VIABLE", "MEMORY_ERROR"));
    assertThat(score).isEqualTo(new MutationScore(2, 3, 1, 1));
    assertThat(score.row("a", "12ab", "2026-01-01"))
        .isEqualTo("| `a` | 2 | 5 | 3 | 1 | 1 | 60.0 | 12ab | 2026-01-01 |");
  }

  @Test
  void whatWasNotRunToItsEndIsNoFigure() throws IOException {
    Path report = report("KILLED", "RUN_ERROR");
    assertThatThrownBy(() -> MutationScore.read(report)).hasMessageContaining("RUN_ERROR");
  }

  @Test
  void theGoalIsNotReachedByRounding() {
    assertThat(new MutationScore(1, 85, 15, 0).reachesGoal()).isTrue();
    assertThat(new MutationScore(1, 8499, 1501, 0).reachesGoal()).isFalse();
    assertThat(new MutationScore(1, 8499, 0, 1501).row("a", "c", "d")).contains("| 84.9 |");
    assertThat(new MutationScore(0, 0, 0, 0).reachesGoal()).isFalse();
  }

  @Test
  void aRowTakesThePlaceOfThePackagesLast() throws IOException {
    Path page = directory.resolve("mutation.md");
    Files.write(page, List.of("# Page", "<!-- table -->", "<!-- end of table -->", "rules"));
    MutationPage.put(page, "io.hdrf.wire", "| `io.hdrf.wire` | 1 |");
    MutationPage.put(page, "io.hdrf.block", "| `io.hdrf.block` | 2 |");
    MutationPage.put(page, "io.hdrf.wire", "| `io.hdrf.wire` | 3 |");
    List<String> lines = Files.readAllLines(page);
    assertThat(lines)
        .startsWith(
            "# Page",
            "<!-- table -->",
            "| package | classes | mutants | killed"
                + " | survived | no coverage | killed, % | commit | date |");
    assertThat(lines)
        .endsWith(
            "| `io.hdrf.block` | 2 |", "| `io.hdrf.wire` | 3 |", "<!-- end of table -->", "rules");
    Files.write(page, List.of("# Page"));
    assertThatThrownBy(() -> MutationPage.put(page, "io.hdrf.wire", "| |"))
        .hasMessageContaining("no table");
  }

  @Test
  void whatIsMutatedIsThere() throws IOException {
    Path home = Path.of("../..");
    for (MutatedCode code : MutatedCode.ALL) {
      for (String glob : code.classes()) {
        if (!glob.contains("$")) {
          String path = glob.replace(".*", "").replace('.', '/');
          Path source = home.resolve(code.module()).resolve("src/main/java").resolve(path);
          assertThat(
                  glob.endsWith("*")
                      ? source
                      : source.resolveSibling(source.getFileName() + ".java"))
              .exists();
        }
      }
    }
    assertThat(Files.readString(home.resolve(MutationPage.FILE)))
        .contains("<!-- table -->", "<!-- end of table -->");
  }
}
