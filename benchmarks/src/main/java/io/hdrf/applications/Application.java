/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import java.util.List;

/**
 * A job as a user runs it.
 *
 * @param name as the table shows it
 * @param check of what it left, which takes no part in its time
 * @param outputs what it leaves in HDFS that must be the same on every cluster; may be empty
 */
record Application(String name, Work work, Work check, List<String> outputs) {

  /** A job whose outputs say all. */
  Application(String name, Work work, List<String> outputs) {
    this(name, work, bed -> {}, outputs);
  }

  /** Runs it. */
  interface Work {
    /**
     * Runs it to its end.
     *
     * @param bed the cluster that is tried
     * @throws Exception if it fails, or checks something that is wrong
     */
    void run(Bed bed) throws Exception;
  }
}
