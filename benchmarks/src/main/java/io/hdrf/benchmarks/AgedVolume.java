/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.codec.dedup.DedupScheme;
import io.hdrf.codec.dedup.DedupVolume;
import io.hdrf.codec.dedup.container.ContainerMaker;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * A volume as it is after years: data that were written again and again, of which old generations
 * were deleted in part. Block files, recipes, directories and superblock are true; chunks are
 * zeros, and their containers are holes; checksums of blocks are holes as well, and what was
 * deleted has left no holes in the containers, since enough of each lives. Nothing is forced. For
 * one thread.
 */
final class AgedVolume {

  /** All chunks have this length. */
  static final int CHUNK = 5 << 10;

  /** Stands for the compressor of the chain. */
  static final HalfOfZeros TAIL = new HalfOfZeros("zstd", 2);

  /** The last ones, of which none was deleted. */
  private static final int RECENT = 10;

  /** Of older generations each third was deleted. */
  private static final int DELETED = 3;

  /** What a test or an operator may delete next: the chunks that only these have can be dropped. */
  static final int OLDEST = 2;

  private static final double LOWEST_SHARE = 0.70;
  private static final double HIGHEST_SHARE = 0.95;

  private static final long FIRST_CONTAINER = 1;

  /**
   * What is to be made.
   *
   * @param generations how often the data were written
   * @param asked generations that are kept in any case
   * @param share of the chunks that a generation has of the one before; 0: another one each time
   */
  record Plan(
      long logicalBytes,
      long blocks,
      int generations,
      List<Integer> asked,
      double share,
      long seed) {

    /** Generations that are on the volume, numbered from 1. */
    BitSet kept() {
      BitSet kept = new BitSet();
      for (int g = 1; g <= generations; g++) {
        kept.set(
            g, g > generations - RECENT || g <= OLDEST || g % DELETED != 0 || asked.contains(g));
      }
      return kept;
    }

    int chunksPerBlock() {
      return Math.toIntExact(Math.max(1, logicalBytes / blocks / CHUNK));
    }

    int blocksPerGeneration() {
      return Math.toIntExact(Math.max(1, blocks / kept().cardinality()));
    }
  }

  private final Path hdrf;
  private final Path finalized;
  private final String poolId;
  private final TagKey key;
  private final Plan plan;
  private final Configuration configuration;
  private final BitSet kept;
  private final ContainerMaker containers;
  private final DedupVolume.Frames frames;
  private final DedupVolume.Cap cap;
  private final AgedBlocks blocks;
  private final SplittableRandom random;
  private long containerBytes;
  private long blockBytes;
  private double share;

  /**
   * @param pool the directory of a pool that HDRF has formatted
   */
  AgedVolume(Path pool, Plan plan, Configuration configuration) throws IOException {
    this.hdrf = pool.resolve("hdrf");
    this.finalized = pool.resolve("current").resolve("finalized");
    this.poolId = pool.getFileName().toString();
    this.plan = plan;
    this.configuration = configuration;
    this.kept = plan.kept();
    Superblock superblock =
        Superblock.load(hdrf, LocalDurableFiles.INSTANCE)
            .orElseThrow(() -> new IOException(pool + " was never used by HDRF"));
    superblock.recordScheme(new DedupScheme().id(), new DedupScheme().name());
    superblock.recordScheme(TAIL.id(), TAIL.name());
    this.key = superblock.key();
    this.random = new SplittableRandom(plan.seed);
    this.blocks =
        new AgedBlocks(plan.blocksPerGeneration(), plan.chunksPerBlock(), random.nextLong());
    Path directory = DedupVolume.containers(hdrf);
    Files.createDirectories(directory);
    this.containers =
        new ContainerMaker(
            directory,
            key.volumeId(),
            TAIL.chain().ids(),
            CHUNK,
            DedupVolume.groupSize(configuration),
            DedupVolume.containerSize(configuration),
            System.currentTimeMillis() - TimeUnit.DAYS.toMillis(1));
    this.frames = new DedupVolume.Frames(configuration);
    this.cap = newCap();
  }

  /** Makes all files. */
  void make() throws IOException {
    for (int g = 1; g <= plan.generations; g++) {
      if (g > 1) {
        share = plan.share > 0 ? plan.share : random.nextDouble(LOWEST_SHARE, HIGHEST_SHARE);
        blocks.age(share, new Capped());
      }
      if (kept.get(g)) {
        for (int i = 0; i < blocks.count(); i++) {
          writeBlock(firstBlock(g) + i, blocks.block(i));
        }
      }
    }
    System.err.println(blocksMade() + " blocks are written");
    makeContainers();
    System.err.printf("containers of %.3f TiB of chunks, too%n", uniqueBytes() / Math.pow(2, 40));
  }

  private void makeContainers() throws IOException {
    int each = containers.chunksPerContainer();
    for (long first = 0; first < blocks.chunks(); first += each) {
      containerBytes +=
          containers.make(
              FIRST_CONTAINER + first / each,
              first,
              (int) Math.min(each, blocks.chunks() - first),
              CountedIndex::fingerprint);
    }
  }

  /** The id of a generation's first block; the others follow. */
  long firstBlock(int generation) {
    return VolumeFiller.FIRST_BLOCK + (long) kept.get(0, generation).cardinality() * blocks.count();
  }

  private void writeBlock(long id, AgedBlocks.Block block) throws IOException {
    Path file = VolumeFiller.file(finalized, id);
    try (ReducedBlockWriter writer = newWriter(LocalDurableFiles.INSTANCE, file, id)) {
      for (int run = 0; run < block.runs(); run++) {
        for (int i = 0; i < block.count(run); i++) {
          frames.add(reference(block.first(run) + i), CHUNK, writer);
        }
      }
      endFrames(writer);
      blockBytes += writer.finish();
    }
    VolumeFiller.writeSparseMeta(file, blockLength());
  }

  /** A writer for one more block. */
  ReducedBlockWriter newWriter(DurableFiles files, Path file, long id) throws IOException {
    return ReducedBlockWriter.create(
        files,
        file,
        new BlockRef(poolId, id),
        blockLength(),
        new int[] {new DedupScheme().id(), TAIL.id()},
        key,
        blockLength());
  }

  /** Ends a block that was written chunk by chunk. */
  void endFrames(FrameSink sink) throws IOException {
    frames.end(sink);
  }

  /** The next chunk of one more block. */
  void addChunk(long ref, FrameSink sink) throws IOException {
    frames.add(ref, CHUNK, sink);
  }

  /** The reference of a chunk of {@link #blocks}. */
  private long reference(long chunk) {
    int each = containers.chunksPerContainer();
    return ChunkRef.pack(FIRST_CONTAINER + chunk / each, (int) (chunk % each));
  }

  /** What a DataNode stores again, chunks being stored one behind the other. */
  private final class Capped implements AgedBlocks.Rewriting {
    private final long[] refs = new long[IndexLookup.MAX_COUNT];

    @Override
    public void beginBlock() {
      cap.beginBlock();
    }

    @Override
    public void choose(long[] chunks, int count, long next) {
      for (int i = 0; i < count; i++) {
        refs[i] = chunks[i] < 0 ? -1 : reference(chunks[i]);
      }
      cap.apply(refs, count, CHUNK, ChunkRef.container(reference(next)));
      for (int i = 0; i < count; i++) {
        chunks[i] = refs[i] < 0 ? -1 : chunks[i];
      }
    }
  }

  /** What a DataNode stores again of the blocks that are written to this volume. */
  DedupVolume.Cap newCap() throws IOException {
    return new DedupVolume.Cap(configuration);
  }

  /** Deletes the blocks of the oldest generations; returns how many. */
  int deleteOldest() throws IOException {
    int deleted = 0;
    for (int g = 1; g <= Math.min(OLDEST, plan.generations - 1); g++) {
      for (int i = 0; i < blocks.count(); i++) {
        delete(firstBlock(g) + i);
        deleted++;
      }
    }
    return deleted;
  }

  /** Deletes one of so many blocks of all other generations; returns how many. */
  int deleteOneIn(int blocksForEach) throws IOException {
    int deleted = 0;
    long end = VolumeFiller.FIRST_BLOCK + blocksMade();
    long first = firstBlock(Math.min(OLDEST, plan.generations - 1) + 1);
    for (long id = first; id < end; id += blocksForEach) {
      delete(id);
      deleted++;
    }
    return deleted;
  }

  private void delete(long id) throws IOException {
    Path file = VolumeFiller.file(finalized, id);
    Files.delete(file);
    Files.delete(VolumeFiller.meta(file));
  }

  /** HDRF's directory of the pool. */
  Path hdrf() {
    return hdrf;
  }

  Path finalized() {
    return finalized;
  }

  String poolId() {
    return poolId;
  }

  TagKey key() {
    return key;
  }

  Configuration configuration() {
    return configuration;
  }

  Plan plan() {
    return plan;
  }

  /** The blocks as they were written last. */
  AgedBlocks blocks() {
    return blocks;
  }

  /** What the last generation has of the one before. */
  double share() {
    return share;
  }

  int blockLength() {
    return plan.chunksPerBlock() * CHUNK;
  }

  /** The number of blocks on the volume. */
  long blocksMade() {
    return (long) kept.cardinality() * blocks.count();
  }

  /** Bytes of all different chunks. */
  long uniqueBytes() {
    return blocks.chunks() * CHUNK;
  }

  /** What the volume would take if nothing was a hole, without the checksums. */
  long physicalBytes() {
    return containerBytes + blockBytes;
  }

  /** The bytes of reduced blocks' files. */
  long blockBytes() {
    return blockBytes;
  }
}
