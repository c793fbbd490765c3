/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static java.util.Comparator.naturalOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/**
 * Every kind of file of a store is removed, cut, changed or extended while the store is closed.
 * After that, reads return the right values, or fail and the store is set aside.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamageTest {

  private static final Table TABLE = Table.CHUNKS;

  /** The end of a log can be missing without a trace: a crash leaves it like that. */
  private static final String MAY_LOSE_ITS_TAIL = ".*\\.log";

  @TempDir Path directory;

  private final Map<String, String> model = new HashMap<>();
  private final Random random = TestSeed.random("damage");
  private Path crashed;

  /** Files that are not needed. */
  private static final String HARMLESS = "LOG.*|OPTIONS-.*|IDENTITY";

  private static final int HARMLESS_DAMAGES = 5;

  private interface Damage {
    void to(Path file, byte[] content) throws IOException;
  }

  /** Entries in sorted files, and later ones in a log. */
  @BeforeEach
  void makeAStore() throws IOException {
    Path store = directory.resolve("whole");
    try (MetadataStore first = Stores.open(store)) {
      fill(first, 0, 2000);
    }
    try (MetadataStore second = Stores.open(store)) {
      fill(second, 1500, 2500);
      crashed = Stores.copy(store, directory.resolve("crashed"));
    }
  }

  private void fill(MetadataStore store, int from, int to) throws IOException {
    for (int i = from; i < to; i += 100) {
      StoreBatch batch = new StoreBatch();
      for (int j = i; j < i + 100; j++) {
        model.put("k" + j, "of " + j + " from " + from);
        batch.put(TABLE, Stores.bytes("k" + j), Stores.bytes(model.get("k" + j)));
      }
      store.write(batch);
    }
  }

  private Map<String, Damage> damages() {
    Map<String, Damage> damages = new LinkedHashMap<>();
    damages.put("removed", (file, content) -> Files.delete(file));
    damages.put("emptied", (file, content) -> Files.write(file, new byte[0]));
    damages.put(
        "cut in half",
        (file, content) -> Files.write(file, Arrays.copyOf(content, content.length / 2)));
    damages.put(
        "cut by one",
        (file, content) -> Files.write(file, Arrays.copyOf(content, content.length - 1)));
    damages.put("zeroed", (file, content) -> Files.write(file, new byte[content.length]));
    for (int type = 1; type < 16; type++) {
      byte changed = (byte) type;
      damages.put(
          "first record's type changed by " + type,
          (file, content) -> {
            content[6 % content.length] ^= changed;
            Files.write(file, content);
          });
    }
    for (int i = 0; i < 12; i++) {
      damages.put(
          "flipped " + i,
          (file, content) -> {
            content[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, content);
          });
    }
    return damages;
  }

  @Test
  void theStoreIsWholeWithoutDamage() throws IOException {
    try (MetadataStore store = Stores.open(crashed)) {
      assertThat(Stores.contents(store, TABLE)).isEqualTo(model);
    }
  }

  @Test
  void damageIsFoundOrHarmless() throws IOException {
    Map<String, Integer> outcomes = new LinkedHashMap<>();
    for (Path file : Stores.list(crashed)) {
      String fileName = file.getFileName().toString();
      int damaged = 0;
      for (Map.Entry<String, Damage> damage : damages().entrySet()) {
        if (Files.size(file) == 0
            || (fileName.matches(HARMLESS) && damaged++ == HARMLESS_DAMAGES)) {
          break;
        }
        String name = fileName + " " + damage.getKey();
        Path store = Stores.copy(crashed, directory.resolve(name));
        damage.getValue().to(store.resolve(fileName), Files.readAllBytes(file));
        String kind = fileName.replaceAll("[0-9]+", "N");
        outcomes.merge(kind + ": " + openDamaged(store, name), 1, Integer::sum);
      }
    }
    System.out.println(outcomes);
    assertThat(outcomes.keySet())
        .contains(
            "CURRENT: set aside", "MANIFEST-N: set aside", "N.sst: set aside", "N.log: set aside");
  }

  private String openDamaged(Path path, String name) throws IOException {
    try (MetadataStore store = Stores.open(path)) {
      if (wasSetAside(path)) {
        assertThat(Stores.contents(store, TABLE)).as(name).isEmpty();
        return assertUsable(store);
      }
      Map<String, String> contents = Stores.contents(store, TABLE);
      if (!contents.equals(model)) {
        assertThat(name).matches("(" + MAY_LOSE_ITS_TAIL + ") .*");
        assertThat(model.keySet()).as(name).containsAll(contents.keySet());
        contents.forEach(
            (key, value) -> assertThat(value).as(name).startsWith("of " + key.substring(1) + " "));
        return "lost " + (model.size() - contents.size());
      }
      return "harmless";
    } catch (StoreCorruptException e) {
      assertThat(e).as(name).hasMessageContaining(path.toString());
    }
    try (MetadataStore store = Stores.open(path)) {
      assertThat(wasSetAside(path)).as(name).isTrue();
      assertThat(Stores.contents(store, TABLE)).as(name).isEmpty();
      return assertUsable(store);
    }
  }

  private static String assertUsable(MetadataStore store) throws IOException {
    store.write(new StoreBatch().put(TABLE, Stores.bytes("new"), Stores.bytes("v")));
    assertThat(Stores.contents(store, TABLE)).containsOnlyKeys("new");
    return "set aside";
  }

  private static boolean wasSetAside(Path path) {
    return Files.exists(aside(path, 1));
  }

  private static Path aside(Path path, int n) {
    return path.resolveSibling(path.getFileName() + ".damaged-" + n);
  }

  @Test
  void theNewestTwoThatWereSetAsideAreKept() throws IOException {
    Files.delete(crashed.resolve("CURRENT"));
    Map<String, byte[]> before = files(crashed);
    Stores.open(crashed).close();
    assertThat(files(aside(crashed, 1))).containsExactlyInAnyOrderEntriesOf(before);

    Files.delete(crashed.resolve("CURRENT"));
    Stores.open(crashed).close();
    assertThat(files(aside(crashed, 1))).containsExactlyInAnyOrderEntriesOf(before);
    assertThat(aside(crashed, 2)).isDirectory();
    assertThat(aside(crashed, 3)).doesNotExist();

    for (int n = 3; n < 6; n++) {
      Files.delete(crashed.resolve("CURRENT"));
      Stores.open(crashed).close();
    }
    for (int n = 1; n < 7; n++) {
      assertThat(Files.exists(aside(crashed, n))).as("%d", n).isEqualTo(n == 4 || n == 5);
    }
  }

  /** A user may have chosen a high number to keep a store. */
  @Test
  void aHighNumberDoesNotKeepStoresFromBeingSetAside() throws IOException {
    Files.createDirectory(aside(crashed, 999_999_999));
    for (int n = 0; n < 2; n++) {
      Files.delete(crashed.resolve("CURRENT"));
      Stores.open(crashed).close();
    }
  }

  /**
   * RocksDB's own lock would come too late: files that another process is writing look damaged to a
   * reader.
   */
  @Test
  void aDamagedStoreIsNotSetAsideWhileSomebodyHasIt() throws IOException {
    try (MetadataStore store = Stores.open(crashed)) {
      Files.writeString(crashed.resolve(StoreDirectory.DAMAGED), "met by a look-up");
      assertThatThrownBy(() -> Stores.open(crashed)).isInstanceOf(StoreUnreachableException.class);
      assertThat(wasSetAside(crashed)).isFalse();
      assertThat(Stores.contents(store, TABLE)).isEqualTo(model);
    }
    Stores.open(crashed).close();
    assertThat(wasSetAside(crashed)).isTrue();
  }

  private static Map<String, byte[]> files(Path path) throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    for (Path file : Stores.list(path)) {
      files.put(file.getFileName().toString(), Files.readAllBytes(file));
    }
    return files;
  }

  /** As where a sector is bad: without the log, the rest would be of an earlier time. */
  @Test
  void aLogThatTheDiskCannotReadIsDamage() throws IOException {
    Path log;
    try (Stream<Path> files = Files.list(crashed)) {
      log = files.filter(file -> file.toString().endsWith(".log")).max(naturalOrder()).get();
    }
    Files.delete(log);
    Files.createSymbolicLink(log, Path.of("/proc/self/mem")); // its first page is not mapped
    try (MetadataStore store = Stores.open(crashed)) {
      assertThat(store.get(TABLE, List.of(Stores.bytes("k1")))).containsExactly((byte[]) null);
    }
    assertThat(aside(crashed, 1).resolve(log.getFileName())).isSymbolicLink();
  }

  /** RocksDB's own messages, from a disk on which reads failed, and one on which writes did. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "While pread offset 0 len 4096: /s/000012.sst: Input/output error | true",
        "While reading file sequentially: /s/MANIFEST-000005: Input/output error | true",
        "While appending to file: /s/000013.log: Input/output error | false",
        "While open a file for random read: /s/000012.sst: Too many open files | false",
      })
  void aFailedReadIsDamageAndAFailedWriteIsNot(String message, boolean damage) {
    Status status = new Status(Status.Code.IOError, Status.SubCode.None, message);
    RocksDBException failure = new RocksDBException("IO error: " + message, status);
    assertThat(Failures.of(directory, failure))
        .isExactlyInstanceOf(
            damage ? StoreCorruptException.class : StoreUnreachableException.class);
  }

  @Test
  void aLookUpMeetsDamageToo() throws IOException {
    for (Path file : Stores.list(crashed)) {
      if (file.toString().endsWith(".sst")) {
        byte[] content = Files.readAllBytes(file);
        Arrays.fill(content, 100, Math.min(content.length / 2, 4000), (byte) 0x55);
        Files.write(file, content);
      }
    }
    try (MetadataStore store = Stores.open(crashed)) {
      int found = 0;
      for (int i = 0; i < 2500; i++) {
        byte[] key = Stores.bytes("k" + i);
        try {
          assertThat(Stores.text(store.get(TABLE, Arrays.asList(key, key)).get(1)))
              .isEqualTo(model.get("k" + i));
          found++;
        } catch (StoreCorruptException e) {
          assertThat(e).hasMessageContaining(crashed.toString());
        }
      }
      assertThat(found).isBetween(500, 2499);
    }
    assertThat(crashed.resolve(StoreDirectory.DAMAGED)).isNotEmptyFile();
    Stores.open(crashed).close();
    assertThat(aside(crashed, 1).resolve(StoreDirectory.DAMAGED)).isNotEmptyFile();
  }
}
