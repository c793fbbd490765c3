/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HadoopVersions;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OtherHadoopTest {

  @ParameterizedTest
  @CsvSource({"3.3.6, 3.3.6", "3.4.3, 3.4.3", "3.3, 3.3.6", "3.4, 3.4.3", "3.5, 3.5.0"})
  void aVersionOrALineIsTaken(String asked, String version) {
    assertThat(OtherHadoop.version(asked)).isEqualTo(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.1.4", "3.1"})
  void itsOwnIsNoOther(String asked) {
    assertThat(VersionInfo.getVersion()).isEqualTo("3.1.4");
    assertThat(OtherHadoop.version(asked)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.2.4", "3.4.0", "3.4.1-amzn-2", "3", "3.", "3.40", "4", "", "../3.4.3"})
  void othersAreRefusedByName(String asked) {
    assertThatThrownBy(() -> OtherHadoop.version(asked))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Hadoop " + asked + " is none")
        .hasMessageContaining(String.join(", ", HadoopVersions.TESTED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"demo", "start"})
  void theHelpListsThem(String command) {
    var commands = Main.commandLine().getSubcommands();
    var help =
        command.equals("demo")
            ? commands.get(command)
            : commands.get("cluster").getSubcommands().get(command);
    assertThat(help.getUsageMessage().replaceAll("\\s+", " "))
        .contains(String.join(", ", HadoopVersions.TESTED));
  }
}
