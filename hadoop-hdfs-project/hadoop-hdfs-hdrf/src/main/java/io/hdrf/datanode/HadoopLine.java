/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.IOException;
import org.apache.hadoop.util.VersionInfo;

/** The DataNodes whose storage HDRF takes over. */
public final class HadoopLine {

  private static final String TESTED = "3.1.4";

  private HadoopLine() {}

  /**
   * Refuses to start in a DataNode of another version than the tested one: 3.1.1 to 3.1.3 lack
   * classes and methods that HDRF uses, and a vendor's build, such as 3.1.1.7.1.7 of CDP, is not
   * what its first three numbers say. Where classes fit together, it still is not known whether
   * blocks are copied, deleted and locked by the methods that HDRF overrides.
   *
   * @throws IOException if this is another version; says which
   */
  public static void require() throws IOException {
    require(VersionInfo.getVersion());
  }

  static void require(String version) throws IOException {
    if (!version.equals(TESTED)) {
      throw new IOException(
          "HDRF is for DataNodes of Hadoop "
              + TESTED
              + " exactly, and this is "
              + version
              + "; where blocks are reduced already, go back to the version of Hadoop that ran before,"
              + " or, if it is this one, to the earlier HDRF that ran with it");
    }
  }
}
