/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScrubberTest {

  private static final long CYCLE_MILLIS = 604_800_000;
  private static final long VOLUME = 77;
  private static final int RATE = 1 << 30;

  @TempDir Path directory;

  private IndexedContainers store;
  private boolean stopping;
  private long collections;
  private long now = 1_700_000_000_000L;

  @BeforeEach
  void start() throws IOException {
    store = new IndexedContainers(directory);
    for (int i = 0; i < 3; i++) {
      store.sealed(4);
    }
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private Path file() {
    return directory.resolve(ScrubFile.NAME);
  }

  private Scrubber scrubber(int rate) {
    return new Scrubber(
        store.containers,
        new ScrubFile(file(), LocalDurableFiles.INSTANCE, VOLUME),
        true,
        rate,
        CYCLE_MILLIS,
        () -> stopping,
        () -> now,
        () -> collections);
  }

  private static int steps(Scrubber scrubber) throws InterruptedIOException {
    int steps = 0;
    while (scrubber.step()) {
      steps++;
    }
    return steps;
  }

  @Test
  void eachContainerOnceACycle() throws IOException {
    Scrubber scrubber = scrubber(RATE);
    assertThat(scrubber.isWanted()).isTrue();
    assertThat(steps(scrubber)).isEqualTo(3);
    assertThat(scrubber.metrics())
        .containsEntry("scrubContainers", 3L)
        .containsEntry("scrubContainersDamaged", 0L)
        .containsEntry("scrubOverdue", 0L);
    assertThat(scrubber.metrics().get("scrubBytes")).isPositive();

    now += CYCLE_MILLIS - 1;
    assertThat(steps(scrubber)).as("a week has not passed").isZero();
    assertThat(steps(scrubber(RATE))).as("after a restart").isZero();
    now += 1;
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
  }

  @Test
  void goesOnWhereItWas() throws IOException {
    Scrubber first = scrubber(RATE);
    assertThat(first.step()).isTrue();
    assertThat(steps(scrubber(RATE))).isEqualTo(2);
  }

  @Test
  void beginsAnewWithoutAState() throws IOException {
    byte[] whole = stateAfterOneStep();
    for (int i = 0; i < whole.length; i++) {
      byte[] bad = whole.clone();
      bad[i] ^= 1;
      Files.write(file(), bad);
      assertThat(steps(scrubber(RATE))).as("byte %d", i).isEqualTo(3);
    }
    Files.write(file(), Arrays.copyOf(whole, whole.length - 1));
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
    Files.write(file(), new byte[100_000]);
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
    Files.write(file(), ScrubState.first(now).after(0, 1).encode(VOLUME + 1));
    assertThat(steps(scrubber(RATE))).as("of another volume").isEqualTo(3);
    Files.write(file(), whole);
    assertThat(steps(scrubber(RATE))).isEqualTo(2);
  }

  private byte[] stateAfterOneStep() throws IOException {
    assertThat(scrubber(RATE).step()).isTrue();
    return Files.readAllBytes(file());
  }

  /** What was written once can be read for ever. */
  @Test
  void theBytesOfVersion1() throws IOException {
    byte[] golden =
        HexFormat.of()
            .parseHex(
                "8948534301010000" // magic, version, under way
                    + "4d00000000000000" // volume
                    + "0500000000000000" // position
                    + "0100000000000000" // began
                    + "0000000000000000" // ended
                    + "0100000000000000" // containers
                    + "0900000000000000" // bytes
                    + "1b99f11c");
    ScrubState read = ScrubState.decode(file(), golden, VOLUME);
    assertThat(read.position()).isEqualTo(5);
    assertThat(read.began()).isEqualTo(1);
    assertThat(read.ended()).isZero();
    assertThat(read.containers()).isEqualTo(1);
    assertThat(read.bytes()).isEqualTo(9);
    assertThat(read.untold()).isEmpty();
  }

  /** What is written today. */
  @Test
  void theBytesOfVersion2() throws IOException {
    byte[] golden =
        HexFormat.of()
            .parseHex(
                "8948534302010000" // magic, version, under way
                    + "4d00000000000000" // volume
                    + "0500000000000000" // position
                    + "0100000000000000" // began
                    + "0000000000000000" // ended
                    + "0100000000000000" // containers
                    + "0900000000000000" // bytes
                    + "02000000" // damaged containers
                    + "0300000000000000"
                    + "0500000000000000"
                    + "ea2b1a20");
    byte[] raw = ScrubState.first(1).after(5, 9).withUntold(List.of(3L, 5L)).encode(VOLUME);
    assertThat(raw).isEqualTo(golden);
    ScrubState read = ScrubState.decode(file(), raw, VOLUME);
    assertThat(read.position()).isEqualTo(5);
    assertThat(read.untold()).containsExactly(3, 5);
  }

  /** A clock that was ahead once. */
  @Test
  void beginsThoughTheClockWasSetBack() throws IOException {
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
    now -= TimeUnit.DAYS.toMillis(1000);
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
  }

  @Test
  void endsWithItsStoreAndReadsTheContainerAgain() throws IOException {
    Scrubber scrubber = scrubber(RATE);
    stopping = true;
    assertThatThrownBy(scrubber::step).isInstanceOf(InterruptedIOException.class);
    assertThat(file()).doesNotExist();
    stopping = false;
    assertThat(steps(scrubber)).isEqualTo(3);
  }

  @Test
  void damageIsCountedAndEndsNothing() throws IOException {
    Path second = store.containers.file(store.containers.next(store.containers.next(-1)));
    assertThat(second.toString()).endsWith(ContainerNames.SEALED);
    byte[] bytes = Files.readAllBytes(second);
    bytes[bytes.length / 3] ^= 1;
    Files.write(second, bytes);
    Scrubber scrubber = scrubber(RATE);
    assertThat(steps(scrubber)).isEqualTo(3);
    assertThat(scrubber.metrics()).containsEntry("scrubContainersDamaged", 1L);
  }

  @Test
  void isOverdueWhenNoCycleEndsForLong() throws IOException {
    Scrubber scrubber = scrubber(RATE);
    assertThat(scrubber.step()).isTrue();
    now += Scrubber.OVERDUE_MILLIS;
    assertThat(scrubber.metrics()).containsEntry("scrubOverdue", 0L);
    now += 1;
    assertThat(scrubber.metrics()).containsEntry("scrubOverdue", 1L);
    assertThat(steps(scrubber)).isEqualTo(2);
    assertThat(scrubber.metrics()).containsEntry("scrubOverdue", 0L);
  }

  /** Others are read though data come faster than the scrub reads. */
  @Test
  void aCycleEndsThoughContainersKeepComing() throws IOException {
    Scrubber scrubber = scrubber(RATE);
    int steps = 0;
    while (scrubber.step()) {
      steps++;
      assertThat(steps).isLessThan(10);
      store.sealed(1);
    }
    assertThat(steps).isEqualTo(3);
    now += CYCLE_MILLIS;
    assertThat(steps(scrubber)).isEqualTo(6);
  }

  /** As if the process had no more file handles. */
  @Test
  void anErrorThatPassesCostsNoContainerItsTurn() throws IOException {
    List<Path> files = new ArrayList<>();
    for (long id = store.containers.next(-1); id >= 0; id = store.containers.next(id)) {
      files.add(store.containers.file(id));
    }
    for (Path file : files) {
      Path aside = file.resolveSibling(file.getFileName() + ".aside");
      Files.move(file, aside);
      Files.createSymbolicLink(file, file);
    }
    Scrubber scrubber = scrubber(RATE);
    assertThat(steps(scrubber)).isZero();
    assertThat(steps(scrubber)).isZero();
    for (Path file : files) {
      Files.move(
          file.resolveSibling(file.getFileName() + ".aside"),
          file,
          StandardCopyOption.REPLACE_EXISTING);
    }
    assertThat(steps(scrubber)).isEqualTo(3);
    assertThat(scrubber.metrics()).containsEntry("scrubContainers", 3L);
  }

  @Test
  void anErrorThatLastsEndsNoCycle() throws IOException {
    Path second = store.containers.file(store.containers.next(store.containers.next(-1)));
    Files.delete(second);
    Files.createSymbolicLink(second, second);
    Scrubber scrubber = scrubber(RATE);
    int pauses = 0;
    while (scrubber.metrics().get("scrubContainers") < 2) {
      steps(scrubber);
      pauses++;
      assertThat(pauses).isLessThan(10);
    }
  }

  /** What is known of damage is in memory alone. */
  @Test
  void damageThatNoCollectionToldIsFoundAgainAfterARestart() throws IOException {
    long id = store.containers.next(store.containers.next(-1));
    Path second = store.containers.file(id);
    byte[] bytes = Files.readAllBytes(second);
    bytes[bytes.length / 3] ^= 1;
    Files.write(second, bytes);
    steps(scrubber(RATE));
    assertThat(store.containers.damagedChunks(Throttle.NONE)).containsOnlyKeys(id);
    store.close();
    store = new IndexedContainers(directory);
    steps(scrubber(RATE));
    assertThat(store.containers.damagedChunks(Throttle.NONE)).containsOnlyKeys(id);
  }

  /** As where collections run on command alone, or none comes to its end. */
  @Test
  void damageThatNobodyTellsKeepsNoOtherContainerFromItsTurn() throws IOException {
    Path first = store.containers.file(store.containers.next(-1));
    byte[] bytes = Files.readAllBytes(first);
    bytes[bytes.length / 3] ^= 1;
    Files.write(first, bytes);
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      assertThat(steps(scrubber(RATE))).as("only the damaged one is read again").isEqualTo(1);
    }
    Scrubber scrubber = scrubber(RATE);
    now += CYCLE_MILLIS;
    assertThat(scrubber.step()).as("the damaged one").isTrue();
    assertThat(scrubber.step()).as("the first one of the cycle").isTrue();
    assertThat(steps(scrubber(RATE))).as("the damaged one and the two others").isEqualTo(3);
  }

  @Test
  void aContainerThatIsSoundAgainIsNotRememberedAsDamaged() throws IOException {
    Path first = store.containers.file(store.containers.next(-1));
    byte[] sound = Files.readAllBytes(first);
    byte[] bytes = sound.clone();
    bytes[bytes.length / 3] ^= 1;
    Files.write(first, bytes);
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
    Files.write(first, sound);
    store.close();
    store = new IndexedContainers(directory);
    now += CYCLE_MILLIS;
    assertThat(steps(scrubber(RATE))).isEqualTo(4);
    assertThat(steps(scrubber(RATE))).isZero();
  }

  @Test
  void damageThatACollectionToldIsNotReadAgainAfterARestart() throws IOException {
    Path first = store.containers.file(store.containers.next(-1));
    byte[] bytes = Files.readAllBytes(first);
    bytes[bytes.length / 3] ^= 1;
    Files.write(first, bytes);
    Scrubber scrubber = scrubber(RATE);
    assertThat(steps(scrubber)).isEqualTo(3);
    collections++;
    assertThat(steps(scrubber)).isZero();
    assertThat(steps(scrubber(RATE))).as("one that was under way").isEqualTo(1);
    collections += 2;
    assertThat(steps(scrubber)).isZero();
    assertThat(steps(scrubber(RATE))).isZero();
  }

  @Test
  void aClockThatWasAheadHidesNothing() throws IOException {
    now += TimeUnit.DAYS.toMillis(4000);
    assertThat(steps(scrubber(RATE))).isEqualTo(3);
    now -= TimeUnit.DAYS.toMillis(4000);
    Scrubber scrubber = scrubber(RATE);
    assertThat(scrubber.step()).isTrue();
    assertThat(scrubber.metrics()).containsEntry("scrubOverdue", 1L);
    assertThat(steps(scrubber)).isEqualTo(2);
    assertThat(scrubber.metrics()).containsEntry("scrubOverdue", 0L);
  }

  @Test
  void canBeSwitchedOff() {
    assertThat(scrubber(0).isWanted()).isFalse();
  }
}
