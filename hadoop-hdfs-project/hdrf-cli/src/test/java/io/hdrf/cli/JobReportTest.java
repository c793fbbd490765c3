/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobReportTest {

  private static final String DIRECTORY = "/data/1/current/BP-1-127.0.0.1-2/hdrf";

  private static JobInfo job(JobInfo.State state, Map<String, Long> left) {
    return new JobInfo(
        "DS-1",
        "BP-1-127.0.0.1-2",
        DIRECTORY,
        "kept plain",
        state,
        Map.of(
            Figure.BLOCKS, 10L,
            Figure.BYTES, 10L << 20,
            Figure.BLOCKS_LOOKED, 8L,
            Figure.BYTES_LOOKED, 8L << 20,
            Figure.MILLIS, 4_000L,
            Figure.BLOCKS_DONE, 5L,
            Figure.BYTES_DONE, 5L << 20,
            Figure.BYTES_SAVED, 3L << 20,
            Figure.RATE, 2L << 20),
        left,
        left.isEmpty() ? List.of() : List.of("blk_7 NoSpace: full"));
  }

  private static JobReport report(JobKind kind, JobInfo job, String reduced) throws IOException {
    return new JobReport(
        kind,
        List.of(
            new JobReport.Part(
                "host:1",
                List.of(job),
                reduced == null ? null : List.of(ReducedBlocks.decode(reduced)),
                List.of())),
        true);
  }

  @Test
  void saysHowManyBlocksRemainReducedAndWhy() throws IOException {
    JobReport report =
        report(
            JobKind.INFLATE,
            job(JobInfo.State.DONE, Map.of("NoSpace", 2L, "Changed", 1L)),
            DIRECTORY + "\t3\t4\t5");
    assertThat(report.reducedBlocks()).isEqualTo(12);
    assertThat(report.isGood()).isFalse();
    assertThat(report.lines())
        .containsExactly(
            "host:1 /data/1: done, 8 of 10 blocks looked at, 5 inflated, 1 Changed, 2 NoSpace; kept"
                + " plain",
            "  blk_7 NoSpace: full",
            "host:1 /data/1: 3 reduced blocks, 4 more kept for an upgrade (previous, trash):"
                + " finalize it, 5 damaged ones",
            "all: 5 blocks, 5.0 MiB inflated",
            "12 blocks remain that stock HDFS can't read.");
    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.get("job").asText()).isEqualTo("inflate");
    assertThat(json.get("reducedBlocks").asLong()).isEqualTo(12);
    JsonNode dataNode = json.get("dataNodes").get(0);
    assertThat(dataNode.get("name").asText()).isEqualTo("host:1");
    JsonNode volume = dataNode.get("volumes").get(0);
    assertThat(volume.get("state").asText()).isEqualTo("done");
    assertThat(volume.get("mode").asText()).isEqualTo("kept plain");
    assertThat(volume.get("blocksDone").asLong()).isEqualTo(5);
    assertThat(volume.get("bytesSaved").asLong()).isEqualTo(3 << 20);
    assertThat(volume.get("left").get("NoSpace").asLong()).isEqualTo(2);
    assertThat(volume.get("examples").get(0).asText()).isEqualTo("blk_7 NoSpace: full");
    assertThat(dataNode.get("reduced").get(0).get("elsewhere").asLong()).isEqualTo(4);
  }

  @Test
  void everythingPlainIsGood() throws IOException {
    JobReport report =
        report(JobKind.INFLATE, job(JobInfo.State.DONE, Map.of()), DIRECTORY + "\t0\t0\t0");
    assertThat(report.isGood()).isTrue();
    assertThat(report.lines()).last().isEqualTo("Every block is plain.");
    assertThat(new ObjectMapper().readTree(report.json()).get("reducedBlocks").asLong()).isZero();
  }

  /** Such as a disk that was replaced meanwhile. */
  @Test
  void plainBlocksOnAVolumeThatReducesAreNotGood() throws IOException {
    JobInfo other =
        new JobInfo(
            "DS-2",
            "BP-1",
            "/data/2",
            "automatic",
            JobInfo.State.NONE,
            Map.of(),
            Map.of(),
            List.of());
    JobReport report =
        new JobReport(
            JobKind.INFLATE,
            List.of(
                new JobReport.Part(
                    "host:1",
                    List.of(job(JobInfo.State.DONE, Map.of()), other),
                    List.of(ReducedBlocks.decode(DIRECTORY + "\t0\t0\t0")),
                    List.of())),
            true);
    assertThat(report.isGood()).isFalse();
    assertThat(report.lines())
        .doesNotContain("Every block is plain.")
        .last()
        .asString()
        .contains("not kept plain", "host:1 /data/2");
  }

  /** Or --force would go past them. */
  @Test
  void whatWasCountedBeforeAnObstacleCounts() throws IOException {
    JobReport report =
        report(
            JobKind.INFLATE,
            job(JobInfo.State.DONE, Map.of()),
            DIRECTORY + "\t3\t0\t0\tblk_9: Input/output error");
    assertThat(report.reducedBlocks()).isEqualTo(3);
    assertThat(report.lines())
        .contains(
            "host:1 /data/1: 3 reduced blocks; not all were looked at: blk_9: Input/output error");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Mismatch", "VerificationFailed", "NoSpace", "Failed"})
  void aConversionThatMetAFaultIsNotGood(String reason) throws IOException {
    JobInfo job = job(JobInfo.State.DONE, Map.of("Small", 3L, reason, 1L));
    assertThat(report(JobKind.CONVERT, job, null).isGood()).isFalse();
  }

  @Test
  void aConversionIsGoodWhateverStaysPlainByItsNature() throws IOException {
    JobReport report =
        report(JobKind.CONVERT, job(JobInfo.State.RUNNING, Map.of("Small", 3L)), null);
    assertThat(report.isGood()).isTrue();
    assertThat(report.lines())
        .first()
        .asString()
        .contains(
            "running",
            "5 reduced, 8.0 MiB of 10.0 MiB, 2.0 MiB/s, 1 s left",
            "at 2.0 MiB/s at the most",
            "3 Small");
    assertThat(report.lines()).last().isEqualTo("all: 5 blocks, 5.0 MiB reduced, 3.0 MiB saved");
    assertThat(new ObjectMapper().readTree(report.json()).has("reducedBlocks")).isFalse();
    assertThat(report.gaps()).isEmpty();
    for (JobInfo.State ended : List.of(JobInfo.State.FAILED, JobInfo.State.STOPPED)) {
      assertThat(report(JobKind.CONVERT, job(ended, Map.of()), null).gaps()).hasSize(1);
    }
  }

  @Test
  void aConversionThatWaitsIsNoFinishedOne() throws IOException {
    JobReport report = report(JobKind.CONVERT, job(JobInfo.State.WAITING, Map.of()), null);
    assertThat(report.lines()).first().isEqualTo("host:1 /data/1: waiting; kept plain");
    assertThat(report.gaps())
        .containsExactly(
            "host:1 /data/1: the conversion goes on by itself once the upgrade of HDFS is"
                + " finalized");
    assertThat(new ObjectMapper().readTree(report.json()).at("/dataNodes/0/volumes/0/state"))
        .hasToString("\"waiting\"");
  }

  @Test
  void aVerificationIsGoodIfNothingWasLeft() throws IOException {
    assertThat(report(JobKind.VERIFY, job(JobInfo.State.DONE, Map.of()), null).isGood()).isTrue();
    assertThat(
            report(JobKind.VERIFY, job(JobInfo.State.DONE, Map.of("Damaged", 1L)), null).isGood())
        .isFalse();
    assertThat(
            report(JobKind.VERIFY, job(JobInfo.State.DONE, Map.of("Unavailable", 1L)), null)
                .isGood())
        .isFalse();
  }

  @Test
  void whatWasNotVerifiedToTheEndIsNamed() throws IOException {
    for (JobInfo.State state : JobInfo.State.values()) {
      assertThat(report(JobKind.VERIFY, job(state, Map.of()), null).gaps())
          .as(state.toString())
          .hasSize(state == JobInfo.State.DONE ? 0 : 1);
    }
  }

  @Test
  void aDirectoryThatWasNotCountedIsNoPlainOne() throws IOException {
    String text = ReducedBlocks.notCounted("/data/2", "no volume\nis there").encode();
    JobReport report = report(JobKind.INFLATE, job(JobInfo.State.DONE, Map.of()), text);
    assertThat(report.gaps()).containsExactly("host:1 /data/2: not counted: no volume is there");
    assertThat(report.lines())
        .contains("host:1 /data/2: not counted: no volume is there")
        .doesNotContain("Every block is plain.")
        .last()
        .isEqualTo("Not everything was looked at: more blocks may be reduced.");
    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.get("version").asInt()).isEqualTo(1);
    assertThat(json.get("notLookedAt").get(0).asText()).contains("/data/2");
    JsonNode reduced = json.get("dataNodes").get(0).get("reduced").get(0);
    assertThat(reduced.get("counted").asBoolean()).isFalse();
    assertThat(reduced.get("obstacle").asText()).isEqualTo("no volume is there");
  }

  @Test
  void nothingCountedIsNotEverythingPlain() throws IOException {
    JobReport report =
        new JobReport(
            JobKind.INFLATE,
            List.of(new JobReport.Part("host:1", List.of(), List.of(), List.of())),
            true);
    assertThat(report.gaps()).containsExactly("host:1: no directory was counted");
    assertThat(report.lines()).doesNotContain("Every block is plain.");
  }

  @Test
  void aDataNodeWithoutVolumesOfHdrf() throws IOException {
    JobReport report =
        new JobReport(
            JobKind.VERIFY,
            List.of(new JobReport.Part("host:1", List.of(), null, List.of())),
            true);
    assertThat(report.gaps()).containsExactly("host:1: no volume of HDRF is in service");
    assertThat(report.lines()).containsExactly("No volume of HDRF on a DataNode that runs.");
  }
}
