/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No binding holds a Java array or string in place: while one did, no collection could begin, and
 * on some virtual machines other threads would get an OutOfMemoryError.
 */
class NoCriticalSectionTest {

  @Test
  void noBindingKeepsTheCollectorFromRunning() throws IOException {
    List<String> found = new ArrayList<>();
    int bindings = 0;
    try (Stream<Path> sources = Files.walk(Path.of("src/main/c"))) {
      for (Path source : (Iterable<Path>) sources.filter(Files::isRegularFile)::iterator) {
        bindings += source.getFileName().toString().startsWith("hdrf_jni") ? 1 : 0;
        for (String line : Files.readAllLines(source)) {
          if (line.matches(".*(->|\\b)(Get|Release)(PrimitiveArray|String)Critical\\s*\\(.*")) {
            found.add(source + ": " + line.trim());
          }
        }
      }
    }
    assertThat(bindings).isGreaterThan(5);
    assertThat(found).isEmpty();
  }
}
