/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The runtime of daemons: a Java launcher, Hadoop's class path, HDRF's additions to it on a
 * DataNode, and the directory of plug-in jars. Immutable.
 */
public final class HadoopRuntime {
  private static final List<String> JVM_FLAGS =
      List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Djava.net.preferIPv4Stack=true");

  /** The system property with more flags, separated by spaces. */
  private static final String MORE_FLAGS = "hdrf.cluster.jvm.flags";

  /**
   * A directory beside the configuration, last on the class path: daemons don't start without
   * directories named {@code webapps/hdfs} and {@code webapps/datanode}, which Hadoop's jars in
   * Maven don't have.
   */
  static final String WEB = "web";

  private final Path java;
  private final List<String> hadoop;
  private final List<String> overlay;
  private final Optional<Path> plugins;

  private HadoopRuntime(List<String> hadoop, List<String> overlay, Optional<Path> plugins) {
    this.java = Path.of(System.getProperty("java.home"), "bin", "java");
    this.hadoop = List.copyOf(hadoop);
    this.overlay = List.copyOf(overlay);
    this.plugins = plugins;
  }

  /**
   * Returns the layout that {@code bin/hdrf} builds: {@code hadoop/}, {@code datanode/} and {@code
   * plugins/} below {@code dist}.
   */
  public static HadoopRuntime ofDist(Path dist) throws IOException {
    return ofJars(dist.resolve("hadoop"), dist);
  }

  /** Returns Hadoop's jars in a directory, with HDRF's own jars from {@code dist}. */
  public static HadoopRuntime ofJars(Path hadoop, Path dist) throws IOException {
    return new HadoopRuntime(
        List.of(jarsIn(hadoop)),
        List.of(jarsIn(dist.resolve("datanode"))),
        Optional.of(dist.resolve("plugins").toAbsolutePath()));
  }

  /**
   * Returns an unpacked Hadoop distribution, with HDRF's own jars from {@code dist}.
   *
   * @throws ClusterException if {@code hadoopHome} is not a Hadoop distribution
   */
  public static HadoopRuntime ofHadoopHome(Path hadoopHome, Path dist) throws IOException {
    Path share = hadoopHome.resolve("share").resolve("hadoop");
    List<String> classPath = new ArrayList<>();
    // Holds webapps/.
    classPath.add(share.resolve("hdfs").toAbsolutePath().toString());
    for (String part : List.of("common", "hdfs", "yarn", "mapreduce")) {
      for (Path directory : List.of(share.resolve(part).resolve("lib"), share.resolve(part))) {
        if (Files.isDirectory(directory)) {
          classPath.add(directory.toAbsolutePath() + "/*");
        }
      }
    }
    Path tools = share.resolve("tools").resolve("lib");
    if (Files.isDirectory(tools)) {
      classPath.add(tools.toAbsolutePath() + "/*");
    }
    if (!Files.isDirectory(share.resolve("hdfs"))) {
      throw new ClusterException(
          "HADOOP_HOME="
              + hadoopHome
              + " holds no Hadoop distribution: no share/hadoop/hdfs in it");
    }
    return new HadoopRuntime(
        classPath,
        List.of(jarsIn(dist.resolve("datanode"))),
        Optional.of(dist.resolve("plugins").toAbsolutePath()));
  }

  /**
   * Returns the given class paths, for tests that run from Maven: each entry a jar or directory.
   *
   * @param overlay the entries for DataNodes with HDRF only, in front of {@code hadoop}
   * @param plugins the value of {@code hdrf.plugins.dir}, or empty
   */
  public static HadoopRuntime ofClassPath(
      List<String> hadoop, List<String> overlay, Optional<Path> plugins) {
    return new HadoopRuntime(hadoop, overlay, plugins);
  }

  /** Returns the class path of the calling JVM, for everything. */
  public static HadoopRuntime ofThisJvm(Optional<Path> plugins) {
    String classPath = System.getProperty("surefire.test.class.path");
    if (classPath == null) {
      classPath = System.getProperty("java.class.path");
    }
    return new HadoopRuntime(List.of(classPath.split(File.pathSeparator)), List.of(), plugins);
  }

  /** Returns the same with the jars in a directory behind Hadoop's, for all that runs. */
  public HadoopRuntime withJars(Path directory) throws IOException {
    List<String> more = new ArrayList<>(hadoop);
    more.add(jarsIn(directory));
    return new HadoopRuntime(more, overlay, plugins);
  }

  private static String jarsIn(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new ClusterException("No directory " + directory + "; run bin/hdrf to build it");
    }
    try (Stream<Path> files = Files.list(directory)) {
      if (files.noneMatch(file -> file.toString().endsWith(".jar"))) {
        throw new ClusterException("No jar in " + directory + "; run bin/hdrf to build it");
      }
    }
    return directory.toAbsolutePath() + "/*";
  }

  /** Returns the value of {@code hdrf.plugins.dir}. */
  public Optional<Path> plugins() {
    return plugins;
  }

  /** Returns Hadoop's class path behind {@code conf}, in the form of {@code java -cp}. */
  public String classPath(Path conf) {
    return join(conf, List.of());
  }

  /** Returns the class path of a DataNode with HDRF. */
  public String dataNodeClassPath(Path conf) {
    return join(conf, overlay);
  }

  private String join(Path conf, List<String> first) {
    return Stream.of(
            List.of(conf.toAbsolutePath().toString()),
            first,
            hadoop,
            List.of(conf.toAbsolutePath().resolveSibling(WEB).toString()))
        .flatMap(List::stream)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns {@code java}, the flags that Hadoop needs on this JDK, and {@code flags}. */
  List<String> javaCommand(List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(JVM_FLAGS);
    Stream.of(System.getProperty(MORE_FLAGS, "").split(" "))
        .filter(flag -> !flag.isEmpty())
        .forEach(command::add);
    command.addAll(flags);
    return command;
  }
}
