/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HadoopLineTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3.1.1",
        "3.1.2",
        "3.1.3",
        "3.1.1.7.1.7.0-551",
        "3.1.4.7.3.1",
        "3.1.40",
        "3.1.5-SNAPSHOT",
        "3.1.",
        "3.3.6",
        "Unknown"
      })
  void otherVersionsAreRefusedByName(String version) {
    assertThatThrownBy(() -> HadoopLine.require(version))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Hadoop 3.1.4 exactly")
        .hasMessageContaining("this is " + version);
  }

  @Test
  void theTestedOneIsTaken() throws IOException {
    HadoopLine.require("3.1.4");
    HadoopLine.require();
  }
}
