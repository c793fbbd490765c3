/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HadoopVersions;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.VersionInfo;

/**
 * A line of Hadoop: releases whose DataNodes have the same shape, so that one subclass of their
 * dataset fits them all. That classes fit does not tell whether blocks are copied, deleted and
 * locked by the methods that HDRF overrides; so other versions than the tested ones have to be
 * accepted by a key.
 */
public enum HadoopLine {
  HADOOP_3_1("3.1"),
  HADOOP_3_3("3.3"),
  HADOOP_3_4("3.4");

  private final String label;

  HadoopLine(String label) {
    this.label = label;
  }

  /** The end of the names of this line's classes. */
  public String suffix() {
    return label.replace(".", "");
  }

  /** Tells by methods of the DataNode's own dataset that came with a line. */
  public static HadoopLine of(Class<?> dataset) {
    if (has(dataset, "acquireDatasetLockManager")) {
      return HADOOP_3_4;
    }
    return has(dataset, "acquireDatasetReadLock") ? HADOOP_3_3 : HADOOP_3_1;
  }

  private static boolean has(Class<?> type, String method) {
    return Arrays.stream(type.getMethods()).anyMatch(found -> found.getName().equals(method));
  }

  /**
   * Returns if HDRF is to run in the Hadoop on the class path, which looks like one of this line.
   *
   * @param lacking what HDRF overrides, and that Hadoop has not
   * @throws IOException if not; says which version it is, what it looks like, and what to do
   */
  public void require(Configuration conf, List<String> lacking) throws IOException {
    require(
        VersionInfo.getVersion().trim(),
        lacking,
        conf.getTrimmedStringCollection(HdrfKeys.HADOOP_UNTESTED));
  }

  void require(String version, List<String> lacking, Collection<String> accepted)
      throws IOException {
    String back = "where blocks are reduced already, go back to the Hadoop that ran before";
    String what = version + ", whose DataNode looks like that of " + label;
    if (HadoopVersions.isTooOld(version)) {
      throw new IOException(
          "HDRF needs Hadoop 3.1.4 or later, and this is " + version + "; " + back);
    }
    if (HadoopVersions.isTested(version) && lineOf(version) != this) {
      throw new IOException(
          "This is Hadoop "
              + what
              + "; have jars of one version in share/hadoop: hadoop-common tells the version, and"
              + " hadoop-hdfs has the DataNode");
    }
    if (!lacking.isEmpty()) {
      throw new IOException(
          "HDRF can't run in Hadoop "
              + what
              + " but lacks what HDRF overrides: "
              + lacking
              + "; no setting helps; "
              + back);
    }
    if (!HadoopVersions.isTested(version) && !accepted.contains(version)) {
      throw new IOException(
          "HDRF is tested with Hadoop "
              + String.join(", ", HadoopVersions.TESTED)
              + ", and this is "
              + what
              + "; to run HDRF in it all the same, add "
              + version
              + " to "
              + HdrfKeys.HADOOP_UNTESTED
              + (accepted.isEmpty() ? "" : ", which is " + String.join(",", accepted))
              + ", first with data that you can lose; "
              + back);
    }
  }

  private static HadoopLine lineOf(String tested) {
    if (tested.startsWith("3.1.")) {
      return HADOOP_3_1;
    }
    return tested.startsWith("3.3.") ? HADOOP_3_3 : HADOOP_3_4;
  }
}
