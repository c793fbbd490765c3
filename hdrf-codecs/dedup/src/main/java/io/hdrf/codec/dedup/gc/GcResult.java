/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import java.util.LinkedHashMap;
import java.util.Map;

/** The sums of collections. For one thread at a time. */
public final class GcResult {
  long blocksRead;
  long chunks;
  long liveChunks;
  long garbageBytes;

  /** Whether a cycle ran to its end: only then is it known what is garbage. */
  boolean whole;

  /** Containers in which enough is dead, as soon as it has been so for long enough. */
  long containersWaiting;

  long containersCompacted;
  long containersDeleted;
  long containersFailed;
  long containersPutOff;
  long chunksDropped;
  long bytesFreed;
  long bytesWritten;

  GcResult() {}

  void add(GcResult other) {
    blocksRead += other.blocksRead;
    chunks = other.chunks;
    liveChunks = other.liveChunks;
    if (other.whole) {
      garbageBytes = other.garbageBytes;
      whole = true;
    }
    containersWaiting = other.containersWaiting;
    containersCompacted += other.containersCompacted;
    containersDeleted += other.containersDeleted;
    containersFailed = other.containersFailed;
    containersPutOff = other.containersPutOff;
    chunksDropped += other.chunksDropped;
    bytesFreed += other.bytesFreed;
    bytesWritten += other.bytesWritten;
  }

  /** Returns whether another cycle could drop what the last one found dead for the first time. */
  public boolean hasMore() {
    return containersWaiting > 0;
  }

  /**
   * Returns the sums by name, in the order to be printed. Chunks, and containers that failed or
   * were put off, are those of the last cycle; the bytes of garbage are those of the last one that
   * ran to its end, and are left out before; the rest are totals.
   */
  public Map<String, Long> asMap() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("blocksRead", blocksRead);
    values.put("chunks", chunks);
    values.put("liveChunks", liveChunks);
    if (whole) {
      values.put("garbageBytes", Math.max(0, garbageBytes));
    }
    values.put("containersCompacted", containersCompacted);
    values.put("containersDeleted", containersDeleted);
    values.put("containersFailed", containersFailed);
    values.put("containersPutOff", containersPutOff);
    values.put("chunksDropped", chunksDropped);
    values.put("bytesFreed", bytesFreed);
    values.put("bytesRewritten", bytesWritten);
    return values;
  }
}
