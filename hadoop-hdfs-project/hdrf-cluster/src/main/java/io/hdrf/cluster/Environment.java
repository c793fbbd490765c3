/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.util.Map;

/**
 * Removes settings of the user's shell for another Hadoop or JVM from the environment of HDRF's
 * processes.
 */
final class Environment {
  private Environment() {}

  static void clean(Map<String, String> environment) {
    environment
        .keySet()
        .removeIf(
            name ->
                name.startsWith("HADOOP_")
                    || name.startsWith("HDFS_")
                    || name.startsWith("YARN_")
                    || name.equals("CLASSPATH")
                    || name.equals("_JAVA_OPTIONS")
                    || name.equals("JDK_JAVA_OPTIONS"));
  }
}
