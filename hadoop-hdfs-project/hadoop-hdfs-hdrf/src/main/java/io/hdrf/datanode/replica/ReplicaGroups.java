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
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.wire.GroupStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;

/** The groups of the replicas' volumes. Thread-safe. */
public final class ReplicaGroups implements GroupStores {

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
  public GroupStream.Offer offer(BlockRef block, byte[] challenge) throws IOException {
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
              block,
              snapshot.generationStamp(),
              function.dialect(),
              codec.chain().ids(),
              challenge);
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

  private ChunkFunction function(SchemeChain chain) {
    return chain.isEmpty() ? null : functions.apply(chain.schemes().get(0).name());
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
    Awaited awaited = null;
    try {
      awaited = begin(offer);
      return awaited;
    } finally {
      if (awaited == null) {
        release(block);
      }
    }
  }

  /** The Reducer may have been declined the block meanwhile. */
  private void release(BlockRef block) {
    replicas.awaited().release(block);
    if (replicas.settled().saved(block, UNSETTLED) == UNSETTLED) {
      reducer.get().offerWithoutDelay(block);
    }
  }

  private Awaited begin(GroupStream.Offer offer) throws IOException {
    BlockRef block = offer.block();
    ReplicaSnapshot snapshot = ReplicaSnapshot.current(replicas.dataset(), block);
    if (snapshot == null
        || snapshot.generationStamp() != offer.generationStamp()
        || replicas.settled().saved(block, UNSETTLED) != UNSETTLED
        || replicas.isHeld(block)) {
      return null;
    }
    PoolSlice slice = use(snapshot);
    if (slice == null) {
      return null;
    }
    Incoming incoming = null;
    try {
      ChainCodec codec = slice.codec();
      if (codec != null
          && !slice.isKeptPlain()
          && offer.hasChain(codec.chain().ids())
          && isDialect(codec.chain(), offer.dialect())
          && snapshot.volume().getAvailable() >= snapshot.length()) {
        // What comes may be referred to by other blocks.
        slice.recordSchemes(codec.chain());
        incoming = incoming(snapshot, slice, codec);
      }
    } finally {
      if (incoming == null) {
        slice.endUse();
      }
    }
    return incoming;
  }

  private boolean isDialect(SchemeChain chain, long dialect) {
    ChunkFunction function = function(chain);
    return function != null && function.dialect() == dialect;
  }

  private Incoming incoming(ReplicaSnapshot snapshot, PoolSlice slice, ChainCodec codec)
      throws IOException {
    FsVolumeReference reference;
    try {
      reference = snapshot.volume().obtainReference();
    } catch (ClosedChannelException e) {
      return null;
    }
    GroupImport groups = null;
    try {
      groups = codec.importGroups(snapshot.length());
    } finally {
      if (groups == null) {
        reference.close();
      }
    }
    return groups == null ? null : new Incoming(snapshot.block(), slice, reference, groups);
  }

  /** A replica whose groups come. Keeps its volume in service. */
  private final class Incoming implements Awaited {
    private final BlockRef block;
    private final PoolSlice slice;
    private final FsVolumeReference reference;
    private final GroupImport groups;

    Incoming(BlockRef block, PoolSlice slice, FsVolumeReference reference, GroupImport groups) {
      this.block = block;
      this.slice = slice;
      this.reference = reference;
      this.groups = groups;
    }

    @Override
    public Closeable turn() {
      Semaphore turns = reducer.get().turns();
      turns.acquireUninterruptibly();
      return turns::release;
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
        reference.close();
        release(block);
      }
    }
  }
}
