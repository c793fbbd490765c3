/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.ClusterConfig;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SettingsTest {

  private static final String SAMPLE = "../conf/hdfs-site.xml.dedup-redis.sample";

  private static final ClusterConfig CLUSTER =
      ClusterConfig.in(Path.of("cluster"))
          .withSchemes("dedup,lz4")
          .with("hdrf.metadata.store", "embedded");

  private static Settings settings(String... arguments) {
    return CommandLine.populateCommand(new Settings(), arguments);
  }

  @Test
  void takesHdrfsSettingsFromAFile() throws Exception {
    ClusterConfig config = settings("--conf", SAMPLE).addTo(CLUSTER);
    assertThat(config.site())
        .containsOnlyKeys("hdrf.dedup.chunker", "hdrf.dedup.index.sample", "hdrf.metadata.store")
        .containsEntry("hdrf.dedup.chunker", "ram")
        .containsEntry("hdrf.dedup.index.sample", "1")
        .containsEntry("hdrf.metadata.store", "redis");
    assertThat(config.schemes()).isEqualTo("dedup,lz4");
  }

  @Test
  void singleSettingsCountBeforeTheFile() throws Exception {
    assertThat(settings("--conf", SAMPLE, "-D", "hdrf.dedup.chunker=raml").heading())
        .isEqualTo(
            ", hdrf.dedup.chunker=raml, hdrf.dedup.index.sample=1, hdrf.metadata.store=redis");
  }

  @Test
  void withoutAnyNothingIsAdded() throws Exception {
    assertThat(settings().addTo(CLUSTER)).isEqualTo(CLUSTER);
    assertThat(settings().heading()).isEmpty();
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> settings("--conf", "nowhere.xml").addTo(CLUSTER))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("nowhere.xml");
  }
}
