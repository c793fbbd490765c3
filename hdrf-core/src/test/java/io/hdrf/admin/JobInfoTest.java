/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.JobInfo.Figure;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobInfoTest {

  private static final JobInfo INFO =
      new JobInfo(
          "DS-1",
          "BP-2",
          "/data/1",
          "kept plain",
          JobInfo.State.DONE,
          Map.of(Figure.BLOCKS, 7L, Figure.BYTES_SAVED, Long.MAX_VALUE),
          Map.of("NoSpace", 3L, "Small", 4L),
          List.of("one = two\tthree\nfour", ""));

  @Test
  void arrivesAsItWasSent() throws IOException {
    JobInfo read = JobInfo.decode(INFO.encode());
    assertThat(read.storageId()).isEqualTo("DS-1");
    assertThat(read.poolId()).isEqualTo("BP-2");
    assertThat(read.directory()).isEqualTo("/data/1");
    assertThat(read.mode()).isEqualTo("kept plain");
    assertThat(read.state()).isEqualTo(JobInfo.State.DONE);
    assertThat(read.figure(Figure.BLOCKS)).isEqualTo(7);
    assertThat(read.figure(Figure.BYTES_SAVED)).isEqualTo(Long.MAX_VALUE);
    assertThat(read.figure(Figure.RATE)).isZero();
    assertThat(read.left()).isEqualTo(Map.of("NoSpace", 3L, "Small", 4L));
    assertThat(read.examples()).containsExactly("one = two three four", "");
    assertThat(read.figures()).containsEntry("bytesSaved", Long.MAX_VALUE).containsKey("blocks");
  }

  @Test
  void figuresOfALaterVersionAreLeftOut() throws IOException {
    assertThat(JobInfo.decode(INFO.encode() + "\tSOULS=9").figures()).isEqualTo(INFO.figures());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a\tb\tc\td",
        "a\tb\tc\td\tSLEEPING",
        "a\tb\tc\td\tDONE\tBLOCKS",
        "a\tb\tc\td\tDONE\tBLOCKS=many"
      })
  void somethingElseIsRefused(String text) {
    assertThatThrownBy(() -> JobInfo.decode(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no description of a job: " + text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "directory\t1\t2", "directory\t1\t2\tmany"})
  void anotherNumberOfReducedBlocksIsRefused(String text) {
    assertThatThrownBy(() -> ReducedBlocks.decode(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no number of reduced blocks: " + text);
  }

  @Test
  void reducedBlocksArriveAsTheyWereSent() throws IOException {
    ReducedBlocks read = ReducedBlocks.decode(ReducedBlocks.decode("/d\t1\t2\t4").encode());
    assertThat(read.directory()).isEqualTo("/d");
    assertThat(read.current()).isEqualTo(1);
    assertThat(read.elsewhere()).isEqualTo(2);
    assertThat(read.damaged()).isEqualTo(4);
    assertThat(read.total()).isEqualTo(7);
  }

  @Test
  void kindsHaveTheNamesOfTheirCommands() throws IOException {
    for (JobKind kind : JobKind.values()) {
      assertThat(JobKind.of(kind.command())).isEqualTo(kind);
    }
    assertThatThrownBy(() -> JobKind.of("dance")).hasMessageContaining("can't dance");
  }
}
