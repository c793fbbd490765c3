/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A method that Jazzer calls with inputs that it makes.
 *
 * @param module the directory of its Maven module
 * @param className with the package
 */
record FuzzTarget(Path module, String className, String method) {

  private static final String SOURCES = "src/test/java";
  private static final String RESOURCES = "src/test/resources";

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern METHOD =
      Pattern.compile("@FuzzTest\\b(?:\\([^)]*\\))?\\s+void (\\w+)\\(");

  /** Returns all targets of a source tree, in the order of their names. */
  static List<FuzzTarget> in(Path home) throws IOException {
    List<Path> files;
    try (Stream<Path> tree = Files.walk(home)) {
      files =
          tree.filter(file -> file.toString().endsWith("FuzzTest.java"))
              .filter(file -> file.toString().contains("/" + SOURCES + "/"))
              .sorted()
              .toList();
    }
    List<FuzzTarget> targets = new ArrayList<>();
    for (Path file : files) {
      String source = Files.readString(file);
      Matcher inPackage = PACKAGE.matcher(source);
      if (!inPackage.find()) {
        continue;
      }
      String simpleName = file.getFileName().toString().replace(".java", "");
      String path = file.toString();
      Path module = Path.of(path.substring(0, path.indexOf("/" + SOURCES + "/")));
      Matcher method = METHOD.matcher(source);
      while (method.find()) {
        targets.add(new FuzzTarget(module, inPackage.group(1) + "." + simpleName, method.group(1)));
      }
    }
    return targets;
  }

  /**
   * Returns the directory where Jazzer looks for inputs that every run of the test suite replays.
   */
  Path inputs() {
    return module
        .resolve(RESOURCES)
        .resolve(className.replace('.', '/') + "Inputs")
        .resolve(method);
  }

  String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1) + "#" + method;
  }
}
