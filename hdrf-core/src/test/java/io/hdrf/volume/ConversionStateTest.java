/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.PowerLoss;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.volume.ConversionState.Goal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConversionStateTest {

  private static final Path NAME = Path.of(ConversionState.FILE);
  private static final int LENGTH = 20;

  @TempDir Path directory;

  /** Files of format version 1 that must be readable for ever. */
  @ParameterizedTest
  @CsvSource({
    "89484356010101000000200300000000aa0b6c91, REDUCED, true, 52428800",
    "89484356010200000000000000000000c4b8832b, PLAIN, false, 0",
    "8948435601020100ffffffffffffff7f54016ca6, PLAIN, true, 9223372036854775807"
  })
  void goldenFiles(String hex, Goal goal, boolean running, long rate) throws IOException {
    byte[] raw = HexFormat.of().parseHex(hex);
    ConversionState state = ConversionState.parse(NAME, raw);
    assertThat(state.goal()).isEqualTo(goal);
    assertThat(state.isRunning()).isEqualTo(running);
    assertThat(state.rate()).isEqualTo(rate);
    assertThat(state.encode()).isEqualTo(raw);
    ConversionState made = ConversionState.running(goal, rate);
    assertThat(state).isEqualTo(running ? made : made.ended());
  }

  @Test
  void isKeptAndReplacedAndForgotten() throws IOException {
    assertThat(ConversionState.load(directory)).isEqualTo(ConversionState.AUTOMATIC);
    ConversionState converting = ConversionState.running(Goal.REDUCED, 7);
    converting.store(directory, LocalDurableFiles.INSTANCE);
    assertThat(ConversionState.load(directory)).isEqualTo(converting);
    Files.writeString(directory.resolve(ConversionState.FILE + ".tmp"), "left by a crash");
    converting.ended().store(directory, LocalDurableFiles.INSTANCE);
    assertThat(ConversionState.load(directory)).isEqualTo(converting.ended());
    ConversionState.AUTOMATIC.store(directory, LocalDurableFiles.INSTANCE);
    assertThat(ConversionState.load(directory)).isEqualTo(ConversionState.AUTOMATIC);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void everyWrongByteAndEveryWrongLengthIsDamage() throws IOException {
    byte[] raw = ConversionState.running(Goal.PLAIN, 123_456_789).encode();
    assertThat(raw).hasSize(LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        byte[] wrong = raw.clone();
        wrong[i] ^= (byte) (1 << bit);
        assertThatThrownBy(() -> ConversionState.parse(NAME, wrong))
            .isInstanceOf(CorruptFileException.class)
            .hasMessageContaining(ConversionState.FILE);
      }
    }
    for (int length = 0; length < 2 * LENGTH; length++) {
      if (length != LENGTH) {
        Files.write(directory.resolve(ConversionState.FILE), Arrays.copyOf(raw, length));
        assertThatThrownBy(() -> ConversionState.load(directory))
            .isInstanceOf(CorruptFileException.class)
            .hasMessageContaining(ConversionState.FILE);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 9, 19, 21, 4096, 4097, 1 << 20})
  void anotherLengthIsDamageInThisVersion(int length) throws IOException {
    byte[] raw = Arrays.copyOf(ConversionState.keptPlain().encode(), length);
    Files.write(directory.resolve(ConversionState.FILE), length < 9 ? raw : withChecksum(raw));
    assertThatThrownBy(() -> ConversionState.load(directory))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("length");
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10, 19, 20, 21, 300, 4096})
  void aLaterVersionIsNoDamage(int length) throws IOException {
    byte[] raw = Arrays.copyOf(ConversionState.keptPlain().encode(), length);
    raw[4] = 2;
    Files.write(directory.resolve(ConversionState.FILE), withChecksum(raw));
    assertThatThrownBy(() -> ConversionState.load(directory))
        .isInstanceOf(UnknownFormatVersionException.class)
        .hasMessageContaining("version 2 is too new");
  }

  private static byte[] withChecksum(byte[] raw) {
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    int end = raw.length - Integer.BYTES;
    out.putInt(end, Crc32c.update(0, ByteBuffer.wrap(raw, 0, end)));
    return raw;
  }

  /** An accepted state is written back unchanged. */
  @Test
  void anyBytesWithARightChecksum() throws IOException {
    Random random = TestSeed.random(ConversionStateTest.class.getName());
    int accepted = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] raw = ConversionState.running(Goal.REDUCED, random.nextLong(1L << 62)).encode();
      int changes = random.nextInt(3);
      for (int j = 0; j < changes; j++) {
        raw[4 + random.nextInt(12)] = (byte) (random.nextInt(10) - 5);
      }
      withChecksum(raw);
      try {
        assertThat(ConversionState.parse(NAME, raw).encode()).isEqualTo(raw);
        accepted++;
      } catch (CorruptFileException | UnknownFormatVersionException expected) {
        // Refused.
      }
    }
    assertThat(accepted).isBetween(1000, 99_000);
  }

  @Test
  void thereIsNoRunningWithoutAGoal() {
    assertThatThrownBy(() -> ConversionState.running(Goal.NONE, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ConversionState.running(Goal.PLAIN, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(ConversionState.AUTOMATIC.ended()).isEqualTo(ConversionState.AUTOMATIC);
  }

  @Test
  void anotherMagicIsDamageThoughTheChecksumIsRight() {
    byte[] raw = ConversionState.keptPlain().encode();
    raw[0] ^= 1;
    assertThatThrownBy(() -> ConversionState.parse(NAME, withChecksum(raw)))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("magic");
    assertThatThrownBy(() -> ConversionState.parse(NAME, new byte[8]))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("length: expected from 9 to 4096, found 8");
  }

  /** It would not fit into memory. */
  @Test
  void aHugeFileIsDamageAndNotRead() throws IOException {
    try (FileChannel file =
        FileChannel.open(
            directory.resolve(ConversionState.FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(1), 1L << 32);
    }
    assertThatThrownBy(() -> ConversionState.load(directory))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("length");
  }

  @Test
  void statesAreEqualIfGoalProgressAndRateAre() {
    ConversionState state = ConversionState.running(Goal.PLAIN, 7);
    assertThat(state)
        .isEqualTo(ConversionState.running(Goal.PLAIN, 7))
        .hasSameHashCodeAs(ConversionState.running(Goal.PLAIN, 7))
        .isNotEqualTo(ConversionState.running(Goal.REDUCED, 7))
        .isNotEqualTo(ConversionState.running(Goal.PLAIN, 8))
        .isNotEqualTo(state.ended());
    assertThat(state.hashCode()).isNotEqualTo(ConversionState.running(Goal.PLAIN, 8).hashCode());
    assertThat((Object) state).isNotEqualTo("inflating");
    assertThat(ConversionState.running(Goal.REDUCED, 0).rate()).isZero();
  }

  @Test
  void aStoredStateSurvivesPowerLoss() throws Exception {
    ConversionState before = ConversionState.running(Goal.REDUCED, 7);
    ConversionState after = ConversionState.running(Goal.PLAIN, 8);
    PowerLoss.everywhere(
        directory,
        TestSeed.random("stored").nextLong(),
        24,
        dir -> Files.write(dir.resolve(ConversionState.FILE), before.encode()),
        (dir, files) -> after.store(dir, files),
        (dir, finished) ->
            assertThat(ConversionState.load(dir)).isIn(finished ? after : before, after));
  }
}
