/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.dba.DbaSettings;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.Locale;

/** The settings of a {@link FingerprintIndex}. Immutable. */
public final class IndexSettings {

  static final int MAX_SAMPLE = 64;

  private static final int DEFAULT_SAMPLE = 32;
  private static final int DEFAULT_CACHE_MEMORY = 32 << 20;

  private static final int DEFAULT_ENTRY_MEMORY = 256 << 20;
  private static final int LEAST_ENTRY_MEMORY = 64 << 10;

  /** What {@link io.hdrf.jni.CuckooTable} takes at most. */
  private static final int MOST_ENTRY_MEMORY = 1 << 30;

  private final boolean inMemory;
  private final int entryMemory;
  private final int bytesPerSecond;
  private final int sample;
  private final int cacheMemory;
  private final DbaSettings dba;

  private IndexSettings(PluginSettings settings, int bytesPerSecond) throws BadSettingException {
    String kind = settings.getString("index", "dba").toLowerCase(Locale.ROOT);
    if (!kind.equals("dba") && !kind.equals("cuckoo")) {
      throw new BadSettingException(settings.key("index"), kind, "dba or cuckoo");
    }
    inMemory = kind.equals("cuckoo");
    entryMemory =
        settings.getSize(
            "index.memory", DEFAULT_ENTRY_MEMORY, LEAST_ENTRY_MEMORY, MOST_ENTRY_MEMORY);
    this.bytesPerSecond = bytesPerSecond;
    sample = settings.getInt("index.sample", DEFAULT_SAMPLE, 1, MAX_SAMPLE);
    cacheMemory = settings.getSize("cache.memory", DEFAULT_CACHE_MEMORY, 0, Integer.MAX_VALUE);
    dba = DbaSettings.from(settings);
  }

  /**
   * Reads {@code hdrf.dedup.index}, {@code hdrf.dedup.index.*}, {@code hdrf.dedup.cache.memory} and
   * {@code hdrf.dedup.dba.*}.
   *
   * @param dedup the settings of the scheme dedup
   */
  public static IndexSettings from(PluginSettings dedup) throws BadSettingException {
    return from(dedup, 0);
  }

  /**
   * As {@link #from(PluginSettings)}.
   *
   * @param bytesPerSecond how much of containers is read for entries; 0: as fast as possible
   */
  public static IndexSettings from(PluginSettings dedup, int bytesPerSecond)
      throws BadSettingException {
    return new IndexSettings(dedup, bytesPerSecond);
  }

  /** Returns whether entries are kept in memory alone, instead of filters and a metadata store. */
  boolean inMemory() {
    return inMemory;
  }

  /** Returns the bytes of memory for entries that are kept there alone. */
  int entryMemory() {
    return entryMemory;
  }

  int bytesPerSecond() {
    return bytesPerSecond;
  }

  /** Returns the number of consecutive new chunks of which one gets an entry; from 1 to 64. */
  int sample() {
    return sample;
  }

  /** Returns the bytes of memory for the {@link RecentPlaces}. */
  int cacheMemory() {
    return cacheMemory;
  }

  DbaSettings dba() {
    return dba;
  }
}
