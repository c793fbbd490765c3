/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import io.hdrf.conf.HadoopVersions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * An unpacked Hadoop.
 *
 * @param directory absolute
 * @param version as its jars say, for instance 3.1.4
 */
record HadoopHome(Path directory, String version) {
  private static final String VERSION_ENTRY = "common-version-info.properties";

  /** What a DataNode takes for the version where there is none. */
  private static final String UNKNOWN = "Unknown";

  /** The files that show that a directory is a Hadoop in which HDRF can be installed. */
  private static final List<String> LANDMARKS =
      List.of(
          "bin/hdfs",
          "libexec/hadoop-functions.sh",
          "libexec/shellprofile.d",
          "share/hadoop/common",
          "share/hadoop/hdfs");

  /**
   * Checks a directory.
   *
   * @throws ClusterException if it is not a Hadoop
   */
  static HadoopHome of(Path directory) throws IOException {
    Path home = directory.toAbsolutePath().normalize();
    for (String landmark : LANDMARKS) {
      if (!Files.exists(home.resolve(landmark))) {
        throw new ClusterException(
            home + " is no unpacked Hadoop distribution: there is no " + landmark + " in it");
      }
    }
    return new HadoopHome(home, version(home.resolve("share/hadoop/common")));
  }

  /**
   * Checks that HDRF runs in it; the DataNode checks it again.
   *
   * @param untested whether one will do that HDRF was not tested with
   * @throws ClusterException if it does not
   */
  void requireVersion(boolean untested) throws ClusterException {
    if (HadoopVersions.isTooOld(version)) {
      throw new ClusterException(
          directory + " is Hadoop " + version + "; HDRF needs 3.1.4 or later");
    }
    if (!untested && !isTested()) {
      throw new ClusterException(
          directory
              + " is Hadoop "
              + version
              + "; HDRF was tested with "
              + String.join(", ", HadoopVersions.TESTED)
              + "; for another version see --untested");
    }
  }

  boolean isTested() {
    return HadoopVersions.isTested(version);
  }

  private static String version(Path common) throws IOException {
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(common, "hadoop-common-*.jar")) {
      for (Path jar : jars) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
          ZipEntry entry = zip.getEntry(VERSION_ENTRY);
          if (entry != null) {
            Properties facts = new Properties();
            try (InputStream in = zip.getInputStream(entry)) {
              facts.load(in);
            }
            return facts.getProperty("version", UNKNOWN);
          }
        }
      }
    }
    throw new ClusterException(
        "Can't tell the version of Hadoop: no hadoop-common jar in "
            + common
            + " has a "
            + VERSION_ENTRY);
  }

  /** Joins a path to this directory. */
  Path resolve(String path) {
    return directory.resolve(path);
  }
}
