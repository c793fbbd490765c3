/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.MirrorSettings;
import io.hdrf.datanode.mirror.LinkChoice.Form;
import io.hdrf.datanode.mirror.query.ChunkQueries;
import io.hdrf.datanode.mirror.query.ChunkQueryClient;
import io.hdrf.datanode.mirror.query.ChunkQueryConnection;
import io.hdrf.reduce.ReductionRules;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.thread.HdrfThreads;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.ReceiveMemory;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.SpooledBlocks;
import io.hdrf.wire.Timer;
import io.hdrf.wire.WireChains;
import io.hdrf.wire.WireCounters;
import io.hdrf.wire.WireFormat;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
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

  /** The time between two messages about an encoder that fails, on however many packets. */
  private static final long COMPLAINT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** A replica that is being written. Immutable. */
  public static final class Written {
    private final long generationStamp;
    private final SchemeChain chain;
    private final FrameSpool.Place place;

    /**
     * @param chain the one that it will be stored with; may be empty
     * @param place makes temporary files on its volume; fails if HDRF keeps nothing there
     */
    public Written(long generationStamp, SchemeChain chain, FrameSpool.Place place) {
      this.generationStamp = generationStamp;
      this.chain = chain;
      this.place = place;
    }

    SchemeChain chain() {
      return chain;
    }

    /**
     * Begins to collect its frames.
     *
     * @param maxFrame as for {@link FrameSpool}
     */
    FrameSpool spool(int maxFrame, ReceiveMemory memory) {
      return new FrameSpool(generationStamp, place, maxFrame, memory);
    }
  }

  /** The part of the DataNode's storage that mirroring needs. */
  public interface Storage {
    /** The chain that a block of this DataNode is, or will be, stored with; may be empty. */
    SchemeChain chainOf(BlockRef block);

    /**
     * The replica of a block that this very thread writes, in the state RBW or TEMPORARY.
     *
     * @return null if it writes none of this block
     */
    Written written(BlockRef block);

    /**
     * The first bytes of a replica that is being written, as they lie on the disk.
     *
     * @param length the most to be given
     * @return fewer, or none, where there are not so many, or they can't be read
     */
    byte[] beginning(BlockRef block, int length);

    /** Looks for chunks in a scheme's stores on all volumes of a pool. */
    ChunkLookup chunks(String poolId, String scheme);
  }

  /** The longest time that a connection waits for memory to receive into. */
  private static final long MEMORY_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final MirrorSettings settings;
  private final ReductionRules rules;
  private final WireChains chains;
  private final SchemeChain configured;
  private final int[] substitute;
  private final boolean sends;
  private final boolean framesAreStored;
  private final Storage storage;
  private final WireCounters counters = new WireCounters();
  private final ChunkQueries queries;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(HdrfThreads.factory("hdrf-mirror"));
  private final PeerDirectory peers;
  private final ProcessorLoad processors = new ProcessorLoad();
  private final SpooledBlocks spooled;
  private final ReceiveMemory memory;
  private final Capabilities own;
  private final AtomicLong nextComplaint = new AtomicLong(System.nanoTime());

  /**
   * @param rules tell which blocks stay plain
   * @param configured the chain of {@code hdrf.mirror.scheme}, or null where each block's own chain
   *     is used
   * @param substitute the chain for blocks whose own frames can't travel; empty if there is none
   * @param sends whether this DataNode reduces blocks at all
   * @param framesAreStored whether it may do so in frames that peers store as they come
   * @param functions as for {@link ChunkQueries}
   * @param timer drops frames that nobody stores, and what {@link ChunkQueries} says
   */
  public Mirroring(
      MirrorSettings settings,
      ReductionRules rules,
      WireChains chains,
      SchemeChain configured,
      SchemeChain substitute,
      boolean sends,
      boolean framesAreStored,
      Storage storage,
      Map<String, ChunkFunction> functions,
      Timer timer) {
    this.settings = settings;
    this.rules = rules;
    this.sends = sends;
    this.framesAreStored = framesAreStored;
    this.chains = chains;
    this.configured = configured;
    this.substitute = substitute.ids();
    this.storage = storage;
    this.queries = new ChunkQueries(settings, functions, storage::chunks, counters, timer);
    this.memory =
        new ReceiveMemory(
            settings.receiveMemory(),
            MEMORY_PATIENCE_NANOS,
            () -> counters.fallback(Fallback.NO_RECEIVE_MEMORY));
    this.spooled =
        new SpooledBlocks(
            MAX_SPOOLED_BLOCKS,
            MAX_SPOOLED_MEMORY,
            () -> counters.fallback(Fallback.SPOOL_DROPPED),
            timer);
    this.peers = new PeerDirectory(TimeUnit.SECONDS.toNanos(settings.peerExpirySeconds()));
    this.own = capabilities();
  }

  private Capabilities capabilities() {
    if (!settings.isEnabled()) {
      return new Capabilities(0, Collections.emptySet());
    }
    List<Long> dialects = settings.references() ? queries.dialects() : Collections.emptyList();
    return new Capabilities(WireFormat.VERSION, chains.usable(), dialects).makingChecksums();
  }

  /** The queries for chunks. */
  public ChunkQueries queries() {
    return queries;
  }

  /** Into which all connections receive. */
  public ReceiveMemory memory() {
    return memory;
  }

  /** Returns whether blocks are sent to, and accepted from, other DataNodes as frames. */
  boolean isEnabled() {
    return settings.isEnabled();
  }

  /** A stream with references to a peer did not end well: the next ones do without. */
  void referencesBroke(PeerLink peer) {
    peers.penalize(peer.address());
  }

  /**
   * Returns what begins to ask a peer for a block's chunks; null if the block goes there without
   * references.
   */
  PacketFramer.ReferenceSource references(BlockRef block, PeerLink peer, RecordWriter records) {
    SchemeChain chain = storage.chainOf(block);
    ChunkFunction function =
        chain.isEmpty() ? null : queries.function(chain.schemes().get(0).name());
    if (!queries.areEnabled()
        || function == null
        || !peer.canBeAsked(function.dialect())
        || peers.isPenalized(peer.address())) {
      return null;
    }
    return () -> ask(block, peer, function, records);
  }

  private ReferenceSender ask(
      BlockRef block, PeerLink peer, ChunkFunction function, RecordWriter records)
      throws IOException {
    FrameEncoder encoder = new FrameEncoder(this, certainChain(), LinkMeter.fixed(Form.REDUCED));
    ChunkQueryClient session =
        new ChunkQueryClient(
            queries,
            peer.asking(),
            function.dialect(),
            block.poolId(),
            () -> referencesBroke(peer));
    ReferenceSender sender = new ReferenceSender(this, records, peer, function, session, encoder);
    if (sender.start()) {
      return sender;
    }
    encoder.close();
    return null;
  }

  /**
   * Begins to measure how a block goes to a peer.
   *
   * @param encodes whether this DataNode is the first that may encode it
   */
  LinkMeter meter(BlockRef block, PeerLink peer, boolean encodes) {
    if (!settings.isAutomatic() || !peer.isReachable()) {
      return LinkMeter.fixed(Form.REDUCED);
    }
    SchemeChain chain = storage.chainOf(block);
    // The peer stores them as they come, whole or not: half plain, the block would stay like that.
    boolean stored = canStore(chain, peer) && Arrays.equals(chain.ids(), chainFor(block, peer));
    // Frames that are stored spare the peer an encoder.
    return LinkMeter.begin(choice(peer, encodes && stored ? Form.REDUCED : Form.PLAIN), !stored);
  }

  /**
   * Begins to measure a stream as in stock HDFS.
   *
   * @return null if packets to the peer may have to go otherwise
   */
  LinkMeter plainMeter(PeerLink peer) {
    if (!settings.isAutomatic() || framesAreStored) {
      return null;
    }
    LinkChoice choice = choice(peer, Form.PLAIN);
    return choice.isPlain() ? LinkMeter.plain(choice) : null;
  }

  /** Returns what tells whether a block that passes stays plain; null if none does. */
  WireFilter filter(BlockRef block) {
    return rules.looksAtContent()
        ? new WireFilter(rules, length -> storage.beginning(block, length))
        : null;
  }

  /** Returns whether every block of that length, in bytes, stays plain. */
  boolean isShort(long length) {
    return rules.isShort(length);
  }

  private LinkChoice choice(PeerLink peer, Form cheaper) {
    return peers.choice(
        peer.address(),
        cheaper,
        form ->
            new LinkChoice(
                form,
                form == Form.PLAIN ? processors::beginFull : processors::beginHalf,
                counters::formTried,
                counters::formChanged));
  }

  private static boolean canStore(SchemeChain chain, PeerLink peer) {
    return !chain.isEmpty() && WireChains.travels(chain) && peer.canDecode(chain.ids());
  }

  /** Returns the chain that every linked peer can decode. */
  private int[] certainChain() {
    return configured != null ? configured.ids() : substitute;
  }

  /**
   * Runs a task on a separate thread.
   *
   * @return false if there are no threads any more
   */
  boolean execute(Runnable task) {
    try {
      threads.execute(task);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // The error is of a process that may have no more threads, and is no reason to fail a block.
      LOG.debug("No thread for {}", task, e);
      return false;
    }
  }

  /** Returns whether packets go to a peer without checksums that it can make. */
  boolean leavesChecksumsOut(PeerLink peer) {
    return !settings.sendsChecksums() && peer.makesChecksums();
  }

  /** Returns whether blocks are sent as frames where the peer can receive them. */
  boolean sends() {
    return settings.isEnabled() && sends;
  }

  int probeTimeoutMillis() {
    return settings.probeTimeoutMillis();
  }

  /** Returns the capabilities of this DataNode. */
  Capabilities own() {
    return own;
  }

  WireChains chains() {
    return chains;
  }

  /** Returns the counters of sent and received bytes. */
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
   * @param asking connects to it to ask for chunks
   * @return null if blocks must go there as HDFS sends them
   */
  PeerLink link(
      InetSocketAddress address, PeerDirectory.Probe probe, ChunkQueryConnection.Source asking) {
    Capabilities capabilities = peers.of(address, probe);
    if (capabilities == null) {
      counters.fallback(Fallback.PEER_UNKNOWN);
      return null;
    }
    if (capabilities.version() < WireFormat.VERSION) {
      counters.fallback(Fallback.PEER_IS_STOCK);
      return null;
    }
    int[] certain = certainChain();
    if (certain.length == 0 || !canTravel(certain) || !capabilities.canDecode(certain)) {
      counters.fallback(Fallback.PEER_LACKS_SCHEME);
      return null;
    }
    return new PeerLink(address, capabilities, asking);
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

  /**
   * The schemes with which a block's data are encoded for a peer. One that asks for a copy was not
   * looked at before, as {@link #link} does: it may lack schemes, or this DataNode may.
   */
  int[] chainFor(BlockRef block, PeerLink peer) {
    if (configured == null) {
      SchemeChain chain = storage.chainOf(block);
      if (canStore(chain, peer) && canTravel(chain.ids())) {
        return chain.ids();
      }
    }
    int[] certain = certainChain();
    return certain.length > 0 && canTravel(certain) && peer.canDecode(certain)
        ? certain
        : commonScheme(peer, certain);
  }

  /** Who asks in records has found one that both have. */
  private int[] commonScheme(PeerLink peer, int[] otherwise) {
    counters.fallback(Fallback.PEER_LACKS_SCHEME);
    for (int id : chains.usable()) {
      int[] single = {id};
      if (peer.canDecode(single)) {
        return single;
      }
    }
    return otherwise;
  }

  /** The replica of a block that this very thread writes, or null. */
  Written written(BlockRef block) {
    return storage.written(block);
  }

  /** Returns whether these schemes work here, and their frames mean the same everywhere. */
  boolean canTravel(int[] chainIds) {
    for (int id : chainIds) {
      if (!chains.usable().contains(id)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    threads.shutdownNow();
    spooled.close();
    chains.close();
  }
}
