/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.IOException;
import org.apache.hadoop.util.VersionInfo;

/** Which DataNodes HDRF takes the storage of. */
public final class HadoopLine {

  private static final String LINE = "3.1.";

  private HadoopLine() {}

  /**
   * Refuses to start in a DataNode of another line. The classes may well fit together: but whether
   * blocks are copied, deleted and locked there by the methods that HDRF overrides is not known.
   *
   * @throws IOException if this is another line; says which
   */
  public static void require() throws IOException {
    String version = VersionInfo.getVersion();
    if (!version.startsWith(LINE)) {
      throw new IOException(
          "HDRF is for DataNodes of Hadoop "
              + LINE
              + "x, and this is "
              + version
              + "; where blocks are reduced, go back to that version");
    }
  }
}
