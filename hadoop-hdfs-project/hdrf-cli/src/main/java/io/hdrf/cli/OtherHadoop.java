/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.Maven;
import io.hdrf.conf.HadoopVersions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.util.VersionInfo;

/**
 * Hadoop's jars of another version than this command's, for daemons and jobs: in {@code
 * target/hadoop-VERSION} of the source tree, fetched by Maven when they are first asked for.
 */
final class OtherHadoop {
  private static final String MODULE = "hadoop-hdfs-project/hadoop-runtime/pom.xml";

  /** The versions to choose from, for the help. */
  static final class Versions implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return HadoopVersions.TESTED.iterator();
    }
  }

  private OtherHadoop() {}

  /**
   * Returns the version that is asked for, or empty if it is this command's.
   *
   * @param asked a version that HDRF was tested with, or a line, such as 3.4, for its newest one
   * @throws IllegalArgumentException if it is neither
   */
  static String version(String asked) {
    String version =
        HadoopVersions.TESTED.stream()
            .filter(tested -> tested.equals(asked) || line(tested).equals(asked))
            .reduce((older, newer) -> newer)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "Hadoop "
                            + asked
                            + " is none that HDRF was tested with: "
                            + String.join(", ", HadoopVersions.TESTED)));
    return version.equals(VersionInfo.getVersion()) ? "" : version;
  }

  private static String line(String version) {
    return version.substring(0, version.lastIndexOf('.'));
  }

  /** Returns its runtime. */
  static HadoopRuntime runtime(String version) throws IOException {
    Path home = Home.directory();
    Path jars = home.resolve("target").resolve("hadoop-" + version);
    if (!Files.isDirectory(jars)) {
      Path part = jars.resolveSibling(jars.getFileName() + ".part");
      WorkDirectory.deleteTree(part);
      try (Progress progress =
          Terminal.system().progress("Fetching Hadoop " + version, 0, Progress.Unit.NONE)) {
        Maven.fetch(
            "Hadoop " + version,
            home.resolve(MODULE),
            jars.resolveSibling("fetch-" + jars.getFileName() + ".log"),
            List.of(
                "-Dhadoop.version=" + version,
                "-DincludeScope=runtime",
                "-DoutputDirectory=" + part,
                "dependency:copy-dependencies"));
        Files.move(part, jars, StandardCopyOption.ATOMIC_MOVE);
        progress.done(jars.toString());
      }
    }
    return HadoopRuntime.ofJars(jars, Home.dist());
  }
}
