/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.dba.DbaSettings;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;

/** How a {@link FingerprintIndex} works. Immutable. */
public final class IndexSettings {

  static final int MAX_SAMPLE = 64;

  private static final int DEFAULT_SAMPLE = 8;
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

  /** Of how many new chunks, one after the other, one gets an entry; from 1 to 64. */
  int sample() {
    return sample;
  }

  /** Bytes of memory for where chunks were seen lately. */
  int cacheMemory() {
    return cacheMemory;
  }

  DbaSettings dba() {
    return dba;
  }
}
