/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.page;

import io.hdrf.admin.Bytes;
import io.hdrf.html.Html;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Draws logical and stored bytes over time as SVG; what lies between them is saved. */
final class SavingsChart {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 220;
  private static final int LEFT = 80;
  private static final int BOTTOM = 190;
  private static final int TOP = 10;
  private static final int RIGHT = WIDTH - 10;
  private static final int LABELS = 4;
  private static final int LEGEND = 110;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final List<Status.Sample> samples;
  private final long from;
  private final long to;
  private final long greatest;

  /**
   * @param samples at least two, the oldest first
   */
  SavingsChart(List<Status.Sample> samples) {
    this.samples = samples;
    this.from = samples.get(0).time();
    this.to = Math.max(from + 1, samples.get(samples.size() - 1).time());
    long most = 1;
    for (Status.Sample sample : samples) {
      most = Math.max(most, Math.max(sample.logicalBytes(), sample.storedBytes()));
    }
    this.greatest = most;
  }

  void draw(Html html) {
    Status.Sample last = samples.get(samples.size() - 1);
    html.begin(
        "svg",
        "class",
        "chart",
        "viewBox",
        "0 0 " + WIDTH + " " + HEIGHT,
        "role",
        "img",
        "aria-labelledby",
        "savings-title");
    html.begin("title", "id", "savings-title")
        .text(
            "Saved since "
                + time(from)
                + ": now "
                + Bytes.text(last.logicalBytes() - last.storedBytes())
                + " of "
                + Bytes.text(last.logicalBytes()))
        .end();
    for (int i = 0; i <= LABELS; i++) {
      long bytes = greatest / LABELS * i;
      html.element("path", "", "class", "grid", "d", "M" + LEFT + " " + y(bytes) + "H" + RIGHT);
      html.element(
          "text", Bytes.text(bytes), "x", LEFT - 6, "y", y(bytes) + 4, "text-anchor", "end");
    }
    html.element("text", time(from), "x", LEFT, "y", HEIGHT - 8);
    html.element("text", time(to), "x", RIGHT, "y", HEIGHT - 8, "text-anchor", "end");
    legend(html);
    html.element("path", "", "class", "saved", "d", band());
    html.element("path", "", "class", "logical", "d", line(true));
    html.element("path", "", "class", "stored", "d", line(false));
    html.end();
  }

  /** Between the two times. */
  private static void legend(Html html) {
    int y = HEIGHT - 12;
    int x = LEFT + LEGEND + 50;
    html.element("path", "", "class", "logical", "d", "M" + x + " " + y + "h24");
    html.element("text", "logical", "x", x + 30, "y", y + 4);
    html.element("path", "", "class", "stored", "d", "M" + (x + LEGEND) + " " + y + "h24");
    html.element("text", "stored", "x", x + LEGEND + 30, "y", y + 4);
    int saved = x + 2 * LEGEND;
    html.element("path", "", "class", "saved", "d", "M" + saved + " " + (y - 5) + "h24v10h-24Z");
    html.element("text", "saved", "x", saved + 30, "y", y + 4);
  }

  private static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis)) + " UTC";
  }

  private long x(long time) {
    return LEFT + Math.round((double) (time - from) / (to - from) * (RIGHT - LEFT));
  }

  private long y(long bytes) {
    return BOTTOM - Math.round((double) bytes / greatest * (BOTTOM - TOP));
  }

  private String line(boolean logical) {
    StringBuilder path = new StringBuilder();
    for (Status.Sample sample : samples) {
      path.append(path.length() == 0 ? 'M' : 'L').append(point(sample, logical));
    }
    return path.toString();
  }

  private String band() {
    StringBuilder path = new StringBuilder(line(true));
    for (int i = samples.size() - 1; i >= 0; i--) {
      path.append('L').append(point(samples.get(i), false));
    }
    return path.append('Z').toString();
  }

  private String point(Status.Sample sample, boolean logical) {
    return x(sample.time()) + " " + y(logical ? sample.logicalBytes() : sample.storedBytes());
  }
}
