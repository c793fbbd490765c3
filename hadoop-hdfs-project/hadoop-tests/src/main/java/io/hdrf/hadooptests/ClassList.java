/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The list of test classes to run: the file that Surefire reads, and the rules that select names.
 */
final class ClassList {
  private static final String HEADING = "class\tsize\tfrom";
  private static final String SUFFIX = ".class";

  private ClassList() {}

  /**
   * Returns the classes of a table that are run on a version of Hadoop. Its columns: {@code class};
   * {@code size}, which is {@code quick} or {@code full}; {@code from}, the first line of Hadoop on
   * which the class is run, such as {@code 3.4}, or nothing for all of them.
   */
  static List<String> listed(Path table, String version, boolean quickOnly) throws IOException {
    List<String> lines = Files.readAllLines(table, UTF_8);
    if (lines.isEmpty() || !lines.get(0).equals(HEADING)) {
      throw new IOException(table + ": expected the heading \"" + HEADING + "\"");
    }
    List<String> names = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cell = line.split("\t", -1);
      if (cell.length != 3 || !(cell[1].equals("quick") || cell[1].equals("full"))) {
        throw new IOException(
            table + ": expected CLASS<tab>quick|full<tab>LINE, found \"" + line + "\"");
      }
      boolean there =
          cell[2].isEmpty() || Version.parse(version).compareTo(Version.parse(cell[2])) >= 0;
      if (there && (!quickOnly || cell[1].equals("quick"))) {
        names.add(cell[0]);
      }
    }
    return names;
  }

  /**
   * Returns the full names of the classes below {@code directory} with the name {@code name}, which
   * may be a simple name, a full one, or either with {@code *}.
   *
   * @throws IOException if there is none
   */
  static List<String> find(Path directory, String name) throws IOException {
    String simple = name.substring(name.lastIndexOf('.') + 1);
    try (Stream<Path> files =
        Files.find(
            directory,
            Integer.MAX_VALUE,
            (file, attributes) -> matches(file.getFileName().toString(), simple + SUFFIX))) {
      List<String> found =
          files
              .map(file -> className(directory.relativize(file).toString()))
              .filter(full -> !name.contains(".") || matches(full, name))
              .sorted()
              .collect(Collectors.toList());
      if (found.isEmpty()) {
        throw new IOException("no class " + name + " among Hadoop's tests");
      }
      return found;
    }
  }

  /** Reads names from a file that {@link #write} made. */
  static List<String> read(Path includes) throws IOException {
    return Files.readAllLines(includes, UTF_8).stream()
        .map(ClassList::className)
        .collect(Collectors.toList());
  }

  /** Writes names in the form of Surefire's {@code includesFile}. */
  static void write(Path includes, List<String> names) throws IOException {
    Files.createDirectories(includes.toAbsolutePath().getParent());
    StringBuilder text = new StringBuilder();
    names.forEach(name -> text.append(name.replace('.', '/')).append(SUFFIX).append('\n'));
    Files.write(includes, text.toString().getBytes(UTF_8));
  }

  private static String className(String file) {
    return file.substring(0, file.length() - SUFFIX.length()).replace('/', '.');
  }

  private static boolean matches(String name, String pattern) {
    String[] part = pattern.split("\\*", -1);
    int at = part[0].length();
    if (!name.startsWith(part[0])) {
      return false;
    }
    for (int i = 1; i < part.length; i++) {
      boolean last = i == part.length - 1;
      int found = last ? name.length() - part[i].length() : name.indexOf(part[i], at);
      if (found < at || !name.startsWith(part[i], found)) {
        return false;
      }
      at = found + part[i].length();
    }
    return at == name.length() && !name.contains("$");
  }
}
