/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.VolumeInfo;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hdrf report}. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Show the whole cluster: ask every DataNode that the NameNode lists how HDRF does there.",
      "The exit code is 3 if a DataNode is dead or does not answer; it is listed. DataNodes without"
          + " HDRF are listed, too, and are nothing wrong."
    })
final class ReportCommand implements Callable<Integer> {
  private static final int MAX_PARALLEL = 1000;

  @Mixin private RecordTarget target;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many DataNodes are asked at a time. Default: ${DEFAULT-VALUE}.")
  private int parallel;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** The answer of one DataNode; all fields but the first are null where it has no HDRF. */
  private record Answer(
      String name, List<VolumeInfo> volumes, List<JobInfo> jobs, Map<String, Long> storeBytes) {
    boolean hasHdrf() {
      return volumes != null;
    }

    long bytes() {
      return storeBytes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the states of the stores of records, each one once with the number of volumes. */
    String records() {
      if (volumes.isEmpty()) {
        return "none";
      }
      Map<String, Integer> counts = new TreeMap<>();
      volumes.forEach(volume -> counts.merge(volume.status(), 1, Integer::sum));
      return joined(counts);
    }

    /** Returns what becomes of blocks, each mode once with the number of volumes. */
    String modes() {
      Map<String, Integer> counts = new TreeMap<>();
      jobs.forEach(job -> counts.merge(job.mode(), 1, Integer::sum));
      return joined(counts);
    }

    private static String joined(Map<String, Integer> counts) {
      return counts.entrySet().stream()
          .map(count -> count.getKey() + (counts.size() > 1 ? " (" + count.getValue() + ")" : ""))
          .collect(Collectors.joining("; "));
    }
  }

  @Override
  public Integer call() throws IOException {
    if (parallel < 1 || parallel > MAX_PARALLEL) {
      throw new IllegalArgumentException(
          "--parallel is " + parallel + ", accepted is 1 to " + MAX_PARALLEL);
    }
    Terminal terminal = Terminal.system();
    Troubles troubles = new Troubles(terminal);
    List<RecordTarget.Address> all = target.everywhere(troubles);
    if (all.isEmpty()) {
      troubles.add("the NameNode lists no live DataNode");
    }
    List<Answer> answers = ask(all, troubles);
    if (json) {
      terminal.result(Json.text(toJson(answers, troubles)));
    } else {
      terminal.table(table(answers));
    }
    return troubles.exitCode(true);
  }

  private List<Answer> ask(List<RecordTarget.Address> all, Troubles troubles)
      throws InterruptedIOException {
    ExecutorService pool =
        Executors.newFixedThreadPool(
            Math.max(1, Math.min(parallel, all.size())),
            work -> {
              Thread thread = new Thread(work, "report");
              thread.setDaemon(true);
              return thread;
            });
    try {
      int timeout = target.timeout();
      List<Future<Answer>> asked = new ArrayList<>();
      for (RecordTarget.Address address : all) {
        asked.add(pool.submit(() -> ask(address, timeout)));
      }
      List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        try {
          answers.add(asked.get(i).get());
        } catch (ExecutionException e) {
          String what =
              e.getCause() instanceof Exception
                  ? Main.message((Exception) e.getCause())
                  : e.getCause().toString();
          troubles.add(all.get(i).name() + ": " + what);
        }
      }
      return answers;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      pool.shutdownNow();
    }
  }

  private static Answer ask(RecordTarget.Address address, int timeout) throws IOException {
    try (RunningDataNode dataNode = address.connect(timeout)) {
      List<VolumeInfo> volumes;
      try {
        volumes = dataNode.volumes();
      } catch (IOException e) {
        if (isWithoutHdrf(e)) {
          return new Answer(address.name(), null, null, null);
        }
        throw e;
      }
      return new Answer(
          address.name(), volumes, dataNode.jobs(JobKind.CONVERT), dataNode.storeBytes());
    }
  }

  /** Returns whether a DataNode answered that does not know HDRF's protocol. */
  private static boolean isWithoutHdrf(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("Unknown rpc kind")
        || message.contains("Unknown protocol")
        || message.contains("is not known");
  }

  private static List<List<String>> table(List<Answer> answers) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("DataNode", "volumes", "waiting", "stores", "records", "blocks are"));
    long volumes = 0;
    long waiting = 0;
    long bytes = 0;
    for (Answer answer : answers) {
      if (!answer.hasHdrf()) {
        rows.add(List.of(answer.name(), "-", "-", "-", "-", "without HDRF"));
        continue;
      }
      long pending = answer.volumes().stream().mapToLong(VolumeInfo::pending).sum();
      rows.add(
          List.of(
              answer.name(),
              Integer.toString(answer.jobs().size()),
              Long.toString(pending),
              Sizes.bytes(answer.bytes()),
              answer.records(),
              answer.modes()));
      volumes += answer.jobs().size();
      waiting += pending;
      bytes += answer.bytes();
    }
    rows.add(
        List.of(
            answers.size() + " answer",
            Long.toString(volumes),
            Long.toString(waiting),
            Sizes.bytes(bytes),
            "",
            ""));
    return rows;
  }

  private static ObjectNode toJson(List<Answer> answers, Troubles troubles) {
    ObjectNode root = Json.root();
    ArrayNode list = root.putArray("dataNodes");
    for (Answer answer : answers) {
      ObjectNode node = list.addObject().put("name", answer.name()).put("hdrf", answer.hasHdrf());
      if (answer.hasHdrf()) {
        node.put("storeBytes", answer.bytes());
        for (VolumeInfo volume : answer.volumes()) {
          node.withArray("records")
              .addObject()
              .put("directory", volume.directory())
              .put("store", volume.store())
              .put("status", volume.status())
              .put("pending", volume.pending());
        }
        for (JobInfo job : answer.jobs()) {
          node.withArray("volumes")
              .addObject()
              .put("directory", job.directory())
              .put("storageId", job.storageId())
              .put("poolId", job.poolId())
              .put("mode", job.mode());
        }
      }
    }
    troubles.lines().forEach(root.putArray("notLookedAt")::add);
    return root;
  }
}
