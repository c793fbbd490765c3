/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Outcomes as Markdown. */
final class ApplicationsTable {

  private ApplicationsTable() {}

  /**
   * @param variants stock HDFS first
   */
  static String of(int replication, List<Variant> variants) {
    Variant stock = variants.get(0);
    StringBuilder text = new StringBuilder("### Replication " + replication + "\n\n");
    text.append("| application | stock: s | MB |");
    for (Variant variant : variants.subList(1, variants.size())) {
      text.append(" `").append(variant.name()).append("`: same output | time to stock's | MB |");
    }
    text.append("\n|---|---|---|").append("---|---|---|".repeat(variants.size() - 1)).append('\n');
    stock
        .outcomes()
        .forEach(
            (name, expected) -> {
              text.append("| ").append(name);
              text.append(String.format(Locale.ROOT, " | %.1f", expected.seconds()));
              text.append(" | ").append(megabytes(expected));
              for (Variant variant : variants.subList(1, variants.size())) {
                append(text, expected, variant.outcomes().get(name));
              }
              text.append(" |\n");
            });
    text.append('\n');
    for (Variant variant : variants) {
      Set<String> errors = variant.errorsBeyond(stock);
      if (!variant.isStock()) {
        text.append("- `").append(variant.name()).append("`: ");
        text.append(errors.isEmpty() ? "no error in a log that stock does not show" : errors);
        text.append('\n');
      }
      variant
          .outcomes()
          .forEach(
              (name, outcome) -> {
                if (outcome.failure() != null) {
                  text.append("- ").append(variant.name()).append(", ").append(name);
                  text.append(" failed: ").append(outcome.failure()).append('\n');
                }
              });
    }
    return text.toString();
  }

  private static void append(StringBuilder text, Outcome stock, Outcome found) {
    if (found == null || found.failure() != null) {
      text.append(" | **failed** | | ");
      return;
    }
    String same = stock.digests().isEmpty() ? "—" : found.sameAs(stock) ? "yes" : "**no**";
    text.append(" | ").append(same);
    text.append(String.format(Locale.ROOT, " | %.2f", found.seconds() / stock.seconds()));
    text.append(" | ").append(megabytes(found));
  }

  private static String megabytes(Outcome outcome) {
    return String.format(Locale.ROOT, "%.0f", outcome.addedBytes() / 1e6);
  }
}
