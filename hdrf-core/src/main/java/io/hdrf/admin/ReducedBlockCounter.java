/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.StoredBlocks;
import io.hdrf.block.TagKey;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Counts reduced blocks in data directories. It leaves out no directory: the result lists those
 * that can't be read as not counted.
 */
public final class ReducedBlockCounter {

  private ReducedBlockCounter() {}

  /** Counts the reduced blocks of one pool on one volume. */
  public interface PoolCounter {

    /**
     * Looks at every block's file.
     *
     * @param pool {@code <volume>/current/<pool>}
     * @throws IOException if the pool's blocks can't be counted, with the reason
     */
    StoredBlocks.Count count(Path pool) throws IOException;
  }

  /**
   * Counts the reduced blocks of a pool that no DataNode has in service. Where the superblock is
   * lost, every reduced block counts as damaged.
   *
   * @param pool {@code <volume>/current/<pool>}
   */
  public static StoredBlocks.Count ofStopped(Path pool) throws IOException {
    return ofStopped(pool, () -> {});
  }

  /**
   * As the other one.
   *
   * @param looked is run after each block file
   */
  public static StoredBlocks.Count ofStopped(Path pool, Runnable looked) throws IOException {
    Path hdrf = pool.resolve("hdrf");
    TagKey key = Superblock.readKey(hdrf).orElse(new TagKey(new byte[TagKey.LENGTH]));
    boolean mayLackChecksums = Superblock.readMayLackChecksums(hdrf);
    return new StoredBlocks(
            pool,
            hdrf,
            pool.getFileName().toString(),
            key,
            (path, file) -> isProvedPlain(path, file, mayLackChecksums))
        .countReduced(looked);
  }

  /** Nobody moves blocks here: checksums that are missing need no second look. */
  private static boolean isProvedPlain(Path path, ReadableFile file, boolean mayLackChecksums)
      throws IOException {
    try {
      return BlockVerifier.provesPlain(file, BlockChecksums.fileOf(path), mayLackChecksums);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Counts the reduced blocks.
   *
   * @param directories those of {@code dfs.datanode.data.dir}
   * @return at least one for each directory
   */
  public static List<ReducedBlocks> count(Collection<Path> directories, PoolCounter counter) {
    List<ReducedBlocks> counts = new ArrayList<>();
    for (Path directory : directories) {
      try {
        counts.addAll(count(directory, counter));
      } catch (IOException e) {
        counts.add(ReducedBlocks.notCounted(directory.toString(), e.toString()));
      }
    }
    return counts;
  }

  private static List<ReducedBlocks> count(Path directory, PoolCounter counter) throws IOException {
    Path current = directory.resolve("current");
    if (!Files.exists(current.resolve("VERSION"))) {
      throw new IOException(
          "no volume of a DataNode is there (it has no current/VERSION); is it mounted?");
    }
    List<ReducedBlocks> counts = new ArrayList<>();
    for (Path pool : pools(directory)) {
      String hdrf = pool.resolve("hdrf").toString();
      try {
        counts.add(new ReducedBlocks(hdrf, counter.count(pool)));
      } catch (IOException e) {
        counts.add(ReducedBlocks.notCounted(hdrf, message(e)));
      }
    }
    if (counts.isEmpty()) {
      counts.add(ReducedBlocks.none(directory.toString()));
    }
    return counts;
  }

  /**
   * Returns the directories of the pools.
   *
   * @param directory one of {@code dfs.datanode.data.dir}
   */
  public static List<Path> pools(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> pools =
        Files.newDirectoryStream(directory.resolve("current"), "BP-*")) {
      pools.forEach(found::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static String message(IOException e) {
    return e.getClass() == IOException.class ? String.valueOf(e.getMessage()) : e.toString();
  }
}
