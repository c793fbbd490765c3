/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.gc.GcSettings;
import io.hdrf.codec.dedup.index.IndexSettings;
import io.hdrf.jni.Chunker;
import io.hdrf.jni.ChunkerAlgorithm;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The keys {@code hdrf.dedup.*}. Immutable. */
final class DedupSettings {

  static final ChunkerAlgorithm DEFAULT_CHUNKER = ChunkerAlgorithm.VHASH;
  static final int DEFAULT_CHUNK_SIZE = 5 << 10;

  private static final int MAX_FRAME_SIZE = 16 << 20;
  private static final int MAX_READ_GAP = 8 << 20;
  private static final int MAX_CHUNKS_WITH_DIFFERENCES = 1 << 17;

  private final Chunker chunker;
  private final FingerprintFunction fingerprint;
  private final int frameSize;
  private final int containerSize;
  private final int groupSize;
  private final int directoryMemory;
  private final int capContainers;
  private final int capPercent;
  private final int groupMemory;
  private final int readGap;
  private final IndexSettings index;
  private final GcSettings gc;

  /** A scrub may take for ever, but a collection that heals must end. */
  private static final int LEAST_HEAL_RATE = 1 << 20;

  /** A week. */
  private static final int SCRUB_SECONDS = 7 * 24 * 60 * 60;

  private final int scrubRate;
  private final int scrubIntervalSeconds;
  private final boolean heal;
  private final boolean delta;
  private final int deltaMemory;

  DedupSettings(PluginSettings settings) throws BadSettingException {
    chunker = chunker(settings);
    fingerprint = fingerprint(settings);
    frameSize = settings.getSize("frame.size", 256 << 10, 4 << 10, MAX_FRAME_SIZE);
    containerSize = settings.getSize("container.size", 256 << 20, 64 << 10, Integer.MAX_VALUE);
    groupSize = settings.getSize("group.size", 256 << 10, 1, 8 << 20);
    directoryMemory = settings.getSize("directory.memory", 96 << 20, 0, Integer.MAX_VALUE);
    groupMemory = settings.getSize("group.memory", 128 << 20, 0, Integer.MAX_VALUE);
    readGap = settings.getSize("read.gap", 512 << 10, 0, MAX_READ_GAP);
    capContainers = settings.getInt("cap.containers", 6, 0, ContainerCap.MAX_CONTAINERS);
    capPercent = settings.getInt("cap.percent", 4, 1, 100);
    gc = GcSettings.from(settings);
    index = IndexSettings.from(settings, gc.bytesPerSecond());
    scrubRate = settings.getSize("scrub.rate", 4 << 20, 0, Integer.MAX_VALUE);
    scrubIntervalSeconds = settings.getInt("scrub.interval", SCRUB_SECONDS, 1, Integer.MAX_VALUE);
    heal = settings.getBoolean("heal", true);
    delta = delta(settings);
    deltaMemory = settings.getSize("delta.memory", 32 << 20, 0, 1 << 30);
  }

  private static boolean delta(PluginSettings settings) throws BadSettingException {
    String value = settings.getString("delta", "off").toLowerCase(Locale.ROOT);
    if (!value.equals("on") && !value.equals("off")) {
      throw new BadSettingException(settings.key("delta"), value, "on or off");
    }
    return value.equals("on");
  }

  private static Chunker chunker(PluginSettings settings) throws BadSettingException {
    ChunkerAlgorithm algorithm = algorithm(settings);
    int average =
        settings.getSize(
            "chunk.size", DEFAULT_CHUNK_SIZE, Chunker.MIN_AVERAGE_SIZE, Chunker.MAX_AVERAGE_SIZE);
    String maximum = settings.getString("chunk.max", "");
    if (maximum.isEmpty()) {
      return Chunker.of(algorithm, average);
    }
    if (algorithm != ChunkerAlgorithm.RAML) {
      throw new BadSettingException(
          settings.key("chunk.max"),
          maximum,
          "empty: the maximum of "
              + algorithm.configurationName()
              + " follows from the average, only raml takes another");
    }
    return Chunker.of(
        algorithm, average, settings.getSize("chunk.max", 0, 2 * average, Chunker.SIZE_LIMIT));
  }

  private static ChunkerAlgorithm algorithm(PluginSettings settings) throws BadSettingException {
    String value =
        settings.getString("chunker", DEFAULT_CHUNKER.configurationName()).toLowerCase(Locale.ROOT);
    List<String> names = new ArrayList<>();
    for (ChunkerAlgorithm algorithm : ChunkerAlgorithm.values()) {
      if (algorithm.configurationName().equals(value)) {
        return algorithm;
      }
      names.add(algorithm.configurationName());
    }
    throw new BadSettingException(settings.key("chunker"), value, "one of " + names);
  }

  private static FingerprintFunction fingerprint(PluginSettings settings)
      throws BadSettingException {
    String value =
        settings
            .getString("fingerprint", FingerprintFunction.SHA256.configName())
            .toLowerCase(Locale.ROOT);
    FingerprintFunction function = FingerprintFunction.named(value);
    if (function != null) {
      return function;
    }
    throw new BadSettingException(settings.key("fingerprint"), value, "sha256 or sha1");
  }

  Chunker chunker() {
    return chunker;
  }

  FingerprintFunction fingerprint() {
    return fingerprint;
  }

  /** About how many bytes of a block one frame stands for. */
  int frameSize() {
    return frameSize;
  }

  int containerSize() {
    return containerSize;
  }

  int groupSize() {
    return groupSize;
  }

  int directoryMemory() {
    return directoryMemory;
  }

  /** Bytes for decoded groups, of all stores together; at most an eighth of the heap's limit. */
  long groupMemory() {
    return Math.min(groupMemory, Runtime.getRuntime().maxMemory() / 8);
  }

  /** Bytes that are read for nothing where the disk would have to move otherwise. */
  int readGap() {
    return readGap;
  }

  /** For one thread. */
  ContainerCap newContainerCap() {
    return new ContainerCap(capContainers, capPercent);
  }

  IndexSettings index() {
    return index;
  }

  GcSettings gc() {
    return gc;
  }

  /** In bytes a second; 0: no scrub. */
  int scrubRate() {
    return scrubRate;
  }

  /** The shortest time from the beginning of one cycle of the scrub to that of the next one. */
  int scrubIntervalSeconds() {
    return scrubIntervalSeconds;
  }

  /** Returns whether damaged chunks are replaced by what is found of them elsewhere. */
  boolean heal() {
    return heal;
  }

  /** Bytes of decoded groups of bases that a frame may need, for which two may be longer. */
  int baseMemory() {
    return Math.max(ContainerSettings.MIN_BASE_MEMORY, 2 * frameSize);
  }

  /** Returns whether chunks that are similar to others are stored as differences. */
  boolean delta() {
    return delta;
  }

  /**
   * The most chunks of a container. Differences take some hundred bytes each: a container that is
   * full of them would have a directory of 50 MB.
   */
  int maxChunks() {
    return delta ? MAX_CHUNKS_WITH_DIFFERENCES : ContainerFormat.MAX_CHUNKS;
  }

  /** Bytes for what tells which chunks are similar. */
  int deltaMemory() {
    return deltaMemory;
  }

  /** The rate at which healed containers are rewritten in bytes a second; 0: no limit. */
  int healRate() {
    return scrubRate > 0 ? Math.max(scrubRate, LEAST_HEAL_RATE) : gc.bytesPerSecond();
  }
}
