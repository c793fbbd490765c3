/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.datanode.mirror.LinkChoice.Form;
import org.junit.jupiter.api.Test;

/** Streams to one peer, whose time is that of the link or of the processor that they are told. */
class LinkChoiceTest {

  private static final long MEGABYTE = 1 << 20;
  private static final double BUSY = 0.9;
  private static final double IDLE = 0.1;

  private boolean processorsBusy;
  private int trials;
  private int changes;

  /** What a stream has sent by way of trial, in bytes. */
  private long tried;

  private LinkChoice choice(Form cheaper) {
    return new LinkChoice(cheaper, () -> () -> processorsBusy, () -> trials++, () -> changes++);
  }

  /**
   * Sends blocks of 128 MiB, one after the other.
   *
   * @param plainRate in MB/s, as for {@code reducedRate}
   * @return the form of the last packet
   */
  private Form send(
      LinkChoice choice,
      Form cheaper,
      int blocks,
      double plainRate,
      double reducedRate,
      double busy) {
    Form form = null;
    long now = 1;
    for (int i = 0; i < blocks; i++) {
      LinkMeter meter = LinkMeter.begin(choice, cheaper == Form.PLAIN);
      for (long done = 0; done < 128 * MEGABYTE; done += 1 << 16) {
        form = meter.isReduced() ? Form.REDUCED : Form.PLAIN;
        double rate = meter.isReduced() ? reducedRate : plainRate;
        long nanos = (long) ((1 << 16) / rate * 1000);
        meter.encoded((long) (busy * nanos));
        meter.wrote(1 << 16, now + (long) ((1 - busy) * nanos), now + nanos);
        now += nanos;
        tried += form == cheaper ? 0 : 1 << 16;
      }
      meter.end();
    }
    return form;
  }

  @Test
  void theCheaperFormStaysWhileTheLinkKeepsUp() {
    for (Form cheaper : Form.values()) {
      assertThat(send(choice(cheaper), cheaper, 20, 100, 900, IDLE)).isEqualTo(cheaper);
    }
    assertThat(trials).isZero();
  }

  @Test
  void aSlowLinkGetsReducedBlocksWithinTheFirst() {
    assertThat(send(choice(Form.PLAIN), Form.PLAIN, 1, 25, 80, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(changes).isOne();
    assertThat(tried).isGreaterThan(90 * MEGABYTE);
  }

  /** Trials of the dearer form take what others need. */
  @Test
  void whileProcessorsAreBusyTrialsAreRare() {
    LinkChoice choice = choice(Form.PLAIN);
    processorsBusy = true;
    assertThat(send(choice, Form.PLAIN, 1, 100, 900, BUSY)).isEqualTo(Form.PLAIN);
    assertThat(trials).isZero();
    assertThat(send(choice, Form.PLAIN, 12, 100, 900, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(trials).isOne();
  }

  /** What a stream gains then may be due to what else runs. */
  @Test
  void whileProcessorsAreBusyASmallGainChangesNothing() {
    LinkChoice choice = choice(Form.PLAIN);
    processorsBusy = true;
    assertThat(send(choice, Form.PLAIN, 40, 100, 140, BUSY)).isEqualTo(Form.PLAIN);
    assertThat(trials).isPositive();
    assertThat(changes).isZero();
    processorsBusy = false;
    assertThat(send(choice, Form.PLAIN, 10, 100, 140, BUSY)).isEqualTo(Form.REDUCED);
  }

  /** What the processors did in a pause before the trial says nothing of it. */
  @Test
  void aTrialIsJudgedByTheLoadOfItsOwnTime() {
    boolean[] idle = {true};
    LinkChoice paused =
        new LinkChoice(
            Form.PLAIN,
            () -> {
              boolean since = idle[0];
              return () -> !since;
            },
            () -> {},
            () -> changes++);
    paused.sent(Form.PLAIN, LinkChoice.WINDOW, 1, 400_000_000, 400_000_000, true);
    idle[0] = false;
    long later = 3_600_000_000_000L;
    paused.sent(Form.REDUCED, LinkChoice.TRIAL, later, later + 150_000_000, 1, true);
    assertThat(changes).isZero();
  }

  /** All DataNodes would encode later what was sent plain. */
  @Test
  void whileProcessorsAreBusyFramesAreKept() {
    LinkChoice choice = choice(Form.REDUCED);
    processorsBusy = true;
    assertThat(send(choice, Form.REDUCED, 40, 900, 150, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(trials).isZero();
    processorsBusy = false;
    assertThat(send(choice, Form.REDUCED, 2, 900, 150, BUSY)).isEqualTo(Form.PLAIN);
    processorsBusy = true;
    assertThat(send(choice, Form.REDUCED, 2, 900, 150, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(changes).isEqualTo(2);
  }

  /** As between the writes of a job: the processors had nothing to do then. */
  @Test
  void theLoadDuringAPauseIsNotJudged() {
    int[] measurements = new int[1];
    LinkChoice choice =
        new LinkChoice(
            Form.PLAIN,
            () -> {
              measurements[0]++;
              return () -> false;
            },
            () -> trials++,
            () -> changes++);
    long half = LinkChoice.WINDOW / 2;
    choice.sent(Form.PLAIN, half, 0, 100_000_000, 90_000_000, true);
    long later = 5_000_000_000L;
    assertThat(choice.sent(Form.PLAIN, half, later, later + 100_000_000, 90_000_000, true))
        .isEqualTo(Form.REDUCED);
    assertThat(measurements).containsExactly(2);
    assertThat(trials).isOne();
  }

  @Test
  void whereReducingHoldsUpItGoesPlain() {
    LinkChoice choice = choice(Form.REDUCED);
    assertThat(send(choice, Form.REDUCED, 1, 900, 150, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(send(choice, Form.REDUCED, 1, 900, 150, BUSY)).isEqualTo(Form.PLAIN);
    assertThat(changes).isOne();
  }

  /** The cheaper form wins where both are as fast. */
  @Test
  void trialsThatChangeNothingBecomeRare() {
    for (Form cheaper : Form.values()) {
      trials = 0;
      changes = 0;
      LinkChoice choice = choice(cheaper);
      assertThat(send(choice, cheaper, 50, 300, 305, BUSY)).isEqualTo(cheaper);
      assertThat(trials).isBetween(4, 12);
      tried = 0;
      trials = 0;
      send(choice, cheaper, 200, 300, 305, BUSY);
      assertThat(trials).isBetween(4, 30);
      if (cheaper == Form.PLAIN) {
        assertThat(tried).isLessThan(200 * 128 * MEGABYTE / 100);
      }
      assertThat(changes).isZero();
    }
  }

  @Test
  void theDearerFormIsGivenUpWhenItsGainIsGone() {
    LinkChoice choice = choice(Form.PLAIN);
    assertThat(send(choice, Form.PLAIN, 2, 25, 80, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(send(choice, Form.PLAIN, 20, 400, 80, IDLE)).isEqualTo(Form.PLAIN);
    assertThat(changes).isEqualTo(2);
  }

  /** Of small files, no stream sends enough to be judged by. */
  @Test
  void smallBlocksAreJudgedTogether() {
    LinkChoice choice = choice(Form.PLAIN);
    for (int i = 0; i < 8; i++) {
      assertThat(trials).isZero();
      LinkMeter meter = LinkMeter.begin(choice, true);
      meter.wrote(2 * (int) MEGABYTE, i * 60_000_000L + 1, (i + 1) * 60_000_000L);
      meter.end();
    }
    for (int i = 0; i < 4; i++) {
      assertThat(changes).isZero();
      LinkMeter meter = LinkMeter.begin(choice, true);
      assertThat(meter.isReduced()).isTrue();
      meter.wrote(2 * (int) MEGABYTE, 1, 30_000_000);
      meter.end();
    }
    assertThat(trials).isOne();
    assertThat(changes).isOne();
  }

  /** What one stream gains while the others are as they were, all of them may lose. */
  @Test
  void aChangeThatMakesAllSlowerIsTakenBack() {
    LinkChoice choice = choice(Form.PLAIN);
    long now = 1;
    choice.sent(Form.PLAIN, LinkChoice.WINDOW, now, now + 400_000_000, 400_000_000, true);
    assertThat(choice.sent(Form.REDUCED, LinkChoice.TRIAL, now, now + 50_000_000, 1, true))
        .isEqualTo(Form.REDUCED);
    assertThat(changes).isOne();
    assertThat(choice.sent(Form.REDUCED, LinkChoice.WINDOW, now, now + 450_000_000, 1, true))
        .isEqualTo(Form.PLAIN);
    assertThat(changes).isEqualTo(2);
    // The pause is doubled, as after a trial that changed nothing.
    choice.sent(Form.PLAIN, LinkChoice.WINDOW, now, now + 400_000_000, 400_000_000, true);
    assertThat(trials).isOne();
    choice.sent(Form.PLAIN, LinkChoice.WINDOW, now, now + 400_000_000, 400_000_000, true);
    assertThat(trials).isEqualTo(2);
  }

  /** A log that is written line by line got the trial. */
  @Test
  void aStreamThatSendsLittleDoesNotKeepTheTrial() {
    LinkChoice choice = choice(Form.PLAIN);
    choice.sent(Form.PLAIN, LinkChoice.WINDOW, 1, 400_000_000, 400_000_000, false);
    LinkMeter log = LinkMeter.begin(choice, true);
    assertThat(log.isReduced()).isTrue();
    for (long second = 1; second < 20; second++) {
      long from = second * 1_000_000_000;
      if (choice.sent(Form.PLAIN, MEGABYTE, from, from + 500_000_000, 400_000_000, true)
          == Form.REDUCED) {
        assertThat(second).isBetween(5L, 8L);
        return;
      }
    }
    throw new AssertionError("nobody else tries");
  }

  /** On a slow link a trial of 8 MiB of what is much slower takes long. */
  @Test
  void aTrialThatIsMuchSlowerEndsEarly() {
    LinkChoice choice = choice(Form.REDUCED);
    choice.sent(Form.REDUCED, LinkChoice.WINDOW, 1, 300_000_000, 300_000_000, false);
    assertThat(choice.begin()).isEqualTo(Form.PLAIN);
    assertThat(choice.sent(Form.PLAIN, LinkChoice.LEAST, 1, 200_000_000, 1, true))
        .isEqualTo(Form.REDUCED);
    assertThat(changes).isZero();
  }

  /** Of frames that are stored, plain would be slower where the link is what holds up. */
  @Test
  void storedFramesAreHeldUpByTheirEncoderOnly() {
    LinkChoice choice = choice(Form.REDUCED);
    LinkMeter meter = LinkMeter.begin(choice, false);
    long now = 1;
    for (int i = 0; i < 100; i++) {
      meter.encoded(5_000_000);
      meter.wrote(2 * (int) MEGABYTE, now, now + 50_000_000);
      now += 50_000_000;
    }
    assertThat(trials).isZero();
    for (int i = 0; i < 20; i++) {
      meter.encoded(20_000_000);
      meter.wrote(2 * (int) MEGABYTE, now, now + 50_000_000);
      now += 50_000_000;
    }
    assertThat(trials).isOne();
    assertThat(meter.isReduced()).isTrue();
  }

  @Test
  void oneStreamAtATimeTries() {
    LinkChoice choice = choice(Form.PLAIN);
    LinkMeter first = LinkMeter.begin(choice, true);
    LinkMeter second = LinkMeter.begin(choice, true);
    first.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
    assertThat(first.isReduced()).isTrue();
    second.wrote((int) LinkChoice.WINDOW, 1, 1_000_000_000);
    assertThat(second.isReduced()).isFalse();
    assertThat(choice.begin()).isEqualTo(Form.PLAIN);
    first.end();
    first.end();
    LinkMeter third = LinkMeter.begin(choice, true);
    assertThat(third.isReduced()).isTrue();
    assertThat(choice.begin()).isEqualTo(Form.PLAIN);
    assertThat(trials).isOne();
  }

  /** As in stock HDFS, once it is known that the link keeps up; and not while that is in doubt. */
  @Test
  void streamsOfStockAreUsedWhereAllIsPlain() {
    LinkChoice choice = choice(Form.PLAIN);
    assertThat(choice.isPlain()).isFalse();
    send(choice, Form.PLAIN, 1, 100, 900, IDLE);
    assertThat(choice.isPlain()).isTrue();
    LinkMeter stock = LinkMeter.plain(choice);
    for (int i = 0; i < 100 && choice.isPlain(); i++) {
      stock.wrote((int) MEGABYTE, i * 100_000_000L, (i + 1) * 100_000_000L);
      assertThat(stock.isReduced()).isFalse();
    }
    assertThat(choice.isPlain()).isFalse();
    stock.end();
    assertThat(trials).isOne();
    LinkMeter trial = LinkMeter.begin(choice, true);
    assertThat(trial.isReduced()).isTrue();
    assertThat(choice.isPlain()).as("for others, while one stream tries").isTrue();
    trial.end();
    assertThat(choice.isPlain()).as("while nobody tries").isFalse();
    assertThat(send(choice, Form.PLAIN, 1, 10, 90, BUSY)).isEqualTo(Form.REDUCED);
    assertThat(choice.isPlain()).isFalse();
  }

  @Test
  void aFixedFormIsNotMeasured() {
    for (Form form : Form.values()) {
      LinkMeter meter = LinkMeter.fixed(form);
      meter.wrote(Integer.MAX_VALUE, 1, 1L << 40);
      meter.end();
      assertThat(meter.isReduced()).isEqualTo(form == Form.REDUCED);
    }
  }
}
