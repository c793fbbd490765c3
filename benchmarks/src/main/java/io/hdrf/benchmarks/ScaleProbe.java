/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.benchmarks.DiskCounts.Counts;
import io.hdrf.benchmarks.DiskCounts.Kind;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.StoredBlocks;
import io.hdrf.codec.dedup.DedupScheme;
import io.hdrf.codec.dedup.DedupVolume;
import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Has the parts of deduplication work on an {@link AgedVolume} in this process, one after the
 * other, and counts what they ask of the disk. "Cold" means that HDRF's own caches are empty: the
 * page cache may have anything, which the counts don't show. For one thread.
 */
final class ScaleProbe {

  /** One block of so many is deleted last. */
  private static final int FEW = 100;

  private static final int FINGERPRINT = 32;

  /** Blocks that are looked up or written for one figure. */
  private static final int BLOCKS = 4;

  private static final int RANDOM_READS = 200;
  private static final int RANDOM_LENGTH = 64 << 10;
  private static final long MIB = 1 << 20;

  /** Opens the metadata store of the volume. */
  interface StoreSource {
    MetadataStore open() throws IOException;
  }

  private final AgedVolume volume;
  private final StoreSource stores;
  private final DiskCounts disk;
  private final HeapPeak heap = new HeapPeak();
  private final SparseFiles files = new SparseFiles(LocalDurableFiles.INSTANCE);
  private final Figures figures = new Figures();
  private final SplittableRandom random;

  private Counts before;
  private final Map<Kind, Counts> kindsBefore = new EnumMap<>(Kind.class);
  private long leftBefore;
  private long began;

  ScaleProbe(AgedVolume volume, StoreSource stores, DiskCounts disk) {
    this.volume = volume;
    this.stores = stores;
    this.disk = disk;
    this.random = new SplittableRandom(volume.plan().seed());
  }

  /** Completes the index, as a DataNode does after its first start. */
  void completeIndex() throws IOException, InterruptedException {
    try (MetadataStore store = stores.open()) {
      index(store);
    }
  }

  /** What was measured so far. */
  Figures figures() {
    return figures;
  }

  /** Measures all else; the oldest generations are gone then. */
  void measure() throws IOException, InterruptedException {
    List<AgedBlocks.Block> next = new ArrayList<>();
    List<AgedBlocks.Block> later = new ArrayList<>();
    AgedBlocks blocks = volume.blocks();
    double share = volume.share() > 0 ? volume.share() : 0.5;
    for (int i = 0; i < BLOCKS; i++) {
      next.add(blocks.next(blocks.block(i * blocks.count() / BLOCKS), share));
      later.add(
          blocks.next(
              blocks.block((2 * i + 1) * blocks.count() / (2 * BLOCKS) % blocks.count()), share));
    }
    try (MetadataStore store = stores.open()) {
      try (DedupVolume dedup = open(store)) {
        lookUp("cold", dedup, next);
        lookUp("the same again", dedup, next);
        write(dedup, later);
      }
      for (int generation : volume.plan().asked()) {
        read(store, generation);
      }
      collect(store);
    }
  }

  private DedupVolume open(MetadataStore store) throws IOException {
    DedupVolume dedup = openAsItIs(store);
    dedup.completeIndex();
    return dedup;
  }

  private DedupVolume openAsItIs(MetadataStore store) throws IOException {
    StoredBlocks blocks =
        new StoredBlocks(
            volume.hdrf().getParent(),
            volume.hdrf(),
            volume.poolId(),
            volume.key(),
            (path, file) -> false);
    return new DedupVolume(
        volume.hdrf(),
        volume.key().volumeId(),
        store,
        blocks.payloads(new DedupScheme().id()),
        files,
        ids -> AgedVolume.TAIL.chain(),
        volume.configuration());
  }

  private void begin() {
    before = disk.all();
    for (Kind kind : Kind.values()) {
      kindsBefore.put(kind, disk.of(kind));
    }
    leftBefore = files.left();
    began = System.nanoTime();
  }

  private double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  /** What was asked since {@link #begin}, with what holes were left for. */
  private Counts counts() {
    Counts counts = disk.all().minus(before);
    return counts.plus(new Counts(0, 0, 0, 0, 0, files.left() - leftBefore, 0, 0));
  }

  private Counts counts(Kind kind) {
    return disk.of(kind).minus(kindsBefore.get(kind));
  }

  private void index(MetadataStore store) throws IOException, InterruptedException {
    heap.begin();
    begin();
    try (DedupVolume dedup = openAsItIs(store)) {
      dedup.completeIndex();
      double tib = volume.uniqueBytes() / Math.pow(2, 40);
      Map<String, Long> metrics = dedup.index().metrics();
      figures.put("index: entries (million)", store.estimatedCount(Table.CHUNKS) / 1e6);
      figures.put("index: memory of the filters (MB)", metrics.get("dbaMemoryBytes") / 1e6);
      figures.put(
          "index: memory of the filters (MB per TiB unique)",
          metrics.get("dbaMemoryBytes") / 1e6 / tib);
      figures.put("index: filters retired for want of memory", metrics.get("dbaRetired"));
    }
    figures.put("index: heap at most while it is completed (MB)", heap.end() / 1e6);
    double tib = volume.uniqueBytes() / Math.pow(2, 40);
    figures.put(
        "index: store and filters on disk (MB per TiB unique)",
        (bytes("metadata-embedded") + bytes("dedup/filters")) / 1e6 / tib);
  }

  private long bytes(String directory) throws IOException {
    Path below = volume.hdrf().resolve(directory);
    return Files.isDirectory(below) ? Directories.bytes(below) : 0;
  }

  /** Looks up blocks as they are written next. */
  private void lookUp(String state, DedupVolume dedup, List<AgedBlocks.Block> blocks) {
    IndexLookup lookup = dedup.index().newLookup();
    long[] found = {0, 0};
    begin();
    for (AgedBlocks.Block block : blocks) {
      try (Pin pin = dedup.pins().pin()) {
        forEachBatch(
            block,
            (fingerprints, count, refs) -> {
              lookup.find(fingerprints, count, refs);
              for (int i = 0; i < count; i++) {
                found[0] += refs[i] >= 0 ? 1 : 0;
              }
              found[1] += count;
            });
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
    double seconds = seconds();
    Counts counts = counts();
    String name = "look-ups, " + state + ": ";
    double thousands = found[1] / 1e3;
    figures.put(name + "found (%)", 100.0 * found[0] / found[1]);
    figures.put(name + "thousand a second", thousands / seconds);
    figures.put(name + "seeks per thousand", counts.seeks() / thousands);
    figures.put(name + "MB read per thousand", counts.readBytes() / 1e6 / thousands);
    figures.put(name + "rotating disk, thousand a second", thousands / counts.diskSeconds());
  }

  private interface Batch {
    void of(byte[] fingerprints, int count, long[] refs) throws IOException;
  }

  private static void forEachBatch(AgedBlocks.Block block, Batch batch) throws IOException {
    byte[] fingerprints = new byte[IndexLookup.MAX_COUNT * FINGERPRINT];
    long[] refs = new long[IndexLookup.MAX_COUNT];
    int count = 0;
    for (int run = 0; run < block.runs(); run++) {
      for (int i = 0; i < block.count(run); i++) {
        CountedIndex.fingerprint(block.first(run) + i, fingerprints, count++);
        if (count == IndexLookup.MAX_COUNT) {
          batch.of(fingerprints, count, refs);
          count = 0;
        }
      }
    }
    if (count > 0) {
      batch.of(fingerprints, count, refs);
    }
  }

  /** Writes blocks, but for cutting, fingerprints, compression and the comparison with .meta. */
  private void write(DedupVolume dedup, List<AgedBlocks.Block> blocks) throws IOException {
    IndexLookup lookup = dedup.index().newLookup();
    DedupVolume.Cap cap = volume.newCap();
    long[] appended = {-1};
    ByteBuffer chunk = ByteBuffer.allocateDirect(AgedVolume.CHUNK);
    long id = volume.firstBlock(volume.plan().generations() + 1);
    begin();
    for (AgedBlocks.Block block : blocks) {
      Path file = VolumeFiller.file(volume.finalized(), id);
      Path temporary = volume.hdrf().resolve("tmp").resolve(file.getFileName());
      files.createDirectories(temporary.getParent());
      List<byte[]> names = new ArrayList<>();
      List<Long> added = new ArrayList<>();
      cap.beginBlock();
      try (Pin pin = dedup.pins().pin();
          ChunkAppender appender = dedup.containers().appender(AgedVolume.TAIL.chain());
          ReducedBlockWriter writer = volume.newWriter(files, temporary, id)) {
        forEachBatch(
            block,
            (fingerprints, count, refs) -> {
              lookup.find(fingerprints, count, refs);
              cap.apply(refs, count, AgedVolume.CHUNK, appended[0]);
              for (int i = 0; i < count; i++) {
                long ref = refs[i];
                if (ref < 0) {
                  chunk.clear();
                  ref = appender.append(fingerprints, i * FINGERPRINT, chunk);
                  appended[0] = ChunkRef.container(ref);
                  byte[] name = new byte[FINGERPRINT];
                  System.arraycopy(fingerprints, i * FINGERPRINT, name, 0, FINGERPRINT);
                  names.add(name);
                  added.add(ref);
                }
                volume.addChunk(ref, writer);
              }
            });
        volume.endFrames(writer);
        appender.force();
        publish(dedup, names, added);
        writer.finish();
        writer.force();
      }
      files.rename(temporary, file);
      files.forceDirectory(file.getParent());
      VolumeFiller.writeSparseMeta(file, volume.blockLength());
      id++;
    }
    double seconds = seconds();
    Counts counts = counts();
    int count = blocks.size();
    String name = "a block's write: ";
    figures.put(name + "MB written", counts.writtenBytes() / 1e6 / count);
    figures.put(name + "MB read", counts.readBytes() / 1e6 / count);
    figures.put(name + "seeks", (double) counts.seeks() / count);
    figures.put(name + "forces", (double) counts.forces() / count);
    figures.put(name + "this machine (s)", seconds / count);
    figures.put(name + "rotating disk (s)", counts.diskSeconds() / count);
  }

  private static void publish(DedupVolume dedup, List<byte[]> names, List<Long> added) {
    byte[] fingerprints = new byte[names.size() * FINGERPRINT];
    long[] refs = new long[names.size()];
    for (int i = 0; i < refs.length; i++) {
      System.arraycopy(names.get(i), 0, fingerprints, i * FINGERPRINT, FINGERPRINT);
      refs[i] = added.get(i);
    }
    dedup.index().publish(fingerprints, refs, refs.length);
  }

  private void read(MetadataStore store, int generation) throws IOException {
    long first = volume.firstBlock(generation);
    int blocks = volume.blocks().count();
    String name = "generation " + generation + ", ";
    try (DedupVolume dedup = open(store);
        VolumeReads volumeReads = new VolumeReads(volume, dedup.codec())) {
      int reads = Math.min(RANDOM_READS, 10 * blocks);
      begin();
      for (int i = 0; i < reads; i++) {
        volumeReads.read(
            first + random.nextInt(blocks), random.nextLong(volume.blockLength()), RANDOM_LENGTH);
      }
      double seconds = seconds();
      Counts counts = counts();
      figures.put(name + "64 KiB at random: seeks", (double) counts.seeks() / reads);
      figures.put(name + "64 KiB at random: KB read", counts.readBytes() / 1e3 / reads);
      figures.put(name + "64 KiB at random: this machine (ms)", seconds * 1e3 / reads);
      figures.put(
          name + "64 KiB at random: rotating disk (ms)", counts.diskSeconds() * 1e3 / reads);
    }
    try (DedupVolume dedup = open(store);
        VolumeReads volumeReads = new VolumeReads(volume, dedup.codec())) {
      int count = Math.min(BLOCKS, blocks);
      long containers = 0;
      long bytes = 0;
      begin();
      for (int i = 0; i < count; i++) {
        bytes += volumeReads.read(first + i, 0, volume.blockLength());
        containers += dedup.takeTouched();
      }
      double seconds = seconds();
      Counts counts = counts();
      figures.put(name + "in sequence: containers per block", (double) containers / count);
      figures.put(name + "in sequence: runs per MiB", (double) dedup.runs() * MIB / bytes);
      figures.put(name + "in sequence: seeks per MiB", (double) counts.seeks() * MIB / bytes);
      figures.put(
          name + "in sequence: moves of one head per MiB", (double) counts.moves() * MIB / bytes);
      figures.put(name + "in sequence: read for each byte", (double) counts.readBytes() / bytes);
      figures.put(name + "in sequence: this machine (MB/s)", bytes / 1e6 / seconds);
      figures.put(name + "in sequence: rotating disk (MB/s)", bytes / 1e6 / counts.diskSeconds());
    }
  }

  /**
   * The first cycle of a process; one after a deletion, which drops what the first one found; one
   * that drops what went with the deletion; and two after another one of a few blocks.
   */
  private void collect(MetadataStore store) throws IOException, InterruptedException {
    try (DedupVolume dedup = open(store)) {
      collect("first cycle", dedup);
      int deleted = volume.deleteOldest();
      figures.put(
          "collection: blocks deleted before the second cycle (%)",
          100.0 * deleted / volume.blocksMade());
      TimeUnit.SECONDS.sleep(2);
      collect("second cycle", dedup);
      TimeUnit.SECONDS.sleep(2);
      collect("third cycle", dedup);
      volume.deleteOneIn(FEW);
      TimeUnit.SECONDS.sleep(2);
      collect("fourth cycle, after one block in 100 went", dedup);
      TimeUnit.SECONDS.sleep(2);
      collect("fifth cycle", dedup);
    }
  }

  private void collect(String which, DedupVolume dedup) throws IOException, InterruptedException {
    heap.begin();
    begin();
    Map<String, Long> result = dedup.collect();
    double seconds = seconds();
    Counts counts = counts();
    Counts ofBlocks = counts(Kind.BLOCKS);
    Counts ofContainers = counts(Kind.CONTAINERS);
    String name = "collection, " + which + ": ";
    figures.put(name + "block files read (MB)", ofBlocks.readBytes() / 1e6);
    figures.put(
        name + "block files, seeks per block", (double) ofBlocks.seeks() / volume.blocksMade());
    figures.put(name + "containers read (MB)", ofContainers.readBytes() / 1e6);
    figures.put(
        name + "read of all bytes on the volume (%)",
        100.0 * counts.readBytes() / volume.physicalBytes());
    figures.put(name + "seeks (thousand)", counts.seeks() / 1e3);
    figures.put(name + "written (MB)", counts.writtenBytes() / 1e6);
    figures.put(name + "freed (MB)", result.get("bytesFreed") / 1e6);
    double garbage = result.getOrDefault("garbageBytes", 0L);
    figures.put(name + "garbage left (MB)", garbage / 1e6);
    figures.put(name + "garbage left (%)", 100 * garbage / volume.physicalBytes());
    figures.put(name + "containers that failed", result.get("containersFailed"));
    figures.put(name + "this machine (s)", seconds);
    figures.put(name + "rotating disk (h)", counts.diskSeconds() / 3600);
    figures.put(name + "heap at most (MB)", heap.end() / 1e6);
    System.err.printf(Locale.ROOT, "%s%s in %.1f s%n", name, result, seconds);
  }
}
