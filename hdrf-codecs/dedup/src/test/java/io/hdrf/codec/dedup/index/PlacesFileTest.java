/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.io.LogCapture;
import io.hdrf.jni.Crc32c;
import io.hdrf.jni.CuckooTable;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesFileTest {

  private static final long VOLUME = 0x0102030405060708L;
  private static final int SAMPLE = 32;
  private static final int LAST = 99;

  /** A table of one bucket with two entries: containers 5 and 2^40 - 1. */
  private static final String GOLDEN =
      "8948504c"
          + "01"
          + "20"
          + "00"
          + "00"
          + "0807060504030201"
          + "6300000000000000"
          + "1112131415161718"
          + "2122232425262728"
          + "3132333435363738"
          + "%s"
          + "4523c10500000000"
          + "0100c0ffffffffff"
          + "0000000000000000"
          + "0000000000000000"
          + "%s";

  private static final SlotHash HASH = SlotHash.random();

  @TempDir Path directory;

  private final Random random = TestSeed.random("places file");
  private final MemoryBudget budget = new MemoryBudget(4 << 20);
  private final SampledPlaces places = new SampledPlaces(1 << 20, budget);

  private Path path() {
    return directory.resolve(PlacesFile.NAME);
  }

  private PlacesFile file(long volume, int sample) {
    return new PlacesFile(path(), LocalDurableFiles.INSTANCE, volume, sample);
  }

  private PlacesFile file() {
    return file(VOLUME, SAMPLE);
  }

  /** Returns a golden file with the right checksums. */
  private static byte[] golden() {
    byte[] bytes = HexFormat.of().parseHex(String.format(GOLDEN, "00000000", "00000000"));
    return sealed(bytes);
  }

  private static byte[] sealed(byte[] bytes) {
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(48, Crc32c.update(0, ByteBuffer.wrap(bytes, 0, 48)));
    out.putInt(bytes.length - 4, Crc32c.update(0, ByteBuffer.wrap(bytes, 52, bytes.length - 56)));
    return bytes;
  }

  private static long[] slots(CuckooTable table) {
    long[] slots = new long[table.slotCount()];
    table.save(0, LongBuffer.wrap(slots));
    return slots;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 11, 15})
  void whatIsStoredIsLoaded(int log2) throws IOException {
    CuckooTable table = new CuckooTable(log2);
    int count = table.slotCount() / 2 + 1;
    LongBuffer hashes = LongBuffer.wrap(random.longs(count).toArray());
    LongBuffer values = LongBuffer.wrap(random.longs(count, 0, CuckooTable.MAX_VALUE).toArray());
    table.put(hashes, values, count);
    file().store(table, HASH, LAST);
    // In the place of the former, too.
    file().store(table, HASH, LAST);
    assertThat(list(directory)).containsExactly(path());
    assertThat(file().load(places, Throttle.NONE)).isEqualTo(LAST);
    assertThat(slots(places.table)).isEqualTo(slots(table));
    assertThat(places.hash().of(5)).isEqualTo(HASH.of(5)).isNotEqualTo(SlotHash.random().of(5));
    assertThat(places.count()).isEqualTo(Arrays.stream(slots(table)).filter(e -> e != 0).count());
    assertThat(budget.used()).isEqualTo(places.memory()).isEqualTo(32L << log2);
  }

  /** Written by the first build with the format. */
  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }

  @Test
  void goldenBytesStayReadable() throws IOException {
    byte[] golden = golden();
    assertThat(HexFormat.of().formatHex(golden))
        .isEqualTo(String.format(GOLDEN, "8a0db8b4", "176c13d6"));
    Files.write(path(), golden);
    assertThat(file().load(places, Throttle.NONE)).isEqualTo(LAST);
    assertThat(places.count()).isEqualTo(2);
    assertThat(slots(places.table)).containsExactly(0x5c12345L, 0xffffffffffc00001L, 0, 0);
    Files.delete(path());
    file().store(places.table, places.hash(), LAST);
    assertThat(Files.readAllBytes(path())).as("the same is written today").isEqualTo(golden);
  }

  private static Arguments damage(String name, String message, UnaryOperator<byte[]> change) {
    return Arguments.of(name, message, change);
  }

  private static UnaryOperator<byte[]> with(int offset, int value) {
    return bytes -> {
      bytes[offset] = (byte) value;
      return sealed(bytes);
    };
  }

  static Stream<Arguments> damages() {
    return Stream.of(
        damage("a byte", "bytes at 0: expected 52, found 1", bytes -> Arrays.copyOf(bytes, 1)),
        damage("cut in the header", "found 20", bytes -> Arrays.copyOf(bytes, 20)),
        damage("cut", "length: expected 88, found 87", bytes -> Arrays.copyOf(bytes, 87)),
        damage("too long", "found 89", bytes -> Arrays.copyOf(bytes, 89)),
        damage("magic", "magic", with(0, 0x88)),
        damage("a later version", "version 2", with(4, 2)),
        damage("another sample", "sample: expected 32, found 16", with(5, 16)),
        damage("too large", "log2 of the buckets: expected at most 15, found 16", with(6, 16)),
        damage("much too large", "at most 15, found 255", with(6, 255)),
        damage("longer than it is", "length: expected", with(6, 15)),
        damage("another volume", "volume: expected this one, found another", with(8, 9)),
        damage("no container", "last container", with(23, 0x80)),
        damage("a factor that is even", "secret", with(32, 0x20)),
        damage("the other one", "secret", with(40, 0x30)),
        damage(
            "a bit of the header",
            "CRC32C of the header",
            bytes -> {
              bytes[16] ^= 4;
              return bytes;
            }),
        damage(
            "a bit of an entry",
            "CRC32C of the entries",
            bytes -> {
              bytes[64] ^= 4;
              return bytes;
            }));
  }

  @Test
  void oneThatHasNothingYetIsNoDamage() throws IOException {
    file().begin();
    file().begin();
    assertThat(path()).isEmptyFile();
    try (LogCapture log = new LogCapture(Level.WARN, "PlacesFile")) {
      assertThat(file().load(places, Throttle.NONE)).isEqualTo(PlacesFile.NONE);
      assertThat(log.messages()).isEmpty();
    }
    file().store(new CuckooTable(0), HASH, 3);
    file().begin();
    assertThat(file().load(places, Throttle.NONE)).isEqualTo(3);
  }

  /** What can't be used is named, takes no memory, and stays until another takes its place. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("damages")
  void damagedFilesAreNotUsed(String name, String message, UnaryOperator<byte[]> change)
      throws IOException {
    byte[] bytes = change.apply(golden());
    Files.write(path(), bytes);
    try (LogCapture log = new LogCapture(Level.WARN, "PlacesFile")) {
      assertThat(file().load(places, Throttle.NONE)).isEqualTo(PlacesFile.NONE);
      assertThat(log.messages()).hasSize(1);
      assertThat(log.all())
          .contains(path().toString())
          .contains(message)
          .contains("made again from the containers");
    }
    assertThat(places.table).isNull();
    assertThat(budget.used()).isZero();
    assertThat(Files.readAllBytes(path())).isEqualTo(bytes);
    file().store(new CuckooTable(0), HASH, 3);
    assertThat(file().load(places, Throttle.NONE)).isEqualTo(3);
  }

  @Test
  void aFileThatIsNotThereIsNoFault() throws IOException {
    try (LogCapture log = new LogCapture(Level.INFO, "PlacesFile")) {
      assertThat(file().load(places, Throttle.NONE)).isEqualTo(PlacesFile.NONE);
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void whatHasNoRoomInMemoryIsNotLoaded() throws IOException {
    file().store(new CuckooTable(15), HASH, 3);
    MemoryBudget small = new MemoryBudget(500_000);
    SampledPlaces few = new SampledPlaces(1 << 20, small);
    assertThat(file().load(few, Throttle.NONE)).isEqualTo(PlacesFile.NONE);
    assertThat(small.used()).isZero();
  }

  @Test
  void aFullDiskLeavesTheFormerFile() throws IOException {
    file().store(new CuckooTable(0), HASH, 3);
    Files.createDirectories(directory.resolve(PlacesFile.NAME + ".tmp").resolve("in the way"));
    try (LogCapture log = new LogCapture(Level.WARN, "PlacesFile")) {
      file().store(new CuckooTable(2), HASH, 4);
      assertThat(log.all()).contains(path() + " can't be written");
    }
    assertThat(file().load(places, Throttle.NONE)).isEqualTo(3);
  }
}
