/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.ChecksumVerifier;
import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException;

/**
 * Turns reduced blocks back into plain ones: decodes into a temporary file, verifies that against
 * {@code .meta}, makes it durable, and renames it. If any step fails, the reduced file stays as it
 * is.
 */
public final class Inflater {

  private final Replicas replicas;
  private final BlockOpener opener;
  private final DurableFiles files;
  private final ReducerCounters counters;

  public Inflater(Replicas replicas, BlockOpener opener, ReducerCounters counters) {
    this.replicas = replicas;
    this.opener = opener;
    this.files = replicas.files();
    this.counters = counters;
  }

  /**
   * Makes the replica's file plain; nothing happens where it is. The caller holds the block lock.
   *
   * @throws IOException if it can't be done; the replica is as it was
   */
  public void inflate(ReplicaSnapshot snapshot) throws IOException {
    try (BlockOpener.Opened opened = opener.open(snapshot)) {
      if (!opened.isReduced()) {
        return;
      }
      FsVolumeSpi volume = snapshot.volume();
      try (FsVolumeReference reference = volume.obtainReference()) {
        long length = snapshot.length();
        if (volume.getAvailable() < length) {
          throw new DiskOutOfSpaceException(
              "Inflating "
                  + snapshot.block()
                  + " needs "
                  + length
                  + " bytes, "
                  + volume
                  + " has "
                  + volume.getAvailable());
        }
        volume.reserveSpaceForReplica(length);
        try {
          replaceByPlain(snapshot, opened);
        } finally {
          volume.releaseReservedSpace(length);
        }
      }
    }
  }

  private void replaceByPlain(ReplicaSnapshot snapshot, BlockOpener.Opened opened)
      throws IOException {
    Path temporary = opened.volume().temporaryFile(snapshot.block().blockId());
    boolean inPlace = false;
    try {
      writePlain(snapshot, opened, temporary);
      // Another link, an upgrade's previous/, keeps the reduced file and its space.
      long released = snapshot.linkCount() == 1 ? opened.reduced().physicalLength() : 0;
      replicas.replace(snapshot, temporary, snapshot.length() - released);
      inPlace = true;
    } finally {
      if (!inPlace) {
        files.deleteIfExists(temporary);
      }
    }
    files.forceDirectory(snapshot.file().getParent());
    counters.inflated(snapshot.length());
  }

  /**
   * Writes the decoded block to a new file, verified against the block's checksums and durable.
   *
   * @param opened the replica's reduced file
   * @param target must not exist; on an exception the caller deletes it
   */
  public void writePlain(ReplicaSnapshot snapshot, BlockOpener.Opened opened, Path target)
      throws IOException {
    ReducedBlock reduced = opened.reduced();
    ChainCodec codec = opened.codec();
    try (ChannelFile meta = ChannelFile.open(snapshot.metaFile());
        BlockChecksums checksums = BlockChecksums.open(snapshot.metaFile(), meta);
        DurableFile plain = files.create(target)) {
      long length = reduced.logicalLength();
      if (length != snapshot.length()) {
        throw new IOException(
            snapshot.file() + " holds " + length + " bytes, its replica " + snapshot.length());
      }
      if (!checksums.isComplete(length)) {
        throw new IOException(snapshot.metaFile() + " does not cover the whole block");
      }
      plain.setLength(length);
      ChecksumVerifier verifier =
          checksums.type() == BlockChecksums.Type.NULL ? null : checksums.verifier();
      decode(reduced, codec, plain, verifier);
      if (verifier != null && !verifier.finish().isOk()) {
        throw new CorruptFileException(
            snapshot.file(), "its decoded data do not match " + snapshot.metaFile());
      }
      plain.force();
    }
  }

  private static void decode(
      ReducedBlock reduced, ChainCodec codec, DurableFile plain, ChecksumVerifier verifier)
      throws IOException {
    FrameTable frames = reduced.frames();
    BufferPool buffers = BufferPool.shared();
    ByteBuffer stored = buffers.take(frames.maxStoredLength());
    ByteBuffer decoded = buffers.take(frames.maxOriginalLength());
    try {
      for (int frame = 0; frame < frames.frameCount(); frame++) {
        decoded.clear().limit(frames.originalLength(frame));
        reduced.readFrame(frame, codec, stored, decoded);
        decoded.flip();
        if (verifier != null) {
          verifier.update(decoded);
          decoded.rewind();
        }
        plain.write(decoded, frames.originalPosition(frame));
      }
    } finally {
      buffers.give(stored);
      buffers.give(decoded);
    }
  }
}
