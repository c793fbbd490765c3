/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.conf.MirrorSettings;
import io.hdrf.reduce.BlockRef;
import io.hdrf.scheme.FrameChain;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.SpooledBlocks;
import io.hdrf.wire.WireChains;
import io.hdrf.wire.WireCounters;
import io.hdrf.wire.WireFormat;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Block mirroring of one DataNode: what its connections share. Thread-safe.
 *
 * <p>Frames go out in the chain of the block's own volume where the peer can decode it, so that the
 * peer can store them as they come; otherwise in the substitute.
 */
public final class Mirroring implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(Mirroring.class);

  private static final int MAX_SPOOLED_BLOCKS = 512;
  private static final long MAX_SPOOLED_MEMORY = 64 << 20;

  /** How often an encoder that fails is written of, however many packets it fails on. */
  private static final long COMPLAINT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What mirroring asks of the DataNode's storage. */
  public interface Storage {
    /** The chain that the block, which is being written, will be stored with; may be empty. */
    SchemeChain chainOf(BlockRef block);

    /**
     * A path for a new temporary file on the volume of a block that is being written.
     *
     * @throws IOException if there is no such block, or HDRF keeps nothing on its volume
     */
    Path spoolFile(BlockRef block) throws IOException;
  }

  private final MirrorSettings settings;
  private final WireChains chains;
  private final SchemeChain configured;
  private final int[] substitute;
  private final boolean sends;
  private final Storage storage;
  private final PeerDirectory peers;
  private final WireCounters counters = new WireCounters();
  private final SpooledBlocks spooled = new SpooledBlocks(MAX_SPOOLED_BLOCKS, MAX_SPOOLED_MEMORY);
  private final Capabilities own;
  private final AtomicLong nextComplaint = new AtomicLong(System.nanoTime());

  /**
   * @param configured the chain of {@code hdrf.mirror.scheme}, or null where each block's own chain
   *     is used
   * @param substitute the chain for blocks whose own frames can't travel; empty if there is none
   * @param sends whether this DataNode reduces blocks at all
   */
  public Mirroring(
      MirrorSettings settings,
      WireChains chains,
      SchemeChain configured,
      SchemeChain substitute,
      boolean sends,
      Storage storage) {
    this.settings = settings;
    this.sends = sends;
    this.chains = chains;
    this.configured = configured;
    this.substitute = substitute.ids();
    this.storage = storage;
    this.peers = new PeerDirectory(TimeUnit.SECONDS.toNanos(settings.peerExpirySeconds()));
    this.own =
        settings.isEnabled()
            ? new Capabilities(WireFormat.VERSION, chains.installed())
            : new Capabilities(0, Collections.emptySet());
  }

  /** Whether blocks are sent as frames where the peer can receive them. */
  boolean sends() {
    return settings.isEnabled() && sends;
  }

  int probeTimeoutMillis() {
    return settings.probeTimeoutMillis();
  }

  /** What this DataNode can receive. */
  Capabilities own() {
    return own;
  }

  WireChains chains() {
    return chains;
  }

  /** What was sent and received. */
  public WireCounters counters() {
    return counters;
  }

  /** The frames of blocks that wait to be stored. */
  public SpooledBlocks spooled() {
    return spooled;
  }

  /**
   * The peer at an address, if blocks can go there as frames.
   *
   * @return null if blocks must go there as HDFS sends them
   */
  PeerLink link(InetSocketAddress address, PeerDirectory.Probe probe) {
    Capabilities capabilities = peers.of(address, probe);
    if (capabilities == null) {
      counters.fallback(Fallback.PEER_UNKNOWN);
      return null;
    }
    if (capabilities.version() < WireFormat.VERSION) {
      counters.fallback(Fallback.PEER_IS_STOCK);
      return null;
    }
    int[] certain = configured != null ? configured.ids() : substitute;
    if (certain.length == 0 || !capabilities.canDecode(certain)) {
      counters.fallback(Fallback.PEER_LACKS_SCHEME);
      return null;
    }
    return new PeerLink(address, capabilities);
  }

  /** A connection to the peer failed. */
  void broken(PeerLink peer) {
    if (peer != null && peer.address() != null) {
      peers.forget(peer.address());
    }
  }

  /** A packet goes out as it is, because the chain can't encode it. */
  void encoderFailed(FrameChain chain, IOException failure) {
    counters.fallback(Fallback.ENCODER_FAILED);
    long now = System.nanoTime();
    long next = nextComplaint.get();
    if (now - next >= 0 && nextComplaint.compareAndSet(next, now + COMPLAINT_NANOS)) {
      LOG.warn(
          "{} fails to encode for another DataNode; what it fails on goes there plain. How often is"
              + " counted (MirrorFallback{})",
          chain,
          Fallback.ENCODER_FAILED.metricName(),
          failure);
    } else {
      LOG.debug("{} fails to encode for another DataNode", chain, failure);
    }
  }

  /** The schemes with which a block's data are encoded for a peer. */
  int[] chainFor(BlockRef block, PeerLink peer) {
    if (configured != null) {
      return configured.ids();
    }
    SchemeChain chain = storage.chainOf(block);
    return !chain.isEmpty() && WireChains.travels(chain) && peer.canDecode(chain.ids())
        ? chain.ids()
        : substitute;
  }

  /** The schemes with whose frames a block will be stored; none where it will not be. */
  int[] storedAsFramesOf(BlockRef block) {
    SchemeChain chain = storage.chainOf(block);
    return WireChains.travels(chain) ? chain.ids() : new int[0];
  }

  /** Whether frames of these schemes mean the same on every DataNode. */
  boolean canTravel(int[] chainIds) {
    for (int id : chainIds) {
      if (!chains.installed().contains(id)) {
        return false;
      }
    }
    return true;
  }

  Path spoolFile(BlockRef block) throws IOException {
    return storage.spoolFile(block);
  }

  @Override
  public void close() {
    spooled.close();
    chains.close();
  }
}
