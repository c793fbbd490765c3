/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The answers of one DataNode; what it did not answer is empty.
 *
 * @param hasHdrf false for a DataNode of stock HDFS, which answers nothing of this
 * @param records the states of the metadata stores
 * @param jobs what becomes of blocks, for each pool on each volume
 * @param uses what the pools take on the volumes
 * @param metrics the DataNode's metrics by name
 * @param gaps what it did not answer, with the reasons, for people
 */
record NodeReport(
    String name,
    boolean hasHdrf,
    List<VolumeInfo> records,
    List<JobInfo> jobs,
    List<VolumeUse> uses,
    Map<String, Long> metrics,
    List<String> gaps) {

  /**
   * Asks a DataNode.
   *
   * @param timeoutMillis for each question; after the first that it leaves open it is asked nothing
   * @throws IOException if it answers nothing
   */
  static NodeReport ask(RecordTarget.Address address, int timeoutMillis) throws IOException {
    try (RunningDataNode dataNode = address.connect(timeoutMillis)) {
      List<VolumeInfo> records;
      try {
        records = dataNode.volumes();
      } catch (IOException e) {
        if (isWithoutHdrf(e)) {
          return new NodeReport(
              address.name(), false, List.of(), List.of(), List.of(), Map.of(), List.of());
        }
        throw e;
      }
      List<JobInfo> jobs = new ArrayList<>();
      List<VolumeUse> uses = new ArrayList<>();
      Map<String, Long> metrics = new TreeMap<>();
      List<String> gaps = new ArrayList<>();
      Questions questions = new Questions(gaps);
      questions.ask("its jobs", () -> jobs.addAll(dataNode.jobs(JobKind.CONVERT)));
      questions.ask("its metrics", () -> metrics.putAll(dataNode.metrics()));
      questions.ask("what it leaves out", () -> gaps.addAll(dataNode.leftOut(timeoutMillis)));
      questions.ask("what its blocks take", () -> uses.addAll(dataNode.use(timeoutMillis)));
      return new NodeReport(address.name(), true, records, jobs, uses, metrics, gaps);
    }
  }

  /** Questions, which end with the first that is not answered in time. For one thread. */
  private static final class Questions {
    private final List<String> gaps;
    private boolean silent;

    Questions(List<String> gaps) {
      this.gaps = gaps;
    }

    void ask(String what, Troubles.Step step) {
      if (silent) {
        gaps.add(what + ": not asked any more");
        return;
      }
      try {
        step.run();
      } catch (IOException e) {
        silent = e instanceof SocketTimeoutException;
        gaps.add(what + ": " + Main.message(e));
      }
    }
  }

  /** Returns whether a DataNode answered that does not know HDRF's protocol. */
  static boolean isWithoutHdrf(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("Unknown rpc kind")
        || message.contains("Unknown protocol")
        || message.contains("is not known");
  }

  /** Returns a metric for people. */
  String metric(String metric) {
    Long value = metrics.get(metric);
    return value == null ? Space.UNKNOWN : value.toString();
  }

  /** Returns what the pools take on the volumes where all is counted. */
  List<VolumeUse> counted() {
    return uses.stream().filter(VolumeUse::isWhole).toList();
  }

  /** Returns what its blocks take there, HDRF's own files included; empty if nothing is counted. */
  Optional<Space> space() {
    return counted().stream().map(use -> new Space(use.all(), use.fileBytes())).reduce(Space::plus);
  }

  /** Returns the number of volumes on which pools take something, counted or not. */
  String volumes() {
    return uses.isEmpty()
        ? Space.UNKNOWN
        : Long.toString(uses.stream().map(VolumeUse::storageId).distinct().count());
  }

  /** Returns the number of changed blocks whose records wait to be written. */
  long recordsPending() {
    return records.stream().mapToLong(VolumeInfo::pending).sum();
  }

  /** Returns the states of the stores of records, each one once with the number of volumes. */
  String recordStates() {
    return records.isEmpty() ? "none" : counted(records.stream().map(VolumeInfo::status).toList());
  }

  /** Returns what becomes of blocks, each mode once with the number of volumes. */
  String modes() {
    return jobs.isEmpty() ? Space.UNKNOWN : counted(jobs.stream().map(JobInfo::mode).toList());
  }

  private static String counted(List<String> words) {
    Map<String, Integer> counts = new TreeMap<>();
    words.forEach(word -> counts.merge(word, 1, Integer::sum));
    return counts.entrySet().stream()
        .map(count -> count.getKey() + (counts.size() > 1 ? " (" + count.getValue() + ")" : ""))
        .collect(Collectors.joining("; "));
  }
}
