/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counters of one test class as a small file: a line {@code key=value} per counter. */
final class CounterFiles {
  private CounterFiles() {}

  static void write(Path directory, String testClass, Map<String, Long> counters)
      throws IOException {
    Files.createDirectories(directory);
    StringBuilder text = new StringBuilder();
    new TreeMap<>(counters)
        .forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    Path partial = directory.resolve(testClass + ".partial");
    Files.write(partial, text.toString().getBytes(UTF_8));
    Files.move(partial, directory.resolve(testClass), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns the counters of {@code testClass}; empty if it left none. */
  static Map<String, Long> read(Path directory, String testClass) throws IOException {
    Map<String, Long> counters = new HashMap<>();
    Path file = directory.resolve(testClass);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file, UTF_8)) {
        int equals = line.indexOf('=');
        counters.put(line.substring(0, equals), Long.parseLong(line.substring(equals + 1)));
      }
    }
    return counters;
  }
}
