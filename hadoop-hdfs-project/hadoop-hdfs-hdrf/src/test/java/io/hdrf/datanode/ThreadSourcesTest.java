/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** In code that runs in a DataNode, only {@code HdrfThreads} makes threads. */
class ThreadSourcesTest {

  private static final List<String> MODULES =
      List.of(
          "native",
          "hdrf-core",
          "hdrf-codecs",
          "hdrf-metadata",
          "hadoop-hdfs-project/hadoop-hdfs-hdrf");

  private static final String FACTORY = "HdrfThreads.java";

  private static final Pattern MAKES_THREADS =
      Pattern.compile(
          "new (Thread|Daemon|SubjectInheritingThread|Timer|ForkJoinPool)\\b"
              + "|extends (Thread|Daemon|ForkJoinPool)\\b"
              + "|Executors\\.defaultThreadFactory"
              + "|Executors\\s*\\.new\\w+\\((?![^;]*HdrfThreads)"
              + "|new \\w*ThreadPoolExecutor\\((?![^;]*HdrfThreads)"
              + "|(supply|run)Async\\(|\\.parallel\\(\\)|parallelStream\\(|parallelSort\\(");

  @Test
  void onlyOnePlaceMakesThreads() throws IOException {
    List<String> found = new ArrayList<>();
    boolean factorySeen = false;
    for (Path source : sources()) {
      boolean makesThreads = MAKES_THREADS.matcher(Files.readString(source)).find();
      if (source.endsWith(FACTORY)) {
        factorySeen = makesThreads;
      } else if (makesThreads) {
        found.add(source.toString());
      }
    }
    assertThat(found).isEmpty();
    assertThat(factorySeen).as("what is looked for is found").isTrue();
  }

  private static List<Path> sources() throws IOException {
    Path root = root();
    List<Path> sources = new ArrayList<>();
    for (String module : MODULES) {
      for (Path file : SourceTree.files(root.resolve(module))) {
        if (file.toString().matches(".*/src/main/java/.*\\.java")) {
          sources.add(file);
        }
      }
    }
    return sources;
  }

  private static Path root() {
    Path directory = Paths.get("").toAbsolutePath();
    while (!Files.isDirectory(directory.resolve(MODULES.get(0) + "/src/main"))
        || !Files.isDirectory(directory.resolve("hdrf-core"))) {
      directory = directory.getParent();
    }
    return directory;
  }
}
