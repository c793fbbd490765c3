/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.ProcessUsage;
import io.hdrf.cluster.RedisServer;
import io.hdrf.metadata.MetadataStores;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One thread fills a metadata store with fingerprints, in batches, and looks them up. */
@Command(
    name = "stores",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Fills a metadata store with entries of 32 + 24 bytes, looks up such as are there and such"
            + " as are not, and prints rates, memory and disk space as Markdown.")
public final class StoreBenchmark implements Callable<Integer> {

  private static final String REDIS = "redis";
  private static final String STORE_KEY = "--store";
  private static final int WARM_UP = 100_000;

  /** Numbers from here on are of entries that are not there. */
  private static final long ABSENT = 1L << 40;

  @Option(names = STORE_KEY, required = true, description = "embedded or redis.")
  private String name;

  @Option(
      names = "--entries",
      defaultValue = "1000000",
      description = "Entries to fill the store with (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--lookups",
      defaultValue = "1000000",
      description = "Look-ups of each kind, and entries put by a batch (${DEFAULT-VALUE}).")
  private int lookUps;

  @Option(
      names = "--batch",
      defaultValue = "1000",
      description = "Entries or keys of one call (${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "-D",
      description = "Settings, as -D hdrf.metadata.embedded.memory=256m.",
      mapFallbackValue = "")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Mixin private Report report;

  private final Path directory = Directories.work("stores");
  private final Map<String, String> results = new LinkedHashMap<>();
  private RedisServer server;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StoreBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LocalCluster.killLeftovers(directory);
    Directories.delete(directory);
    MetadataStoreProvider provider =
        MetadataStores.load(Directories.dist().resolve("plugins")).named(STORE_KEY, name);
    Configuration configuration = new Configuration(false);
    if (name.equals(REDIS)) {
      server = new RedisServer(directory.resolve(REDIS));
      server.start();
      configuration.set("hdrf.metadata.redis.address", server.address());
    }
    settings.forEach(configuration::set);
    try {
      warmUp(provider, configuration);
      measure(provider, configuration);
    } finally {
      if (server != null) {
        server.kill();
      }
      Directories.delete(directory);
    }
    report.print(table());
    return 0;
  }

  private StoreContext context(Configuration configuration, String pool) {
    return StoreContext.of(configuration, name, directory.resolve(pool), "DS-benchmark", pool);
  }

  private void warmUp(MetadataStoreProvider provider, Configuration configuration)
      throws IOException {
    try (MetadataStore store = provider.open(context(configuration, "BP-warm-up"))) {
      write(store, WARM_UP, counter(0));
      lookUp(store, WARM_UP, counter(0), true);
      lookUp(store, WARM_UP, counter(ABSENT), false);
      store.clear();
    }
  }

  private void measure(MetadataStoreProvider provider, Configuration configuration)
      throws IOException {
    System.gc();
    long residentBefore = resident();
    long usedBefore = server == null ? 0 : redis("used_memory");
    long serverBefore = server == null ? 0 : serverResident();
    StoreContext context = context(configuration, "BP-benchmark");
    MetadataStore store = provider.open(context);
    try {
      write(store, entries, counter(0));
      if (server != null) {
        perEntry("Redis: used_memory", redis("used_memory") - usedBefore, entries);
        perEntry("Redis: resident memory", serverResident() - serverBefore, entries);
      }
      rate("look-ups, all there", lookUps, lookUp(store, lookUps, random(2), true));
      rate("look-ups, none there", lookUps, lookUp(store, lookUps, counter(ABSENT), false));
      rate("inserts by a batch", lookUps, write(store, lookUps, counter(entries)));
      long grown = resident() - residentBefore;
      results.put("resident memory of the process, growth", megabytes(grown));
    } finally {
      store.close();
    }
    perEntry("on disk", diskBytes(context), (long) entries + lookUps);
  }

  private double lookUp(MetadataStore store, int count, LongSupplier numbers, boolean there)
      throws IOException {
    long nanos = 0;
    for (int done = 0; done < count; done += batch) {
      List<byte[]> some = StoreKeys.keys(Math.min(batch, count - done), numbers);
      long began = System.nanoTime();
      List<byte[]> values = store.get(Table.CHUNKS, some);
      nanos += System.nanoTime() - began;
      expect(values, there);
    }
    return nanos / 1e9;
  }

  private double write(MetadataStore store, int count, LongSupplier numbers) throws IOException {
    long nanos = 0;
    for (int done = 0; done < count; done += batch) {
      StoreBatch changes = new StoreBatch();
      for (int i = done; i < Math.min(done + batch, count); i++) {
        long number = numbers.getAsLong();
        changes.put(Table.CHUNKS, StoreKeys.key(number), StoreKeys.value(number));
      }
      long began = System.nanoTime();
      store.write(changes);
      nanos += System.nanoTime() - began;
    }
    return nanos / 1e9;
  }

  private static void expect(List<byte[]> values, boolean there) throws IOException {
    for (byte[] value : values) {
      if ((value != null) != there) {
        throw new IOException("an entry is " + (there ? "missing" : "there that was never put"));
      }
    }
  }

  private static LongSupplier counter(long first) {
    long[] next = {first};
    return () -> next[0]++;
  }

  private LongSupplier random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return () -> random.nextInt(entries);
  }

  /** What a closed store has on the disk, in bytes: all of it, or what Redis saves. */
  private long diskBytes(StoreContext context) throws IOException {
    if (server == null) {
      return Directories.bytes(context.directory());
    }
    server.cli("save");
    return Directories.bytes(server.directory().resolve("data"));
  }

  private static long resident() throws IOException {
    return ProcessUsage.of(ProcessHandle.current().pid()).residentBytes();
  }

  private long serverResident() throws IOException {
    return server.usage().residentBytes();
  }

  private long redis(String field) throws IOException {
    Matcher value = Pattern.compile(field + ":(\\d+)").matcher(server.cli("info", "memory"));
    if (!value.find()) {
      throw new IOException("no " + field + " in INFO");
    }
    return Long.parseLong(value.group(1));
  }

  private void rate(String what, int count, double seconds) {
    String rate = String.format(Locale.ROOT, "%.0f", count / seconds);
    results.put(what + " (per second)", rate);
    System.err.printf("%s: %s per second%n", what, rate);
  }

  private void perEntry(String what, long bytes, long count) {
    results.put(
        what + " (bytes per entry)", String.format(Locale.ROOT, "%.1f", (double) bytes / count));
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.0f MB", bytes / 1e6);
  }

  private String table() {
    StringWriter text = new StringWriter();
    PrintWriter printer = new PrintWriter(text);
    printer.printf(
        Locale.ROOT,
        "### %s, %d entries of %d + %d bytes, %d a call%n%n",
        name,
        entries,
        StoreKeys.KEY_LENGTH,
        StoreKeys.VALUE_LENGTH,
        batch);
    printer.printf("| | %s |%n|---|---|%n", name);
    results.forEach((what, value) -> printer.printf("| %s | %s |%n", what, value));
    return text.toString();
  }
}
