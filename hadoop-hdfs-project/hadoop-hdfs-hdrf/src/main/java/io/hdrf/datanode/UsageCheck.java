/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.spi.BadSettingException;
import org.apache.hadoop.conf.Configuration;

/** Refuses settings of the DataNode that would make its figures wrong under HDRF. */
final class UsageCheck {

  private static final String USAGE_KEY = "fs.getspaceused.classname";
  private static final String SUMS_LOGICAL_LENGTHS = "ReplicaCachingGetSpaceUsed";

  private UsageCheck() {}

  static void check(Configuration configuration) throws BadSettingException {
    String usage = configuration.getTrimmed(USAGE_KEY, "");
    if (usage.endsWith(SUMS_LOGICAL_LENGTHS)) {
      throw new BadSettingException(
          USAGE_KEY,
          usage,
          "another class (or unset): this one adds up the blocks' logical lengths, and would count"
              + " what HDRF saves as used");
    }
  }
}
