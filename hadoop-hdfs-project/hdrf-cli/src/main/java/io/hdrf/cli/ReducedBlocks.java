/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.block.BlockFormat;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockIdentity;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.CorruptBlockException;
import io.hdrf.block.TagKey;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.UnknownFormatVersionException;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the blocks on a volume that a stock DataNode could not read: in all block pools, those
 * that an open upgrade keeps and those in the trash too.
 */
final class ReducedBlocks {
  private static final Pattern BLOCK = Pattern.compile("blk_(-?\\d+)");

  private long blocks;

  private ReducedBlocks() {}

  /**
   * Counts.
   *
   * @param volume one of {@code dfs.datanode.data.dir}, of a DataNode that does not run
   * @throws IOException if it is no volume, or can't be read completely
   */
  static long count(Path volume) throws IOException {
    Path current = volume.resolve("current");
    if (!Files.isRegularFile(current.resolve("VERSION"))) {
      throw new IOException(volume + " is no volume of a DataNode: it has no current/VERSION");
    }
    ReducedBlocks count = new ReducedBlocks();
    try (DirectoryStream<Path> pools = Files.newDirectoryStream(current, "BP-*")) {
      for (Path pool : pools) {
        count.pool(pool);
      }
    }
    return count.blocks;
  }

  /** Whether a DataNode has the volume in use. */
  static boolean isInUse(Path volume) throws IOException {
    try (FileChannel channel =
            FileChannel.open(volume.resolve("in_use.lock"), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private void pool(Path pool) throws IOException {
    Path hdrf = pool.resolve("hdrf");
    Optional<TagKey> key =
        Files.isDirectory(hdrf) ? Superblock.readKey(hdrf) : Optional.<TagKey>empty();
    Files.walkFileTree(
        pool,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts) {
            return directory.equals(hdrf) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes facts)
              throws IOException {
            Matcher name = BLOCK.matcher(file.getFileName().toString());
            if (name.matches()
                && isReduced(
                    file,
                    new BlockIdentity(pool.getFileName().toString(), Long.parseLong(name.group(1))),
                    key)) {
              blocks++;
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean isReduced(Path file, BlockIdentity block, Optional<TagKey> key)
      throws IOException {
    try (ChannelFile open = ChannelFile.open(file)) {
      if (key.isEmpty()) {
        return hasHeaderOf(file, open, block);
      }
      BlockProbe probe = BlockProbe.examine(file, open, block, key.get());
      switch (probe.kind()) {
        case REDUCED:
          return true;
        case FOREIGN:
          return !isVerifiedPlain(file);
        default:
          return false;
      }
    }
  }

  /** Whether the header is whole and names this block; its tag can't be compared. */
  private static boolean hasHeaderOf(Path file, ChannelFile open, BlockIdentity block)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BlockFormat.HEADER_LENGTH);
    open.read(bytes, 0);
    bytes.flip();
    if (!BlockHeader.hasMagic(bytes)) {
      return false;
    }
    try {
      BlockHeader.parse(file, bytes, null).checkIdentity(file, block);
      return true;
    } catch (CorruptBlockException e) {
      return false;
    } catch (UnknownFormatVersionException e) {
      return true;
    }
  }

  /** Whether these are data that only look like a reduced block. */
  private static boolean isVerifiedPlain(Path file) throws IOException {
    BlockInspection inspection = BlockInspection.of(file, SchemeRegistry.of(List.of()), false);
    return "plain".equals(inspection.facts().get("form"))
        && inspection.verdict() == BlockInspection.Verdict.VERIFIED;
  }
}
