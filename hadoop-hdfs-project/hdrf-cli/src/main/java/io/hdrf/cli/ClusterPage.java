/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.WorstBlock;
import io.hdrf.html.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A {@link ClusterReport} as one page of HTML, in a file. */
final class ClusterPage {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final ClusterReport report;
  private final List<String> troubles;
  private final long now;

  /**
   * @param troubles what was not looked at
   * @param now in milliseconds since 1970-01-01 UTC
   */
  ClusterPage(ClusterReport report, List<String> troubles, long now) {
    this.report = report;
    this.troubles = List.copyOf(troubles);
    this.now = now;
  }

  /**
   * Writes it; whoever reads the file meanwhile has the old one or the new one.
   *
   * @param file what it becomes; its directory must be there
   */
  void write(Path file) throws IOException {
    Path whole = file.toAbsolutePath();
    Path fresh = whole.resolveSibling(whole.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      // A new file: where others may write, nobody's link is followed.
      Files.writeString(fresh, render(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      Files.move(fresh, whole, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Returns the page. */
  String render() {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("attention", "Attention");
    names.put("savings", "Savings");
    List<ClusterReport.Section> sections = report.sections();
    for (int i = 0; i < sections.size(); i++) {
      names.put("table-" + i, sections.get(i).name());
    }
    names.put("worst", "Worst blocks");
    Page page =
        new Page("HDRF in the cluster", "As of " + TIME.format(Instant.ofEpochMilli(now)), names);
    attention(page);
    savings(page);
    for (int i = 0; i < sections.size(); i++) {
      page.section("table-" + i, sections.get(i).name());
      table(page, sections.get(i));
      page.endSection();
    }
    worst(page);
    return page.end();
  }

  private void attention(Page page) {
    page.section("attention", "Needs attention");
    page.attention(report.attention(), "Nothing that answers.");
    if (!troubles.isEmpty()) {
      page.html().element("p", "Not looked at:");
      page.attention(troubles, "");
    }
    page.endSection();
  }

  private void savings(Page page) {
    page.section("savings", "Savings");
    Optional<Space> sum = report.sum();
    if (sum.isPresent()) {
      List<String> cells = sum.get().cells();
      List<String> figures = new ArrayList<>();
      for (int i = 0; i < cells.size(); i++) {
        figures.add(Space.HEADS.get(i));
        figures.add(cells.get(i));
      }
      page.figures(figures.toArray(new String[0]));
    }
    report.summary(now).forEach(line -> page.html().element("p", line));
    page.endSection();
  }

  private static void table(Page page, ClusterReport.Section section) {
    List<String> heads = new ArrayList<>(section.rows().get(0));
    boolean drawn = !section.spaces().isEmpty();
    if (drawn) {
      heads.add("");
    }
    page.table(section.name(), heads.toArray());
    for (int i = 1; i < section.rows().size(); i++) {
      List<String> row = section.rows().get(i);
      List<Object> cells = new ArrayList<>(row.subList(1, row.size()));
      if (drawn) {
        cells.add(section.spaces().get(i - 1).map(Space::bar).orElse(new Page.Bar(0, 0)));
      }
      page.row(row.get(0), cells.toArray());
    }
    page.endTable();
  }

  /** One of the worst blocks, with its DataNode. */
  private record Found(WorstBlock block, String node) {}

  private void worst(Page page) {
    page.section("worst", "Worst blocks");
    List<Found> all = new ArrayList<>();
    for (NodeReport node : report.nodes()) {
      WorstBlock.of(node.uses()).forEach(block -> all.add(new Found(block, node.name())));
    }
    all.sort(Comparator.comparing(Found::block, WorstBlock.ORDER));
    page.table(
        "Replicas whose files save least, their part of stores left out",
        "block",
        "stored with",
        "logical",
        "block file",
        "ratio",
        "",
        "DataNode");
    for (Found found : all.subList(0, Math.min(WorstBlock.MOST, all.size()))) {
      WorstBlock block = found.block();
      page.row(
          Long.toString(block.id()),
          block.how(),
          Sizes.bytes(block.logicalBytes()),
          Sizes.bytes(block.fileBytes()),
          Sizes.percent(WorstBlock.ratio(block.logicalBytes(), block.fileBytes())),
          new Page.Bar(block.fileBytes(), block.logicalBytes()),
          found.node());
    }
    page.endTable();
    page.endSection();
  }
}
