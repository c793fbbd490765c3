/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tlc2.TLC;

/** The models in {@code docs/spec}, checked by TLC. */
class SpecificationTest {

  private static final Path MODELS = Path.of("../../docs/spec");
  private static final Pattern RULE = Pattern.compile("(?m)^ +(\\w+) = TRUE$");

  static Stream<List<String>> rules() throws IOException {
    Stream.Builder<List<String>> all = Stream.builder();
    for (String model : List.of("Chunks", "Replica")) {
      Matcher rule = RULE.matcher(Files.readString(MODELS.resolve(model + ".cfg")));
      while (rule.find()) {
        all.add(List.of(model, rule.group(1)));
      }
    }
    return all.build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Chunks", "Replica"})
  void nothingIsLost(String model) throws Exception {
    String configuration = Files.readString(MODELS.resolve(model + ".cfg"));
    assertThat(check(model, model, configuration))
        .contains("Model checking completed. No error has been found.");
  }

  @ParameterizedTest
  @MethodSource("rules")
  void eachRuleIsNeeded(List<String> taken) throws Exception {
    String model = taken.get(0);
    String rule = taken.get(1);
    String configuration =
        Files.readString(MODELS.resolve(model + ".cfg"))
            .replace(rule + " = TRUE", rule + " = FALSE")
            .replaceAll("(?m)^INVARIANTS .*$", "INVARIANTS Readable");
    assertThat(check(model, model + "-" + rule, configuration))
        .contains("Invariant Readable is violated.");
  }

  @Test
  void allRulesAreChecked() throws Exception {
    assertThat(rules()).hasSize(10);
  }

  private static String check(String model, String name, String configuration) throws Exception {
    Path directory = Files.createDirectories(Path.of("target/spec", name));
    Path specification = directory.resolve(model + ".tla");
    Files.copy(MODELS.resolve(model + ".tla"), specification, StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(directory.resolve(model + ".cfg"), configuration);
    Path tools = Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path output = directory.resolve("output.txt");
    Process checker =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseParallelGC",
                "-Xmx1g",
                "-cp",
                tools.toString(),
                "tlc2.TLC",
                "-workers",
                "2",
                "-metadir",
                "states",
                "-config",
                model + ".cfg",
                model + ".tla")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      checker.waitFor();
    } finally {
      checker.destroyForcibly();
    }
    return Files.readString(output);
  }
}
