/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import io.hdrf.metadata.RecordSettings;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** HDRF's settings, checked once when the DataNode starts. Immutable. */
public final class HdrfConf {

  /** The descriptions of all keys, part of this jar. */
  public static final String DEFAULTS = "hdrf-default.xml";

  /** By default, one processor in four may reduce. */
  private static final int PROCESSORS_PER_THREAD = 4;

  private static final String SCAN = "scan";
  private static final String CONVERT = "convert";
  private static final String DEGRADE = "degrade";
  private static final String FAIL_NODE = "fail-node";
  private static final String DATANODE = "datanode";
  private static final String BLOCK = "block";

  private static final Set<String> DESCRIBED_KEYS = describedKeys();

  private final Configuration configuration;
  private final long memory;
  private final int reduceThreads;
  private final int queueLength;
  private final int minBlockSize;
  private final int nice;
  private final int delayMillis;
  private final int scanIntervalSeconds;
  private final boolean scanReducesExisting;
  private final boolean duringUpgrade;
  private final int readCacheSize;
  private final int readAheadThreads;
  private final boolean passesDescriptors;
  private final boolean declinesBlocksAlone;
  private final FilterSettings filterSettings;
  private final MirrorSettings mirrorSettings;
  private final RecordSettings recordSettings;
  private final boolean failNode;
  private final int failureGraceSeconds;

  /**
   * Reads and checks every value but the chains, which need the installed schemes.
   *
   * @throws BadSettingException names the key, its value and what is accepted
   */
  public HdrfConf(Configuration configuration) throws BadSettingException {
    this.configuration = configuration;
    memory = memory(configuration.getTrimmed(HdrfKeys.MEMORY, ""));
    PluginSettings reduce = new PluginSettings(configuration, HdrfKeys.REDUCE_SECTION);
    int threads = reduce.getInt(HdrfKeys.REDUCE_THREADS, 0, 0, 1024);
    reduceThreads = threads > 0 ? threads : Math.max(1, processors() / PROCESSORS_PER_THREAD);
    queueLength = reduce.getInt(HdrfKeys.REDUCE_QUEUE_LENGTH, 4096, 1, 1 << 20);
    minBlockSize = reduce.getSize(HdrfKeys.REDUCE_MIN_BLOCK_SIZE, 16 << 10, 0, 1 << 30);
    nice = reduce.getInt(HdrfKeys.REDUCE_NICE, 10, 0, 19);
    delayMillis = reduce.getInt(HdrfKeys.REDUCE_DELAY, 200, 0, 60_000);
    scanIntervalSeconds = reduce.getInt(HdrfKeys.REDUCE_SCAN_INTERVAL, 600, 1, 7 * 24 * 3600);
    scanReducesExisting = isFirst(configuration, HdrfKeys.REDUCE_EXISTING, SCAN, CONVERT);
    duringUpgrade = reduce.getBoolean(HdrfKeys.REDUCE_DURING_UPGRADE, false);
    PluginSettings read = new PluginSettings(configuration, HdrfKeys.READ_SECTION);
    readCacheSize = read.getSize(HdrfKeys.READ_CACHE_SIZE, 64 << 20, 0, 1 << 30);
    readAheadThreads = read.getInt(HdrfKeys.READ_AHEAD_THREADS, 2, 0, 256);
    passesDescriptors = read.getBoolean(HdrfKeys.READ_SHORT_CIRCUIT_PASS, false);
    declinesBlocksAlone =
        !isFirst(configuration, HdrfKeys.READ_SHORT_CIRCUIT_DECLINE, DATANODE, BLOCK);
    filterSettings = new FilterSettings(configuration);
    mirrorSettings = new MirrorSettings(configuration);
    PluginSettings metadata = new PluginSettings(configuration, HdrfKeys.METADATA_SECTION);
    recordSettings =
        new RecordSettings(
            metadata.getInt(HdrfKeys.METADATA_FLUSH_INTERVAL, 1000, 10, 60_000),
            metadata.getInt(HdrfKeys.METADATA_CHECK_INTERVAL, 10_000, 100, 600_000),
            metadata.getInt(HdrfKeys.METADATA_MAX_PENDING, 100_000, 1000, 10_000_000));
    failureGraceSeconds = metadata.getInt(HdrfKeys.METADATA_FAILURE_GRACE, 60, 0, 24 * 3600);
    failNode = !isFirst(configuration, HdrfKeys.METADATA_ON_FAILURE, DEGRADE, FAIL_NODE);
  }

  /** Returns the bytes that a value of {@link HdrfKeys#MEMORY} stands for. */
  private static long memory(String value) throws BadSettingException {
    if (value.isEmpty()) {
      return MemoryBudget.UNLIMITED;
    }
    long bytes = 0;
    try {
      if (value.endsWith("%")) {
        int percent = Integer.parseInt(value.substring(0, value.length() - 1).trim());
        bytes = percent > 100 ? 0 : Runtime.getRuntime().maxMemory() / 100 * percent;
      } else {
        bytes = TraditionalBinaryPrefix.string2long(value.toLowerCase(Locale.ROOT));
      }
    } catch (IllegalArgumentException e) {
      // It is no number, as 0 is none that may stand here.
    }
    if (bytes < 1) {
      throw new BadSettingException(
          HdrfKeys.MEMORY,
          value,
          "a size in bytes (k, m, g may follow) of at least 1, or from 1% to 100% of the maximum"
              + " heap");
    }
    return bytes;
  }

  /** Returns whether a key has the first of its two possible values, which is the default. */
  private static boolean isFirst(
      Configuration configuration, String key, String first, String second)
      throws BadSettingException {
    String value = configuration.getTrimmed(key, first);
    if (!value.equals(first) && !value.equals(second)) {
      throw new BadSettingException(key, value, "\"" + first + "\" or \"" + second + "\"");
    }
    return value.equals(first);
  }

  /**
   * Returns the keys that begin with {@code hdrf.} and mean nothing, most likely misspelt. Keys of
   * schemes and of a metadata store that are not HDRF's own are recognized by their names.
   */
  public SortedSet<String> unknownKeys(Set<String> schemeNames) {
    List<String> foreign = new ArrayList<>();
    for (String scheme : schemeNames) {
      addIfForeign(foreign, HdrfKeys.PREFIX + scheme + ".");
    }
    if (metadataStore() != null) {
      addIfForeign(
          foreign, HdrfKeys.PREFIX + HdrfKeys.METADATA_SECTION + "." + metadataStore() + ".");
    }
    SortedSet<String> unknown = new TreeSet<>();
    for (Map.Entry<String, String> entry : configuration) {
      String key = entry.getKey();
      if (key.startsWith(HdrfKeys.PREFIX)
          && !DESCRIBED_KEYS.contains(key)
          && !key.startsWith(HdrfKeys.SCHEMES + ".")
          && foreign.stream().noneMatch(key::startsWith)) {
        unknown.add(key);
      }
    }
    return unknown;
  }

  /** Adds a prefix of keys unless some of them are described, as those of HDRF's own plug-ins. */
  private static void addIfForeign(List<String> foreign, String prefix) {
    if (DESCRIBED_KEYS.stream().noneMatch(key -> key.startsWith(prefix))) {
      foreign.add(prefix);
    }
  }

  /**
   * Reads the names from the file itself: a {@link Configuration} does not keep keys without a
   * value.
   */
  private static Set<String> describedKeys() {
    Set<String> keys = new HashSet<>();
    try (InputStream in = HdrfConf.class.getClassLoader().getResourceAsStream(DEFAULTS)) {
      NodeList names =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(in)
              .getElementsByTagName("name");
      for (int i = 0; i < names.getLength(); i++) {
        keys.add(names.item(i).getTextContent().trim());
      }
      return keys;
    } catch (IOException | SAXException | ParserConfigurationException e) {
      throw new IllegalStateException(DEFAULTS + " can't be read", e);
    }
  }

  /**
   * Returns how many seconds a shutdown hook has. Hadoop's manager of hooks would read all files of
   * the configuration for each hook to find the same.
   */
  public long hookSeconds() {
    return Math.max(
        ShutdownHookManager.TIMEOUT_MINIMUM,
        configuration.getTimeDuration(
            CommonConfigurationKeysPublic.SERVICE_SHUTDOWN_TIMEOUT,
            CommonConfigurationKeysPublic.SERVICE_SHUTDOWN_TIMEOUT_DEFAULT,
            TimeUnit.SECONDS));
  }

  private static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Returns the configuration that the values came from. */
  public Configuration configuration() {
    return configuration;
  }

  /**
   * Returns the chain for a storage type as it stands in the configuration, and the key it came
   * from.
   */
  public String chain(String storageType) {
    return configuration.getTrimmed(chainKey(storageType), "none");
  }

  /**
   * Returns the key that decides the chain of a storage type. An empty value counts as no value:
   * Hadoop doesn't keep empty values from a file.
   */
  public String chainKey(String storageType) {
    String own = HdrfKeys.schemesOf(storageType);
    return configuration.getTrimmed(own, "").isEmpty() ? HdrfKeys.SCHEMES : own;
  }

  /** Returns the directory with the jars of schemes and stores, or null where none is set. */
  public Path pluginsDirectory() {
    String directory = configuration.getTrimmed(HdrfKeys.PLUGINS_DIR, "");
    return directory.isEmpty() ? null : Paths.get(directory);
  }

  /**
   * Returns the bytes of memory that HDRF may keep in the DataNode; {@link MemoryBudget#UNLIMITED}
   * where only the bounds of its parts count.
   */
  public long memory() {
    return memory;
  }

  /** Returns the number of blocks that are reduced at the same time, at least 1. */
  public int reduceThreads() {
    return reduceThreads;
  }

  /** Returns the number of blocks that may wait for the Reducer. */
  public int queueLength() {
    return queueLength;
  }

  /** Returns the length in bytes below which blocks stay plain. */
  public int minBlockSize() {
    return minBlockSize;
  }

  /** Returns the time that a finalized block waits before it is reduced. */
  public int delayMillis() {
    return delayMillis;
  }

  /** Returns the nice value of the Reducer's threads, 0 to 19. */
  public int nice() {
    return nice;
  }

  public int scanIntervalSeconds() {
    return scanIntervalSeconds;
  }

  /**
   * Returns whether the scan also reduces blocks that were plain when the DataNode started;
   * otherwise an administrator has to request it.
   */
  public boolean scanReducesExisting() {
    return scanReducesExisting;
  }

  /** Returns whether the Reducer works while an upgrade is open. */
  public boolean duringUpgrade() {
    return duringUpgrade;
  }

  /** Returns the size in bytes of the cache of decoded frames, for the whole DataNode. */
  public int readCacheSize() {
    return readCacheSize;
  }

  /** Returns the rules for blocks that the Reducer leaves alone. */
  public FilterSettings filterSettings() {
    return filterSettings;
  }

  /**
   * Checks the limits of all installed schemes.
   *
   * @throws BadSettingException names the key, its value and what is accepted
   */
  public void checkMaxBlocks(SchemeRegistry registry) throws IOException {
    for (String name : registry.names()) {
      SchemeRegistry.maxBlocks(registry.byName(name), configuration);
    }
  }

  /**
   * Returns {@link SchemeRegistry#maxBlocks} of a scheme; {@link #checkMaxBlocks} has checked its
   * key.
   */
  public int maxBlocks(ReductionScheme scheme) {
    try {
      return SchemeRegistry.maxBlocks(scheme, configuration);
    } catch (BadSettingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the settings for blocks that travel between DataNodes. */
  public MirrorSettings mirrorSettings() {
    return mirrorSettings;
  }

  /** Returns the settings for records. */
  public RecordSettings recordSettings() {
    return recordSettings;
  }

  /** Returns the metadata store's name, or null where the operator has not chosen one. */
  public String metadataStore() {
    String name = configuration.getTrimmed(HdrfKeys.METADATA_STORE, "");
    return name.isEmpty() ? null : name;
  }

  /**
   * Returns whether the DataNode reports a volume as failed if its store fails for longer than the
   * grace.
   */
  public boolean failNode() {
    return failNode;
  }

  public int failureGraceSeconds() {
    return failureGraceSeconds;
  }

  /**
   * Returns whether a short-circuit reader that asks for a reduced block's descriptor is declined
   * for that block alone. Otherwise the reader gives up short-circuit reads of this DataNode for a
   * while.
   */
  public boolean declinesBlocksAlone() {
    return declinesBlocksAlone;
  }

  /** Returns whether clients that decode get descriptors of reduced blocks. */
  public boolean passesDescriptors() {
    return passesDescriptors;
  }

  /** Returns the number of threads that decode ahead of the socket; 0 for none. */
  public int readAheadThreads() {
    return readAheadThreads;
  }
}
