/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FuzzRunTest {

  private static final Path ROOT = Path.of("../..");

  private static final Pattern PARENT =
      Pattern.compile("<relativePath>(.*)/pom.xml</relativePath>");

  @Test
  void targetsAreFoundByTheirAnnotation(@TempDir Path home) throws IOException {
    Path sources = Files.createDirectories(home.resolve("a/b/src/test/java/x/y"));
    Files.writeString(
        sources.resolve("ReaderFuzzTest.java"),
        "package x.y;\nclass ReaderFuzzTest {\n  @FuzzTest(maxDuration = \"1m\")\n"
            + "  void one(byte[] b) {}\n  void none(byte[] b) {}\n  @FuzzTest\n"
            + "  void two(byte[] b) throws IOException {}\n}\n");
    Files.writeString(sources.resolve("OtherTest.java"), "package x.y;\n@FuzzTest\nvoid no(");
    List<FuzzTarget> targets = FuzzTarget.in(home);
    Path module = home.resolve("a/b");
    assertThat(targets)
        .containsExactly(
            new FuzzTarget(module, "x.y.ReaderFuzzTest", "one"),
            new FuzzTarget(module, "x.y.ReaderFuzzTest", "two"));
    assertThat(targets.get(1).inputs())
        .isEqualTo(module.resolve("src/test/resources/x/y/ReaderFuzzTestInputs/two"));
  }

  @Test
  void whatJazzerSaysIsRead() {
    String output =
        "INFO: Seed: 1\n#5\tINITED cov: 67 ft: 74 corp: 4/87b exec/s: 0 rss: 1959Mb\n"
            + "#32768\tpulse  cov: 74 ft: 89 corp: 6/99b\n"
            + "#96475\tDONE   cov: 76 ft: 89 corp: 6/99b lim: 980\n"
            + "Done 96475 runs in 6 second(s)\n";
    assertThat(FuzzRun.Outcome.of(output)).isEqualTo(new FuzzRun.Outcome(96475, 76));
    assertThat(FuzzRun.Outcome.of("no such class")).isEqualTo(new FuzzRun.Outcome(0, 0));
  }

  @Test
  void minutesAreShared() {
    assertThat(FuzzRun.seconds(10, 30)).isEqualTo(20);
    assertThat(FuzzRun.seconds(0.1, 30)).isEqualTo(1);
  }

  /** The suite replays the kept inputs of a target, and each target has some. */
  @Test
  void theSuiteReplaysWhatIsKept() throws IOException {
    List<FuzzTarget> targets = FuzzTarget.in(ROOT);
    assertThat(targets).hasSizeGreaterThan(18);
    for (FuzzTarget target : targets) {
      assertThat(build(target.module()))
          .as("%s is run with its inputs", target)
          .contains("<id>fuzz-tests</id>")
          .contains("<groups>jazzer</groups>");
      try (Stream<Path> kept = Files.list(target.inputs())) {
        assertThat(kept).as("inputs kept for %s", target).isNotEmpty();
      }
    }
  }

  /** What a module's own POM and its parents below the root say. */
  private static String build(Path module) throws IOException {
    String pom = Files.readString(module.resolve("pom.xml"));
    Matcher named = PARENT.matcher(pom);
    Path parent = module.resolve(named.find() ? named.group(1) : "..").normalize();
    return parent.equals(ROOT) ? pom : pom + build(parent);
  }
}
