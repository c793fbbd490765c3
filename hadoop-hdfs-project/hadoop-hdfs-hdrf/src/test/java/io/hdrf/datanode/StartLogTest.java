/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.LogCapture;
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;

class StartLogTest {

  /** Stock code reads metrics of the dataset before its constructor has ended. */
  @Test
  void metricsCanBeReadWhileTheDatasetIsMade() throws Exception {
    try (LogCapture warnings = new LogCapture(Level.WARN, "FsDatasetImpl");
        HdrfCluster cluster = HdrfCluster.start(HdrfCluster.configuration(), 1)) {
      assertThat(cluster.service(0)).isNotNull();
      assertThat(warnings.messages()).noneMatch(message -> message.contains("metric"));
    }
  }
}
