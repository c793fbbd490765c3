/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectionScheduleTest {

  private static final long INTERVAL = 21_600;
  private static final long AGE = 3_600;

  @ParameterizedTest
  @CsvSource({"0, 21600", "0.5, 16200", "1, 10800"})
  void theFirstOneComesAtSomeTime(double random, long expected) {
    assertThat(new CollectionSchedule(INTERVAL, AGE, random).next()).isEqualTo(expected);
  }

  @Test
  void whatWasFoundGoesAsSoonAsItIsOldEnough() {
    CollectionSchedule schedule = new CollectionSchedule(INTERVAL, AGE, 0);
    schedule.next();
    schedule.ended(true);
    assertThat(schedule.next()).isEqualTo(AGE);
    schedule.ended(true);
    assertThat(schedule.next()).as("two cycles an interval at most").isEqualTo(INTERVAL - AGE);
    schedule.ended(true);
    assertThat(schedule.next()).isEqualTo(AGE);
    schedule.ended(false);
    assertThat(schedule.next()).isEqualTo(INTERVAL - AGE);
    schedule.ended(false);
    assertThat(schedule.next()).isEqualTo(INTERVAL);
  }

  /** A collection that fails does not tell how it ended. */
  @Test
  void whatFailsIsTriedAnIntervalLater() {
    CollectionSchedule schedule = new CollectionSchedule(INTERVAL, AGE, 0);
    schedule.next();
    assertThat(schedule.next()).isEqualTo(INTERVAL);
  }

  /** With an age near the interval there would be one after the other. */
  @Test
  void whatFailsAgainAndAgainIsNotHurried() {
    CollectionSchedule schedule = new CollectionSchedule(INTERVAL, INTERVAL - 1, 0);
    schedule.next();
    schedule.ended(true);
    assertThat(schedule.next()).isEqualTo(INTERVAL - 1);
    assertThat(schedule.next()).isEqualTo(1);
    assertThat(schedule.next()).isEqualTo(INTERVAL);
    assertThat(schedule.next()).isEqualTo(INTERVAL);
  }

  @ParameterizedTest
  @CsvSource({"0", "21600", "30000"})
  void nothingIsHurriedWhereTheAgeDoesNotAllowIt(long age) {
    CollectionSchedule schedule = new CollectionSchedule(INTERVAL, age, 0);
    schedule.next();
    schedule.ended(true);
    assertThat(schedule.next()).isEqualTo(INTERVAL);
  }
}
