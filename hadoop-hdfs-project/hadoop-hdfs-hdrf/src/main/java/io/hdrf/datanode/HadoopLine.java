/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HadoopVersions;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
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

  /**
   * Returns the line of the Hadoop on the class path.
   *
   * @param dataset the DataNode's own dataset
   * @throws IOException if HDRF is not to run in it; says which version it is, what it looks like,
   *     and what to do
   */
  public static HadoopLine require(Configuration conf, Class<?> dataset) throws IOException {
    HadoopLine shape = shapeOf(dataset);
    require(
        VersionInfo.getVersion(), shape, conf.getTrimmedStringCollection(HdrfKeys.HADOOP_UNTESTED));
    return shape;
  }

  /** Tells by methods that came with a line. */
  private static HadoopLine shapeOf(Class<?> dataset) {
    if (has(dataset, "acquireDatasetLockManager")) {
      return HADOOP_3_4;
    }
    return has(dataset, "acquireDatasetReadLock") ? HADOOP_3_3 : HADOOP_3_1;
  }

  private static boolean has(Class<?> type, String method) {
    return Arrays.stream(type.getMethods()).anyMatch(found -> found.getName().equals(method));
  }

  static void require(String version, HadoopLine shape, Collection<String> accepted)
      throws IOException {
    String back = "where blocks are reduced already, go back to the Hadoop that ran before";
    if (HadoopVersions.isTooOld(version)) {
      throw new IOException(
          "HDRF needs Hadoop 3.1.4 or later, and this is " + version + "; " + back);
    }
    if (!HadoopVersions.isTested(version) && !accepted.contains(version)) {
      throw new IOException(
          "HDRF is tested with Hadoop "
              + String.join(", ", HadoopVersions.TESTED)
              + ", and this is "
              + version
              + ", whose DataNode looks like that of "
              + shape.label
              + "; to run HDRF in it all the same, set "
              + HdrfKeys.HADOOP_UNTESTED
              + " to "
              + version
              + ", first with data that you can lose; "
              + back);
    }
  }
}
