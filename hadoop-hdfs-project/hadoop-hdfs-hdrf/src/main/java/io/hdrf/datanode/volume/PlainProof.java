/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockFormat;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockRef;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.TagKey;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;

/**
 * Proof that a file which begins like a reduced block is plain all the same: a user's data that
 * look so. The first bytes as they lie match the block's checksums, which those of a reduced block
 * never do, or there are no checksums, without which no block is reduced.
 */
public final class PlainProof {

  private PlainProof() {}

  /**
   * Returns whether a file's first bytes match the checksums beside it.
   *
   * @param reducedMayLackChecksums see {@link BlockVerifier#provesPlain}
   * @throws NoSuchFileException if one of both files is missing
   */
  public static boolean holds(Path blockFile, boolean reducedMayLackChecksums) throws IOException {
    try (ChannelFile file = ChannelFile.open(blockFile)) {
      return BlockVerifier.provesPlain(
          file, BlockChecksums.fileOf(blockFile), reducedMayLackChecksums);
    }
  }

  /**
   * Refuses a replica that is not finalized yet, begins like a reduced block, and has other
   * checksums there: once finalized it would be taken for a damaged reduced block, for which
   * collections stop. Stock code compares nothing with its checksums that a client sends through a
   * pipeline.
   *
   * <p>Refuses one, too, that begins with the header of this very block as it is reduced on this
   * volume, tag included, whatever its checksums: clients that decode see headers, and a block can
   * be truncated and written anew under its id.
   *
   * @param key the volume's; null if it is not in service any more, so that its headers can't be
   *     told
   * @param reducedMayLackChecksums see {@link BlockVerifier#provesPlain}
   */
  public static void require(
      LocalReplica replica, BlockRef block, TagKey key, boolean reducedMayLackChecksums)
      throws IOException {
    boolean interrupted = false;
    try {
      while (!isLookedAt(replica, block, key, reducedMayLackChecksums)) {
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * @return false if the thread was interrupted, of which stock code takes notice later, or not
   */
  private static boolean isLookedAt(
      LocalReplica replica, BlockRef block, TagKey key, boolean reducedMayLackChecksums)
      throws IOException {
    File file = replica.getBlockFile();
    try (FileInputStream stream = new FileInputStream(file)) {
      ByteBuffer head = head(stream);
      if (head != null && key == null) {
        throw new IOException(
            file + " begins like a reduced block, and its volume is not in service");
      }
      if (head != null && isHeaderOf(file, head, block, key)) {
        throw new IOException(
            file
                + " begins with the header of a reduced block of this volume; it is not finalized");
      }
      if (head != null
          && !BlockVerifier.provesPlain(
              new ChannelFile(stream.getChannel()),
              replica.getMetaFile().toPath(),
              reducedMayLackChecksums)) {
        throw new IOException(
            file
                + " begins like a reduced block, and its checksums are not those of its data;"
                + " it is not finalized");
      }
    } catch (ClosedByInterruptException e) {
      return false;
    } catch (NoSuchFileException e) {
      // Stock code can't finalize it without its checksums either.
      return true;
    } catch (FileNotFoundException e) {
      // Also thrown where there are no descriptors left.
      if (file.exists()) {
        throw e;
      }
      // Stock code says so in its own words.
    }
    return true;
  }

  /** Whatever length it tells: the block may yet grow to that. */
  private static boolean isHeaderOf(File file, ByteBuffer head, BlockRef block, TagKey key) {
    return BlockProbe.judge(file.toPath(), head, Long.MAX_VALUE, block, key).kind()
        == BlockProbe.Kind.REDUCED;
  }

  /**
   * The first bytes, up to a header's length, of a file that begins like a reduced block; null for
   * another file. Looks at them and goes back. Through the stream and not its channel, which an
   * interrupt would close: plain blocks are read on threads that are interrupted in the middle of a
   * read and don't expect that to fail.
   */
  public static ByteBuffer head(FileInputStream stream) throws IOException {
    byte[] bytes = new byte[BlockFormat.HEADER_LENGTH];
    int count = 0;
    int read;
    while ((read = stream.read(bytes, count, bytes.length - count)) > 0) {
      count += read;
    }
    stream.skip(-count);
    ByteBuffer head = ByteBuffer.wrap(bytes, 0, count);
    return BlockHeader.hasMagic(head) ? head : null;
  }
}
