/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.PowerLoss;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage and power loss. */
class FilterFileTest {

  private static final String FILE = "filter-00000001.hbf";

  @TempDir Path dir;

  private final ToyIndex index = new ToyIndex();

  private static DbaSettings settings() {
    return DbaSettings.builder().capacity(40).filters(8).errorRate(0.4).group(8).build();
  }

  private ArrayUser open(Path directory) throws IOException {
    return ArrayUser.open(directory, LocalDurableFiles.INSTANCE, settings(), index);
  }

  @Test
  void everyDamageIsFoundAndTheFilterMadeAnew() throws IOException {
    try (ArrayUser user = open(dir)) {
      user.add(100);
    }
    Path file = dir.resolve(FILE);
    byte[] good = Files.readAllBytes(file);
    Random random = TestSeed.random("damage");
    int changed = 0;
    for (int i = 0; i < good.length + 20; i++) {
      byte[] bad = good.clone();
      if (i < good.length) {
        bad[i] ^= (byte) (1 << random.nextInt(8));
      } else {
        bad = Arrays.copyOf(good, random.nextInt(2 * good.length));
      }
      Files.write(file, bad);
      try (ArrayUser user = open(dir)) {
        user.checkAll("opened");
        user.maintainAll();
        user.checkAll("made anew");
        if (!Arrays.equals(good, bad)) {
          changed++;
          assertThat(user.counters().damaged.sum()).as("byte %d", i).isEqualTo(1);
          assertThat(user.counters().rebuilt.sum()).isEqualTo(1);
        }
      }
      assertThat(Files.readAllBytes(file)).isEqualTo(good);
    }
    assertThat(changed).isGreaterThanOrEqualTo(good.length);
  }

  @Test
  void laterVersionIsNotDamage() throws IOException {
    try (ArrayUser user = open(dir)) {
      user.add(100);
    }
    byte[] raw = Files.readAllBytes(dir.resolve(FILE));
    raw[4] = 2;
    int crc = Crc32c.update(0, ByteBuffer.wrap(raw, 0, 28));
    ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN).putInt(28, crc);
    Files.write(dir.resolve(FILE), raw);
    assertThatThrownBy(() -> FilterDirectory.readHeader(dir.resolve(FILE)))
        .isInstanceOfSatisfying(
            UnknownFormatVersionException.class, e -> assertThat(e.isTooNew()).isTrue());
    try (ArrayUser user = open(dir)) {
      assertThat(Files.readAllBytes(dir.resolve(FILE))).isEqualTo(raw);
      user.maintainAll();
      user.checkAll("made anew");
      assertThat(user.counters().damaged.sum()).isZero();
      assertThat(user.counters().rebuilt.sum()).isEqualTo(1);
    }
  }

  @Test
  void aFileUnderAnotherNameIsDamage() throws IOException {
    try (ArrayUser user = open(dir)) {
      user.add(100);
    }
    Files.copy(dir.resolve(FILE), dir.resolve("filter-00000009.hbf"));
    try (ArrayUser user = open(dir)) {
      assertThat(user.counters().damaged.sum()).isEqualTo(1);
      user.maintainAll();
      user.checkAll("opened");
    }
  }

  @Test
  void sizesAreCheckedBeforeMemoryIsTaken() throws IOException {
    try (ArrayUser user = open(dir)) {
      user.add(100);
    }
    byte[] raw = Files.readAllBytes(dir.resolve(FILE));
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(8, Shape.MAX_CAPACITY).putInt(16, Shape.rowLength(Shape.MAX_CAPACITY));
    out.putInt(28, Crc32c.update(0, ByteBuffer.wrap(raw, 0, 28)));
    Files.write(dir.resolve(FILE), raw);
    assertThatThrownBy(() -> FilterDirectory.readHeader(dir.resolve(FILE)))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("length");
  }

  /** The power fails at each step of flushes, merges and deletions. */
  @Test
  void nothingIsMissingAfterPowerLoss() throws Exception {
    ToyIndex[] current = new ToyIndex[1];
    PowerLoss.everywhere(
        dir,
        TestSeed.random("power").nextLong(),
        4,
        directory -> {},
        (directory, files) -> {
          current[0] = new ToyIndex();
          ArrayUser user = ArrayUser.open(directory, files, settings(), current[0]);
          user.add(120);
          user.array().flush();
          user.add(30);
          for (long element = 0; element < 120; element++) {
            if (element % 40 >= 10) {
              user.remove(element);
            }
          }
          user.maintainAll();
          assertThat(user.counters().orMerged.sum()).isEqualTo(2);
          user.add(10);
          user.close();
        },
        (directory, finished) -> {
          ArrayUser user =
              ArrayUser.open(directory, LocalDurableFiles.INSTANCE, settings(), current[0]);
          user.checkAll("opened");
          user.maintainAll();
          user.checkAll("maintained");
          if (finished) {
            assertThat(user.counters().rebuilt.sum()).isZero();
          }
          user.close();
          try (var left = Files.list(directory)) {
            assertThat(left.filter(p -> p.toString().endsWith(".tmp"))).isEmpty();
          }
        });
  }
}
