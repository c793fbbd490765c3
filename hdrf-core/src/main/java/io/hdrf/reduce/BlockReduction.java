/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.CorruptBlockException;
import io.hdrf.block.FrameTable;
import io.hdrf.block.NotSmallerException;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.VerifyResult;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.BlockDeclinedException;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.Pin;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reduces one block: encodes it into a temporary file, decodes and verifies that against the
 * block's checksums, makes it durable, and swaps it in. The plain block is untouched until the last
 * step, and stays if any step fails.
 */
final class BlockReduction {

  private static final Logger LOG = LoggerFactory.getLogger(BlockReduction.class);

  /** The bytes read between two checks whether the work is still wanted. */
  private static final int CHECK_INTERVAL = 4 << 20;

  private final DurableFiles files;
  private final ReducerCounters counters;
  private final ReductionRules rules;
  private final BooleanSupplier stopping;

  /**
   * @param stopping whether blocks in work are to be given up
   */
  BlockReduction(
      DurableFiles files,
      ReducerCounters counters,
      ReductionRules rules,
      BooleanSupplier stopping) {
    this.files = files;
    this.counters = counters;
    this.rules = rules;
    this.stopping = stopping;
  }

  /**
   * Reduces the block.
   *
   * @throws BlockSkippedException if the block stays plain
   * @throws IOException if something failed; the block stays plain
   */
  void reduce(PlainBlock block) throws IOException {
    long limit = rules.limit(block.codec().chain(), block.length());
    try (ChannelFile plain = ChannelFile.open(block.dataFile());
        ChannelFile meta = ChannelFile.open(block.metaFile());
        BlockChecksums checksums = BlockChecksums.open(block.metaFile(), meta)) {
      if (plain.length() != block.length()) {
        throw new BlockSkippedException(SkipReason.CHANGED, "its length changed");
      }
      checkPlain(block, plain, checksums);
      checkWanted(block);
      if (rules.isAgeLimited()) {
        rules.checkAge(
            Files.getLastModifiedTime(block.dataFile()).toMillis(), System.currentTimeMillis());
      }
      if (!checksums.isComplete(block.length())) {
        throw new BlockSkippedException(
            SkipReason.CHECKSUMS_INCOMPLETE, block.metaFile() + " does not cover the block");
      }
      rules.checkContent(plain, block.length());
      if (!adopt(block, plain, checksums, limit)) {
        ReductionRules.probe(block.codec(), block.length(), plain);
        encodeAndSwap(block, null, plain, checksums, limit);
      }
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw new BlockSkippedException(SkipReason.CHANGED, e.getMessage() + " is gone");
    } catch (BlockDeclinedException e) {
      throw new BlockSkippedException(SkipReason.DECLINED, e.getMessage());
    }
  }

  private static void checkPlain(PlainBlock block, ChannelFile plain, BlockChecksums checksums)
      throws IOException {
    if (checksums.type() == BlockChecksums.Type.NULL) {
      // Such blocks are always plain: so look-alikes among them are not taken for damaged blocks.
      throw new BlockSkippedException(
          SkipReason.DECLINED, block.metaFile() + " has no checksums to prove a reduced form by");
    }
    switch (BlockProbe.examine(block.dataFile(), plain, block.identity(), block.tagKey()).kind()) {
      case REDUCED:
        throw new BlockSkippedException(SkipReason.ALREADY_REDUCED, "it is reduced");
      case FOREIGN:
      case PLAIN:
        break;
    }
  }

  private void encode(PlainBlock block, ChannelFile plain, FrameSink out) throws IOException {
    block
        .codec()
        .encode(
            block.length(),
            watched(block, plain),
            (originalLength, stages, stored) -> {
              counters.frameEncoded();
              out.frame(originalLength, stages, stored);
            });
  }

  /**
   * Stores the frames that came with the block. Their sender may have made them for another content
   * with the same checksums; so they must give the plain copy, byte by byte.
   *
   * @return false if there are none, or they are too long or not this block's: it is to be encoded
   */
  private boolean adopt(PlainBlock block, ChannelFile plain, BlockChecksums checksums, long limit)
      throws IOException {
    EncodedBlock encoded = block.encoded();
    if (encoded == null
        || encoded.generationStamp() != block.generationStamp()
        || encoded.length() != block.length()
        || !Arrays.equals(encoded.chainIds(), block.codec().chain().ids())) {
      return false;
    }
    try {
      encodeAndSwap(block, encoded, plain, checksums, limit);
      counters.adopted(encoded.frameCount());
      return true;
    } catch (BlockSkippedException e) {
      if (e.reason() == SkipReason.VERIFICATION_FAILED) {
        counters.adoptionFailed();
        LOG.warn(
            "The frames that came with {} are not its own: {}", block.dataFile(), e.getMessage());
        return false;
      }
      if (e.reason() == SkipReason.INCOMPRESSIBLE || e.reason() == SkipReason.SMALL) {
        // A sender whose encoder fails sends plain data as frames.
        return false;
      }
      throw e;
    }
  }

  private static ReducedBlock open(PlainBlock block) throws IOException {
    Path path = block.temporaryFile();
    ChannelFile file = ChannelFile.open(path);
    boolean opened = false;
    try {
      ReducedBlock reduced = ReducedBlock.open(path, file, block.identity(), block.tagKey());
      opened = true;
      return reduced;
    } finally {
      if (!opened) {
        file.close();
      }
    }
  }

  private ReducedBlockWriter begin(PlainBlock block, EncodedBlock received, long limit)
      throws IOException {
    ReducedBlockWriter resumed =
        received == null
            ? null
            : received.resume(block.temporaryFile(), block.identity(), block.tagKey(), limit);
    return resumed != null
        ? resumed
        : ReducedBlockWriter.create(
            files,
            block.temporaryFile(),
            block.identity(),
            block.length(),
            block.codec().chain().ids(),
            block.tagKey(),
            limit);
  }

  /**
   * @param received the frames to be stored, or null to encode the plain copy
   */
  private void encodeAndSwap(
      PlainBlock block,
      EncodedBlock received,
      ChannelFile plain,
      BlockChecksums checksums,
      long limit)
      throws IOException {
    Path temporary = block.temporaryFile();
    boolean inPlace = false;
    try (Pin pin = block.codec().pin();
        ReducedBlockWriter writer = begin(block, received, limit)) {
      // Other blocks may refer to what a scheme puts into its store, even if this block fails.
      block.recordSchemes();
      long start = System.nanoTime();
      if (received == null) {
        encode(block, plain, writer);
      } else if (!writer.hasAllFrames()) {
        received.replay(writer);
      }
      long physicalLength = writer.finish();
      long encoded = System.nanoTime();
      verify(block, plain, checksums, received != null);
      long verified = System.nanoTime();
      block.codec().force();
      writer.force();
      long forced = System.nanoTime();
      checkWanted(block);
      block.swap(temporary, physicalLength);
      inPlace = true;
      counters.reduced(
          block.codec().chain().toString(),
          block.length(),
          physicalLength,
          encoded - start,
          verified - encoded,
          forced - verified);
    } catch (NotSmallerException e) {
      throw new BlockSkippedException(
          block.codec().chain().keepsContentInStore()
              ? SkipReason.SMALL
              : SkipReason.INCOMPRESSIBLE,
          e.getMessage());
    } finally {
      if (!inPlace) {
        files.deleteIfExists(temporary);
      }
    }
  }

  private void checkWanted(PlainBlock block) throws BlockSkippedException {
    if (stopping.getAsBoolean()) {
      throw new BlockSkippedException(SkipReason.STOPPING, "the DataNode stops");
    }
    block.checkWanted();
  }

  /**
   * Proves that the temporary file gives the block.
   *
   * @param foreign whether another DataNode made its frames
   */
  private static void verify(
      PlainBlock block, ChannelFile plain, BlockChecksums checksums, boolean foreign)
      throws IOException {
    String difference;
    try (ReducedBlock reduced = open(block)) {
      VerifyResult result =
          BlockVerifier.verify(reduced, block.codec(), checksums, foreign ? plain : null);
      if (result.isOk()) {
        return;
      }
      difference = result.toString();
    } catch (CorruptBlockException e) {
      difference = e.getMessage();
    }
    if (!block.isUnchanged()) {
      throw new BlockSkippedException(SkipReason.CHANGED, "it changed while it was read");
    }
    if (isSound(plain, checksums)) {
      if (findDamage(block)) {
        throw new IOException("what its frames refer to is damaged: " + difference);
      }
      throw new BlockSkippedException(
          SkipReason.VERIFICATION_FAILED,
          "chain "
              + block.codec().chain()
              + " does not give back what it was given: "
              + difference
              + "; this is a fault of a scheme, please report it");
    }
    block.reportMismatch();
    throw new BlockSkippedException(
        SkipReason.MISMATCH, "it does not match its own checksums: " + difference);
  }

  /** Returns whether there is damage that another attempt avoids. */
  private static boolean findDamage(PlainBlock block) throws IOException {
    boolean found = false;
    try (ReducedBlock reduced = open(block)) {
      FrameTable frames = reduced.frames();
      ByteBuffer stored = BufferPool.shared().take(frames.maxStoredLength());
      try {
        for (int i = 0; i < frames.frameCount(); i++) {
          stored.clear();
          reduced.readStored(i, stored);
          stored.flip();
          found |= block.codec().findDamage(frames.stages(i), stored, frames.originalLength(i));
        }
      } finally {
        BufferPool.shared().give(stored);
      }
    } catch (CorruptBlockException | CorruptFrameException e) {
      LOG.debug("{} can't be looked through", block.temporaryFile(), e);
    }
    return found;
  }

  private static boolean isSound(ChannelFile plain, BlockChecksums checksums) throws IOException {
    VerifyResult result = BlockVerifier.verifyPlain(plain, checksums);
    return result.isOk() || result.outcome() == VerifyResult.Outcome.NO_CHECKSUMS;
  }

  /** The block's data, with a check every few megabytes whether the work is still wanted. */
  private BlockSource watched(PlainBlock block, ChannelFile plain) {
    long[] position = new long[1];
    return dst -> {
      int count = plain.read(dst, position[0]);
      long next = position[0] + count;
      if (next / CHECK_INTERVAL > position[0] / CHECK_INTERVAL) {
        checkWanted(block);
      }
      position[0] = next;
      return count;
    };
  }
}
