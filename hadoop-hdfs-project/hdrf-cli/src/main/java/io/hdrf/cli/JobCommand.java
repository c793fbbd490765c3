/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a job on DataNodes and waits for it, shows its progress, or stops it. */
abstract class JobCommand implements Callable<Integer> {
  private static final long POLL_MILLIS = 500;

  @Mixin private RecordTarget target;

  @Option(
      names = "--rate",
      paramLabel = "BYTES",
      defaultValue = "0",
      description =
          "How many bytes of blocks each DataNode may take in hand in a second, such as 50m; 0 for"
              + " any number. Given again, it changes the rate of what runs. Default:"
              + " ${DEFAULT-VALUE}.")
  private String rate;

  @Option(names = "--no-wait", description = "End as soon as the DataNodes have begun.")
  private boolean noWait;

  @Option(names = "--status", description = "Begin nothing; say how far the DataNodes are.")
  private boolean status;

  @Option(names = "--stop", description = "Stop what runs; what is done stays.")
  private boolean stop;

  @Option(names = "--json", description = "Print the results as JSON.")
  private boolean json;

  abstract JobKind kind();

  /** Returns the share of the blocks that the job processes. */
  double fraction() {
    return 1;
  }

  @Override
  public Integer call() throws IOException {
    if (status && stop) {
      throw new IllegalArgumentException("--status and --stop exclude each other");
    }
    long bytesPerSecond = Sizes.parse("--rate", rate);
    double share = fraction();
    List<RecordSource> sources = target.open();
    try {
      return run(sources, bytesPerSecond, share, Terminal.system());
    } finally {
      for (RecordSource source : sources) {
        source.close();
      }
    }
  }

  private int run(List<RecordSource> sources, long bytesPerSecond, double share, Terminal terminal)
      throws IOException {
    Troubles troubles = new Troubles(terminal);
    boolean waits = !(status || stop || noWait);
    boolean countReduced = kind() == JobKind.INFLATE && (status || waits);
    List<RecordSource> reached = new ArrayList<>();
    for (RecordSource source : sources) {
      boolean done =
          troubles.attempt(
              source.name(),
              () -> {
                if (stop) {
                  source.stopJob(kind());
                } else if (!status) {
                  if (kind() == JobKind.VERIFY) {
                    tellWhatIsLeftOut(source, troubles);
                  }
                  source.startJob(kind(), bytesPerSecond, share);
                }
              });
      if (done) {
        reached.add(source);
      }
    }
    if (waits && !reached.isEmpty()) {
      await(reached, terminal, troubles);
    }
    boolean endIsExpected = waits || (status && kind() == JobKind.VERIFY);
    JobReport report = JobReport.of(kind(), reached, countReduced, endIsExpected, troubles);
    if (json) {
      terminal.result(report.json());
    } else {
      report.lines().forEach(terminal::result);
    }
    if (!reached.isEmpty()) {
      report.gaps().forEach(troubles::add);
    }
    return troubles.exitCode(report.isGood());
  }

  /**
   * Reports what the job leaves out, at its start: a volume that comes into service before the
   * report is not among the report's gaps.
   */
  private static void tellWhatIsLeftOut(RecordSource source, Troubles troubles) {
    try {
      RecordTarget.isComplete(source, troubles);
    } catch (IOException e) {
      // The report asks again, and shows the failure; the job need not wait for that.
      return;
    }
  }

  private void await(List<RecordSource> sources, Terminal terminal, Troubles troubles)
      throws IOException {
    String label = kind().command();
    terminal.say(
        "hdrf: the DataNodes go on if this command is interrupted; hdrf "
            + label
            + " --stop stops them");
    List<JobInfo> jobs = jobs(sources, troubles);
    try (Progress progress =
        terminal.progress(label, sum(jobs, JobInfo.Figure.BYTES), Progress.Unit.BYTES)) {
      while (jobs.stream().anyMatch(job -> job.state() == JobInfo.State.RUNNING)) {
        progress.raise(sum(jobs, JobInfo.Figure.BYTES_LOOKED), sum(jobs, JobInfo.Figure.BYTES));
        pause();
        jobs = jobs(sources, troubles);
      }
      progress.done(Sizes.bytes(sum(jobs, JobInfo.Figure.BYTES_LOOKED)) + " looked at");
    }
  }

  /** Returns the jobs of the DataNodes that answer; removes the others from the list. */
  private List<JobInfo> jobs(List<RecordSource> sources, Troubles troubles) {
    List<JobInfo> jobs = new ArrayList<>();
    sources.removeIf(
        source -> !troubles.attempt(source.name(), () -> jobs.addAll(source.jobs(kind()))));
    return jobs;
  }

  private static long sum(List<JobInfo> jobs, JobInfo.Figure figure) {
    return jobs.stream().mapToLong(job -> job.figure(figure)).sum();
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted", e);
    }
  }
}
