/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DiskUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoReportTest {
  @TempDir private Path directory;

  private DemoReport report() {
    return new DemoReport(ClusterConfig.in(directory));
  }

  @Test
  void nothingComparedIsNotIdentical() {
    DemoReport report = report();
    assertThat(report.allIdentical()).isFalse();
    report.compared("jobOutput", true);
    assertThat(report.allIdentical()).isTrue();
    report.compared("read", false);
    assertThat(report.allIdentical()).isFalse();
  }

  @Test
  void jsonHoldsTheFigures() throws IOException {
    DemoReport report = report();
    report.input(2, 1000);
    report.hadoop("3.4.3");
    report.took("hdrf.write", 1.5);
    report.compared("jobOutput", true);
    report.usage(List.of(new DiskUsage(1, 1000, 300, 100, 8), new DiskUsage(1, 1000, 400, 0, 8)));
    Path file = directory.resolve("x.json");
    report.write(file);
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertThat(json.at("/cluster/dataNodes/0/physicalBytes").asLong()).isEqualTo(400);
    assertThat(json.at("/cluster/total/logicalBytes").asLong()).isEqualTo(2000);
    assertThat(json.at("/cluster/total/ratio").asDouble()).isEqualTo(0.4);
    assertThat(json.at("/cluster/total/metaBytes").asLong()).isEqualTo(16);
    assertThat(json.at("/hadoop").asText()).isEqualTo("3.4.3");
    assertThat(json.at("/identical/jobOutput").asBoolean()).isTrue();
    assertThat(json.at("/seconds/hdrf.write").asDouble()).isEqualTo(1.5);
  }
}
