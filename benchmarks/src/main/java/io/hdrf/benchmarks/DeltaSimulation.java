/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.delta.BaseChunks;
import io.hdrf.codec.dedup.delta.BaseTable;
import io.hdrf.codec.dedup.delta.DifferenceEncoder;
import io.hdrf.codec.dedup.delta.FeatureBatch;
import io.hdrf.codec.dedup.delta.SimilarChunks;
import io.hdrf.spi.io.Varint;
import io.hdrf.spi.scheme.ChunkFunction;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stores files, each as one block, in memory, and counts what they would take. Bases are chunks of
 * files before. For one thread.
 */
final class DeltaSimulation implements BaseChunks {

  /** How bases are looked for. */
  enum Detector {
    NONE,
    NEIGHBOURS,
    ODESS,
    BOTH,
    N_TRANSFORM,
    FINESSE
  }

  /** A chunk as a difference to another one. */
  record Pair(ByteBuffer base, ByteBuffer chunk, byte[] difference) {}

  /** Of a container, what a look-up, a read and a collection need: lengths, CRC, fingerprint. */
  private static final int DIRECTORY_BYTES = 40;

  /** Decoded groups at hand, of 256 KiB and more. */
  private static final int CACHED_GROUPS = 64;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final ChunkFunction function;
  private final Detector detector;
  private final BaseTable table;
  private final int sample;
  private final ChunkGroups groups;
  private final DifferenceEncoder encoder;
  private final FeatureBatch batch;
  private final SimilarChunks similar;

  private final Map<ByteBuffer, Integer> known = new HashMap<>();
  private final List<ByteBuffer> chunks = new ArrayList<>();
  private int[] bases = new int[1 << 16];
  private int[] groupOf = new int[1 << 16];
  private long[] toPublish = new long[3 << 10];
  private int published;
  private final Map<Integer, Boolean> cache =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
          return size() > CACHED_GROUPS;
        }
      };

  private final ByteBuffer reference = ByteBuffer.allocate(16);
  private long lastBase;

  /** The difference that was made last with another way to look for bases. */
  private ByteBuffer found;

  long totalBytes;
  long newBytes;
  int differences;
  long differenceBytes;
  long referenceBytes;
  int groupLoads;
  long cutNanos;
  long featureNanos;
  long encodeNanos;
  long groupNanos;
  final List<Pair> pairs = new ArrayList<>();
  int mostPairs;

  DeltaSimulation(
      ChunkFunction function,
      Detector detector,
      BaseTable table,
      int sample,
      int percent,
      ChunkGroups groups) {
    this.function = function;
    this.detector = detector;
    this.table = table;
    this.sample = sample;
    this.groups = groups;
    this.encoder = new DifferenceEncoder(percent);
    this.batch = new FeatureBatch(table);
    this.similar = new SimilarChunks(batch, this, encoder);
  }

  private static long now() {
    return THREADS.getCurrentThreadCpuTime();
  }

  private static long ref(int index) {
    return ChunkRef.pack(index >>> 20, index & ((1 << 20) - 1));
  }

  private static int index(long ref) {
    return (int) (ChunkRef.container(ref) << 20) + ChunkRef.number(ref);
  }

  @Override
  public long fullChunk(long ref) {
    if (ChunkRef.number(ref) >= 1 << 20) {
      return BaseTable.NONE;
    }
    int index = index(ref);
    if (index >= published) {
      return BaseTable.NONE;
    }
    return bases[index] >= 0 ? ref(bases[index]) : ref;
  }

  @Override
  public ByteBuffer content(long base) {
    int group = groupOf[index(base)];
    if (cache.put(group, true) == null) {
      groupLoads++;
    }
    return chunks.get(index(base));
  }

  /** Stores a file, which is kept in memory. */
  void store(ByteBuffer data) throws IOException {
    totalBytes += data.remaining();
    similar.beginBlock();
    int[] ends = new int[1024];
    byte[] fingerprints = new byte[ends.length * ChunkFunction.FINGERPRINT_LENGTH];
    int[] found = new int[ends.length];
    while (data.hasRemaining()) {
      long before = now();
      int count = function.cut(data, true, ends);
      function.fingerprints(data, ends, count, fingerprints);
      cutNanos += now() - before;
      int base = data.position();
      for (int i = 0; i < count; i++) {
        int at = i * ChunkFunction.FINGERPRINT_LENGTH;
        ByteBuffer key =
            ByteBuffer.wrap(
                Arrays.copyOfRange(fingerprints, at, at + ChunkFunction.FINGERPRINT_LENGTH));
        int next = chunks.size();
        Integer old = known.putIfAbsent(key, next);
        found[i] = old == null ? ~next : old;
        if (old == null) {
          ByteBuffer chunk = data.duplicate();
          chunk.limit(base + ends[i]).position(base + (i == 0 ? 0 : ends[i - 1]));
          chunks.add(chunk);
          newBytes += chunk.remaining();
        }
      }
      storeNew(data, ends, found, count);
      data.position(base + ends[count - 1]);
    }
    groups.end();
    publish();
  }

  private void storeNew(ByteBuffer data, int[] ends, int[] found, int count) throws IOException {
    int[] starts = new int[count];
    int[] newEnds = new int[count];
    int fresh = 0;
    for (int i = 0; i < count; i++) {
      if (found[i] < 0) {
        starts[fresh] = i == 0 ? 0 : ends[i - 1];
        newEnds[fresh++] = ends[i];
      }
    }
    boolean odess =
        detector == Detector.NEIGHBOURS || detector == Detector.ODESS || detector == Detector.BOTH;
    long before = now();
    if (odess) {
      batch.take(data, starts, newEnds, fresh);
    }
    featureNanos += now() - before;
    fresh = 0;
    for (int i = 0; i < count; i++) {
      if (found[i] >= 0) {
        similar.known(ref(found[i]));
        continue;
      }
      int index = ~found[i];
      grow(index);
      long following =
          i + 1 < count && found[i + 1] >= 0 && detector != Detector.ODESS
              ? ref(found[i + 1])
              : BaseTable.NONE;
      storeChunk(index, fresh++, following, odess);
    }
  }

  private void grow(int index) {
    if (index == bases.length) {
      bases = Arrays.copyOf(bases, 2 * index);
      groupOf = Arrays.copyOf(groupOf, 2 * index);
    }
    if (3 * (index + 1 - published) > toPublish.length) {
      toPublish = Arrays.copyOf(toPublish, 2 * toPublish.length);
    }
  }

  private void storeChunk(int index, int fresh, long following, boolean odess) throws IOException {
    ByteBuffer chunk = chunks.get(index);
    int at = 3 * (index - published);
    Arrays.fill(toPublish, at, at + 3, 0);
    long base = BaseTable.NONE;
    ByteBuffer difference = null;
    if (odess) {
      if (detector == Detector.ODESS) {
        similar.beginBlock();
      }
      long before = now();
      base = similar.find(fresh, chunk, following);
      encodeNanos += now() - before;
      difference = similar.difference();
      if (detector != Detector.NEIGHBOURS) {
        batch.superFeatures(fresh, toPublish, at);
      }
    } else if (detector != Detector.NONE) {
      base = findOther(chunk, at);
      difference = found;
    }
    ByteBuffer stored = chunk.duplicate();
    bases[index] = -1;
    if (base != BaseTable.NONE) {
      bases[index] = index(base);
      Arrays.fill(toPublish, at, at + 3, 0);
      differences++;
      differenceBytes += difference.remaining();
      addReference(base);
      if (pairs.size() < mostPairs && index % 17 == 0) {
        byte[] copy = new byte[difference.remaining()];
        difference.duplicate().get(copy);
        pairs.add(new Pair(chunks.get(index(base)), chunk, copy));
      }
      stored = difference;
    } else if (index % sample != 0) {
      Arrays.fill(toPublish, at, at + 3, 0);
    }
    long before = now();
    groupOf[index] = groups.add(stored, chunk.remaining());
    groupNanos += now() - before;
  }

  private long findOther(ByteBuffer chunk, int at) {
    long before = now();
    long[] superFeatures = new long[3];
    Resemblance.valueOf(detector.name()).of(chunk, chunk.position(), chunk.limit(), superFeatures);
    System.arraycopy(superFeatures, 0, toPublish, at, 3);
    featureNanos += now() - before;
    before = now();
    long[] candidates = new long[3];
    table.find(superFeatures, 3, candidates);
    long base = BaseTable.NONE;
    for (int i = 0; i < 3 && base == BaseTable.NONE; i++) {
      if (candidates[i] != BaseTable.NONE
          && (i == 0 || candidates[i] != candidates[i - 1])
          && (found = encoder.encode(content(candidates[i]), chunk)) != null) {
        base = candidates[i];
      }
    }
    encodeNanos += now() - before;
    return base;
  }

  /** As a number that says how far it is from the base of the difference before. */
  private void addReference(long base) {
    long distance = base - lastBase - 1;
    reference.clear();
    Varint.putLong(reference, (distance << 1) ^ (distance >> 63));
    referenceBytes += reference.position();
    lastBase = base;
  }

  private void publish() {
    long[] refs = new long[3];
    long[] superFeatures = new long[3];
    for (int i = published; i < chunks.size(); i++) {
      Arrays.fill(refs, ref(i));
      System.arraycopy(toPublish, 3 * (i - published), superFeatures, 0, 3);
      table.add(superFeatures, 3, refs);
    }
    published = chunks.size();
  }

  int groupCount() {
    return groups.count();
  }

  int chunkCount() {
    return chunks.size();
  }

  /** All that is stored but recipes, in bytes. */
  long storedBytes() {
    return groups.storedBytes() + referenceBytes + (long) DIRECTORY_BYTES * chunks.size();
  }
}
