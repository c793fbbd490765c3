/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.spi.BadSettingException;
import org.apache.hadoop.conf.Configuration;

/** Refuses settings of the DataNode that would make its figures wrong under HDRF. */
public final class UsageCheck {

  private static final String USAGE_KEY = "fs.getspaceused.classname";
  private static final String SUMS_BLOCKS = "ReplicaCachingGetSpaceUsed";
  private static final String SUMS_FILES = "WindowsGetSpaceUsed";
  private static final String WHY =
      "another class (or unset): this one adds up logical lengths, and would count what HDRF saves"
          + " as used";

  private UsageCheck() {}

  static void check(Configuration configuration) throws BadSettingException {
    String usage = usage(configuration);
    if (usage.endsWith(SUMS_BLOCKS) || usage.endsWith(SUMS_FILES)) {
      throw new BadSettingException(USAGE_KEY, usage, WHY);
    }
  }

  /**
   * Checks what a running DataNode is about to measure use with.
   *
   * @param now its configuration
   * @param next the configuration that it takes the new value from
   * @throws IllegalArgumentException names the key; Hadoop shows it to the administrator
   */
  public static void checkChange(Configuration now, Configuration next) {
    if (usage(next).isEmpty() && !usage(now).isEmpty()) {
      throw new IllegalArgumentException(
          USAGE_KEY
              + " is unset, for which a running DataNode of this Hadoop takes "
              + SUMS_FILES
              + " on every system: it adds up logical lengths, and would count what HDRF saves as"
              + " used. Set org.apache.hadoop.fs.DU, or restart the DataNode instead");
    }
    try {
      check(next);
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static String usage(Configuration configuration) {
    return configuration.getTrimmed(USAGE_KEY, "");
  }
}
