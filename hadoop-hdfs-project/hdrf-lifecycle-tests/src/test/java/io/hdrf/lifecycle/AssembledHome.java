/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A directory in the layout of an unpacked Hadoop, with links to Hadoop's jars from Maven and a
 * stand-in for Hadoop's shell.
 */
final class AssembledHome {
  static final String FIRST_LINE = "3.1";

  /** The Java of daemons; commands have that of the tests. */
  private static final String DAEMON_JAVA = System.getProperty("hdrf.test.java");

  private static final List<String> SCRIPTS = List.of("bin/hdfs", "libexec/hadoop-functions.sh");

  private final Path directory;

  private AssembledHome(Path directory) {
    this.directory = directory;
  }

  /** Returns Hadoop's jars and their dependencies: those that bin/hdrf runs Hadoop on. */
  static List<Path> hadoopJars() throws IOException {
    return hadoopJars(FIRST_LINE).orElseThrow();
  }

  /** Returns the jars of a line of Hadoop, if this build has them. */
  static Optional<List<Path>> hadoopJars(String line) throws IOException {
    Path first = Path.of(System.getProperty("hdrf.test.hadoop"));
    String module = "hadoop-runtime" + (line.equals(FIRST_LINE) ? "" : "-" + line);
    Path classPath =
        first.getParent().getParent().resolveSibling(module).resolve("target/hadoop.classpath");
    if (!Files.exists(classPath)) {
      return Optional.empty();
    }
    return Optional.of(
        Stream.of(Files.readString(classPath).strip().split(File.pathSeparator))
            .map(Path::of)
            .toList());
  }

  /**
   * Creates one of the first line.
   *
   * @param directory does not exist
   */
  static AssembledHome in(Path directory) throws IOException {
    return in(directory, FIRST_LINE);
  }

  /** Creates one of a line whose jars this build has. */
  static AssembledHome in(Path directory, String line) throws IOException {
    for (String path :
        List.of(
            "etc/hadoop",
            "libexec/shellprofile.d",
            "share/hadoop/common/lib",
            // Daemons don't start without these, which Hadoop's jars in Maven don't have.
            "share/hadoop/hdfs/webapps/hdfs",
            "share/hadoop/hdfs/webapps/datanode",
            "share/hadoop/yarn",
            "share/hadoop/mapreduce")) {
      Files.createDirectories(directory.resolve(path));
    }
    for (Path jar : hadoopJars(line).orElseThrow()) {
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

  /**
   * Puts Hadoop's own shell scripts in the stand-in's place.
   *
   * @param scripts a directory with {@code bin}, {@code sbin}, {@code libexec} and {@code etc}
   */
  void addScripts(Path scripts) throws IOException, InterruptedException {
    for (String part : List.of("bin", "sbin", "libexec")) {
      copy(scripts.resolve(part) + "/.", Files.createDirectories(directory.resolve(part)));
    }
    copy(scripts.resolve("etc/hadoop/log4j.properties").toString(), conf());
  }

  private static void copy(String from, Path to) throws IOException, InterruptedException {
    new Command(Path.of("cp"), "-r", from, to.toString()).output();
  }

  Path directory() {
    return directory;
  }

  Path conf() {
    return directory.resolve("etc/hadoop");
  }

  /** Installs Hadoop's native library, for domain sockets. */
  void addNativeLibrary() throws IOException {
    Path directory = Files.createDirectories(this.directory.resolve("lib/native"));
    Files.copy(
        Path.of(System.getProperty("hdrf.test.libhadoop")), directory.resolve("libhadoop.so"));
  }

  /** Returns {@code bin/hdfs} in it, for a daemon. */
  Command daemon(String options, String... arguments) {
    boolean modules = Files.exists(Path.of(DAEMON_JAVA, "lib/modules"));
    return new Command(directory.resolve("bin/hdfs"), arguments)
        .with("JAVA_HOME", DAEMON_JAVA)
        .with(
            "HADOOP_OPTS",
            (modules ? "--add-opens java.base/java.lang=ALL-UNNAMED " : "") + options);
  }

  /** Returns {@code bin/hdfs} in it. */
  Command hdfs(String... arguments) {
    return new Command(directory.resolve("bin/hdfs"), arguments)
        .with("HADOOP_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED -Xmx256m");
  }
}
