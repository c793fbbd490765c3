/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.read.FrameCheck;
import io.hdrf.read.FrameReader;
import io.hdrf.read.FrameReads;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.ChannelFile;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A reduced replica whose descriptors the DataNode passed. It stays readable when the DataNode
 * replaces or deletes the file. Closed when its last user has released it. Thread-safe.
 */
final class LocalReplica {

  private static final AtomicLong SOURCES = new AtomicLong();

  private final FileInputStream data;
  private final FileInputStream meta;
  private final ReducedBlock block;
  private final ChainCodec codec;
  private final BlockChecksums checksums;
  private final FrameCheck check;

  /**
   * The source of its frames that were verified; the next number is that of those that were not. No
   * other replica has them: it may be of a cluster that is a copy of this one.
   */
  private final long source = SOURCES.getAndAdd(2);

  private int users = 1;

  private LocalReplica(
      FileInputStream data,
      FileInputStream meta,
      ReducedBlock block,
      ChainCodec codec,
      BlockChecksums checksums) {
    this.data = data;
    this.meta = meta;
    this.block = block;
    this.codec = codec;
    this.checksums = checksums;
    this.check =
        ChunkCheck.covers(checksums, block) ? new ChunkCheck(block.name(), checksums) : null;
  }

  /**
   * Takes over what a DataNode passed; the caller is the first user.
   *
   * @param data closed with the replica, as {@code meta} is; not closed if this fails
   * @throws IOException if it can't be read here
   */
  static LocalReplica open(
      BlockRef ref, FileInputStream data, FileInputStream meta, ClientSchemes schemes)
      throws IOException {
    Path name = Paths.get("blk_" + ref.blockId());
    ReducedBlock block = ReducedBlock.openUntrusted(name, new ChannelFile(data.getChannel()));
    block.header().checkIdentity(name, ref);
    BlockChecksums checksums =
        BlockChecksums.open(Paths.get(name + ".meta"), new ChannelFile(meta.getChannel()));
    return new LocalReplica(data, meta, block, schemes.codec(block.header().chainIds()), checksums);
  }

  /** Whether decoded bytes can be compared with HDFS's checksums. */
  boolean isVerifiable() {
    return check != null;
  }

  /** Whether its descriptors are open: an interrupt of any reader closes them. */
  boolean isOpen() {
    return data.getChannel().isOpen() && meta.getChannel().isOpen();
  }

  /** A reader; to be closed before the replica is released. */
  FrameReader reader(FrameReads reads, boolean verify) throws IOException {
    return verify
        ? reads.reader(block, codec, data.getFD(), check, source)
        : reads.reader(block, codec, data.getFD(), FrameCheck.NONE, source + 1);
  }

  /** Adds a user, who calls {@link #release} once. The caller knows of one that is left. */
  synchronized void retain() {
    users++;
  }

  void release() throws IOException {
    synchronized (this) {
      if (--users > 0) {
        return;
      }
    }
    try (Closeable sums = checksums;
        Closeable frames = block;
        Closeable metaFile = meta;
        Closeable dataFile = data) {
      // All are closed, whichever fails.
    }
  }
}
