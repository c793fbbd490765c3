/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InputsTest {

  private static String text(String from, int by) {
    return new String(Inputs.asText(from.getBytes(ISO_8859_1), by), ISO_8859_1);
  }

  @Test
  void textOfTheFirstPassIsThatOfTheTar() {
    assertThat(text("Zoo, 3 \u00e9\n\0\0", 0)).isEqualTo("Zoo, 3 \u00e9\n\n\n");
  }

  @Test
  void textOfLaterPassesHasTheSameWordsInOtherLetters() {
    assertThat(text("Zoo, zoo 3 \u00e9\n\0", 1)).isEqualTo("App, app 3 \u00e9\n\n");
    assertThat(text("Zoo", 27)).isEqualTo("App");
  }
}
