/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Decides by measurement whether packets go to one peer plain or reduced. Thread-safe.
 *
 * <p>One of both forms costs less processor time in the end. It is kept as long as the sender
 * spends less than a quarter of its time on sending, since the other could not be faster then.
 * Otherwise one stream sends some megabytes in the other form, and the faster one is used; the
 * cheaper one also if it is slower by a few per cent. What one stream gains all of them may lose,
 * so a change is taken back if the next windows are slower than those before it. Each trial that
 * changes nothing for good doubles the time until the next.
 *
 * <p>While the machine's processors are busy, trials of reduced packets are rare, as a link may be
 * slow all the same, and must show that it is: how fast a stream is depends on what else runs then.
 * Plain ones in the place of frames that their receiver stores are neither tried nor used: all
 * DataNodes would encode them later, with processors that they don't have.
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

  /** What becomes of a trial. */
  private enum Trial {
    NONE,
    /** The next stream that may begins it. */
    WANTED,
    /** A stream has it. */
    UNDER_WAY
  }

  /** The data after which sending is judged, in bytes. */
  static final long WINDOW = 16 << 20;

  /** The shortest time over which it is judged: on large machines the load takes time to read. */
  private static final long WINDOW_NANOS = 200_000_000;

  /** The data of a trial, in bytes. */
  static final long TRIAL = 8 << 20;

  /** The time after which less data are enough. */
  static final long PATIENCE_NANOS = 500_000_000;

  /** What is enough after that time, and for a trial that is slower by half, in bytes. */
  static final long LEAST = 2 << 20;

  /** The time after which another stream takes the trial of one that sends little. */
  private static final long HOLD_NANOS = 5_000_000_000L;

  /** The windows between a change and the next trial. */
  private static final int FIRST_PAUSE = 4;

  /** The most windows between two trials. */
  static final int MAX_PAUSE = 64;

  /** The number of windows with busy processors that count as one: a gigabyte. */
  private static final int BUSY_WINDOWS = 64;

  /** The windows after a change in which it may be taken back. */
  private static final int PROBATION = 8;

  /** A pause after which what processors did before is not judged with what follows. */
  private static final long GAP_NANOS = 1_000_000_000;

  /** How much faster than the cheaper form the other must be to be used. */
  private static final double GAIN = 1.1;

  /** The same of references while processors are busy. A link that holds up gains more. */
  private static final double BUSY_GAIN = 1.5;

  /** How much slower than the other the cheaper form may be to be used. */
  private static final double LOSS = 0.95;

  /** What was sent in one form. */
  private static final class Tally {
    private long bytes;
    private long nanos;
    private long busyNanos;
    private long since;
    private long until;

    void add(long moreBytes, long from, long to, long moreBusyNanos) {
      since = bytes == 0 ? from : Math.min(since, from);
      bytes += moreBytes;
      nanos += to - from;
      busyNanos += moreBusyNanos;
      until = to;
    }

    /** By the time that has passed, of which each of many streams has a share only. */
    boolean hasEnough(long wanted, long least) {
      long passed = until - since;
      return passed >= PATIENCE_NANOS ? bytes >= LEAST : passed >= least && bytes >= wanted;
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
  private final Tally tried = new Tally();

  /** Whether they have been busy since the window began. */
  private BooleanSupplier processorsBusy;

  /** Whether they have been busy since the trial began. */
  private BooleanSupplier busyInTrial;

  private Form current;
  private boolean judged;
  private double rate;
  private Trial trial = Trial.NONE;

  /** When the stream that has the trial was heard of last, by the others' times; 0 if not yet. */
  private long trialSeen;

  /** Windows between trials, and what is left until the next, in 64ths of a window. */
  private int pause = 1;

  private int left = BUSY_WINDOWS;

  /** The rate before the last change, the pause that it had, and how long it is on probation. */
  private double rateBefore;

  private int pauseBefore;
  private int probation;

  /**
   * @param cheaper the form that takes less processor time of all DataNodes together
   * @param processors begins to measure whether there is no processor time to spare for the other
   *     form
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

  /** Returns the form in which a stream begins a block; not {@link #current} for a trial. */
  synchronized Form begin() {
    return mayTry(true) ? current.other() : current;
  }

  /** Returns the form that streams use that try nothing. */
  synchronized Form current() {
    return current;
  }

  /** Returns whether a stream that begins now sends plain as long as it lasts. */
  synchronized boolean isPlain() {
    return judged && current == Form.PLAIN && trial != Trial.WANTED;
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
        processorsBusy = processors.get();
      }
      window.add(bytes, from, to, busyNanos);
      watchTrial(to);
      if (window.hasEnough(WINDOW, WINDOW_NANOS)) {
        judge();
      }
      return mayTry(mayTry) ? current.other() : current;
    }
    if (trial != Trial.UNDER_WAY) {
      // Of a trial that has ended, or that another stream will take.
      return current;
    }
    trialSeen = to;
    if (tried.bytes == 0) {
      busyInTrial = processors.get();
    }
    tried.add(bytes, from, to, busyNanos);
    boolean isWorse = tried.bytes >= LEAST && tried.rate() < rate / 2;
    if (!isWorse && !tried.hasEnough(TRIAL, 0)) {
      return form;
    }
    conclude();
    return current;
  }

  /** A stream ends, with or without having sent. */
  synchronized void end(Form form) {
    if (form != current && trial == Trial.UNDER_WAY) {
      // The next one goes on with the trial.
      trial = Trial.WANTED;
    }
  }

  private boolean mayTry(boolean mayTry) {
    if (!mayTry || trial != Trial.WANTED) {
      return false;
    }
    trial = Trial.UNDER_WAY;
    trialSeen = 0;
    return true;
  }

  /** A log that is written line by line must not keep others from trying. */
  private void watchTrial(long now) {
    if (trial != Trial.UNDER_WAY) {
      return;
    }
    if (trialSeen == 0) {
      trialSeen = now;
    } else if (now - trialSeen > HOLD_NANOS) {
      trial = Trial.WANTED;
    }
  }

  private void judge() {
    judged = true;
    double lastRate = window.rate();
    boolean heldUp = window.isHeldUp();
    window.clear();
    if (probation > 0) {
      probation--;
      if (lastRate < rateBefore * (current == cheaper ? LOSS : 1)) {
        probation = 0;
        rate = rateBefore;
        change();
        rest(2 * pauseBefore);
        return;
      }
    }
    rate = lastRate;
    if (cheaper == Form.REDUCED && processorsBusy.getAsBoolean()) {
      if (current != cheaper) {
        change();
        rest(2 * pause);
      }
      return;
    }
    // The dearer form is compared with the cheaper one however well it does.
    if (trial == Trial.NONE && (current != cheaper || heldUp)) {
      left -= current == cheaper && processorsBusy.getAsBoolean() ? 1 : BUSY_WINDOWS;
      if (left <= 0) {
        trial = Trial.WANTED;
        tried.clear();
        onTrial.run();
      }
    }
  }

  private void conclude() {
    trial = Trial.NONE;
    double needed = LOSS;
    if (current == cheaper) {
      needed = cheaper == Form.PLAIN && busyInTrial.getAsBoolean() ? BUSY_GAIN : GAIN;
    }
    if (tried.rate() > rate * needed) {
      rateBefore = rate;
      pauseBefore = pause;
      probation = PROBATION;
      change();
      rest(FIRST_PAUSE);
    } else {
      rest(2 * pause);
    }
    window.clear();
  }

  private void change() {
    current = current.other();
    trial = Trial.NONE;
    onChange.run();
  }

  private void rest(int windows) {
    pause = Math.min(MAX_PAUSE, windows);
    left = pause * BUSY_WINDOWS;
  }
}
