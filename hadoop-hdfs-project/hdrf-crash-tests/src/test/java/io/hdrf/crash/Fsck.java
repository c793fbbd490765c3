/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** The requests of {@code hdrf fsck} to running DataNodes. For one thread. */
final class Fsck {

  /** The positions of the numbers in a comparison of records. */
  private static final int BLOCKS = 0;

  private static final int FIRST_DIFFERENCE = 1;
  private static final int UNREADABLE = 4;

  private long blocks;
  private long references;

  /** Returns the number of blocks that agreed with their records. */
  long blocks() {
    return blocks;
  }

  /** Returns the number of checked references to the contents of schemes' stores. */
  long references() {
    return references;
  }

  /** Fails if a block refers to anything that is missing. */
  void checkReferences(DataNode dataNode, Configuration conf) throws IOException {
    try (AdminClient client = AdminClient.connect(dataNode.ipcAddress(), conf)) {
      for (VolumeInfo store : client.schemeStores()) {
        ReferenceReport report = client.checkReferences(store);
        assertThat(report.isClean())
            .as(dataNode.name() + ", " + store.store() + ": " + report.lines())
            .isTrue();
        references += report.references();
      }
    }
  }

  /**
   * Waits until the records agree with the blocks.
   *
   * @param leastBlocks the number of blocks there must be
   */
  void awaitRecords(DataNode dataNode, Configuration conf, Duration patience, long leastBlocks)
      throws IOException {
    String[] problem = new String[1];
    Waiting.until(
        patience,
        () -> {
          problem[0] = recordProblem(dataNode, conf, leastBlocks);
          return problem[0] == null;
        },
        () -> dataNode.name() + ": " + problem[0]);
  }

  /** Returns why the records of a DataNode are not in step with its blocks, or null. */
  private String recordProblem(DataNode dataNode, Configuration conf, long leastBlocks) {
    long agreeing = 0;
    try (AdminClient client = AdminClient.connect(dataNode.ipcAddress(), conf)) {
      List<VolumeInfo> volumes = client.volumes();
      if (volumes.isEmpty()) {
        return "no volume";
      }
      for (VolumeInfo volume : volumes) {
        if (!volume.status().equals("in step") || volume.pending() > 0) {
          return volume.status() + ", " + volume.pending() + " pending";
        }
        String[] check = client.check(volume, false);
        for (int i = FIRST_DIFFERENCE; i <= UNREADABLE; i++) {
          if (!check[i].equals("0")) {
            return "differences: " + Arrays.toString(check);
          }
        }
        agreeing += Long.parseLong(check[BLOCKS]);
      }
    } catch (IOException e) {
      // The store is just being opened, or is damaged and about to be set aside.
      return e.toString();
    }
    if (agreeing < leastBlocks) {
      return agreeing + " blocks";
    }
    blocks += agreeing;
    return null;
  }
}
