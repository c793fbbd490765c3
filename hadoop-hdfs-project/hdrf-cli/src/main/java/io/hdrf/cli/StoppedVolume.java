/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.ReducedBlockCounter;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockRef;
import io.hdrf.block.TagKey;
import io.hdrf.metadata.BlockInventory;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The finalized blocks of one pool on one volume that no DataNode has in service. */
final class StoppedVolume implements BlockInventory {
  private static final String HDRF = "hdrf";
  private static final Pattern BLOCK = Pattern.compile("blk_(-?\\d+)");

  /** The bits of a block id that name its directories; see Hadoop's {@code DatanodeUtil}. */
  private static final int DIRECTORY_MASK = 0x1F;

  private final Path volume;
  private final Path finalized;
  private final Path hdrf;
  private final String poolId;
  private final String storageId;
  private final TagKey key;

  private StoppedVolume(Path volume, Path pool, String storageId, TagKey key) {
    this.volume = volume;
    this.finalized = pool.resolve("current").resolve("finalized");
    this.hdrf = pool.resolve(HDRF);
    this.poolId = pool.getFileName().toString();
    this.storageId = storageId;
    this.key = key;
  }

  /**
   * Returns the pools of a volume that may have HDRF's blocks.
   *
   * @param volume one of {@code dfs.datanode.data.dir}
   * @param leftOut receives pools that can't be opened, for people
   */
  static List<StoppedVolume> poolsOf(Path volume, Consumer<String> leftOut) throws IOException {
    Path current = volume.resolve("current");
    Properties version = new Properties();
    try (InputStream in = Files.newInputStream(current.resolve("VERSION"))) {
      version.load(in);
    } catch (NoSuchFileException e) {
      throw new IOException(volume + " is no volume of a DataNode: it has no current/VERSION", e);
    }
    List<StoppedVolume> pools = new ArrayList<>();
    for (Path pool : ReducedBlockCounter.pools(volume)) {
      Path hdrf = pool.resolve(HDRF);
      try {
        Optional<TagKey> key = Superblock.readKey(hdrf);
        if (key.isPresent()) {
          pools.add(new StoppedVolume(volume, pool, version.getProperty("storageID"), key.get()));
          continue;
        }
        long damaged = ReducedBlockCounter.ofStopped(pool).damaged();
        if (damaged > 0) {
          leftOut.accept(
              hdrf + ": the superblock is lost, and " + damaged + " blocks look like reduced ones");
        }
      } catch (IOException e) {
        leftOut.accept(hdrf + ": " + Main.message(e));
      }
    }
    return pools;
  }

  /** Returns whether a DataNode has a volume in service. */
  static boolean isInUse(Path volume) throws IOException {
    try (FileChannel channel =
            FileChannel.open(volume.resolve(VolumeLock.FILE), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (OverlappingFileLockException e) {
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Returns its directory of {@code dfs.datanode.data.dir}. */
  Path volume() {
    return volume;
  }

  TagKey key() {
    return key;
  }

  Path directory() {
    return hdrf;
  }

  String poolId() {
    return poolId;
  }

  String storageId() {
    return storageId;
  }

  /** Returns block ids, ascending; also those behind links, which HDFS follows. */
  long[] blockIds() throws IOException {
    try (Stream<Path> files =
        Files.find(
            finalized, 3, (path, facts) -> facts.isRegularFile(), FileVisitOption.FOLLOW_LINKS)) {
      return files
          .map(file -> BLOCK.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .mapToLong(matcher -> Long.parseLong(matcher.group(1)))
          .sorted()
          .toArray();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Returns the number of reduced blocks on a volume, for each pool; looks at every block's file,
   * including those of upgrades. Where the superblock is lost, every reduced block counts as
   * damaged.
   *
   * @param volume one of {@code dfs.datanode.data.dir}
   * @param looked is run after each block file
   */
  static List<ReducedBlocks> reducedBlocks(Path volume, Runnable looked) {
    return ReducedBlockCounter.count(
        List.of(volume), pool -> ReducedBlockCounter.ofStopped(pool, looked));
  }

  @Override
  public void forEach(LongConsumer blockIds) throws IOException {
    for (long id : blockIds()) {
      blockIds.accept(id);
    }
  }

  @Override
  public BlockRecord look(long blockId, int reason) throws IOException {
    int first = (int) (blockId >> 16) & DIRECTORY_MASK;
    int second = (int) (blockId >> 8) & DIRECTORY_MASK;
    Path file =
        finalized.resolve("subdir" + first).resolve("subdir" + second).resolve("blk_" + blockId);
    int location = (first << 8) | second;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long modified = Files.getLastModifiedTime(file).toMillis();
      BlockProbe probe =
          BlockProbe.examine(file, new ChannelFile(channel), new BlockRef(poolId, blockId), key);
      switch (probe.kind()) {
        case REDUCED:
          BlockHeader header = probe.header();
          return BlockRecord.reduced(
              header.logicalLength(),
              header.physicalLength(),
              header.chainIds(),
              modified,
              location);
        case PLAIN:
          return BlockRecord.plain(channel.size(), reason, modified, location);
        default:
          throw probe.reason();
      }
    } catch (NoSuchFileException e) {
      return null;
    }
  }
}
