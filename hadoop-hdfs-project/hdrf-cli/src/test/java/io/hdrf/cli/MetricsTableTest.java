/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricsTableTest {
  private static List<JsonNode> beans(String json) throws IOException {
    return List.of(new ObjectMapper().readTree(json.replace('\'', '"')));
  }

  @Test
  void showsSumsChainsAndWhatWasSkipped() throws IOException {
    List<List<String>> rows =
        MetricsTable.rows(
            List.of(
                beans(
                    "{'BlocksReduced':3,'BlocksReduced-lz4':2,'BlocksReduced-dedup,zstd':1,"
                        + "'BytesReducedLogical':2048,'SkippedQueueFull':0,"
                        + "'EncodeNanos':1500000000}"),
                beans("{'SkippedQueueFull':4,'SkippedSmall':0}"),
                List.of()));
    assertThat(rows)
        .startsWith(List.of("since its start", "DataNode 0", "DataNode 1", "DataNode 2"))
        .contains(
            List.of("blocks reduced", "3", "0", "-"),
            List.of("  by lz4", "2", "0", "-"),
            List.of("  by dedup,zstd", "1", "0", "-"),
            List.of("  logical", "2.0 KiB", "0 B", "-"),
            List.of("stayed plain: queue full", "0", "4", "-"),
            List.of("time encoding", "1.5 s", "0.0 s", "-"));
    assertThat(rows).noneMatch(row -> row.get(0).contains("small"));
  }
}
