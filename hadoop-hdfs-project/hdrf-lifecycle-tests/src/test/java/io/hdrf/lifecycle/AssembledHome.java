/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory laid out as an unpacked Hadoop, with Hadoop's jars from the class path of the tests
 * (as links) and a stand-in for Hadoop's shell.
 */
final class AssembledHome {
  /** Of tests and HDRF, not of Hadoop. */
  private static final Pattern OTHERS =
      Pattern.compile(
          "(hdrf|hadoop-hdfs-hdrf|junit|assertj|opentest4j|apiguardian|byte-buddy|picocli|surefire"
              + "|lz4-java|zstd-jni|rocksdbjni|jedis).*");

  private static final List<String> SCRIPTS = List.of("bin/hdfs", "libexec/hadoop-functions.sh");

  private final Path directory;

  private AssembledHome(Path directory) {
    this.directory = directory;
  }

  /** The class path of the tests, jar by jar. */
  static List<Path> testClassPath() {
    String classPath = System.getProperty("surefire.test.class.path");
    if (classPath == null) {
      classPath = System.getProperty("java.class.path");
    }
    return Stream.of(classPath.split(File.pathSeparator)).map(Path::of).toList();
  }

  /** Hadoop's jars and what they need. */
  static List<Path> hadoopJars() {
    return testClassPath().stream()
        .filter(jar -> jar.toString().endsWith(".jar"))
        .filter(jar -> !OTHERS.matcher(jar.getFileName().toString()).matches())
        .toList();
  }

  /**
   * Makes one.
   *
   * @param directory does not exist
   */
  static AssembledHome in(Path directory) throws IOException {
    for (String path :
        List.of(
            "etc/hadoop",
            "libexec/shellprofile.d",
            "share/hadoop/common/lib",
            // Daemons don't start without these, which Hadoop's jars in Maven don't hold.
            "share/hadoop/hdfs/webapps/hdfs",
            "share/hadoop/hdfs/webapps/datanode",
            "share/hadoop/yarn",
            "share/hadoop/mapreduce")) {
      Files.createDirectories(directory.resolve(path));
    }
    for (Path jar : hadoopJars()) {
      String name = jar.getFileName().toString();
      Files.createSymbolicLink(directory.resolve("share/hadoop").resolve(place(name)), jar);
    }
    for (String script : SCRIPTS) {
      Path target = directory.resolve(script);
      Files.createDirectories(target.getParent());
      Files.copy(Path.of("src/test/resources/hadoop-home").resolve(script), target);
      Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return new AssembledHome(directory);
  }

  private static String place(String jar) {
    if (jar.startsWith("hadoop-hdfs")) {
      return "hdfs/" + jar;
    } else if (jar.startsWith("hadoop-yarn")) {
      return "yarn/" + jar;
    } else if (jar.matches("hadoop-(mapreduce|distcp|streaming).*")) {
      return "mapreduce/" + jar;
    } else if (jar.startsWith("hadoop-common")) {
      return "common/" + jar;
    }
    return "common/lib/" + jar;
  }

  Path directory() {
    return directory;
  }

  Path conf() {
    return directory.resolve("etc/hadoop");
  }

  /** {@code bin/hdfs} in it. */
  Command hdfs(String... arguments) {
    return new Command(directory.resolve("bin/hdfs"), arguments)
        .with("HADOOP_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED -Xmx256m");
  }
}
