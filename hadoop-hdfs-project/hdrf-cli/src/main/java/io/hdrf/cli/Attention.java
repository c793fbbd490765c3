/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.MetricFindings;
import io.hdrf.admin.VolumeInfo;
import java.util.ArrayList;
import java.util.List;

/** What of the DataNodes' answers an operator has to look at, in words; the gravest first. */
final class Attention {
  private static final String GOOD = "in step";

  private Attention() {}

  /** Returns a line for each finding. */
  static List<String> of(List<NodeReport> nodes) {
    List<String> lines = new ArrayList<>();
    for (String metric : MetricFindings.metrics()) {
      for (NodeReport node : nodes) {
        String finding = MetricFindings.of(metric, node.metrics());
        if (finding != null) {
          lines.add(node.name() + ": " + finding);
        }
      }
    }
    for (NodeReport node : nodes) {
      for (VolumeInfo volume : node.records()) {
        if (!volume.status().equals(GOOD)) {
          lines.add(
              node.name() + " " + volume.directory() + ": its records are " + volume.status());
        }
      }
      for (JobInfo job : node.jobs()) {
        if (job.state() == JobInfo.State.FAILED) {
          lines.add(
              node.name() + " " + job.directory() + ": the conversion broke off; see its log");
        }
      }
    }
    return lines;
  }
}
