/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.scheme.Guide;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The guides to schemes and stores of one's own, followed word by word in an empty directory with
 * the packed distribution and a Hadoop.
 */
@Timeout(600)
class GuidesTest {
  private static final Path DIRECTORY =
      Path.of(System.getProperty("hdrf.test.directory")).resolveSibling("guides");

  /** Maven as this build runs it, where the guide says {@code mvn}. */
  private static final String MAVEN =
      "mvn() { command mvn -B -ntp "
          + ("offline=true".equals(System.getProperty("hdrf.test.maven.offline")) ? "-o " : "")
          + "'-Dmaven.repo.local="
          + System.getProperty("hdrf.test.maven.repository")
          + "' \"$@\" >maven.log; }\n";

  private static Path unpacked;
  private static Path hadoop;

  @BeforeAll
  static void pack() throws Exception {
    FileUtil.fullyDelete(DIRECTORY.toFile());
    unpacked = Unpacked.in(DIRECTORY);
    hadoop = AssembledHome.in(DIRECTORY.resolve("hadoop")).directory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"schemes", "stores"})
  void aNewcomerGetsWhatTheGuidePromises(String subject) throws Exception {
    Path work = Files.createDirectories(DIRECTORY.resolve(subject));
    Map<String, String> environment =
        Map.of("HDRF", unpacked.toString(), "HADOOP_HOME", hadoop.toString());
    Guide guide = new Guide(unpacked.resolve("docs").resolve(subject + ".md"), work);
    guide.writeFiles();
    int shown = 0;
    try {
      for (Guide.Commands commands : guide.commands()) {
        String printed = guide.run(MAVEN + commands.lines(), environment);
        if (commands.prints() != null) {
          shown++;
          assertThat(printed).endsWith(commands.prints());
        }
      }
    } finally {
      guide.run("\"$HDRF/bin/hdrf\" cluster stop --data-dir cluster", environment);
    }
    assertThat(shown).as("outputs that the guide shows").isPositive();
    assertThat(work.resolve("maven.log")).content().contains("Tests run: ", "BUILD SUCCESS");
  }
}
