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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Draws a {@link Status} as one page of HTML: no script, no other file, nothing from elsewhere. The
 * order is that of urgency: what needs attention, what is saved, what is under way, details.
 */
final class StatusPage {

  /** The style sheet, whose hash the page's security policy names. */
  static final String STYLE =
      ":root{color-scheme:light dark;--line:#8888;--logical:#777;--stored:#06c;--saved:#06c3;"
          + "--bad:#b00}"
          + "@media(prefers-color-scheme:dark){:root{--logical:#aaa;--stored:#6af;--saved:#6af4;--bad:#f88}}body{font:1rem/1.5"
          + " system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}"
          + "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}th,td{padding:.2rem"
          + " .8rem .2rem 0;text-align:right;border-bottom:1px solid"
          + " var(--line)}th:first-child,td:first-child{text-align:left}td+td{white-space:nowrap}nav"
          + " a{margin-right:1rem}a:focus-visible,.wide:focus-visible{outline:3px solid"
          + " var(--stored)}.wide{overflow-x:auto}.bad{color:var(--bad)}svg{width:100%;height:auto}svg"
          + " text{font-size:11px;fill:currentColor}.grid{stroke:var(--line);fill:none}.logical{stroke:var(--logical);fill:none;stroke-width:2;stroke-dasharray:6"
          + " 3}.stored{stroke:var(--stored);fill:none;stroke-width:2}.saved{fill:var(--saved)}"
          + ".bar{fill:var(--stored)}.track{fill:var(--saved)}progress{width:12rem}";

  private static final List<String> REDUCTION =
      Arrays.asList("Pending", "QueueLength", "BlocksReduced", "BlocksAdopted", "BlocksInflated");

  private static final String FILTERS = "DedupDba";
  private static final String DAMAGE = "Damaged";
  private static final String CORRUPT = "Corrupt";

  private final Status status;
  private final Html html = new Html();

  StatusPage(Status status) {
    this.status = status;
  }

  /** Returns the page. */
  String render() {
    html.constant("<!DOCTYPE html>\n");
    html.begin("html", "lang", "en").begin("head");
    html.single("meta", "charset", "utf-8");
    html.single("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    html.element("title", "HDRF on " + status.name());
    html.begin("style").constant(STYLE).end().end();
    html.begin("body");
    html.begin("header").element("h1", "HDRF on " + status.name());
    html.begin("nav", "aria-label", "Sections");
    link("attention", "Attention");
    link("savings", "Savings");
    link("work", "Under way");
    link("volumes", "Volumes");
    link("filters", "Filters");
    link("damage", "Damage");
    html.element("a", "All metrics", "href", "/jmx?qry=Hadoop:service=DataNode,name=Hdrf*");
    html.end().end().begin("main");
    attention();
    savings();
    work();
    volumes();
    metrics("filters", "Filters", FILTERS);
    damage();
    html.end().end().end();
    return html.toString();
  }

  private void link(String id, String name) {
    html.element("a", name, "href", "#" + id);
  }

  private void section(String id, String name) {
    html.begin("section", "id", id).element("h2", name);
  }

  private void attention() {
    section("attention", "Needs attention");
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
    if (lines.isEmpty()) {
      html.element("p", "Nothing.");
    } else {
      html.begin("ul");
      lines.forEach(line -> html.element("li", line, "class", "bad"));
      html.end();
    }
    html.end();
  }

  private void savings() {
    section("savings", "Savings");
    if (status.uses().stream().noneMatch(VolumeUse::isWhole)) {
      html.element(
          "p",
          status.uses().isEmpty()
              ? "The blocks are added up for the first time ten minutes after the start."
              : "What the blocks take is not known; the volumes say why.");
      html.end();
      return;
    }
    BlockSum all = BlockSum.NONE;
    long files = 0;
    Map<String, BlockSum> chains = new TreeMap<>();
    Map<String, Long> stores = new TreeMap<>();
    for (VolumeUse use : status.uses()) {
      if (!use.isWhole()) {
        continue;
      }
      all = all.plus(use.all());
      files += use.fileBytes();
      StoreShares shares = new StoreShares(use);
      use.chains()
          .forEach(
              (chain, sum) -> {
                chains.merge(chain, sum, BlockSum::plus);
                stores.merge(chain, shares.of(chain, sum.logicalBytes()).getAsLong(), Long::sum);
              });
    }
    long takes = all.fileBytes() + files;
    html.element(
        "p",
        all.blocks()
            + " blocks of "
            + Bytes.text(all.logicalBytes())
            + " take "
            + Bytes.text(takes)
            + " ("
            + Bytes.percent(takes, all.logicalBytes())
            + "), HDRF's own files included; saved: "
            + Bytes.text(all.logicalBytes() - takes)
            + ".");
    if (status.samples().size() > 1) {
      new SavingsChart(status.samples()).draw(html);
    }
    table("By chain", "stored with", "blocks", "logical", "block files", "stores", "share", "");
    chains.forEach((chain, sum) -> chain(chain, sum, stores.get(chain)));
    endTable();
    html.end();
  }

  private void chain(String chain, BlockSum sum, long stores) {
    long takes = sum.fileBytes() + stores;
    row(
        chain.isEmpty() ? "plain" : chain,
        sum.blocks(),
        Bytes.text(sum.logicalBytes()),
        Bytes.text(sum.fileBytes()),
        Bytes.text(stores),
        Bytes.percent(takes, sum.logicalBytes()));
    long width = sum.logicalBytes() == 0 ? 0 : Math.min(100, 100 * takes / sum.logicalBytes());
    html.begin("td").begin("svg", "viewBox", "0 0 100 10", "width", 100, "aria-hidden", "true");
    html.element("rect", "", "class", "track", "width", 100, "height", 10);
    html.element("rect", "", "class", "bar", "width", width, "height", 10);
    html.end().end().end();
  }

  private void work() {
    section("work", "Under way");
    table("Reduction", "reduction", "blocks");
    REDUCTION.forEach(
        metric -> {
          row(metric, status.metric(metric));
          html.end();
        });
    endTable();
    boolean any = false;
    for (Map.Entry<String, List<JobInfo>> jobs : status.jobs().entrySet()) {
      for (JobInfo job : jobs.getValue()) {
        if (job.state() == JobInfo.State.RUNNING) {
          any = true;
          String id = jobs.getKey() + "-" + job.storageId() + "-" + job.poolId();
          html.begin("p")
              .element("label", jobs.getKey() + " " + volume(job.directory()) + " ", "for", id);
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
    html.end();
  }

  private void volumes() {
    section("volumes", "Volumes");
    table("Volumes", "volume", "type", "blocks", "logical", "takes", "share", "records");
    for (VolumeUse use : status.uses()) {
      long takes = use.all().fileBytes() + use.fileBytes();
      if (!use.isWhole()) {
        String why = use.obstacle();
        row(volume(use.directory()), use.storageType(), "?", "?", "?", "?", why);
        html.end();
        continue;
      }
      row(
          volume(use.directory()),
          use.storageType(),
          use.all().blocks(),
          Bytes.text(use.all().logicalBytes()),
          Bytes.text(takes),
          Bytes.percent(takes, use.all().logicalBytes()),
          records(use));
      html.end();
    }
    endTable();
    html.end();
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

  private void damage() {
    section("damage", "Damage");
    table("Damage", "since the start", "");
    status
        .metrics()
        .forEach(
            (name, value) -> {
              if (name.contains(DAMAGE) || name.contains(CORRUPT)) {
                row(name, value);
                html.end();
              }
            });
    endTable();
    html.end();
  }

  private void metrics(String id, String name, String prefix) {
    section(id, name);
    table(name, "metric", "");
    status
        .metrics()
        .forEach(
            (metric, value) -> {
              if (metric.startsWith(prefix)) {
                row(metric, value);
                html.end();
              }
            });
    endTable();
    html.end();
  }

  /** A table is scrolled by itself, by keyboard too, where it is wider than the page. */
  private void table(String label, String... heads) {
    html.begin("div", "class", "wide", "tabindex", 0, "role", "region", "aria-label", label);
    html.begin("table").begin("thead").begin("tr");
    for (String head : heads) {
      html.element("th", head, "scope", "col");
    }
    html.end().end().begin("tbody");
  }

  private void endTable() {
    html.end().end().end();
  }

  /** Begins a row. */
  private void row(Object... cells) {
    html.begin("tr");
    for (Object cell : cells) {
      html.element("td", cell);
    }
  }
}
