/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.block.BlockFiles;
import io.hdrf.block.BlockFormat;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockRef;
import io.hdrf.block.CorruptBlockException;
import io.hdrf.block.ReducedBlock;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the first bytes of every finalized block of a pool on a volume, including blocks that HDFS
 * keeps for a rollback. Only used where something is missing: the superblock, or a scheme.
 */
final class FinalizedSurvey {

  private static final Logger LOG = LoggerFactory.getLogger(FinalizedSurvey.class);

  private static final int LOG_INTERVAL = 100_000;

  /** No more blocks are counted: that there are any is what matters, and each costs a read. */
  static final int MAX_COUNTED = 1000;

  private final Path poolDirectory;
  private final String poolId;
  private final SchemeRegistry registry;

  /** How many blocks were looked at in the present pass, and how many of them can't be read. */
  private long seen;

  private long unreadable;
  private IOException firstUnreadable;

  /**
   * @param registry knows the block schemes whose stores may need other schemes
   */
  FinalizedSurvey(Path poolDirectory, String poolId, SchemeRegistry registry) {
    this.poolDirectory = poolDirectory;
    this.poolId = poolId;
    this.registry = registry;
  }

  /** Receives each block whose file has a well-formed header that names the block. */
  private interface HeaderVisitor {
    void header(Path file, BlockHeader header) throws IOException;
  }

  /**
   * Returns if no block here is reduced: then a new secret may be made. A block that can't be read,
   * because of a bad sector or another's permissions, tells nothing and is passed over: the secret
   * would not make it readable, and stock HDFS keeps its volume in service, too. But where most
   * can't be, the others tell nothing of them, and where HDRF was before it may be reduced.
   *
   * @throws IOException if one is; with a new secret every reduced block would look damaged
   */
  void requireNoReducedBlocks(Path hdrfDirectory) throws IOException {
    visitHeaders(
        (file, header) -> {
          if (!isProvedPlain(file)) {
            throw new IOException(
                file
                    + " is a reduced block, but the volume's superblock is missing; restore "
                    + hdrfDirectory
                    + " from where it was moved to, or remove the volume and let the blocks be"
                    + " replicated again");
          }
        });
    boolean wasHere = !Files.notExists(hdrfDirectory.resolve(PoolSlice.TEMPORARY));
    if (unreadable > 0 && (wasHere || unreadable >= seen - unreadable)) {
      throw new IOException(
          unreadable
              + " of "
              + seen
              + " blocks under "
              + poolDirectory
              + " can't be read and may be reduced, but the volume's superblock is missing; restore "
              + hdrfDirectory
              + " from where it was moved to, or remove the volume and let the blocks be replicated"
              + " again",
          firstUnreadable);
    }
    warnOfUnreadable();
  }

  private void warnOfUnreadable() {
    if (unreadable > 0) {
      LOG.warn(
          "{} of {} blocks under {} can't be read and are passed over",
          unreadable,
          seen,
          poolDirectory,
          firstUnreadable);
    }
  }

  private static boolean isProvedPlain(Path file) throws IOException {
    try {
      // An earlier version may have been here.
      return PlainProof.holds(file, true);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Ends a survey. */
  private static final class EnoughException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Returns a count for people. */
  static String words(long count) {
    return count < MAX_COUNTED ? Long.toString(count) : "at least " + count;
  }

  /**
   * Counts the blocks that need the scheme: those that have it in their chain, and all blocks of
   * each block scheme whose store may need it.
   *
   * @return at most {@link #MAX_COUNTED}
   */
  long countBlocksWith(int schemeId) throws IOException {
    Set<Integer> through = schemesWhoseStoreNeeds(schemeId);
    return count((file, header) -> has(header, schemeId) || hasAny(header, through));
  }

  private static boolean has(BlockHeader header, int schemeId) {
    return Arrays.stream(header.chainIds()).anyMatch(id -> id == schemeId);
  }

  private static boolean hasAny(BlockHeader header, Set<Integer> schemeIds) {
    return Arrays.stream(header.chainIds()).anyMatch(schemeIds::contains);
  }

  /** The ids of the block schemes through whose stores any of their blocks may need the scheme. */
  private Set<Integer> schemesWhoseStoreNeeds(int schemeId) throws IOException {
    Set<Integer> found = new HashSet<>();
    for (String name : registry.names()) {
      ReductionScheme scheme = registry.byName(name);
      Path store = poolDirectory.resolve(PoolSlice.DIRECTORY).resolve(name);
      if (scheme instanceof BlockScheme
          && !Files.notExists(store)
          && ((BlockScheme) scheme).storeMayNeed(store, schemeId)) {
        LOG.info("{} needs the scheme with id {}: all blocks of {} do", store, schemeId, name);
        found.add(scheme.id());
      }
    }
    return found;
  }

  /**
   * Counts the blocks that need something besides the schemes of their chain. Where the scheme is
   * one of several in a chain, all its blocks are counted: its frames lie within those of others.
   * So are all blocks of a block scheme whose store may need it.
   *
   * @param need see {@link FrameScheme#needs}
   * @return at most {@link #MAX_COUNTED}
   */
  long countBlocksThatNeed(FrameScheme scheme, String need) throws IOException {
    Set<Integer> through = schemesWhoseStoreNeeds(scheme.id());
    return count(
        (file, header) -> {
          boolean within = has(header, scheme.id());
          boolean alone = within && header.chainIds().length == 1;
          return hasAny(header, through) || (alone ? isNeeded(file, scheme, need) : within);
        });
  }

  /** Says whether a block counts. */
  private interface HeaderTest {
    boolean test(Path file, BlockHeader header) throws IOException;
  }

  private long count(HeaderTest counted) throws IOException {
    long[] count = new long[1];
    try {
      visitHeaders(
          (file, header) -> {
            if (isCounted(counted, file, header) && ++count[0] == MAX_COUNTED) {
              throw new EnoughException();
            }
          });
      // If they do need it, they are out of reach and not damaged.
      warnOfUnreadable();
    } catch (EnoughException e) {
      LOG.debug("{} has at least so many: {}", poolDirectory, count[0]);
    }
    return count[0];
  }

  private boolean isCounted(HeaderTest counted, Path file, BlockHeader header) throws IOException {
    try {
      return counted.test(file, header);
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      noteUnreadable(e);
      return false;
    }
  }

  /** Returns whether a block needs it. One frame tells: all are made with the same settings. */
  private static boolean isNeeded(Path file, FrameScheme scheme, String need) throws IOException {
    try (ChannelFile opened = ChannelFile.open(file);
        ReducedBlock block = ReducedBlock.openUntrusted(file, opened)) {
      for (int frame = 0; frame < block.frames().frameCount(); frame++) {
        if (block.frames().stages(frame) != 0) {
          ByteBuffer stored = ByteBuffer.allocateDirect(block.frames().storedLength(frame));
          block.readStored(frame, stored);
          stored.flip();
          return scheme.needs(need, stored);
        }
      }
      return false;
    } catch (CorruptBlockException e) {
      LOG.debug("{} is damaged, and may need {}", file, need, e);
      return true;
    }
  }

  private void visitHeaders(HeaderVisitor visitor) throws IOException {
    if (Files.notExists(poolDirectory)) {
      return;
    }
    seen = 0;
    unreadable = 0;
    firstUnreadable = null;
    BlockFiles.forEach(
        poolDirectory,
        poolDirectory.resolve(PoolSlice.DIRECTORY),
        (file, blockId) -> {
          visitBlock(file, blockId, visitor);
          if (++seen % LOG_INTERVAL == 0) {
            LOG.info("Looked at {} blocks under {}", seen, poolDirectory);
          }
        });
  }

  private void noteUnreadable(IOException why) {
    unreadable++;
    firstUnreadable = firstUnreadable == null ? why : firstUnreadable;
  }

  private void visitBlock(Path file, long blockId, HeaderVisitor visitor) throws IOException {
    BlockRef identity = new BlockRef(poolId, blockId);
    ByteBuffer bytes = ByteBuffer.allocate(BlockFormat.HEADER_LENGTH);
    try (ChannelFile opened = ChannelFile.open(file)) {
      opened.read(bytes, 0);
    } catch (NoSuchFileException e) {
      return;
    } catch (AccessDeniedException e) {
      noteUnreadable(e);
      return;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      noteUnreadable(e);
      return;
    }
    bytes.flip();
    if (!BlockHeader.hasMagic(bytes)) {
      return;
    }
    BlockHeader header;
    try {
      header = BlockHeader.parse(file, bytes, null);
      header.checkIdentity(file, identity);
    } catch (CorruptBlockException e) {
      LOG.debug("{} has HDRF's magic, but no header", file, e);
      return;
    }
    visitor.header(file, header);
  }
}
