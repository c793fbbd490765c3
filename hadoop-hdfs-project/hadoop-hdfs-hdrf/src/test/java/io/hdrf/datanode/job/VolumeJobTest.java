/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.JobKind;
import io.hdrf.io.SleptClock;
import io.hdrf.spi.io.RateThrottle;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VolumeJobTest {

  private static final JobOutcome DONE = JobOutcome.done(10);

  private final SleptClock clock = new SleptClock();
  private final RateThrottle throttle = new RateThrottle(clock);
  private final JobCounters counters = new JobCounters();
  private final Blocks blocks = new Blocks();
  private final CountDownLatch ended = new CountDownLatch(1);

  /** The planned outcome of a block. */
  private interface Step {
    JobOutcome run() throws IOException;
  }

  /** Blocks by id, each with its length and the outcome of each attempt. */
  private static final class Blocks implements BlockTask {
    private final Map<Long, Long> lengths = new TreeMap<>();
    private final Map<Long, List<Step>> steps = new HashMap<>();
    private final List<Long> run = new ArrayList<>();

    void add(long id, long length, Step... attempts) {
      lengths.put(id, length);
      steps.put(id, new ArrayList<>(List.of(attempts)));
    }

    @Override
    public BlockList blocks() {
      return new BlockList(
          lengths.keySet().stream().mapToLong(id -> id).toArray(),
          lengths.values().stream().mapToLong(length -> length).toArray());
    }

    @Override
    public JobOutcome look(long blockId) {
      return steps.get(blockId).isEmpty() ? JobOutcome.NOTHING_TO_DO : null;
    }

    @Override
    public JobOutcome run(long blockId) throws IOException {
      run.add(blockId);
      List<Step> attempts = steps.get(blockId);
      Step step = attempts.size() > 1 ? attempts.remove(0) : attempts.get(0);
      return step.run();
    }
  }

  private VolumeJob job() {
    return new VolumeJob(
        JobKind.VERIFY, "volume", blocks, throttle, counters, 0, job -> ended.countDown());
  }

  private JobProgress runToItsEnd() throws InterruptedException {
    VolumeJob job = job();
    job.start();
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    return job.progress();
  }

  private static long figure(JobProgress progress, Figure figure) {
    return info(progress).figure(figure);
  }

  private static JobInfo info(JobProgress progress) {
    return progress.info("DS", "BP", "directory", "mode", 0);
  }

  @Test
  void theRateHoldsForBlocksThatAreWork() throws Exception {
    for (long id = 0; id < 10; id++) {
      blocks.add(id, 1000, () -> DONE);
      blocks.add(100 + id, 1_000_000);
    }
    throttle.setRate(500);
    JobProgress progress = runToItsEnd();
    assertThat(clock.seconds()).as("nine blocks are waited for").isEqualTo(9 * 2);
    assertThat(progress.state()).isEqualTo(JobInfo.State.DONE);
    assertThat(figure(progress, Figure.BLOCKS)).isEqualTo(20);
    assertThat(figure(progress, Figure.BYTES)).isEqualTo(10 * 1_001_000);
    assertThat(figure(progress, Figure.BLOCKS_LOOKED)).isEqualTo(20);
    assertThat(figure(progress, Figure.BYTES_LOOKED)).isEqualTo(10 * 1_001_000);
    assertThat(figure(progress, Figure.BLOCKS_DONE)).isEqualTo(10);
    assertThat(figure(progress, Figure.BYTES_DONE)).isEqualTo(10_000);
    assertThat(figure(progress, Figure.BYTES_SAVED)).isEqualTo(100);
    assertThat(counters.running()).isZero();
    assertThat(counters.values())
        .containsEntry("verifyBlocks", 10L)
        .containsEntry("verifyBytes", 10_000L)
        .containsEntry("convertBlocks", 0L);
  }

  @Test
  void whatFailsIsTriedAgainAndOthersGoOn() throws Exception {
    Step full =
        () -> {
          throw new DiskOutOfSpaceException("volume is full");
        };
    blocks.add(1, 5, full);
    blocks.add(2, 5, full, () -> DONE);
    blocks.add(
        3,
        5,
        () -> {
          throw new IllegalStateException("a scheme fails");
        });
    blocks.add(
        4,
        5,
        () -> {
          throw new DiskFileCorruptException("blk_4 is broken");
        });
    blocks.add(
        5,
        5,
        () -> {
          throw new FileNotFoundException("gone");
        },
        () -> JobOutcome.NOTHING_TO_DO);
    blocks.add(6, 5, () -> JobOutcome.left("Small"));
    blocks.add(7, 5, () -> DONE);
    JobProgress progress = runToItsEnd();
    assertThat(blocks.run).startsWith(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(info(progress).left())
        .containsOnly(
            Map.entry("NoSpace", 1L),
            Map.entry("Failed", 1L),
            Map.entry("Damaged", 1L),
            Map.entry("Small", 1L));
    assertThat(info(progress).examples())
        .hasSize(3)
        .anyMatch(line -> line.equals("blk_4 Damaged: blk_4 is broken"));
    assertThat(figure(progress, Figure.BLOCKS_DONE)).isEqualTo(2);
    assertThat(figure(progress, Figure.BLOCKS_DAMAGED)).isEqualTo(1);
    assertThat(figure(progress, Figure.BLOCKS_WAITING)).isZero();
    assertThat(figure(progress, Figure.BLOCKS_LOOKED)).isEqualTo(7);
    assertThat(counters.values()).containsEntry("verifyBlocksDamaged", 1L);
  }

  @Test
  void blocksThatComeMeanwhileAreDone() throws Exception {
    blocks.add(
        1,
        5,
        () -> {
          blocks.add(0, 7, () -> DONE);
          assertThat(counters.running()).isEqualTo(1);
          return DONE;
        });
    JobProgress progress = runToItsEnd();
    assertThat(blocks.run).containsExactly(1L, 0L);
    assertThat(figure(progress, Figure.BYTES_DONE)).isEqualTo(12);
    assertThat(figure(progress, Figure.BLOCKS)).isEqualTo(2);
  }

  @Test
  void stopsBetweenBlocks() throws Exception {
    VolumeJob job = job();
    blocks.add(1, 1000, () -> DONE);
    blocks.add(2, 1000, () -> DONE);
    throttle.setRate(1);
    clock.whenSlept(job::stop);
    job.start();
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(blocks.run).containsExactly(1L);
    assertThat(job.progress().state()).isEqualTo(JobInfo.State.STOPPED);
    assertThat(figure(job.progress(), Figure.BLOCKS_LOOKED)).isEqualTo(1);
  }

  @Test
  void anErrorBreaksItOffAndIsToldApartFromAnEnd() throws Exception {
    blocks.add(
        1,
        5,
        () -> {
          throw new AssertionError("no outcome");
        });
    VolumeJob job = job();
    job.start();
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(job.progress().state()).isEqualTo(JobInfo.State.FAILED);
  }

  @Test
  void aShareOfTheBlocksIsChosenEvenlyAndBySeed() {
    int chosen = 0;
    int both = 0;
    for (long id = 1_073_741_825L; id < 1_073_741_825L + 100_000; id++) {
      boolean first = VerifyTask.isChosen(id, 1, 0.1);
      chosen += first ? 1 : 0;
      both += first && VerifyTask.isChosen(id, 99, 0.1) ? 1 : 0;
      assertThat(VerifyTask.isChosen(id, 1, 0.1)).isEqualTo(first);
      assertThat(VerifyTask.isChosen(id, 1, 1)).isTrue();
    }
    assertThat(chosen).isBetween(9_500, 10_500);
    assertThat(both).isBetween(800, 1200);
  }
}
