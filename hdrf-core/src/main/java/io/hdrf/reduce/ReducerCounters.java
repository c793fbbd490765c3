/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the blocks that one DataNode reduced, skipped, inflated and read since it started.
 * Thread-safe.
 */
public final class ReducerCounters {

  /** Blocks and bytes of one chain. */
  public static final class ChainCounters {
    private final LongAdder blocks = new LongAdder();
    private final LongAdder logicalBytes = new LongAdder();
    private final LongAdder physicalBytes = new LongAdder();

    public long blocks() {
      return blocks.sum();
    }

    public long logicalBytes() {
      return logicalBytes.sum();
    }

    public long physicalBytes() {
      return physicalBytes.sum();
    }
  }

  private final Map<String, ChainCounters> byChain = new ConcurrentHashMap<>();
  private final Map<SkipReason, LongAdder> skipped = new EnumMap<>(SkipReason.class);
  private final LongAdder blocksInflated = new LongAdder();
  private final LongAdder bytesInflated = new LongAdder();
  private final LongAdder encodeNanos = new LongAdder();
  private final LongAdder verifyNanos = new LongAdder();
  private final LongAdder forceNanos = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder framesDecoded = new LongAdder();
  private final LongAdder bytesDecoded = new LongAdder();
  private final LongAdder decodeNanos = new LongAdder();
  private final LongAdder frameCacheHits = new LongAdder();
  private final LongAdder corruptBlocks = new LongAdder();
  private final LongAdder framesEncoded = new LongAdder();
  private final LongAdder blocksAdopted = new LongAdder();
  private final LongAdder framesAdopted = new LongAdder();
  private final LongAdder adoptionsFailed = new LongAdder();

  public ReducerCounters() {
    for (SkipReason reason : SkipReason.values()) {
      skipped.put(reason, new LongAdder());
    }
  }

  /**
   * Counts a block that was reduced.
   *
   * @param encoding the nanoseconds of encoding
   * @param verifying the nanoseconds of decoding and comparing
   * @param forcing the nanoseconds of waiting for the device
   */
  void reduced(
      String chain,
      long logicalLength,
      long physicalLength,
      long encoding,
      long verifying,
      long forcing) {
    ChainCounters counters = byChain.computeIfAbsent(chain, name -> new ChainCounters());
    counters.blocks.increment();
    counters.logicalBytes.add(logicalLength);
    counters.physicalBytes.add(physicalLength);
    encodeNanos.add(encoding);
    verifyNanos.add(verifying);
    forceNanos.add(forcing);
  }

  /** Counts a frame that was encoded to be stored. */
  void frameEncoded() {
    framesEncoded.increment();
  }

  /** Counts a block that was stored with the frames that came with it. */
  void adopted(int frames) {
    blocksAdopted.increment();
    framesAdopted.add(frames);
  }

  /** Counts a block whose received frames were not its own. */
  void adoptionFailed() {
    adoptionsFailed.increment();
  }

  /** Counts a block that stays plain. */
  public void skipped(SkipReason reason) {
    skipped.get(reason).increment();
  }

  /** Counts a block that was turned back into its plain form. */
  public void inflated(long logicalLength) {
    blocksInflated.increment();
    bytesInflated.add(logicalLength);
  }

  /** Counts a reduced block that was opened to be read. */
  public void read() {
    reads.increment();
  }

  /** Counts a frame decoded for a reader. */
  public void decoded(int bytes, long nanos) {
    framesDecoded.increment();
    bytesDecoded.add(bytes);
    decodeNanos.add(nanos);
  }

  /** Counts a frame that a reader found in the cache. */
  public void frameCacheHit() {
    frameCacheHits.increment();
  }

  /** Counts a damaged reduced block. */
  public void corruptBlock() {
    corruptBlocks.increment();
  }

  public long blocksReduced() {
    return byChain.values().stream().mapToLong(ChainCounters::blocks).sum();
  }

  public long skippedFor(SkipReason reason) {
    return skipped.get(reason).sum();
  }

  /** The counters of each chain that was used, by its name. */
  public SortedMap<String, ChainCounters> byChain() {
    return new TreeMap<>(byChain);
  }

  /** All other counters, under their published names. */
  public Map<String, Long> values() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("blocksReduced", blocksReduced());
    values.put(
        "bytesReducedLogical",
        byChain.values().stream().mapToLong(ChainCounters::logicalBytes).sum());
    values.put(
        "bytesReducedPhysical",
        byChain.values().stream().mapToLong(ChainCounters::physicalBytes).sum());
    values.put("blocksInflated", blocksInflated.sum());
    values.put("bytesInflated", bytesInflated.sum());
    values.put("encodeNanos", encodeNanos.sum());
    values.put("verifyNanos", verifyNanos.sum());
    values.put("forceNanos", forceNanos.sum());
    values.put("reads", reads.sum());
    values.put("framesDecoded", framesDecoded.sum());
    values.put("bytesDecoded", bytesDecoded.sum());
    values.put("decodeNanos", decodeNanos.sum());
    values.put("frameCacheHits", frameCacheHits.sum());
    values.put("corruptBlocks", corruptBlocks.sum());
    values.put("framesEncoded", framesEncoded.sum());
    values.put("blocksAdopted", blocksAdopted.sum());
    values.put("framesAdopted", framesAdopted.sum());
    values.put("adoptionsFailed", adoptionsFailed.sum());
    for (SkipReason reason : SkipReason.values()) {
      values.put("skipped" + reason.metricName(), skippedFor(reason));
    }
    return values;
  }
}
