/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.VolumeUse;
import io.hdrf.admin.WorstBlock;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.SkipReason;
import io.hdrf.spi.store.MetadataException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;

/**
 * The sums over the records of one volume. A store that invents records neither fills the memory
 * nor keeps it busy for ever: more chains or blocks than a volume can have end the sums. For one
 * thread.
 */
final class RecordSums {
  static final int MAX_CHAINS = 1000;
  static final long MAX_BLOCKS = 1L << 28;

  /** The number of blocks after which it is asked whether to go on. */
  private static final int CHECK_BLOCKS = 1 << 8;

  /** Three sums each, by the ids of the schemes, 16 bits each. */
  private final Map<Long, long[]> chains = new HashMap<>();

  /** A block of which it is not known yet how its schemes are named. */
  private static final class Candidate {
    private final WorstBlock block;
    private final long chain;

    Candidate(WorstBlock block, long chain) {
      this.block = block;
      this.chain = chain;
    }
  }

  /** The worst blocks so far, of which the least bad one is the head. */
  private final PriorityQueue<Candidate> worst =
      new PriorityQueue<>((a, b) -> WorstBlock.ORDER.compare(b.block, a.block));

  private final LongPredicate goOn;
  private final long[] reasons = new long[256];
  private long unrecorded;
  private long visited;
  private String obstacle = "";

  /**
   * @param goOn receives the number of blocks so far; returns whether the volume is in service
   */
  RecordSums(LongPredicate goOn) {
    this.goOn = goOn;
  }

  /**
   * Adds a record.
   *
   * @return false if no more are wanted
   */
  boolean add(byte[] key, byte[] value) {
    visited++;
    if (visited % CHECK_BLOCKS == 0 && !goOn.test(visited)) {
      obstacle = "the volume is being taken out of service";
    } else if (visited > MAX_BLOCKS) {
      obstacle = "its metadata store has more than " + MAX_BLOCKS + " records";
    } else {
      try {
        long id = BlockRecord.blockId(key);
        add(id, BlockRecord.decode(id, value));
      } catch (MetadataException | IllegalArgumentException e) {
        unrecorded++;
      }
    }
    return obstacle.isEmpty();
  }

  /** Returns the number of records so far. */
  long visited() {
    return visited;
  }

  private void add(long id, BlockRecord record) {
    long chain = 0;
    for (int scheme : record.chain()) {
      chain = chain << 16 | scheme;
    }
    long[] sum = chains.get(chain);
    if (sum == null) {
      if (chains.size() == MAX_CHAINS) {
        obstacle = "its metadata store has records of more than " + MAX_CHAINS + " chains";
        return;
      }
      sum = new long[3];
      chains.put(chain, sum);
    }
    sum[0]++;
    sum[1] += record.logicalLength();
    sum[2] += record.physicalLength();
    if (!record.isReduced()) {
      reasons[record.reason()]++;
    }
    addWorst(id, record, chain);
  }

  /** Most blocks are better than the head, and make no object. */
  private void addWorst(long id, BlockRecord record, long chain) {
    long length = record.logicalLength();
    long file = record.physicalLength();
    if (worst.size() == WorstBlock.MOST) {
      WorstBlock least = worst.peek().block;
      double ratio = WorstBlock.ratio(length, file);
      double leastRatio = WorstBlock.ratio(least.logicalBytes(), least.fileBytes());
      if (ratio < leastRatio || (ratio == leastRatio && file <= least.fileBytes())) {
        return;
      }
      worst.remove();
    }
    SkipReason reason = record.isReduced() ? null : SkipReason.ofCode(record.reason());
    String how = reason == null ? "plain" : "plain (" + reason.metricName() + ")";
    worst.add(new Candidate(new WorstBlock(id, length, file, how), chain));
  }

  /** Adds the sums to what a volume takes. */
  void addTo(VolumeUse.Builder use, IntFunction<String> schemeName) {
    if (!obstacle.isEmpty()) {
      use.obstacle(obstacle);
    }
    chains.forEach(
        (chain, sum) -> use.blocks(name(chain, schemeName), new BlockSum(sum[0], sum[1], sum[2])));
    for (int code = 0; code < reasons.length; code++) {
      SkipReason reason = SkipReason.ofCode(code);
      if (reasons[code] > 0 && reason != null) {
        use.reason(reason.metricName(), reasons[code]);
      }
    }
    use.unrecorded(unrecorded);
    worst.stream()
        .sorted((a, b) -> WorstBlock.ORDER.compare(a.block, b.block))
        .forEach(candidate -> use.worst(named(candidate, schemeName)));
  }

  private static WorstBlock named(Candidate candidate, IntFunction<String> schemeName) {
    WorstBlock block = candidate.block;
    return candidate.chain == 0
        ? block
        : new WorstBlock(
            block.id(), block.logicalBytes(), block.fileBytes(), name(candidate.chain, schemeName));
  }

  private static String name(long chain, IntFunction<String> schemeName) {
    List<String> names = new ArrayList<>();
    for (int shift = 48; shift >= 0; shift -= 16) {
      int id = (int) (chain >>> shift) & 0xFFFF;
      if (id != 0) {
        names.add(schemeName.apply(id));
      }
    }
    return names.isEmpty() ? VolumeUse.PLAIN : String.join(",", names);
  }
}
