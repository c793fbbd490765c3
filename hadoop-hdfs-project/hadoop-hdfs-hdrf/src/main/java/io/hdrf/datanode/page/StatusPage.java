/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.page;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.Bytes;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.MetricFindings;
import io.hdrf.admin.StoreShares;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import io.hdrf.admin.WorstBlock;
import io.hdrf.html.Html;
import io.hdrf.html.Page;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Draws a {@link Status}. The order is that of urgency: what needs attention, what is saved, what
 * is under way, details.
 */
final class StatusPage {

  private static final List<String> REDUCTION =
      Arrays.asList("Pending", "QueueLength", "BlocksReduced", "BlocksAdopted", "BlocksInflated");

  private static final String MEMORY = "MemoryUsedBytes-";
  private static final String FILTERS = "DedupDba";
  private static final String DAMAGE = "Damaged";
  private static final String CORRUPT = "Corrupt";
  private static final String GARBAGE = "DedupGcGarbageBytes";
  private static final String DIFFERENCES = "DedupChunksAsDifferences";

  /** What each directory of HDRF's files on a volume holds. */
  private static final String CONTAINERS = "dedup/containers";

  private static final String DBA = "dedup/filters";
  private static final String UNKNOWN = "?";

  private static final Map<String, String> SECTIONS = new LinkedHashMap<>();

  static {
    SECTIONS.put("attention", "Attention");
    SECTIONS.put("savings", "Savings");
    SECTIONS.put("work", "Under way");
    SECTIONS.put("volumes", "Volumes");
    SECTIONS.put("memory", "Memory");
    SECTIONS.put("filters", "Filters");
    SECTIONS.put("damage", "Damage");
  }

  private final Status status;
  private final Page page;
  private final Html html;

  StatusPage(Status status) {
    this.status = status;
    this.page =
        new Page("HDRF on " + status.name(), "Counters begin with the DataNode's start.", SECTIONS);
    this.html = page.html();
  }

  /** Returns the page. */
  String render() {
    attention();
    savings();
    work();
    volumes();
    memory();
    filters();
    damage();
    html.begin("p");
    html.element("a", "All metrics", "href", "/jmx?qry=Hadoop:service=DataNode,name=Hdrf*");
    html.end();
    return page.end();
  }

  private void attention() {
    page.section("attention", "Needs attention");
    List<String> lines = new ArrayList<>();
    for (String metric : MetricFindings.metrics()) {
      String finding = MetricFindings.of(metric, status.metrics());
      if (finding != null) {
        lines.add(finding);
      }
    }
    for (VolumeInfo volume : status.records()) {
      if (!volume.status().equals("in step")) {
        lines.add(volume(volume.directory()) + ": its records are " + volume.status());
      }
    }
    for (VolumeUse use : status.uses()) {
      if (!use.isWhole()) {
        lines.add(volume(use.directory()) + ": not all is counted: " + use.obstacle());
      }
    }
    page.attention(lines, "Nothing.");
    page.endSection();
  }

  private void savings() {
    page.section("savings", "Savings");
    if (status.uses().stream().noneMatch(VolumeUse::isWhole)) {
      html.element(
          "p",
          status.uses().isEmpty()
              ? "The blocks are added up for the first time ten minutes after the start."
              : "What the blocks take is not known; the volumes say why.");
      page.endSection();
      return;
    }
    BlockSum all = BlockSum.NONE;
    long files = 0;
    Map<String, BlockSum> chains = new TreeMap<>();
    Map<String, Long> stores = new TreeMap<>();
    Map<String, Long> reasons = new TreeMap<>();
    for (VolumeUse use : status.uses()) {
      if (!use.isWhole()) {
        continue;
      }
      all = all.plus(use.all());
      files += use.fileBytes();
      use.reasons().forEach((reason, blocks) -> reasons.merge(reason, blocks, Long::sum));
      StoreShares shares = new StoreShares(use);
      use.chains()
          .forEach(
              (chain, sum) -> {
                chains.merge(chain, sum, BlockSum::plus);
                stores.merge(chain, shares.of(chain, sum.logicalBytes()).orElse(0), Long::sum);
              });
    }
    long takes = all.fileBytes() + files;
    page.figures(
        "blocks",
        Long.toString(all.blocks()),
        "logical",
        Bytes.text(all.logicalBytes()),
        "take",
        Bytes.text(takes),
        "ratio",
        Bytes.percent(takes, all.logicalBytes()),
        "saved",
        Bytes.text(all.logicalBytes() - takes));
    if (status.samples().size() > 1) {
      page.scrolled("Savings over time");
      new SavingsChart(status.samples()).draw(html);
      html.end();
    }
    page.table(
        "By chain", "stored with", "blocks", "logical", "block files", "stores", "ratio", "");
    chains.forEach((chain, sum) -> chain(chain, sum, stores.get(chain)));
    page.endTable();
    if (!reasons.isEmpty()) {
      page.table("Why blocks are plain", "reason", "blocks");
      reasons.forEach((reason, blocks) -> page.row(reason, blocks));
      page.endTable();
    }
    worst();
    page.endSection();
  }

  private void chain(String chain, BlockSum sum, long stores) {
    long takes = sum.fileBytes() + stores;
    page.row(
        chain.equals(VolumeUse.PLAIN) ? "plain" : chain,
        sum.blocks(),
        Bytes.text(sum.logicalBytes()),
        Bytes.text(sum.fileBytes()),
        Bytes.text(stores),
        Bytes.percent(takes, sum.logicalBytes()),
        new Page.Bar(takes, sum.logicalBytes()));
  }

  private void worst() {
    List<WorstBlock> worst = WorstBlock.of(status.uses());
    if (worst.isEmpty()) {
      return;
    }
    page.table(
        "Blocks whose files save least, their part of stores left out",
        "block",
        "stored with",
        "logical",
        "block file",
        "ratio",
        "");
    for (WorstBlock block : worst) {
      page.row(
          Long.toString(block.id()),
          block.how(),
          Bytes.text(block.logicalBytes()),
          Bytes.text(block.fileBytes()),
          Bytes.percent(block.fileBytes(), block.logicalBytes()),
          new Page.Bar(block.fileBytes(), block.logicalBytes()));
    }
    page.endTable();
  }

  private void work() {
    page.section("work", "Under way");
    page.table("Reduction", "metric", "blocks");
    REDUCTION.forEach(metric -> page.row(metric, status.metric(metric)));
    page.endTable();
    boolean any = false;
    for (Map.Entry<String, List<JobInfo>> jobs : status.jobs().entrySet()) {
      for (JobInfo job : jobs.getValue()) {
        if (job.state() == JobInfo.State.RUNNING) {
          any = true;
          job(jobs.getKey(), job);
        }
      }
    }
    for (VolumeInfo volume : status.collections()) {
      if (!volume.status().isEmpty()) {
        any = true;
        html.element("p", "collection " + volume(volume.directory()) + ": " + volume.status());
      }
    }
    if (!any) {
      html.element("p", "No job and no collection is under way.");
    }
    page.endSection();
  }

  private void job(String command, JobInfo job) {
    String id = command + "-" + job.storageId() + "-" + job.poolId();
    html.begin("p").element("label", command + " " + volume(job.directory()) + " ", "for", id);
    html.element(
        "progress",
        "",
        "id",
        id,
        "max",
        Math.max(1, job.figure(Figure.BLOCKS)),
        "value",
        job.figure(Figure.BLOCKS_LOOKED));
    html.text(" " + job.figure(Figure.BLOCKS_LOOKED) + " of " + job.figure(Figure.BLOCKS));
    html.end();
  }

  private void volumes() {
    page.section("volumes", "Volumes");
    page.table(
        "Blocks", "volume", "type", "blocks", "logical", "takes", "ratio", "", words("records"));
    for (VolumeUse use : status.uses()) {
      String name = volume(use.directory());
      if (!use.isWhole()) {
        page.row(
            name, use.storageType(), UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, "", words(records(use)));
        continue;
      }
      long takes = use.all().fileBytes() + use.fileBytes();
      page.row(
          name,
          use.storageType(),
          use.all().blocks(),
          Bytes.text(use.all().logicalBytes()),
          Bytes.text(takes),
          Bytes.percent(takes, use.all().logicalBytes()),
          new Page.Bar(takes, use.all().logicalBytes()),
          words(records(use)));
    }
    page.endTable();
    if (status.uses().stream().anyMatch(use -> use.files().containsKey(CONTAINERS))) {
      page.table(
          "Deduplication", "volume", "containers", "garbage", "", "filters", "records and index");
      status.uses().forEach(this::deduplication);
      page.endTable();
    }
    if (status.metric(DIFFERENCES) > 0) {
      differences();
    }
    page.endSection();
  }

  /** The index is in the store of the records; one that is not on the volume takes nothing here. */
  private void deduplication(VolumeUse use) {
    if (!use.files().containsKey(CONTAINERS)) {
      return;
    }
    long containers = use.files().get(CONTAINERS);
    Long garbage = status.storeFigure(use.storageId(), use.poolId(), GARBAGE);
    page.row(
        volume(use.directory()),
        Bytes.text(containers),
        garbage == null ? UNKNOWN : Bytes.text(garbage),
        new Page.Bar(garbage == null ? 0 : garbage, containers),
        Bytes.text(use.files().getOrDefault(DBA, 0L)),
        Bytes.text(
            use.files().entrySet().stream()
                .filter(file -> file.getKey().startsWith("metadata-"))
                .mapToLong(Map.Entry::getValue)
                .sum()));
  }

  private void differences() {
    long chunks = status.metric(DIFFERENCES);
    long bytes = status.metric("DedupBytesAsDifferences");
    long kept = status.metric("DedupBytesOfDifferences");
    page.table(
        "New chunks stored as differences since the DataNode's start",
        "differences",
        "of new chunks",
        "bytes of these chunks",
        "take",
        "ratio",
        "",
        "bases read");
    page.row(
        Long.toString(chunks),
        status.metric("DedupChunksNew"),
        Bytes.text(bytes),
        Bytes.text(kept),
        Bytes.percent(kept, bytes),
        new Page.Bar(kept, bytes),
        status.metric("DedupBasesRead"));
    page.endTable();
  }

  private static Page.Words words(String text) {
    return new Page.Words(text);
  }

  /** Returns the volume of HDRF's directory of a pool. */
  private static String volume(String directory) {
    return directory.replaceFirst("/current/BP-[^/]*/hdrf$", "");
  }

  private String records(VolumeUse use) {
    for (VolumeInfo volume : status.records()) {
      if (volume.storageId().equals(use.storageId()) && volume.poolId().equals(use.poolId())) {
        return volume.status();
      }
    }
    return "none";
  }

  private void memory() {
    page.section("memory", "Memory");
    long limit = status.metric("MemoryLimitBytes");
    page.figures(
        "kept",
        Bytes.text(status.metric("MemoryUsedBytes")),
        "at most",
        limit == 0 ? "no such bound" : Bytes.text(limit));
    page.table("What it is kept for", "metric", "");
    status
        .metrics()
        .forEach(
            (metric, value) -> {
              if (metric.startsWith(MEMORY)) {
                page.row(metric.substring(MEMORY.length()), Bytes.text(value));
              }
            });
    page.row("MemoryDeclined", status.metric("MemoryDeclined"));
    page.endTable();
    page.endSection();
  }

  private void filters() {
    page.section("filters", "Filters");
    page.table("Filters of all volumes", "metric", "");
    status
        .metrics()
        .forEach(
            (metric, value) -> {
              if (metric.startsWith(FILTERS)) {
                page.row(metric, value);
              }
            });
    page.endTable();
    page.endSection();
  }

  private void damage() {
    page.section("damage", "Damage");
    page.table("Since the DataNode's start", "metric", "");
    status
        .metrics()
        .forEach(
            (metric, value) -> {
              if (metric.contains(DAMAGE) || metric.contains(CORRUPT)) {
                page.row(metric, value);
              }
            });
    page.endTable();
    List<String> examples = new ArrayList<>();
    status.jobs().values().forEach(jobs -> jobs.forEach(job -> examples.addAll(job.examples())));
    if (!examples.isEmpty()) {
      html.element("p", "Blocks of which jobs had something to say, not all:").begin("ul");
      examples.forEach(line -> html.element("li", line));
      html.end();
    }
    page.endSection();
  }
}
