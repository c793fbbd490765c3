/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Proves that a block's file gives the data that the block was written with. */
public final class BlockVerifier {

  private static final int PLAIN_BUFFER = 1 << 20;

  private BlockVerifier() {}

  /**
   * Decodes a whole reduced block and compares the data with the block's checksums, if it has any,
   * and byte by byte with its plain form, if that is given. Frames from another DataNode need the
   * plain form: anybody can make data that match given checksums.
   *
   * @param plain the block's plain form, or null
   * @throws CorruptBlockException if a frame can't be decoded
   */
  public static VerifyResult verify(
      ReducedBlock block, ChainCodec codec, BlockChecksums checksums, ReadableFile plain)
      throws IOException {
    long length = block.logicalLength();
    boolean summed = checksums.type() != BlockChecksums.Type.NULL;
    if (!summed && plain == null) {
      return VerifyResult.NO_CHECKSUMS;
    }
    if (!checksums.isComplete(length)) {
      return VerifyResult.INCOMPLETE;
    }
    if (plain != null && plain.length() != length) {
      return VerifyResult.mismatch(Math.min(plain.length(), length));
    }
    ChecksumVerifier verifier = summed ? checksums.verifier() : null;
    try (Comparer comparer = plain == null ? null : new Comparer(plain)) {
      decode(
          block,
          codec,
          (position, frame) ->
              (comparer == null || comparer.accept(position, frame.duplicate()))
                  && (verifier == null || verifier.update(frame)));
      if (comparer != null && (verifier == null || !comparer.result.isOk())) {
        return comparer.result;
      }
      return verifier.finish();
    }
  }

  /**
   * Decodes a whole reduced block without a comparison: the most that can be done where there are
   * no checksums.
   *
   * @throws CorruptBlockException if a frame can't be decoded
   */
  public static void decode(ReducedBlock block, ChainCodec codec) throws IOException {
    decode(block, codec, (position, frame) -> true);
  }

  /**
   * Whether a block's file, taken as it lies, holds what the checksums say: then it is plain,
   * whatever it looks like.
   *
   * @return {@link VerifyResult.Outcome#NO_CHECKSUMS} where their type is NULL
   */
  public static VerifyResult verifyPlain(ReadableFile file, BlockChecksums checksums)
      throws IOException {
    if (checksums.type() == BlockChecksums.Type.NULL) {
      return VerifyResult.NO_CHECKSUMS;
    }
    return verifyBegin(file, file.length(), checksums);
  }

  /**
   * @param length the file's, or a multiple of the bytes of a checksum
   */
  private static VerifyResult verifyBegin(ReadableFile file, long length, BlockChecksums checksums)
      throws IOException {
    if (!checksums.isComplete(length)) {
      return VerifyResult.INCOMPLETE;
    }
    ChecksumVerifier verifier = checksums.verifier();
    ByteBuffer buffer = BufferPool.shared().take(PLAIN_BUFFER);
    try {
      long position = 0;
      int n;
      do {
        buffer.clear();
        buffer.limit((int) Math.min(buffer.limit(), length - position));
        n = file.read(buffer, position);
        position += n;
        buffer.flip();
      } while (verifier.update(buffer) && n > 0);
      VerifyResult result = verifier.finish();
      return result.isOk() && position != length ? VerifyResult.mismatch(position) : result;
    } finally {
      BufferPool.shared().give(buffer);
    }
  }

  /**
   * Returns whether a file that begins like a reduced block is plain all the same. The bytes where
   * a header would be match their checksums, which are those of the plain block; or the block has
   * none: blocks without checksums are not reduced, as nothing could tell a damaged one from data
   * that look like it. What lies behind the header says nothing more, and may be damaged plain
   * data.
   *
   * @param reducedMayLackChecksums whether earlier builds may have reduced blocks without checksums
   *     on that volume ({@link io.hdrf.volume.Superblock#mayLackChecksums}); then having none
   *     proves nothing
   */
  public static boolean provesPlain(
      ReadableFile file, BlockChecksums checksums, boolean reducedMayLackChecksums)
      throws IOException {
    if (checksums.type() == BlockChecksums.Type.NULL) {
      return checksums.isNone() && !reducedMayLackChecksums;
    }
    long each = checksums.bytesPerChecksum();
    long chunks = (BlockFormat.HEADER_LENGTH + each - 1) / each;
    return verifyBegin(file, Math.min(file.length(), chunks * each), checksums).isOk();
  }

  /**
   * Returns the same by the block's {@code .meta} file; a damaged one proves nothing.
   *
   * @param file the block's own, which stays open
   * @throws java.nio.file.NoSuchFileException if there is no {@code .meta} file: nothing is proved,
   *     and HDFS may be about to move the block
   */
  public static boolean provesPlain(
      ReadableFile file, Path metaFile, boolean reducedMayLackChecksums) throws IOException {
    try (ChannelFile meta = ChannelFile.open(metaFile);
        BlockChecksums checksums = BlockChecksums.open(metaFile, meta)) {
      return provesPlain(file, checksums, reducedMayLackChecksums);
    } catch (CorruptFileException e) {
      return false;
    }
  }

  /** Receives a block's data in order; returns false to end. */
  private interface Consumer {
    boolean accept(long position, ByteBuffer frame) throws IOException;
  }

  private static void decode(ReducedBlock block, ChainCodec codec, Consumer consumer)
      throws IOException {
    FrameTable frames = block.frames();
    ByteBuffer stored = BufferPool.shared().take(frames.maxStoredLength());
    ByteBuffer frame = BufferPool.shared().take(frames.maxOriginalLength());
    try {
      boolean more = true;
      for (int i = 0; more && i < frames.frameCount(); i++) {
        frame.clear();
        block.readFrame(i, codec, stored, frame);
        frame.flip();
        more = consumer.accept(frames.originalPosition(i), frame);
      }
    } finally {
      BufferPool.shared().give(stored);
      BufferPool.shared().give(frame);
    }
  }

  /** Compares with a plain file, piece by piece. */
  private static final class Comparer implements AutoCloseable {
    private final ReadableFile plain;
    private final ByteBuffer buffer = BufferPool.shared().take(PLAIN_BUFFER);
    private VerifyResult result = VerifyResult.OK;

    Comparer(ReadableFile plain) {
      this.plain = plain;
    }

    boolean accept(long position, ByteBuffer frame) throws IOException {
      int end = frame.limit();
      long at = position;
      while (frame.position() < end) {
        frame.limit(Math.min(end, frame.position() + PLAIN_BUFFER));
        buffer.clear();
        buffer.limit(frame.remaining());
        plain.read(buffer, at);
        buffer.flip();
        if (!buffer.equals(frame)) {
          result = VerifyResult.mismatch(at + firstDifference(buffer, frame));
          return false;
        }
        at += frame.remaining();
        frame.position(frame.limit());
        frame.limit(end);
      }
      return true;
    }

    private static int firstDifference(ByteBuffer a, ByteBuffer b) {
      int i = 0;
      while (i < Math.min(a.remaining(), b.remaining())
          && a.get(a.position() + i) == b.get(b.position() + i)) {
        i++;
      }
      return i;
    }

    @Override
    public void close() {
      BufferPool.shared().give(buffer);
    }
  }
}
