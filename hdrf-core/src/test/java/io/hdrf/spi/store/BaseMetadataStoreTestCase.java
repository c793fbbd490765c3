/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.metadata.MetadataStores;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.TestSeed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proves a metadata store: extend it, return the provider from {@link #provider()}, and every test
 * runs against it. Each test has its own storage and pool ids, so one server may serve all of them.
 * Random choices depend on a printed seed; {@code -Dhdrf.test.seed=N} repeats them.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class BaseMetadataStoreTestCase {

  private static final int THREADS = 16;
  private static final byte[] NO_BYTES = {};

  @TempDir Path directory;

  private final Random random = TestSeed.random(getClass().getName());
  private final String storageId = "DS-" + UUID.randomUUID();
  private final String poolId = "BP-1-127.0.0.1-" + System.nanoTime();
  private final List<MetadataStore> opened = new ArrayList<>();
  private MetadataStore store;

  /** Returns a new instance of the provider. */
  protected abstract MetadataStoreProvider provider();

  /** Returns the settings to test with; Hadoop's defaults are not loaded. */
  protected Configuration configuration() {
    return new Configuration(false);
  }

  /** Returns full keys with values that must be refused. */
  protected Map<String, List<String>> badSettings() {
    return Collections.emptyMap();
  }

  /** Opens a store, or opens again what the same arguments opened before. */
  protected final MetadataStore open(String storageId, String poolId, Path directory)
      throws MetadataException {
    MetadataStore result =
        provider().open(new StoreContext(settings(configuration()), directory, storageId, poolId));
    opened.add(result);
    return result;
  }

  private PluginSettings settings(Configuration configuration) {
    return new PluginSettings(configuration, "metadata." + provider().name());
  }

  private MetadataStore open() throws MetadataException {
    return open(storageId, poolId, directory.resolve("store"));
  }

  private void reopen() throws IOException {
    store.close();
    store = open();
  }

  @BeforeEach
  void openStore() throws IOException {
    store = open();
  }

  @AfterEach
  void closeStores() throws IOException {
    for (MetadataStore each : opened) {
      each.close();
    }
  }

  // The provider

  @Test
  void isFoundByServiceLoader() throws IOException {
    MetadataStoreProvider provider = provider();
    assertThat(provider.spiVersion()).isEqualTo(MetadataSpiVersion.CURRENT);
    assertThat(provider.name()).matches("[a-z][a-z0-9-]*").isNotEqualTo(MetadataStores.NONE);
    List<String> names = new ArrayList<>();
    String service = "META-INF/services/" + MetadataStoreProvider.class.getName();
    for (URL url : Collections.list(provider.getClass().getClassLoader().getResources(service))) {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(url.openStream(), StandardCharsets.UTF_8))) {
        lines.lines().map(line -> line.replaceAll("#.*", "").trim()).forEach(names::add);
      }
    }
    assertThat(names).as("lines of " + service).contains(provider.getClass().getName());
    assertThat(provider.getClass().getConstructors())
        .as("public constructors without arguments")
        .anyMatch(constructor -> constructor.getParameterCount() == 0);
  }

  @Test
  void refusesBadSettings() throws IOException {
    provider().checkSettings(settings(configuration()));
    badSettings()
        .forEach(
            (key, values) ->
                values.forEach(
                    value -> {
                      Configuration configuration = configuration();
                      configuration.set(key, value);
                      assertThatThrownBy(() -> provider().checkSettings(settings(configuration)))
                          .as(key + "=" + value)
                          .isInstanceOf(BadSettingException.class)
                          .hasMessageContaining(key);
                    }));
  }

  // Single calls

  @Test
  void aNewStoreIsEmpty() throws IOException {
    for (Table table : Table.values()) {
      assertThat(contents(table)).isEmpty();
      assertThat(store.estimatedCount(table)).isZero();
    }
  }

  @Test
  void getsManyKeysInTheirOrder() throws IOException {
    put(Table.BLOCKS, "b", "2");
    put(Table.BLOCKS, "a", "1");
    assertThat(get(Table.BLOCKS, "x", "a", "b", "a", "y", "a"))
        .containsExactly(null, "1", "2", "1", null, "1");
    assertThat(store.get(Table.BLOCKS, Collections.emptyList())).isEmpty();
  }

  @Test
  void whatIsReturnedBelongsToTheCaller() throws IOException {
    put(Table.BLOCKS, "k", "value");
    List<byte[]> twice = store.get(Table.BLOCKS, Arrays.asList(bytes("k"), bytes("k")));
    Arrays.fill(twice.get(0), (byte) 'x');
    assertThat(twice.get(1)).asString().isEqualTo("value");
    assertThat(get(Table.BLOCKS, "k")).containsExactly("value");
  }

  @Test
  void anEmptyValueIsThere() throws IOException {
    put(Table.BLOCKS, "k", "");
    assertThat(get(Table.BLOCKS, "k")).containsExactly("");
    assertThat(scan(Table.BLOCKS, NO_BYTES)).containsOnly(Map.entry(key("k"), key("")));
  }

  @Test
  void aPutReplacesAndADeleteRemoves() throws IOException {
    put(Table.BLOCKS, "k", "longer");
    put(Table.BLOCKS, "k", "1");
    assertThat(get(Table.BLOCKS, "k")).containsExactly("1");
    write(new StoreBatch().delete(Table.BLOCKS, bytes("k")).delete(Table.BLOCKS, bytes("none")));
    assertThat(get(Table.BLOCKS, "k", "none")).containsExactly(null, null);
    assertThat(contents(Table.BLOCKS)).isEmpty();
  }

  @Test
  void theLastChangeOfAKeyInABatchCounts() throws IOException {
    put(Table.BLOCKS, "was", "0");
    StoreBatch batch =
        new StoreBatch()
            .put(Table.BLOCKS, bytes("a"), bytes("1"))
            .put(Table.BLOCKS, bytes("b"), bytes("1"))
            .delete(Table.BLOCKS, bytes("c"))
            .put(Table.BLOCKS, bytes("a"), bytes("2"))
            .delete(Table.BLOCKS, bytes("b"))
            .put(Table.BLOCKS, bytes("c"), bytes("3"))
            .delete(Table.BLOCKS, bytes("was"));
    write(batch);
    assertThat(get(Table.BLOCKS, "a", "b", "c", "was")).containsExactly("2", null, "3", null);
    put(Table.BLOCKS, "a", "4");
    write(batch);
    assertThat(get(Table.BLOCKS, "a")).as("a batch may be written again").containsExactly("2");
    write(new StoreBatch());
  }

  @Test
  void aBatchChangesSeveralTablesAndTablesAreApart() throws IOException {
    put(Table.BLOCKS, "gone", "0");
    write(
        new StoreBatch()
            .put(Table.STATE, bytes("k"), bytes("state"))
            .put(Table.BLOCKS, bytes("k"), bytes("block"))
            .put(Table.CHUNKS, bytes("k"), bytes("chunk"))
            .delete(Table.BLOCKS, bytes("gone"))
            .put(Table.CHUNKS, bytes("gone"), bytes("not in this table")));
    assertThat(get(Table.STATE, "k", "gone")).containsExactly("state", null);
    assertThat(get(Table.BLOCKS, "k", "gone")).containsExactly("block", null);
    assertThat(get(Table.CHUNKS, "k", "gone")).containsExactly("chunk", "not in this table");
  }

  @Test
  void takesEveryByteAndTheLongestKeysAndValues() throws IOException {
    Map<ByteBuffer, ByteBuffer> model = new HashMap<>();
    byte[] zeros = new byte[MetadataStore.MAX_KEY_LENGTH];
    byte[] ones = new byte[MetadataStore.MAX_KEY_LENGTH];
    Arrays.fill(ones, (byte) 0xFF);
    List<byte[]> keys = new ArrayList<>();
    for (int length = 1; length <= MetadataStore.MAX_KEY_LENGTH; length++) {
      keys.add(Arrays.copyOf(zeros, length));
      keys.add(Arrays.copyOf(ones, length));
    }
    for (int b = 1; b < 255; b++) {
      keys.add(new byte[] {(byte) b});
      keys.add(new byte[] {0, (byte) b, 0});
      keys.add(new byte[] {(byte) 0xFF, (byte) b, '\r', '\n'});
    }
    StoreBatch batch = new StoreBatch();
    for (byte[] key : keys) {
      byte[] value = new byte[MetadataStore.MAX_VALUE_LENGTH - random.nextInt(2)];
      random.nextBytes(value);
      model.put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
      batch.put(Table.CHUNKS, key, value);
    }
    write(batch);
    assertThat(contents(Table.CHUNKS)).isEqualTo(model);
    List<byte[]> values = store.get(Table.CHUNKS, keys);
    for (int i = 0; i < keys.size(); i++) {
      assertThat(ByteBuffer.wrap(values.get(i))).isEqualTo(model.get(ByteBuffer.wrap(keys.get(i))));
    }
    reopen();
    assertThat(contents(Table.CHUNKS)).isEqualTo(model);
  }

  // Scans

  @Test
  void scansByPrefix() throws IOException {
    byte[][] keys = {
      {0},
      {0, 0},
      {1},
      {1, 0},
      {1, (byte) 0xFF},
      {1, (byte) 0xFF, (byte) 0xFF},
      {2},
      {(byte) 0xFF},
      {(byte) 0xFF, 0},
      {(byte) 0xFF, (byte) 0xFF},
      {'*'},
      {'[', 'a', ']'},
      {'a'},
      {'?'},
      {'\\', '*'}
    };
    byte[][] prefixes = {
      {},
      {0},
      {0, 0},
      {0, 0, 0},
      {1},
      {1, (byte) 0xFF},
      {1, 1},
      {3},
      {(byte) 0xFF},
      {(byte) 0xFF, (byte) 0xFF},
      {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF},
      {'*'},
      {'?'},
      {'['},
      {'[', 'a', ']'},
      {'\\'},
      new byte[MetadataStore.MAX_KEY_LENGTH + 1]
    };
    Map<ByteBuffer, ByteBuffer> all = new HashMap<>();
    StoreBatch batch = new StoreBatch();
    for (byte[] key : keys) {
      byte[] value = Integer.toString(all.size()).getBytes(StandardCharsets.UTF_8);
      all.put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
      batch.put(Table.BLOCKS, key, value).put(Table.CHUNKS, key, bytes("of another table"));
    }
    write(batch);
    for (byte[] prefix : prefixes) {
      Map<ByteBuffer, ByteBuffer> expected = new HashMap<>(all);
      expected.keySet().removeIf(key -> !startsWith(key, prefix));
      assertThat(scan(Table.BLOCKS, prefix)).as(Arrays.toString(prefix)).isEqualTo(expected);
    }
  }

  @Test
  void aScanEndsWhenItIsToldTo() throws IOException {
    fill(Table.BLOCKS, "k", 3000);
    for (int wanted : new int[] {1, 2, 1000, 2999}) {
      AtomicInteger shown = new AtomicInteger();
      store.scan(Table.BLOCKS, NO_BYTES, (key, value) -> shown.incrementAndGet() < wanted);
      assertThat(shown).hasValue(wanted);
    }
  }

  @Test
  void aVisitorThatThrowsHarmsNobodyElse() throws IOException {
    fill(Table.BLOCKS, "k", 3000);
    for (int i = 0; i < 40; i++) {
      assertThatThrownBy(
              () ->
                  store.scan(
                      Table.BLOCKS,
                      NO_BYTES,
                      (key, value) -> {
                        throw new IllegalStateException("the visitor's");
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the visitor's");
    }
    assertThat(contents(Table.BLOCKS)).hasSize(3000);
  }

  @Test
  void showsWhatDoesNotChangeMeanwhileExactlyOnce() throws Exception {
    fill(Table.CHUNKS, "stays", 2000);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService writer = Executors.newSingleThreadExecutor();
    try {
      Future<?> writing =
          writer.submit(
              () -> {
                for (int round = 0; !done.get(); round++) {
                  StoreBatch batch = new StoreBatch();
                  for (int i = 0; i < 500; i++) {
                    batch.put(Table.CHUNKS, bytes("comes" + round + "." + i), bytes("v"));
                    batch.delete(Table.CHUNKS, bytes("comes" + (round - 3) + "." + i));
                  }
                  store.write(batch);
                }
                return null;
              });
      for (int i = 0; i < 10; i++) {
        Map<String, Integer> shown = new HashMap<>();
        store.scan(
            Table.CHUNKS,
            NO_BYTES,
            (key, value) -> {
              shown.merge(text(key) + "=" + text(value), 1, Integer::sum);
              return true;
            });
        assertThat(shown.values()).containsOnly(1);
        assertThat(shown.keySet()).filteredOn(key -> key.startsWith("stays")).hasSize(2000);
      }
      done.set(true);
      writing.get();
    } finally {
      done.set(true);
      writer.shutdownNow();
      assertThat(writer.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  // The whole store

  @Test
  void clearEmptiesEveryTable() throws IOException {
    for (Table table : Table.values()) {
      fill(table, "k", 1500);
    }
    store.clear();
    for (Table table : Table.values()) {
      assertThat(contents(table)).isEmpty();
      assertThat(store.estimatedCount(table)).isZero();
    }
    assertThat(get(Table.BLOCKS, "k1")).containsExactly((String) null);
    put(Table.BLOCKS, "k1", "new");
    reopen();
    assertThat(contents(Table.BLOCKS)).containsOnly(Map.entry(key("k1"), key("new")));
    assertThat(contents(Table.CHUNKS)).isEmpty();
    store.clear();
    reopen();
    assertThat(contents(Table.BLOCKS)).isEmpty();
    store.clear();
  }

  @Test
  void compactionChangesNoEntry() throws IOException {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 100; i++) {
        put(Table.CHUNKS, "key-" + i, "value-" + round + "-" + i);
      }
      StoreBatch batch = new StoreBatch();
      for (int i = 0; i < 100; i += 2) {
        batch.delete(Table.CHUNKS, bytes("key-" + i));
      }
      write(batch);
      put(Table.BLOCKS, "other", "stays");
      for (Table table : Table.values()) {
        store.compact(table);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(get(Table.CHUNKS, "key-" + i))
            .containsExactly(i % 2 == 0 ? null : "value-" + round + "-" + i);
      }
      assertThat(get(Table.BLOCKS, "other")).containsExactly("stays");
    }
  }

  @Test
  void countsRoughly() throws IOException {
    fill(Table.BLOCKS, "k", 2000);
    fill(Table.CHUNKS, "k", 500);
    assertThat(store.estimatedCount(Table.BLOCKS)).isBetween(1000L, 4000L);
    assertThat(store.estimatedCount(Table.CHUNKS)).isBetween(250L, 1000L);
    assertThat(store.estimatedCount(Table.STATE)).isLessThan(100);
    reopen();
    assertThat(store.estimatedCount(Table.BLOCKS)).isBetween(1000L, 4000L);
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < 1900; i++) {
      batch.delete(Table.BLOCKS, bytes("k" + i));
    }
    write(batch);
    assertThat(store.estimatedCount(Table.BLOCKS)).isBetween(0L, 1000L);
  }

  @Test
  void poolsAndStoragesAreApart() throws IOException {
    List<MetadataStore> stores = new ArrayList<>();
    stores.add(store);
    stores.add(open(storageId, poolId + "1", directory.resolve("other pool")));
    stores.add(open("DS-" + UUID.randomUUID(), poolId, directory.resolve("other storage")));
    for (int i = 0; i < stores.size(); i++) {
      StoreBatch batch =
          new StoreBatch()
              .put(Table.BLOCKS, bytes("same"), bytes("of " + i))
              .put(Table.BLOCKS, bytes("own" + i), NO_BYTES);
      stores.get(i).write(batch);
    }
    for (int i = 0; i < stores.size(); i++) {
      assertThat(scan(stores.get(i), Table.BLOCKS, NO_BYTES))
          .containsOnly(Map.entry(key("same"), key("of " + i)), Map.entry(key("own" + i), key("")));
    }
    stores.get(1).clear();
    assertThat(contents(Table.BLOCKS)).hasSize(2);
    assertThat(scan(stores.get(1), Table.BLOCKS, NO_BYTES)).isEmpty();
    assertThat(scan(stores.get(2), Table.BLOCKS, NO_BYTES)).hasSize(2);
    stores.get(1).close();
    assertThat(get(Table.BLOCKS, "same")).containsExactly("of 0");
  }

  @Test
  void survivesCloseAndReopen() throws IOException {
    for (int i = 0; i < 3; i++) {
      StoreBatch batch = new StoreBatch();
      for (Table table : Table.values()) {
        batch.put(table, bytes("k" + i), bytes(table + "" + i));
      }
      store.write(batch);
      store.write(new StoreBatch().delete(Table.BLOCKS, bytes("k" + (i - 1))));
      reopen();
    }
    assertThat(get(Table.STATE, "k0", "k1", "k2")).containsExactly("STATE0", "STATE1", "STATE2");
    assertThat(get(Table.BLOCKS, "k0", "k1", "k2")).containsExactly(null, null, "BLOCKS2");
    assertThat(contents(Table.CHUNKS)).hasSize(3);
  }

  @Test
  void callsAfterCloseThrow() throws IOException {
    put(Table.BLOCKS, "k", "v");
    store.close();
    Map<String, ThrowingCallable> calls = new TreeMap<>();
    calls.put("get", () -> get(Table.BLOCKS, "k"));
    calls.put("write", () -> put(Table.BLOCKS, "k", "w"));
    calls.put("scan", () -> contents(Table.BLOCKS));
    calls.put("estimatedCount", () -> store.estimatedCount(Table.BLOCKS));
    calls.put("clear", () -> store.clear());
    calls.forEach(
        (name, call) ->
            assertThatThrownBy(call).as(name).isInstanceOf(StoreUnreachableException.class));
    store.close();
    store = open();
    assertThat(get(Table.BLOCKS, "k")).containsExactly("v");
  }

  // A model

  @Test
  void doesWhatAMapDoes() throws IOException {
    Map<Table, Map<ByteBuffer, ByteBuffer>> model = new EnumMap<>(Table.class);
    for (Table table : Table.values()) {
      model.put(table, new HashMap<>());
    }
    for (int i = 0; i < 1500; i++) {
      int choice = random.nextInt(1000);
      if (choice < 500) {
        getAsModel(model);
      } else if (choice < 940) {
        writeAsModel(model);
      } else if (choice < 980) {
        Table table = randomTable();
        byte[] prefix = random.nextInt(4) == 0 ? NO_BYTES : Arrays.copyOf(randomKey(), 1);
        Map<ByteBuffer, ByteBuffer> expected = new HashMap<>(model.get(table));
        expected.keySet().removeIf(key -> !startsWith(key, prefix));
        assertThat(scan(table, prefix)).isEqualTo(expected);
      } else if (choice < 995) {
        reopen();
      } else {
        store.clear();
        model.values().forEach(Map::clear);
      }
    }
    reopen();
    for (Table table : Table.values()) {
      assertThat(contents(table)).isEqualTo(model.get(table));
    }
  }

  private void getAsModel(Map<Table, Map<ByteBuffer, ByteBuffer>> model) throws IOException {
    Table table = randomTable();
    List<byte[]> keys = new ArrayList<>();
    List<ByteBuffer> expected = new ArrayList<>();
    for (int n = random.nextInt(50); n > 0; n--) {
      keys.add(randomKey());
      expected.add(model.get(table).get(ByteBuffer.wrap(keys.get(keys.size() - 1))));
    }
    assertThat(wrap(store.get(table, keys))).isEqualTo(expected);
  }

  private void writeAsModel(Map<Table, Map<ByteBuffer, ByteBuffer>> model) throws IOException {
    StoreBatch batch = new StoreBatch();
    for (int n = random.nextInt(50); n > 0; n--) {
      Table table = randomTable();
      byte[] key = randomKey();
      if (random.nextInt(3) == 0) {
        batch.delete(table, key);
        model.get(table).remove(ByteBuffer.wrap(key));
      } else {
        byte[] value = randomValue();
        batch.put(table, key, value);
        model.get(table).put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
      }
    }
    store.write(batch);
  }

  private Table randomTable() {
    return Table.values()[random.nextInt(Table.values().length)];
  }

  private byte[] randomKey() {
    byte[] key =
        new byte[random.nextInt(8) == 0 ? MetadataStore.MAX_KEY_LENGTH : 1 + random.nextInt(3)];
    Arrays.fill(key, (byte) (random.nextInt(8) - 4));
    key[key.length - 1] = (byte) random.nextInt(8);
    return key;
  }

  private byte[] randomValue() {
    byte[] value = new byte[random.nextInt(random.nextInt(20) == 0 ? 4097 : 30)];
    random.nextBytes(value);
    return value;
  }

  // Threads

  @Test
  void sixteenThreadsDoNotDisturbEachOther() throws Exception {
    inThreads(
        thread -> {
          Random choices = TestSeed.random("thread", thread);
          Map<String, byte[]> own = new HashMap<>();
          for (int round = 0; round < 25; round++) {
            StoreBatch batch = new StoreBatch();
            for (int i = 0; i < 30; i++) {
              String key = "own" + thread + "." + choices.nextInt(200);
              if (choices.nextInt(4) == 0) {
                batch.delete(Table.BLOCKS, bytes(key));
                own.remove(key);
              } else {
                byte[] value = pattern(choices);
                batch.put(Table.BLOCKS, bytes(key), value);
                own.put(key, value);
              }
              batch.put(Table.BLOCKS, bytes("shared" + choices.nextInt(20)), pattern(choices));
            }
            store.write(batch);
            List<byte[]> keys = new ArrayList<>();
            own.keySet().forEach(key -> keys.add(bytes(key)));
            for (int i = 0; i < 20; i++) {
              keys.add(bytes("shared" + i));
            }
            List<byte[]> values = store.get(Table.BLOCKS, keys);
            for (int i = 0; i < keys.size(); i++) {
              byte[] expected = own.get(text(keys.get(i)));
              if (expected != null) {
                assertThat(values.get(i)).isEqualTo(expected);
              }
              assertIsPattern(values.get(i));
            }
            if (round % 8 == 0) {
              AtomicInteger mine = new AtomicInteger();
              store.scan(
                  Table.BLOCKS,
                  NO_BYTES,
                  (key, value) -> {
                    assertIsPattern(value);
                    if (text(key).startsWith("own" + thread + ".")) {
                      mine.incrementAndGet();
                    }
                    return true;
                  });
              assertThat(mine).hasValue(own.size());
            }
          }
          return null;
        });
  }

  /** Returns a value that shows a mixture of two: a length, and one byte that many times. */
  private static byte[] pattern(Random choices) {
    byte[] value = new byte[1 + choices.nextInt(255)];
    Arrays.fill(value, (byte) value.length);
    return value;
  }

  private static void assertIsPattern(byte[] value) {
    if (value != null) {
      byte[] expected = new byte[value.length];
      Arrays.fill(expected, (byte) value.length);
      assertThat(value).isEqualTo(expected);
    }
  }

  @Test
  void closeWaitsForCallsThatGoOn() throws Exception {
    fill(Table.BLOCKS, "k", 2000);
    CountDownLatch running = new CountDownLatch(THREADS);
    AtomicInteger closed = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> results = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        results.add(
            threads.submit(
                () -> {
                  try {
                    for (int round = 0; true; round++) {
                      useOnce(thread, round);
                      running.countDown();
                    }
                  } catch (StoreUnreachableException e) {
                    closed.incrementAndGet();
                  }
                  return null;
                }));
      }
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
      store.close();
      for (Future<?> result : results) {
        result.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(closed).hasValue(THREADS);
  }

  private void useOnce(int thread, int round) throws IOException {
    switch (thread % 4) {
      case 0:
        get(Table.BLOCKS, "k1", "k2", "none");
        break;
      case 1:
        put(Table.BLOCKS, "k1", "v");
        break;
      case 2:
        put(Table.CHUNKS, "new" + thread + "." + round % 1000, "v");
        break;
      default:
        contents(Table.BLOCKS);
    }
  }

  private interface Work {
    Void run(int thread) throws Exception;
  }

  /** Runs work in 16 threads at once, and fails like the first failing one. */
  private static void inThreads(Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    CountDownLatch start = new CountDownLatch(THREADS);
    try {
      List<Callable<Void>> calls = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        calls.add(
            () -> {
              start.countDown();
              start.await();
              return work.run(thread);
            });
      }
      for (Future<Void> result : threads.invokeAll(calls)) {
        result.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("in one of the threads: " + e.getCause(), e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  // Shorthands

  private void put(Table table, String key, String value) throws IOException {
    write(new StoreBatch().put(table, bytes(key), bytes(value)));
  }

  private void write(StoreBatch batch) throws IOException {
    store.write(batch);
  }

  /** Puts {@code <prefix>0}, {@code <prefix>1} and so on. */
  private void fill(Table table, String prefix, int count) throws IOException {
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < count; i++) {
      batch.put(table, bytes(prefix + i), bytes("v" + i));
    }
    write(batch);
  }

  private List<String> get(Table table, String... keys) throws IOException {
    List<byte[]> list = new ArrayList<>();
    for (String key : keys) {
      list.add(bytes(key));
    }
    return texts(store.get(table, list));
  }

  private Map<ByteBuffer, ByteBuffer> contents(Table table) throws IOException {
    return scan(table, NO_BYTES);
  }

  private Map<ByteBuffer, ByteBuffer> scan(Table table, byte[] prefix) throws IOException {
    return scan(store, table, prefix);
  }

  private static Map<ByteBuffer, ByteBuffer> scan(MetadataStore store, Table table, byte[] prefix)
      throws IOException {
    Map<ByteBuffer, ByteBuffer> shown = new HashMap<>();
    store.scan(
        table,
        prefix,
        (key, value) -> {
          shown.put(ByteBuffer.wrap(key.clone()), ByteBuffer.wrap(value.clone()));
          return true;
        });
    return shown;
  }

  private static boolean startsWith(ByteBuffer key, byte[] prefix) {
    return key.remaining() >= prefix.length
        && key.slice(0, prefix.length).equals(ByteBuffer.wrap(prefix));
  }

  private static List<ByteBuffer> wrap(List<byte[]> values) {
    List<ByteBuffer> wrapped = new ArrayList<>();
    values.forEach(value -> wrapped.add(value == null ? null : ByteBuffer.wrap(value)));
    return wrapped;
  }

  private static List<String> texts(List<byte[]> values) {
    List<String> texts = new ArrayList<>();
    values.forEach(value -> texts.add(value == null ? null : text(value)));
    return texts;
  }

  private static ByteBuffer key(String text) {
    return ByteBuffer.wrap(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
