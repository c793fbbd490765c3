/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.Pace;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.reduce.SkipReason;
import io.hdrf.spi.TaskProgress.Unit;
import io.hdrf.volume.ConversionState;
import io.hdrf.volume.ConversionState.Goal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The finished and remaining work of jobs on some DataNodes. Immutable. */
final class JobReport {

  /**
   * One DataNode.
   *
   * @param reduced the reduced blocks there; null where they were not counted
   * @param leftOut the parts that the jobs leave out, for people; empty where reduced blocks are
   *     counted, for that count shows the same
   */
  record Part(String name, List<JobInfo> jobs, List<ReducedBlocks> reduced, List<String> leftOut) {}

  /** The modes of volumes on which nothing is reduced. */
  private static final Set<String> PLAIN_MODES =
      Stream.of(ConversionState.keptPlain(), ConversionState.running(Goal.PLAIN, 0))
          .map(ConversionState::toString)
          .collect(Collectors.toUnmodifiableSet());

  /** Reasons for which a conversion leaves blocks as they are, and that somebody must look into. */
  private static final Set<String> FAULTS =
      Set.of(
          SkipReason.MISMATCH.metricName(),
          SkipReason.VERIFICATION_FAILED.metricName(),
          SkipReason.NO_SPACE.metricName(),
          SkipReason.FAILED.metricName());

  private final JobKind kind;
  private final List<Part> parts;
  private final boolean endIsExpected;

  /**
   * @param endIsExpected whether an unfinished job makes the answer incomplete
   */
  JobReport(JobKind kind, List<Part> parts, boolean endIsExpected) {
    this.kind = kind;
    this.parts = List.copyOf(parts);
    this.endIsExpected = endIsExpected;
  }

  /**
   * Asks the DataNodes.
   *
   * @param countReduced whether every block's file is looked at
   * @param troubles receives the DataNodes that can't be asked, which are left out
   */
  static JobReport of(
      JobKind kind,
      List<RecordSource> sources,
      boolean countReduced,
      boolean endIsExpected,
      Troubles troubles) {
    List<Part> parts = new ArrayList<>();
    for (RecordSource source : sources) {
      troubles.attempt(
          source.name(),
          () ->
              parts.add(
                  new Part(
                      source.name(),
                      source.jobs(kind),
                      countReduced ? source.reducedBlocks() : null,
                      countReduced ? List.of() : source.leftOut())));
    }
    return new JobReport(kind, parts, endIsExpected);
  }

  private boolean isCounted() {
    return parts.stream().anyMatch(part -> part.reduced != null);
  }

  /** Returns the number of counted blocks that stock HDFS could not read. */
  long reducedBlocks() {
    return parts.stream()
        .filter(part -> part.reduced != null)
        .flatMap(part -> part.reduced.stream())
        .mapToLong(ReducedBlocks::total)
        .sum();
  }

  private long sum(Figure figure) {
    return parts.stream()
        .flatMap(part -> part.jobs.stream())
        .mapToLong(job -> job.figure(figure))
        .sum();
  }

  /** Returns whether everything that was checked is good. */
  boolean isGood() {
    return switch (kind) {
      case INFLATE -> reducedBlocks() == 0 && notKeptPlain().isEmpty();
      case VERIFY -> jobs().allMatch(job -> job.left().isEmpty());
      case CONVERT ->
          sum(Figure.BLOCKS_DAMAGED) == 0
              && jobs().noneMatch(job -> FAULTS.stream().anyMatch(job.left()::containsKey));
    };
  }

  /** Returns the volumes on which blocks may be reduced just when others have been counted. */
  private List<String> notKeptPlain() {
    List<String> found = new ArrayList<>();
    for (Part part : parts) {
      for (JobInfo job : part.jobs) {
        if (part.reduced != null && !PLAIN_MODES.contains(job.mode())) {
          found.add(RecordTarget.label(part.name, job.directory()));
        }
      }
    }
    return found;
  }

  private Stream<JobInfo> jobs() {
    return parts.stream().flatMap(part -> part.jobs.stream());
  }

  /**
   * Returns the parts that should have been checked but were not; empty if the answer is complete.
   */
  List<String> gaps() {
    List<String> gaps = new ArrayList<>();
    for (Part part : parts) {
      part.leftOut.forEach(line -> gaps.add(part.name + ": " + line));
      for (JobInfo job : part.jobs) {
        if (isGap(job)) {
          gaps.add(RecordTarget.label(part.name, job.directory()) + ": " + gap(job));
        }
      }
      if (part.reduced != null) {
        for (ReducedBlocks count : part.reduced) {
          if (!count.isCounted()) {
            gaps.add(
                RecordTarget.label(part.name, count.directory())
                    + ": not counted: "
                    + count.obstacle());
          }
        }
        if (part.reduced.isEmpty()) {
          gaps.add(part.name + ": no directory was counted");
        }
      } else if (endIsExpected && part.jobs.isEmpty()) {
        gaps.add(part.name + ": no volume of HDRF is in service");
      }
    }
    if (parts.isEmpty()) {
      gaps.add("no DataNode was asked");
    }
    return gaps;
  }

  private boolean isGap(JobInfo job) {
    if (job.state() == JobInfo.State.FAILED) {
      return true;
    }
    return endIsExpected
        && switch (kind) {
            // Only the files' content counts.
          case INFLATE -> false;
            // Volumes that no scheme is configured for have nothing to convert.
          case CONVERT ->
              job.state() == JobInfo.State.STOPPED || job.state() == JobInfo.State.WAITING;
          case VERIFY -> job.state() != JobInfo.State.DONE;
        };
  }

  private static String gap(JobInfo job) {
    return job.state() == JobInfo.State.WAITING
        ? "the conversion goes on by itself once the upgrade of HDFS is finalized"
        : "the job was not done to its end";
  }

  String json() throws JsonProcessingException {
    ObjectNode root = Json.root();
    root.put("job", kind.command());
    if (isCounted()) {
      root.put("reducedBlocks", reducedBlocks());
    }
    for (Part part : parts) {
      ObjectNode node = root.withArray("dataNodes").addObject().put("name", part.name);
      for (JobInfo job : part.jobs) {
        ObjectNode volume =
            node.withArray("volumes")
                .addObject()
                .put("directory", job.directory())
                .put("storageId", job.storageId())
                .put("poolId", job.poolId())
                .put("mode", job.mode())
                .put("state", job.state().name().toLowerCase(Locale.ROOT));
        job.figures().forEach(volume::put);
        ObjectNode left = volume.putObject("left");
        job.left().forEach(left::put);
        job.examples().forEach(volume.putArray("examples")::add);
      }
      if (part.reduced != null) {
        for (ReducedBlocks count : part.reduced) {
          node.withArray("reduced")
              .addObject()
              .put("directory", count.directory())
              .put("counted", count.isCounted())
              .put("obstacle", count.obstacle())
              .put("current", count.current())
              .put("elsewhere", count.elsewhere())
              .put("damaged", count.damaged());
        }
      }
    }
    gaps().forEach(root.putArray("notLookedAt")::add);
    return Json.text(root);
  }

  /** Returns lines for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Part part : parts) {
      for (JobInfo job : part.jobs) {
        lines.add(
            RecordTarget.label(part.name, job.directory()) + ": " + text(job) + "; " + job.mode());
        job.examples().forEach(example -> lines.add("  " + example));
      }
      if (part.reduced != null) {
        for (ReducedBlocks count : part.reduced) {
          lines.add(RecordTarget.label(part.name, count.directory()) + ": " + text(count));
        }
      }
    }
    if (parts.stream().allMatch(part -> part.jobs.isEmpty()) && !isCounted()) {
      lines.add("No volume of HDRF on a DataNode that runs.");
    }
    summary(lines);
    return lines;
  }

  private void summary(List<String> lines) {
    if (sum(Figure.BLOCKS) > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "all: %d blocks, %s %s%s",
              sum(Figure.BLOCKS_DONE),
              Sizes.bytes(sum(Figure.BYTES_DONE)),
              done(),
              kind == JobKind.CONVERT
                  ? ", " + Sizes.bytes(sum(Figure.BYTES_SAVED)) + " saved"
                  : ""));
    }
    if (isCounted()) {
      List<String> gaps = gaps();
      List<String> reducing = notKeptPlain();
      if (reducedBlocks() > 0) {
        lines.add(reducedBlocks() + " blocks remain that stock HDFS can't read.");
      } else if (!reducing.isEmpty()) {
        lines.add(
            "No block is reduced now, but volumes are not kept plain: run 'hdrf inflate' once more"
                + " for "
                + String.join(", ", reducing));
      } else if (gaps.isEmpty()) {
        lines.add("Every block is plain.");
      }
      if (!gaps.isEmpty()) {
        lines.add("Not everything was looked at: more blocks may be reduced.");
      }
    }
  }

  private String done() {
    return switch (kind) {
      case CONVERT -> "reduced";
      case INFLATE -> "inflated";
      case VERIFY -> "found sound";
    };
  }

  private String text(JobInfo job) {
    StringBuilder text =
        new StringBuilder(job.state().name().toLowerCase(Locale.ROOT).replace("none", "not begun"));
    if (job.state() != JobInfo.State.NONE && job.state() != JobInfo.State.WAITING) {
      text.append(
          String.format(
              Locale.ROOT,
              ", %d of %d blocks looked at, %d %s",
              job.figure(Figure.BLOCKS_LOOKED),
              job.figure(Figure.BLOCKS),
              job.figure(Figure.BLOCKS_DONE),
              done()));
    }
    if (job.state() == JobInfo.State.RUNNING) {
      long looked = job.figure(Figure.BYTES_LOOKED);
      long millis = job.figure(Figure.MILLIS);
      text.append(", ")
          .append(Pace.share(Unit.BYTES, looked, job.figure(Figure.BYTES)))
          .append(Pace.rate(Unit.BYTES, looked, millis))
          .append(Pace.timeLeft(looked, millis, job.figure(Figure.BYTES) - looked));
    }
    if (job.state() == JobInfo.State.RUNNING && job.figure(Figure.RATE) > 0) {
      text.append(", at ").append(Sizes.bytes(job.figure(Figure.RATE))).append("/s at the most");
    }
    if (job.figure(Figure.BLOCKS_WAITING) > 0) {
      text.append(", ").append(job.figure(Figure.BLOCKS_WAITING)).append(" to be tried again");
    }
    for (Map.Entry<String, Long> left : new TreeMap<>(job.left()).entrySet()) {
      text.append(", ").append(left.getValue()).append(' ').append(left.getKey());
    }
    return text.toString();
  }

  private static String text(ReducedBlocks count) {
    if (!count.isCounted() && count.total() == 0) {
      return "not counted: " + count.obstacle();
    }
    StringBuilder text = new StringBuilder().append(count.current()).append(" reduced blocks");
    if (count.elsewhere() > 0) {
      text.append(", ")
          .append(count.elsewhere())
          .append(" more kept for an upgrade (previous, trash): finalize it");
    }
    if (count.damaged() > 0) {
      text.append(", ").append(count.damaged()).append(" damaged ones");
    }
    if (!count.isCounted()) {
      text.append("; not all were looked at: ").append(count.obstacle());
    }
    return text.toString();
  }
}
