/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.dba.DbaSettings;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;

/** The settings of a {@link FingerprintIndex}. Immutable. */
public final class IndexSettings {

  static final int MAX_SAMPLE = 64;

  private static final int DEFAULT_SAMPLE = 32;
  private static final int DEFAULT_CACHE_MEMORY = 32 << 20;

  private final int sample;
  private final int cacheMemory;
  private final DbaSettings dba;

  private IndexSettings(PluginSettings settings) throws BadSettingException {
    sample = settings.getInt("index.sample", DEFAULT_SAMPLE, 1, MAX_SAMPLE);
    cacheMemory = settings.getSize("cache.memory", DEFAULT_CACHE_MEMORY, 0, Integer.MAX_VALUE);
    dba = DbaSettings.from(settings);
  }

  /**
   * Reads {@code hdrf.dedup.index.sample}, {@code hdrf.dedup.cache.memory} and {@code
   * hdrf.dedup.dba.*}.
   *
   * @param dedup the settings of the scheme dedup
   */
  public static IndexSettings from(PluginSettings dedup) throws BadSettingException {
    return new IndexSettings(dedup);
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
