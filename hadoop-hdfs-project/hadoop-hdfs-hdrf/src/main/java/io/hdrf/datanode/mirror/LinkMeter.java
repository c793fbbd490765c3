/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.datanode.mirror.LinkChoice.Form;

/**
 * The form in which one stream sends a block's packets, and what that takes, for its peer's {@link
 * LinkChoice}. For one thread.
 */
final class LinkMeter {

  /** The data between two reports, in bytes. */
  private static final long PIECE = 2 << 20;

  /**
   * The data of a form that are not counted after the other one, in bytes: what was sent in that
   * form still waits on the way.
   */
  private static final long SETTLING = 2 << 20;

  private final LinkChoice choice;
  private final boolean mayTurnPlain;
  private final boolean mayChange;
  private Form form;
  private long bytes;
  private long busyNanos;
  private long since;
  private long until;
  private long settling;
  private boolean ended;

  private LinkMeter(LinkChoice choice, Form form, boolean mayChange, boolean mayTurnPlain) {
    this.choice = choice;
    this.form = form;
    this.mayChange = mayChange;
    this.mayTurnPlain = mayTurnPlain;
  }

  /** Makes the meter of a stream that sends in one form whatever it takes. */
  static LinkMeter fixed(Form form) {
    return new LinkMeter(null, form, false, false);
  }

  /** Makes the meter of a stream that sends plain, and can do nothing else. */
  static LinkMeter plain(LinkChoice choice) {
    return new LinkMeter(choice, Form.PLAIN, false, false);
  }

  /**
   * Begins a block.
   *
   * @param mayTurnPlain whether the block may go on plain after it began reduced
   */
  static LinkMeter begin(LinkChoice choice, boolean mayTurnPlain) {
    return new LinkMeter(choice, choice.begin(), true, mayTurnPlain);
  }

  /** Returns whether the next packet goes reduced. */
  boolean isReduced() {
    return form == Form.REDUCED;
  }

  /** Returns whether packets that came plain are to be encoded: plain, they were slower. */
  boolean encodesPlain() {
    return choice != null && isReduced();
  }

  /**
   * Takes note of a write.
   *
   * @param from when it began, of {@link System#nanoTime}
   * @param to when it ended
   */
  void wrote(int count, long from, long to) {
    if (choice == null || ended) {
      return;
    }
    if (settling > 0) {
      settling -= count;
      return;
    }
    if (bytes == 0) {
      since = from;
    }
    bytes += count;
    busyNanos += to - from;
    until = to;
    if (bytes >= PIECE) {
      Form next = report(mayTurnPlain);
      if (next != form && mayChange && (mayTurnPlain || next == Form.REDUCED)) {
        form = next;
        settling = SETTLING;
      }
    }
  }

  private Form report(boolean mayTry) {
    Form next = choice.sent(form, bytes, since, until, busyNanos, mayTry);
    bytes = 0;
    busyNanos = 0;
    return next;
  }

  /** Ends the block. */
  void end() {
    if (choice != null && !ended) {
      ended = true;
      if (bytes > 0) {
        report(false);
      }
      choice.end(form);
    }
  }
}
