/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.block.TagKey;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.ChainCodec;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A finalized replica on its way to its reduced form. Keeps its volume in service. */
public final class FinalizedPlainBlock implements PlainBlock {

  private static final Logger LOG = LoggerFactory.getLogger(FinalizedPlainBlock.class);

  private static final long REPORT_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ReplicaSnapshot snapshot;
  private final EncodedBlock encoded;
  private final PoolSlice slice;
  private final FsVolumeReference reference;
  private final Replicas replicas;
  private final DelayedTasks later;
  private final Path temporary;

  /**
   * Takes over {@code encoded}, {@code reference}, one use of {@code slice}, and the space reserved
   * for the block's length.
   *
   * @param encoded the frames that came with the block, or null
   */
  public FinalizedPlainBlock(
      ReplicaSnapshot snapshot,
      EncodedBlock encoded,
      PoolSlice slice,
      FsVolumeReference reference,
      Replicas replicas,
      DelayedTasks later) {
    this.snapshot = snapshot;
    this.encoded = encoded;
    this.slice = slice;
    this.reference = reference;
    this.replicas = replicas;
    this.later = later;
    this.temporary = slice.temporaryFile(snapshot.block().blockId());
  }

  @Override
  public BlockRef identity() {
    return snapshot.block();
  }

  @Override
  public long generationStamp() {
    return snapshot.generationStamp();
  }

  @Override
  public long length() {
    return snapshot.length();
  }

  @Override
  public Path dataFile() {
    return snapshot.file();
  }

  @Override
  public Path metaFile() {
    return snapshot.metaFile();
  }

  @Override
  public Path temporaryFile() {
    return temporary;
  }

  @Override
  public TagKey tagKey() {
    return slice.key();
  }

  @Override
  public ChainCodec codec() {
    return slice.codec();
  }

  @Override
  public EncodedBlock encoded() {
    return encoded;
  }

  @Override
  public void checkWanted() throws BlockSkippedException {
    try {
      // A volume that leaves gives out no more references, and waits for those it gave.
      snapshot.volume().obtainReference().close();
    } catch (ClosedChannelException e) {
      throw new BlockSkippedException(SkipReason.STOPPING, snapshot.volume() + " leaves");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    checkNotHeld();
    if (!isUnchanged()) {
      throw new BlockSkippedException(SkipReason.CHANGED, "it changed");
    }
    try {
      checkNotLinked();
    } catch (BlockSkippedException e) {
      throw e;
    } catch (IOException e) {
      throw new BlockSkippedException(SkipReason.CHANGED, e.getMessage());
    }
  }

  private void checkNotLinked() throws IOException {
    if (snapshot.linkCount() != 1) {
      throw new BlockSkippedException(SkipReason.LINKED, "its file has another name");
    }
  }

  private void checkNotHeld() throws BlockSkippedException {
    if (replicas.isHeld(snapshot.block())) {
      throw new BlockSkippedException(SkipReason.HELD_PLAIN, "it is held plain");
    }
    if (slice.isKeptPlain()) {
      throw new BlockSkippedException(SkipReason.KEPT_PLAIN, "all of its volume are kept plain");
    }
  }

  @Override
  public void recordSchemes() throws IOException {
    slice.recordSchemes(slice.codec().chain());
  }

  @Override
  public void swap(Path reduced, long physicalLength) throws IOException {
    try (Hold lock = replicas.locks().lock(snapshot.block())) {
      checkNotHeld();
      checkNotLinked();
      replicas.replace(snapshot, reduced, physicalLength - snapshot.length());
      replicas.settled().settle(snapshot.block(), snapshot.length() - physicalLength);
      replicas.records().changed(snapshot.block(), BlockRecord.NO_REASON);
    } catch (Replicas.ReplicaChangedException e) {
      throw new BlockSkippedException(SkipReason.CHANGED, e.getMessage());
    }
  }

  /**
   * The report is delayed: it could overtake the DataNode's report that it has the block. The
   * NameNode would then know of a damaged replica only, and never let the writer close its file.
   */
  @Override
  public void reportMismatch() {
    later.after(
        REPORT_DELAY_NANOS,
        () -> {
          if (isUnchanged()) {
            replicas
                .dataset()
                .handleDamaged(
                    snapshot.block().poolId(),
                    snapshot.replica(),
                    snapshot.file() + " does not match its checksums");
          }
        });
  }

  @Override
  public boolean isUnchanged() {
    return replicas.isUnchanged(snapshot);
  }

  @Override
  public void close() {
    try {
      slice.endUse();
      snapshot.volume().releaseReservedSpace(snapshot.length());
    } finally {
      try {
        closeEncoded();
      } finally {
        closeReference();
      }
    }
  }

  private void closeEncoded() {
    try {
      if (encoded != null) {
        encoded.close();
      }
    } catch (IOException e) {
      LOG.debug("Closing what came with {} failed", snapshot.block(), e);
    }
  }

  private void closeReference() {
    try {
      reference.close();
    } catch (IOException e) {
      throw new IllegalStateException("a volume reference throws no exception on close", e);
    }
  }
}
