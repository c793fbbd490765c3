/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.PrintStream;

/**
 * Shows the progress of a step: a bar that redraws itself on a terminal, a line at the end and one
 * every half minute elsewhere. Safe for use by many threads.
 */
final class Progress implements AutoCloseable {
  private static final int BAR = 30;
  private static final long REDRAW_NANOS = 100_000_000L;
  private static final long LINE_NANOS = 30_000_000_000L;

  /** The format of amounts. */
  enum Unit {
    /** No amount. */
    NONE {
      @Override
      String show(long amount) {
        return "...";
      }
    },
    BYTES {
      @Override
      String show(long amount) {
        return Sizes.bytes(amount);
      }
    },
    COUNT {
      @Override
      String show(long amount) {
        return Long.toString(amount);
      }
    },
    PERCENT {
      @Override
      String show(long amount) {
        return amount + " %";
      }
    };

    abstract String show(long amount);
  }

  private final PrintStream out;
  private final boolean terminal;
  private final String label;
  private final long total;
  private final Unit unit;
  private final long began = System.nanoTime();
  private long amount;
  private String said = "";
  private long shown;
  private boolean ended;

  /**
   * Begins a step.
   *
   * @param total the amount at which the step is done, or 0 if unknown
   */
  Progress(PrintStream out, boolean terminal, String label, long total, Unit unit) {
    this.out = out;
    this.terminal = terminal;
    this.label = label;
    this.total = total;
    this.unit = unit;
    this.shown = began;
    if (terminal) {
      draw();
    }
  }

  synchronized void add(long more) {
    set(amount + more);
  }

  /** Like {@link #set}, but never goes back. */
  synchronized void raise(long value) {
    set(Math.max(amount, value));
  }

  synchronized void set(long value) {
    amount = value;
    long now = System.nanoTime();
    if (!ended && now - shown > (terminal ? REDRAW_NANOS : LINE_NANOS)) {
      shown = now;
      if (terminal) {
        draw();
      } else {
        out.println(label + ": " + state());
      }
    }
  }

  /** Shows words instead of an amount. */
  synchronized void say(String words) {
    said = words;
    set(amount);
  }

  /** Returns the seconds since the step began. */
  double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  /** Ends the step with a line about its result. */
  synchronized void done(String result) {
    if (!ended) {
      ended = true;
      out.println(
          (terminal ? "\r\033[K" : "")
              + label
              + ": "
              + result
              + " ("
              + Sizes.seconds(seconds())
              + ")");
    }
  }

  /** Cleans the terminal's line if the step has not ended. */
  @Override
  public synchronized void close() {
    if (!ended) {
      ended = true;
      if (terminal) {
        out.println("\r\033[K" + label + ": not finished");
      }
    }
  }

  private void draw() {
    out.print("\r\033[K" + label + bar() + " " + state());
    out.flush();
  }

  private String state() {
    if (!said.isEmpty()) {
      return said;
    }
    return total > 0 && unit != Unit.PERCENT
        ? unit.show(amount) + " of " + unit.show(total)
        : unit.show(amount);
  }

  private String bar() {
    if (total <= 0) {
      return "";
    }
    int filled = (int) (BAR * Math.min(amount, total) / total);
    return " [" + "#".repeat(filled) + ".".repeat(BAR - filled) + "]";
  }
}
