/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.block.BlockRef;
import io.hdrf.block.NotSmallerException;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.conf.HdrfConf;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.ReductionRules;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockDeclinedException;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;

/**
 * Reduces files as a DataNode does, with one chain, in a directory that stands for a new volume.
 * Call {@link #run} at most once, and close this after it. For one thread.
 */
final class Estimator implements Closeable {
  static final String DEDUP = "dedup";
  static final String CHUNK_SIZE = "hdrf.dedup.chunk.size";
  private static final String INDEX = "hdrf.dedup.index";

  private static final String GC_INTERVAL = "hdrf.dedup.gc.interval";
  private static final int FILE_SYSTEM_BLOCK = 4096;
  private static final long INDEX_TIMEOUT = TimeUnit.MINUTES.toNanos(5);

  /** The bytes of one entry in {@link MemoryStore}, and the bytes kept for everything else. */
  private static final int ENTRY_MEMORY = 150;

  private static final long OTHER_MEMORY = 400L << 20;

  private final Path directory;
  private final String chunkSize;
  private final SchemeChain chain;
  private final ReductionRules rules;
  private final MemoryStore index = new MemoryStore();
  private final VolumeSchemes schemes;
  private final ChainCodec codec;
  private final TagKey key = new TagKey(new byte[TagKey.LENGTH]);
  private long blocks;
  private long plainBlocks;
  private long logicalBytes;
  private long blockBytes;

  /**
   * @param directory created here, not deleted
   * @param configuration the settings of the schemes
   * @param chunkSize the value of {@link #CHUNK_SIZE}; empty for the default
   * @throws IllegalArgumentException if the chain is impossible, or a setting is wrong
   */
  Estimator(
      Path directory,
      SchemeRegistry registry,
      Configuration configuration,
      String chainText,
      String chunkSize)
      throws IOException {
    this.directory = Files.createDirectory(directory);
    this.chunkSize = chunkSize;
    Configuration own = new Configuration(configuration);
    if (!chunkSize.isEmpty()) {
      own.set(CHUNK_SIZE, chunkSize);
    }
    // What filters and index take is to be shown.
    own.set(INDEX, "dba");
    // No block is ever in place here, so a collection would find no chunk in use.
    own.setInt(GC_INTERVAL, 0);
    schemes =
        new VolumeSchemes(
            registry, own, directory.resolve("hdrf"), LocalDurableFiles.INSTANCE, new Services());
    boolean opened = false;
    try {
      chain = SchemeChain.parse("--chain", chainText, registry);
      rules = new ReductionRules(new HdrfConf(own));
      codec = chain.isEmpty() ? null : schemes.codec(chain);
      opened = true;
    } catch (BadSettingException | SchemeNotFoundException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } finally {
      if (!opened) {
        schemes.close();
      }
    }
  }

  /**
   * Reduces files.
   *
   * @param progress receives the number of additional bytes read
   * @param unreadable receives files that can't be read, of which at most the beginning counts
   */
  Estimate run(List<EstimateFile> files, LongConsumer progress, Consumer<String> unreadable)
      throws IOException {
    awaitIndex();
    for (EstimateFile file : files) {
      try (ReadableFile open = open(file)) {
        for (long start = 0; start < file.length(); start += file.blockSize()) {
          long length = Math.min(file.blockSize(), file.length() - start);
          add(new Block(file.name(), open, start, length), progress);
        }
      } catch (EstimateFile.UnreadableException e) {
        unreadable.accept(e.getMessage());
      }
    }
    Map<String, Long> metrics = metrics();
    schemes.close();
    // A filter's file has the same size when the filter is empty: filters are counted by chunks
    // instead.
    Path filters = directory.resolve("hdrf").resolve(DEDUP).resolve("filters");
    WorkDirectory.deleteTree(filters);
    return new Estimate(
        chain.toString(),
        chunkSize,
        blocks,
        plainBlocks,
        logicalBytes,
        blockBytes,
        DiskUsage.of(List.of(directory)).hdrfBytes(),
        metrics.getOrDefault("chunksNew", 0L) + metrics.getOrDefault("chunksFound", 0L),
        metrics.getOrDefault("chunksNew", 0L),
        metrics.getOrDefault("bytesNew", 0L),
        metrics.getOrDefault("chunksAsDifferences", 0L),
        metrics.getOrDefault("bytesAsDifferences", 0L),
        metrics.getOrDefault("bytesOfDifferences", 0L),
        metrics.getOrDefault("indexEntriesWritten", 0L));
  }

  private static ReadableFile open(EstimateFile file) throws EstimateFile.UnreadableException {
    try {
      return file.opener().open();
    } catch (IOException e) {
      throw new EstimateFile.UnreadableException(file.name(), e);
    }
  }

  private void add(Block block, LongConsumer progress) throws IOException {
    long physical = codec == null ? 0 : reduce(block, progress);
    blocks++;
    logicalBytes += block.length();
    if (physical == 0) {
      plainBlocks++;
      physical = block.length();
    }
    blockBytes += (physical + FILE_SYSTEM_BLOCK - 1) / FILE_SYSTEM_BLOCK * FILE_SYSTEM_BLOCK;
    progress.accept(block.unread());
    awaitIndex();
    checkMemory();
  }

  /** Returns the length of the block's reduced file, or 0 if the block stays plain. */
  private long reduce(Block block, LongConsumer progress) throws IOException {
    Path temporary = directory.resolve("block");
    try {
      long limit = rules.limit(chain, block.length());
      rules.checkContent(block, block.length());
      ReductionRules.probe(codec, block.length(), block);
      try (Pin pin = codec.pin();
          ReducedBlockWriter writer =
              ReducedBlockWriter.create(
                  LocalDurableFiles.INSTANCE,
                  temporary,
                  new BlockRef("", blocks),
                  block.length(),
                  chain.ids(),
                  key,
                  limit)) {
        codec.encode(block.length(), block.input(progress), writer);
        codec.force();
        return writer.finish();
      }
    } catch (BlockSkippedException | NotSmallerException | BlockDeclinedException e) {
      return 0;
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private Map<String, Long> metrics() {
    BlockCodec first =
        chain.isEmpty() ? null : schemes.blockCodecs().get(chain.schemes().get(0).name());
    return first == null ? Map.of() : first.metrics();
  }

  /**
   * Waits for the index: a DataNode's is up to date, but for the last blocks, whenever a block
   * comes.
   */
  private void awaitIndex() throws IOException {
    long began = System.nanoTime();
    for (Map<String, Long> now = metrics(); isBehind(now); now = metrics()) {
      if (System.nanoTime() - began > INDEX_TIMEOUT) {
        throw new IOException("The index of " + chain + " does not keep up: " + now);
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
  }

  private static boolean isBehind(Map<String, Long> metrics) {
    return metrics.containsKey("indexPending")
        && (metrics.get("indexPending") > 0 || !metrics.containsKey("dbaQueries"));
  }

  private void checkMemory() throws IOException {
    long room =
        Math.max(Runtime.getRuntime().maxMemory() - OTHER_MEMORY, OTHER_MEMORY) / ENTRY_MEMORY;
    if (index.estimatedCount(Table.CHUNKS) > room) {
      throw new IOException(
          "The index has more than "
              + room
              + " entries; estimate less data, longer chunks (--chunk-size), or give this"
              + " command more memory: HDRF_HEAP=4g");
    }
  }

  /** Closes the schemes if {@link #run} did not. */
  @Override
  public void close() throws IOException {
    schemes.close();
  }

  /** A part of a file. */
  private static final class Block implements ReadableFile {
    private final String name;
    private final ReadableFile file;
    private final long start;
    private final long length;
    private long position;

    Block(String name, ReadableFile file, long start, long length) {
      this.name = name;
      this.file = file;
      this.start = start;
      this.length = length;
    }

    BlockSource input(LongConsumer progress) {
      return dst -> {
        int count = read(dst, position);
        position += count;
        progress.accept(count);
        return count == 0 ? -1 : count;
      };
    }

    @Override
    public int read(ByteBuffer dst, long from) throws IOException {
      int limit = dst.limit();
      if (dst.remaining() > length - from) {
        dst.limit(dst.position() + (int) (length - from));
      }
      boolean wanted = dst.hasRemaining();
      int count;
      try {
        count = file.read(dst, start + from);
      } catch (IOException e) {
        throw new EstimateFile.UnreadableException(name, e);
      }
      dst.limit(limit);
      if (wanted && count == 0) {
        throw new EstimateFile.UnreadableException(
            name, new IOException("it became shorter while it was read"));
      }
      return count;
    }

    long unread() {
      return length - position;
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public void close() {}
  }

  private final class Services implements VolumeServices {
    @Override
    public long volumeId() {
      return 1;
    }

    @Override
    public MetadataStore metadata() {
      return index;
    }

    @Override
    public StoredPayloads payloads(int schemeId) {
      return VolumeServices.NONE.payloads(schemeId);
    }
  }
}
