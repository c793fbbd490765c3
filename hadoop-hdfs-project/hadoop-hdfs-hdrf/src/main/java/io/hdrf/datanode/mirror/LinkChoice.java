/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Decides by measurement whether packets go to one peer plain or reduced. Thread-safe.
 *
 * <p>One of both forms costs less processor time in the end. It is kept as long as the sender
 * spends less than a quarter of its time on sending, since the other could not be faster then, and
 * while the machine's processors are busy. Otherwise one stream sends some megabytes in the other
 * form, and the faster one is kept; the cheaper one also if it is slower by a few per cent. Each
 * trial that changes nothing doubles the time until the next.
 */
final class LinkChoice {

  /** How packets go. */
  enum Form {
    PLAIN,
    REDUCED;

    Form other() {
      return this == PLAIN ? REDUCED : PLAIN;
    }
  }

  /** The data after which sending is judged, in bytes. */
  static final long WINDOW = 16 << 20;

  /** The shortest time over which it is judged: on large machines the load takes time to read. */
  private static final long WINDOW_NANOS = 200_000_000;

  /** The data of a trial, in bytes. */
  static final long TRIAL = 8 << 20;

  /** The time after which less data are enough. */
  static final long PATIENCE_NANOS = 500_000_000;

  /** What is enough after that time, in bytes. */
  static final long LEAST = 2 << 20;

  /** The windows between a change and the next trial. */
  private static final int FIRST_PAUSE = 4;

  /** The most windows between two trials. */
  static final int MAX_PAUSE = 64;

  /** A pause after which what was sent before is not judged with what follows. */
  private static final long GAP_NANOS = 1_000_000_000;

  /** How much faster than the cheaper form the other must be to be used. */
  private static final double GAIN = 1.1;

  /** How much slower than the other the cheaper form may be to be used. */
  private static final double LOSS = 0.95;

  /** What was sent in one form. */
  private static final class Tally {
    private long bytes;
    private long nanos;
    private long busyNanos;
    private long until;

    void add(long moreBytes, long from, long to, long moreBusyNanos) {
      bytes += moreBytes;
      nanos += to - from;
      busyNanos += moreBusyNanos;
      until = to;
    }

    boolean hasEnough(long wanted, long least) {
      return nanos >= PATIENCE_NANOS ? bytes >= LEAST : nanos >= least && bytes >= wanted;
    }

    boolean isHeldUp() {
      return busyNanos > nanos / 4;
    }

    double rate() {
      return (double) bytes / Math.max(1, nanos);
    }

    void clear() {
      bytes = 0;
      nanos = 0;
      busyNanos = 0;
    }
  }

  private final Form cheaper;
  private final Supplier<BooleanSupplier> processors;
  private final Runnable onTrial;
  private final Runnable onChange;
  private final Tally window = new Tally();
  private final Tally trial = new Tally();

  /** Whether they have been busy since the window began. */
  private BooleanSupplier processorsBusy;

  private Form current;
  private double rate;
  private int pause = 1;
  private int windowsLeft = 1;
  private boolean trialWanted;
  private boolean judged;

  /** Whether a stream has the trial. */
  private boolean trialUnderWay;

  /**
   * @param cheaper the form that takes less processor time of all DataNodes together
   * @param processors begins to measure whether there is no processor time to spare
   * @param onTrial is run for each trial
   * @param onChange is run when the other form is used from now on
   */
  LinkChoice(
      Form cheaper, Supplier<BooleanSupplier> processors, Runnable onTrial, Runnable onChange) {
    this.cheaper = cheaper;
    this.processors = processors;
    this.current = cheaper;
    this.onTrial = onTrial;
    this.onChange = onChange;
  }

  /** Returns the form in which a stream begins a block. */
  synchronized Form begin() {
    return mayTry(true) ? current.other() : current;
  }

  /** Returns whether all streams that begin now send plain as long as they last. */
  synchronized boolean isPlain() {
    return judged && current == Form.PLAIN && !trialWanted && !trialUnderWay;
  }

  /**
   * Takes what a stream has sent, and returns the form in which it goes on.
   *
   * @param form in which the stream sent
   * @param from when the first byte was sent, of {@link System#nanoTime}
   * @param to when the last one was
   * @param busyNanos the part of that time that was spent on sending
   * @param mayTry whether it may go on in another form by way of trial
   */
  synchronized Form sent(
      Form form, long bytes, long from, long to, long busyNanos, boolean mayTry) {
    if (form == current) {
      if (window.bytes == 0 || from - window.until > GAP_NANOS) {
        window.clear();
        processorsBusy = processors.get();
      }
      window.add(bytes, from, to, busyNanos);
      if (window.hasEnough(WINDOW, WINDOW_NANOS)) {
        judge();
      }
      return mayTry(mayTry) ? current.other() : current;
    }
    if (!trialUnderWay) {
      // Of a trial that another stream has ended.
      return current;
    }
    trial.add(bytes, from, to, busyNanos);
    if (!trial.hasEnough(TRIAL, 0)) {
      return form;
    }
    conclude();
    return current;
  }

  /** A stream ends, with or without having sent. */
  synchronized void end(Form form) {
    if (form != current && trialUnderWay) {
      // The next one goes on with the trial.
      trialUnderWay = false;
      trialWanted = true;
    }
  }

  private boolean mayTry(boolean mayTry) {
    if (!mayTry || !trialWanted) {
      return false;
    }
    trialWanted = false;
    trialUnderWay = true;
    return true;
  }

  private void judge() {
    judged = true;
    rate = window.rate();
    // The dearer form is compared with the cheaper one however well it does.
    boolean doubtful = current != cheaper || (window.isHeldUp() && !processorsBusy.getAsBoolean());
    window.clear();
    if (doubtful && !trialUnderWay && !trialWanted && --windowsLeft <= 0) {
      trialWanted = true;
      trial.clear();
      onTrial.run();
    }
  }

  private void conclude() {
    double needed = current == cheaper ? GAIN : LOSS;
    if (trial.rate() > rate * needed) {
      current = current.other();
      pause = FIRST_PAUSE;
      onChange.run();
    } else {
      pause = Math.min(MAX_PAUSE, 2 * pause);
    }
    windowsLeft = pause;
    window.clear();
    trialUnderWay = false;
  }
}
