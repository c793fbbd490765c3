/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.datanode.mirror.LinkChoice.Form;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The form in which one stream sends a block's packets, and what that takes, for its peer's {@link
 * LinkChoice}. For one thread; others may ask for the form, and tell how long they encoded.
 */
final class LinkMeter {

  /** The data between two reports, in bytes. */
  private static final long PIECE = 2 << 20;

  /**
   * The data of a form that are not counted where it is new, in bytes: what was sent before still
   * waits on the way, and a socket's buffer takes several megabytes at once.
   */
  static final long SETTLING = 8 << 20;

  private final LinkChoice choice;
  private final boolean mayTurnPlain;
  private final boolean mayChange;
  private final AtomicLong encodingNanos = new AtomicLong();
  private volatile Form form;
  private boolean isFirstForm = true;
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
   * @param mayTurnPlain whether the block may go on plain after it began reduced. Where it may not,
   *     its frames are stored, and only the encoder can hold it up: plain, the link would be slower
   */
  static LinkMeter begin(LinkChoice choice, boolean mayTurnPlain) {
    Form form = choice.begin();
    LinkMeter meter = new LinkMeter(choice, form, true, mayTurnPlain);
    meter.settling = form == choice.current() ? 0 : SETTLING;
    return meter;
  }

  /** Returns whether the next packet goes reduced. */
  boolean isReduced() {
    return form == Form.REDUCED;
  }

  /** Returns whether packets that came plain are to be encoded: plain, they were slower. */
  boolean encodesPlain() {
    return choice != null && isReduced();
  }

  /** Sends the rest of the block plain: it is none that tells which form is faster. */
  void keepPlain() {
    if (choice != null && !ended) {
      ended = true;
      choice.end(form);
    }
    form = Form.PLAIN;
  }

  /** Takes note of the time that the encoder took, of which {@link #wrote} knows too. */
  void encoded(long nanos) {
    encodingNanos.addAndGet(nanos);
  }

  /**
   * Takes note of a write.
   *
   * @param from when it began, of {@link System#nanoTime}
   * @param to when it ended
   */
  void wrote(int count, long from, long to) {
    long encoding = encodingNanos.getAndSet(0);
    if (choice == null || ended) {
      return;
    }
    if (bytes == 0) {
      since = from;
    }
    bytes += count;
    busyNanos += isReduced() && !mayTurnPlain ? encoding : to - from;
    until = to;
    if (settling > 0) {
      settling -= count;
      if (settling <= 0) {
        forget();
      }
    } else if (bytes >= PIECE) {
      Form next = report(mayTurnPlain);
      if (next != form && mayChange && (mayTurnPlain || next == Form.REDUCED)) {
        form = next;
        settling = SETTLING;
        isFirstForm = false;
      }
    }
  }

  /**
   * Takes note of a write that does not count: the time since the last one that did does not
   * either.
   *
   * @param to when it ended
   */
  void passed(long to) {
    if (bytes > 0) {
      since += to - until;
      until = to;
    }
  }

  private Form report(boolean mayTry) {
    Form next = choice.sent(form, bytes, since, until, busyNanos, mayTry);
    forget();
    return next;
  }

  private void forget() {
    bytes = 0;
    busyNanos = 0;
  }

  /** Ends the block. */
  void end() {
    if (choice != null && !ended) {
      ended = true;
      // Small blocks, which a socket's buffer takes whole, are compared with each other.
      if (bytes > 0 && (settling <= 0 || isFirstForm)) {
        report(false);
      }
      choice.end(form);
    }
  }
}
