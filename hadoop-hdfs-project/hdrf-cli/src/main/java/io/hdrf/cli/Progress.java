/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.Pace;
import io.hdrf.spi.TaskProgress;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a step: a bar that redraws itself on a terminal, a line at the end and one
 * every half minute elsewhere. The rate is that of the last ten to twenty minutes; there is none,
 * and no time left, where nothing moved in them. Safe for use by many threads.
 */
final class Progress implements AutoCloseable {
  private static final int BAR = 30;
  private static final long REDRAW_NANOS = 100_000_000L;
  private static final long LINE_NANOS = 30_000_000_000L;
  private static final long WINDOW_NANOS = 600_000_000_000L;

  /** The format of amounts. */
  enum Unit {
    /** No amount. */
    NONE {
      @Override
      String show(long amount, long total) {
        return "...";
      }
    },
    BYTES {
      @Override
      String show(long amount, long total) {
        return Pace.share(TaskProgress.Unit.BYTES, amount, total);
      }

      @Override
      String rate(long moved, long millis) {
        return Pace.rate(TaskProgress.Unit.BYTES, moved, millis);
      }
    },
    COUNT {
      @Override
      String show(long amount, long total) {
        return Pace.share(TaskProgress.Unit.COUNT, amount, total);
      }

      @Override
      String rate(long moved, long millis) {
        return Pace.rate(TaskProgress.Unit.COUNT, moved, millis);
      }
    },
    PERCENT {
      @Override
      String show(long amount, long total) {
        return amount + " %";
      }
    };

    static Unit of(TaskProgress.Unit unit) {
      return unit == TaskProgress.Unit.BYTES ? BYTES : COUNT;
    }

    abstract String show(long amount, long total);

    /** As {@link Pace#rate}; empty where a rate says nothing. */
    String rate(long moved, long millis) {
      return "";
    }
  }

  /** An amount, and when it was reached. */
  private record Mark(long nanos, long amount) {}

  private final PrintStream out;
  private final boolean terminal;
  private final String label;
  private final LongSupplier nanoTime;
  private final long began;
  private long total;
  private Unit unit;
  private long amount;

  /** Where the rate is counted from; null before the first amount, which may be an old one. */
  private Mark from;

  private Mark next;
  private String said = "";
  private long shown;
  private boolean ended;

  /**
   * Begins a step.
   *
   * @param total the amount at which the step is done, or 0 if unknown
   */
  Progress(PrintStream out, boolean terminal, String label, long total, Unit unit) {
    this(out, terminal, label, total, unit, System::nanoTime);
  }

  /** As the other one, with a clock. */
  Progress(
      PrintStream out,
      boolean terminal,
      String label,
      long total,
      Unit unit,
      LongSupplier nanoTime) {
    this.out = out;
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
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

  /** Sets both; neither goes back. */
  synchronized void raise(long value, long newTotal) {
    total = Math.max(total, newTotal);
    set(Math.max(amount, value));
  }

  /** Shows progress as a DataNode tells it; a step that is not the one before begins anew. */
  synchronized void show(TaskProgress progress) {
    if (progress.step().isEmpty() && progress.done() == 0 && progress.total() == 0) {
      return;
    }
    if (!progress.step().equals(said)) {
      said = progress.step();
      from = null;
    }
    unit = Unit.of(progress.unit());
    total = progress.total();
    set(progress.done());
  }

  synchronized void set(long value) {
    amount = value;
    long now = nanoTime.getAsLong();
    mark(now);
    if (!ended && now - shown > (terminal ? REDRAW_NANOS : LINE_NANOS)) {
      shown = now;
      if (terminal) {
        draw();
      } else {
        out.println(label + ": " + state());
      }
    }
  }

  private void mark(long now) {
    if (from == null) {
      from = new Mark(now, amount);
      next = from;
    } else if (now - next.nanos > WINDOW_NANOS) {
      from = next;
      next = new Mark(now, amount);
    }
  }

  /** Returns the seconds since the step began. */
  double seconds() {
    return (nanoTime.getAsLong() - began) / 1e9;
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
    if (!said.isEmpty() && amount == 0 && total == 0) {
      return said;
    }
    String share = (said.isEmpty() ? "" : said + ": ") + unit.show(amount, total);
    if (from == null) {
      return share;
    }
    long moved = amount - from.amount;
    long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - from.nanos);
    return share + unit.rate(moved, millis) + Pace.timeLeft(moved, millis, total - amount);
  }

  private String bar() {
    if (total <= 0) {
      return "";
    }
    int filled = (int) (BAR * Math.min(amount, total) / total);
    return " [" + "#".repeat(filled) + ".".repeat(BAR - filled) + "]";
  }
}
