/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import io.hdrf.cluster.HadoopRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Places of files, from the system properties that {@code bin/hdrf} sets. */
final class Home {
  private Home() {}

  /**
   * Returns HDRF's source tree.
   *
   * @throws ClusterException if this runs from a distribution
   */
  static Path directory() throws IOException {
    if (isDistribution()) {
      throw new ClusterException("This needs HDRF's source tree; here is a distribution only");
    }
    return property("hdrf.home");
  }

  /**
   * Returns whether this runs from a distribution packed by {@code hdrf dist}, and not from a
   * source tree.
   */
  static boolean isDistribution() {
    return Boolean.getBoolean("hdrf.distribution");
  }

  /**
   * Returns the directory with {@code core-site.xml} and {@code hdfs-site.xml} of the Hadoop that
   * this distribution is used with.
   */
  static Optional<Path> installedConfiguration() {
    return Optional.ofNullable(System.getProperty("hdrf.conf")).map(Path::of);
  }

  /** Returns the layout that {@code bin/hdrf} builds and this command runs from. */
  static Path dist() throws IOException {
    return property("hdrf.dist");
  }

  /**
   * Returns the directory with the jars of schemes.
   *
   * @param given that of {@code --plugins}, or null
   */
  static Path plugins(Path given) throws IOException {
    return given == null ? dist().resolve("plugins") : given;
  }

  /** Returns the directory of {@code hdrf cluster} where none is given. */
  static Path cluster() {
    return Path.of(System.getProperty("user.home"), ".hdrf", "cluster");
  }

  /** Returns the distribution that HADOOP_HOME names, else Hadoop's jars in {@link #dist}. */
  static HadoopRuntime runtime() throws IOException {
    String hadoopHome = System.getenv("HADOOP_HOME");
    return hadoopHome == null || hadoopHome.isEmpty()
        ? HadoopRuntime.ofDist(dist())
        : HadoopRuntime.ofHadoopHome(Path.of(hadoopHome), dist());
  }

  /**
   * Returns the runtime of a version of Hadoop, or {@link #runtime()} if it is empty.
   *
   * @throws IllegalArgumentException if HADOOP_HOME chooses another
   */
  static HadoopRuntime runtime(String version) throws IOException {
    if (version.isEmpty()) {
      return runtime();
    }
    String hadoopHome = System.getenv("HADOOP_HOME");
    if (hadoopHome != null && !hadoopHome.isEmpty()) {
      throw new IllegalArgumentException(
          "Hadoop " + version + " is asked for, and HADOOP_HOME=" + hadoopHome + " is set");
    }
    return OtherHadoop.runtime(version);
  }

  private static Path property(String name) throws IOException {
    String value = System.getProperty(name);
    if (value == null) {
      throw new ClusterException("Run this command through bin/hdrf (no -D" + name + ")");
    }
    return Path.of(value);
  }
}
