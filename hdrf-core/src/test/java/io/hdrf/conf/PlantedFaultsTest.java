/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches of {@code faults/} apply to the sources, and the tests that they name exist. */
class PlantedFaultsTest {

  private static final Path ROOT = Path.of("..");

  static List<Path> faults() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("faults"))) {
      List<Path> patches = files.filter(file -> file.toString().endsWith(".patch")).toList();
      assertThat(patches).hasSizeGreaterThanOrEqualTo(25);
      return patches;
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void faultCanBePlanted(Path patch) throws IOException {
    List<String> lines = Files.readAllLines(patch);
    String module = field(lines, "Module");
    assertThat(field(lines, "Fault")).endsWith(".");
    assertThat(field(lines, "Loss")).endsWith(".");
    String source = "";
    List<StringBuilder> hunks = new ArrayList<>();
    for (String line : lines.subList(lines.indexOf("") + 1, lines.size())) {
      if (line.startsWith("--- a/")) {
        assertThat(line).startsWith("--- a/" + module + "/");
        assertThat(source).as("one file").isEmpty();
        source = Files.readString(ROOT.resolve(line.substring("--- a/".length())));
      } else if (line.startsWith("@@ ")) {
        hunks.add(new StringBuilder());
      } else if (line.startsWith(" ") || line.startsWith("-")) {
        hunks.get(hunks.size() - 1).append(line.substring(1)).append('\n');
      }
    }
    assertThat(hunks).isNotEmpty();
    for (StringBuilder hunk : hunks) {
      int first = source.indexOf(hunk.toString());
      assertThat(first).as("the source is to have, once:%n%s", hunk).isNotNegative();
      assertThat(source.indexOf(hunk.toString(), first + 1)).as("another place").isNegative();
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void testsThatCatchItAreThere(Path patch) throws IOException {
    List<String> lines = Files.readAllLines(patch);
    boolean elsewhere = lines.stream().anyMatch(line -> line.startsWith("Tests-in:"));
    Path tests =
        ROOT.resolve(field(lines, elsewhere ? "Tests-in" : "Module")).resolve("src/test/java");
    List<String> names = new ArrayList<>(List.of(field(lines, "Tests").split(", *", -1)));
    lines.stream()
        .filter(line -> line.startsWith("Each: "))
        .forEach(line -> names.addAll(List.of(line.substring("Each: ".length()).split(", *", -1))));
    for (String test : names) {
      String[] parts = test.split("[#+]", -1);
      String source = source(tests, parts[0] + ".java");
      for (int i = 1; i < parts.length; i++) {
        assertThat(source).contains("void " + parts[i] + "(");
      }
    }
  }

  private static String source(Path tests, String name) throws IOException {
    try (Stream<Path> files = Files.walk(tests)) {
      List<Path> found = files.filter(file -> file.getFileName().toString().equals(name)).toList();
      assertThat(found).as(name).hasSize(1);
      return Files.readString(found.get(0));
    }
  }

  private static String field(List<String> lines, String name) {
    List<String> values = new ArrayList<>();
    for (String line : lines.subList(0, lines.indexOf(""))) {
      if (line.startsWith(name + ": ")) {
        values.add(line.substring(name.length() + 2));
      }
    }
    assertThat(values).as(name).hasSize(1);
    return values.get(0);
  }
}
