/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;

/** The collector's parameters, all of them. Immutable. */
public final class GcSettings {
  private final int intervalSeconds;
  private final int minAgeSeconds;
  private final int livePercent;
  private final int bytesPerSecond;
  private final int bytesOfMemory;

  private GcSettings(PluginSettings settings) throws BadSettingException {
    intervalSeconds = settings.getInt("gc.interval", 6 * 3600, 0, Integer.MAX_VALUE);
    minAgeSeconds = settings.getInt("gc.min.age", 3600, 0, Integer.MAX_VALUE);
    livePercent = settings.getInt("gc.live.percent", 75, 1, 100);
    bytesOfMemory = settings.getSize("gc.memory", 64 << 20, 16 << 10, Integer.MAX_VALUE);
    bytesPerSecond = settings.getSize("gc.rate", 20 << 20, 0, Integer.MAX_VALUE);
  }

  /** Reads the keys {@code hdrf.dedup.gc.*}. */
  public static GcSettings from(PluginSettings settings) throws BadSettingException {
    return new GcSettings(settings);
  }

  /** Returns the time from one cycle in the background to the next; 0: none in the background. */
  public int intervalSeconds() {
    return intervalSeconds;
  }

  /**
   * Returns the time for which a container must have been sealed, and a chunk must have been found
   * dead, before it may be dropped.
   */
  public int minAgeSeconds() {
    return minAgeSeconds;
  }

  /** A container of which fewer percent of the stored bytes are live is compacted. */
  public int livePercent() {
    return livePercent;
  }

  /**
   * Returns about how many bytes a cycle takes to know which chunks are needed, and again as many
   * to remember which ones were not: containers are gone through in ranges for which that suffices.
   */
  public int bytesOfMemory() {
    return bytesOfMemory;
  }

  /** Returns the rate at which the collector reads and writes in bytes a second; 0: no limit. */
  public int bytesPerSecond() {
    return bytesPerSecond;
  }
}
