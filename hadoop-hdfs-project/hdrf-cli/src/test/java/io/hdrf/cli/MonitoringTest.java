/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.admin.MetricFindings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What monitors are given asks for metrics that there are. */
class MonitoringTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Path ALERTS = ROOT.resolve("conf/prometheus/hdrf-alerts.yml");
  private static final Path BOARD = ROOT.resolve("conf/grafana/hdrf.json");

  /** Where a word begins, as in Hadoop's PrometheusMetricsSink. */
  private static final Pattern WORD =
      Pattern.compile("(?<!(^|[A-Z_]))(?=[A-Z])|(?<!^)(?=[A-Z][a-z])");

  private static final Pattern METRIC = Pattern.compile("\\bhdrf_[a-z_]+\\b");

  private static String prometheusName(String metric) {
    return String.join("_", WORD.split("Hdrf" + metric)).toLowerCase(Locale.ROOT);
  }

  private static Set<String> known() throws IOException {
    try (Stream<String> lines = Files.lines(ROOT.resolve(MetricsPage.SOURCE))) {
      return lines
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(line -> prometheusName(line.split(" ", 3)[1]))
          .collect(Collectors.toSet());
    }
  }

  private static Set<String> asked(String text) {
    Set<String> names = new TreeSet<>();
    Matcher metric = METRIC.matcher(text);
    while (metric.find()) {
      names.add(metric.group());
    }
    return names;
  }

  @Test
  void theAlertsAskForMetricsThatThereAre() throws IOException {
    assertThat(known()).containsAll(asked(Files.readString(ALERTS)));
  }

  /** What {@code hdrf report} names, an alert names too. */
  @Test
  void whateverNeedsAttentionHasAnAlert() throws IOException {
    assertThat(asked(Files.readString(ALERTS)))
        .containsAll(
            MetricFindings.metrics().stream().map(MonitoringTest::prometheusName).toList());
  }

  @Test
  void theBoardAsksForMetricsThatThereAre() throws IOException {
    JsonNode board = new ObjectMapper().readTree(Files.readString(BOARD));
    Set<String> asked = new TreeSet<>();
    for (JsonNode panel : board.get("panels")) {
      assertThat(panel.get("targets")).as(panel.get("title").asText()).isNotEmpty();
      panel.get("targets").forEach(target -> asked.addAll(asked(target.get("expr").asText())));
    }
    assertThat(asked).hasSizeGreaterThan(8);
    assertThat(known()).containsAll(asked);
  }
}
