/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.mirror.group.GroupStores;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.reduce.Reducer;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.wire.GroupStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The groups of the replicas' volumes. Thread-safe. */
public final class ReplicaGroups implements GroupStores {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaGroups.class);

  private static final long UNSETTLED = -1;

  private final Replicas replicas;
  private final PoolSlices slices;
  private final Function<String, ChunkFunction> functions;
  private final Supplier<Reducer> reducer;

  /**
   * @param functions how a scheme of that name cuts and names chunks, or null
   * @param reducer gets the blocks whose groups have come, or come no more, and gives turns
   */
  public ReplicaGroups(
      Replicas replicas,
      PoolSlices slices,
      Function<String, ChunkFunction> functions,
      Supplier<Reducer> reducer) {
    this.replicas = replicas;
    this.slices = slices;
    this.functions = functions;
    this.reducer = reducer;
  }

  @Override
  public GroupStream.Offer offer(BlockRef block) throws IOException {
    ReplicaSnapshot snapshot = ReplicaSnapshot.current(replicas.dataset(), block);
    if (snapshot == null) {
      return null;
    }
    PoolSlice slice = use(snapshot);
    if (slice == null) {
      return null;
    }
    try {
      ChainCodec codec = slice.codec();
      ChunkFunction function = codec == null ? null : function(codec.chain());
      return function == null
          ? null
          : new GroupStream.Offer(
              block, snapshot.generationStamp(), function.dialect(), codec.chain().ids());
    } finally {
      slice.endUse();
    }
  }

  /** The slice of a replica, to be given back; null if it leaves. */
  private PoolSlice use(ReplicaSnapshot snapshot) {
    try {
      return slices.use(snapshot.volume(), snapshot.block().poolId());
    } catch (UnavailableException e) {
      return null;
    }
  }

  /** Null also where groups, which the schemes behind the first encode, mean nothing elsewhere. */
  private ChunkFunction function(SchemeChain chain) {
    List<ReductionScheme> schemes = chain.schemes();
    return schemes.isEmpty()
            || !schemes.stream().skip(1).allMatch(scheme -> ((FrameScheme) scheme).framesTravel())
        ? null
        : functions.apply(schemes.get(0).name());
  }

  @Override
  public Closeable use(GroupStream.Offer offer) throws IOException {
    ReplicaSnapshot snapshot = ReplicaSnapshot.current(replicas.dataset(), offer.block());
    PoolSlice slice =
        snapshot == null || snapshot.generationStamp() != offer.generationStamp()
            ? null
            : use(snapshot);
    return slice == null ? null : slice::endUse;
  }

  @Override
  public Awaited await(GroupStream.Offer offer) throws IOException {
    BlockRef block = offer.block();
    if (!replicas.awaited().await(block)) {
      return null;
    }
    boolean useful = false;
    try {
      PoolSlice slice = usable(offer, wanted(offer));
      useful = slice != null;
      if (useful) {
        slice.endUse();
      }
    } finally {
      if (!useful) {
        release(block);
      }
    }
    return !useful
        ? null
        : new Awaited() {
          @Override
          public Incoming begin() throws IOException {
            return ReplicaGroups.this.begin(offer);
          }

          @Override
          public void close() {
            release(block);
          }
        };
  }

  /** The Reducer may have been declined the block meanwhile. */
  private void release(BlockRef block) {
    replicas
        .awaited()
        .release(
            block,
            () -> {
              if (replicas.settled().saved(block, UNSETTLED) == UNSETTLED) {
                reducer.get().offerWithoutDelay(block);
              }
            });
  }

  /** The replica, if it is plain and the one that is meant; otherwise null. */
  private ReplicaSnapshot wanted(GroupStream.Offer offer) throws IOException {
    BlockRef block = offer.block();
    ReplicaSnapshot snapshot = ReplicaSnapshot.current(replicas.dataset(), block);
    return snapshot == null
            || snapshot.generationStamp() != offer.generationStamp()
            || replicas.settled().saved(block, UNSETTLED) != UNSETTLED
            || replicas.isHeld(block)
        ? null
        : snapshot;
  }

  /**
   * The slice of a replica, to be given back; null if groups are of no use there.
   *
   * @param snapshot may be null
   */
  private PoolSlice usable(GroupStream.Offer offer, ReplicaSnapshot snapshot) throws IOException {
    PoolSlice slice = snapshot == null ? null : use(snapshot);
    boolean usable = false;
    try {
      ChainCodec codec = slice == null ? null : slice.codec();
      ChunkFunction function = codec == null ? null : function(codec.chain());
      usable =
          function != null
              && function.dialect() == offer.dialect()
              && offer.hasChain(codec.chain().ids())
              && !slice.isKeptPlain()
              && snapshot.volume().getAvailable() >= snapshot.length();
    } finally {
      if (slice != null && !usable) {
        slice.endUse();
      }
    }
    return usable ? slice : null;
  }

  private Incoming begin(GroupStream.Offer offer) throws IOException {
    Semaphore turns = reducer.get().turns();
    turns.acquireUninterruptibly();
    Incoming incoming = null;
    try {
      ReplicaSnapshot snapshot = wanted(offer);
      PoolSlice slice = usable(offer, snapshot);
      incoming = slice == null ? null : incoming(snapshot, slice, turns);
    } finally {
      if (incoming == null) {
        turns.release();
      }
    }
    return incoming;
  }

  private static Incoming incoming(ReplicaSnapshot snapshot, PoolSlice slice, Semaphore turns)
      throws IOException {
    FsVolumeReference reference = null;
    GroupImport groups = null;
    try {
      reference = snapshot.volume().obtainReference();
      // What comes may be referred to by other blocks.
      slice.recordSchemes(slice.codec().chain());
      groups = slice.codec().importGroups(snapshot.length());
    } catch (ClosedChannelException e) {
      LOG.debug("{} leaves", snapshot.volume(), e);
    } finally {
      if (groups == null) {
        slice.endUse();
        if (reference != null) {
          reference.close();
        }
      }
    }
    return groups == null ? null : new OpenStore(slice, reference, groups, turns);
  }

  /** A store that takes groups, of a volume that stays in service meanwhile. */
  private static final class OpenStore implements Incoming {
    private final PoolSlice slice;
    private final FsVolumeReference reference;
    private final GroupImport groups;
    private final Semaphore turns;

    OpenStore(PoolSlice slice, FsVolumeReference reference, GroupImport groups, Semaphore turns) {
      this.slice = slice;
      this.reference = reference;
      this.groups = groups;
      this.turns = turns;
    }

    @Override
    public GroupImport groups() {
      return groups;
    }

    @Override
    public void close() throws IOException {
      try {
        groups.close();
      } finally {
        slice.endUse();
        turns.release();
        reference.close();
      }
    }
  }
}
