/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HadoopVersions;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HadoopLineTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3.1.4.7.3.1",
        "3.1.40",
        "3.1.5-SNAPSHOT",
        "3.1.",
        "3.2.4",
        "3.3.4",
        "3.4.0",
        "3.4.1-amzn-2",
        "3.4.2.7.3.3.0-56",
        "99999.1.1",
        "Unknown"
      })
  void otherVersionsAreRefusedUnlessAccepted(String version) throws IOException {
    for (String accepted : new String[] {"", "3.1.4", "3.4.3"}) {
      assertThatThrownBy(() -> HadoopLine.HADOOP_3_3.require(version, List.of(), Set.of(accepted)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("tested with Hadoop 3.1.4, 3.3.6, 3.4.1, 3.4.2, 3.4.3, 3.5.0,")
          .hasMessageContaining("this is " + version + ", whose DataNode looks like that of 3.3;")
          .hasMessageContaining("add " + version + " to hdrf.hadoop.untested.version");
    }
    HadoopLine.HADOOP_3_3.require(version, List.of(), Set.of("3.4.0-before", version));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.10.2", "3.0.3", "3.1.1", "3.1.3", "3.1.1.7.1.7.0-551", "0.23.11"})
  void olderOnesAreRefusedEvenIfAccepted(String version) {
    assertThatThrownBy(() -> HadoopLine.HADOOP_3_1.require(version, List.of(), Set.of(version)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("needs Hadoop 3.1.4 or later, and this is " + version);
  }

  @ParameterizedTest
  @CsvSource({
    "3.1.4, HADOOP_3_1",
    "3.3.6, HADOOP_3_3",
    "3.4.1, HADOOP_3_4",
    "3.4.2, HADOOP_3_4",
    "3.4.3, HADOOP_3_4",
    "3.5.0, HADOOP_3_4",
  })
  void testedOnesAreTakenIfTheyLookLikeIt(String version, HadoopLine line) throws IOException {
    assertThat(HadoopVersions.TESTED).contains(version);
    for (HadoopLine shape : HadoopLine.values()) {
      if (shape == line) {
        shape.require(version, List.of(), Set.of());
      } else {
        assertThatThrownBy(() -> shape.require(version, List.of(), Set.of(version)))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("This is Hadoop " + version + ", whose DataNode looks like that")
            .hasMessageContaining("jars of one version");
      }
    }
  }

  /** No advice that leads to the next refusal. */
  @Test
  void whereMethodsAreMissingNoKeyIsNamed() {
    for (Set<String> accepted : List.of(Set.<String>of(), Set.of("3.4.0"))) {
      assertThatThrownBy(
              () -> HadoopLine.HADOOP_3_4.require("3.4.0", List.of("createRbw"), accepted))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("3.4.0, whose DataNode looks like that of 3.4 but lacks")
          .hasMessageContaining("[createRbw]")
          .hasMessageNotContaining("hdrf.hadoop.untested.version");
    }
  }

  @Test
  void whatIsAcceptedAlreadyIsShown() {
    assertThatThrownBy(
            () -> HadoopLine.HADOOP_3_4.require("3.5.1", List.of(), Set.of("3.4.9 3.5.1")))
        .hasMessageContaining(
            "add 3.5.1 to hdrf.hadoop.untested.version, which is 3.4.9 3.5.1, first with data");
  }

  @Test
  void theLineOfTheHadoopAtHandIsKnown() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(HdrfKeys.HADOOP_UNTESTED, VersionInfo.getVersion());
    HadoopLine line =
        HadoopLine.of(
            Class.forName(FsDatasetSpi.class.getPackage().getName() + ".impl.FsDatasetImpl"));
    line.require(conf, List.of());
    String version = VersionInfo.getVersion();
    assertThat(line.suffix())
        .isEqualTo(version.startsWith("3.5.") ? "34" : version.substring(0, 3).replace(".", ""));
  }
}
