/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.io.CountedFiles;
import io.hdrf.plugin.PluginLoadException;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schemes as they are opened on one volume and block pool. Each is opened once, when it is
 * first needed, even if several chains use it; block schemes keep their stores in directories named
 * after them. Safe for use by many threads.
 */
public final class VolumeSchemes implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(VolumeSchemes.class);

  private final SchemeRegistry registry;
  private final Configuration configuration;
  private final Path storeRoot;
  private final DurableFiles files;
  private final DurableFiles storeFiles;
  private final VolumeServices services;

  private final Map<List<Integer>, ChainCodec> codecs = new ConcurrentHashMap<>();

  /** Has a lock of its own: whoever looks waits for no store that is being opened. */
  private final Map<String, BlockCodec> blockCodecs =
      Collections.synchronizedMap(new LinkedHashMap<>());

  private final Map<String, FrameCodec> frameCodecs = new HashMap<>();

  /** Held by the thread that closes; taken before this object's own lock. */
  private final Object closing = new Object();

  private boolean closed;

  private volatile boolean leaving;

  /** Opens schemes apart from a DataNode, without services. */
  public VolumeSchemes(
      SchemeRegistry registry, Configuration configuration, Path storeRoot, DurableFiles files) {
    this(registry, configuration, storeRoot, files, VolumeServices.NONE);
  }

  /**
   * @param storeRoot where block schemes keep their stores, on the volume itself; made when the
   *     first of them is opened
   * @param services for block schemes
   */
  public VolumeSchemes(
      SchemeRegistry registry,
      Configuration configuration,
      Path storeRoot,
      DurableFiles files,
      VolumeServices services) {
    this.registry = registry;
    this.configuration = configuration;
    this.storeRoot = storeRoot;
    this.files = files;
    this.storeFiles = new CountedFiles(files, services::storesGrew);
    this.services = services;
  }

  /**
   * The codec for a chain, opened on first use.
   *
   * @param chain not empty
   * @throws BadSettingException if a setting of one of its schemes is wrong
   * @throws IOException if a scheme's store can't be opened
   */
  public ChainCodec codec(SchemeChain chain) throws IOException {
    if (chain.isEmpty()) {
      throw new IllegalArgumentException("the chain is empty");
    }
    List<Integer> key = key(chain.ids());
    ChainCodec codec = codecs.get(key);
    return codec != null ? codec : open(key, chain);
  }

  /**
   * The codec for the chain that a block was stored with.
   *
   * @throws SchemeNotFoundException if one of the schemes is not installed
   * @throws CorruptFrameException if no chain can have these ids
   */
  public ChainCodec codec(int[] ids) throws IOException {
    if (ids.length == 0) {
      throw new CorruptFrameException("the chain is empty");
    }
    List<Integer> key = key(ids);
    ChainCodec codec = codecs.get(key);
    return codec != null ? codec : open(key, SchemeChain.ofIds(ids, registry));
  }

  private synchronized ChainCodec open(List<Integer> key, SchemeChain chain) throws IOException {
    requireOpen();
    ChainCodec codec = codecs.get(key);
    if (codec == null) {
      try {
        codec = open(chain);
      } catch (RuntimeException | LinkageError e) {
        throw new PluginLoadException("the chain " + chain + " can't be opened: " + e, e);
      }
      codecs.put(key, codec);
    }
    return codec;
  }

  private ChainCodec open(SchemeChain chain) throws IOException {
    ReductionScheme first = chain.schemes().get(0);
    if (first instanceof BlockScheme) {
      FrameChain tail = frameChain(chain.schemes().subList(1, chain.schemes().size()));
      SchemeLimit limit = registry.decodeLimit(first, configuration);
      return new ChainCodec(chain, blockCodec((BlockScheme) first), limit, tail, 0);
    }
    return new ChainCodec(
        chain, null, null, frameChain(chain.schemes()), frameLength((FrameScheme) first));
  }

  private FrameChain frameChain(List<ReductionScheme> schemes) throws IOException {
    List<FrameScheme> frameSchemes = new ArrayList<>();
    List<FrameCodec> chainCodecs = new ArrayList<>();
    for (ReductionScheme scheme : schemes) {
      frameSchemes.add((FrameScheme) scheme);
      chainCodecs.add(frameCodec((FrameScheme) scheme));
    }
    return new FrameChain(frameSchemes, chainCodecs, false);
  }

  private FrameCodec frameCodec(FrameScheme scheme) throws IOException {
    FrameCodec codec = frameCodecs.get(scheme.name());
    if (codec == null) {
      // Not needed behind another scheme, but a wrong setting must not pass unnoticed there.
      frameLength(scheme);
      codec = registry.newCodec(scheme, configuration);
      frameCodecs.put(scheme.name(), codec);
    }
    return codec;
  }

  private int frameLength(FrameScheme scheme) throws IOException {
    int length = scheme.frameLength(settings(scheme));
    if (length < 1 || length > FrameCodec.MAX_FRAME_LENGTH) {
      throw new IOException(
          String.format(
              "scheme %s wants frames of %d bytes; the length is from 1 to %d",
              scheme.name(), length, FrameCodec.MAX_FRAME_LENGTH));
    }
    return length;
  }

  private BlockCodec blockCodec(BlockScheme scheme) throws IOException {
    BlockCodec codec = blockCodecs.get(scheme.name());
    if (codec == null) {
      Path store = storeRoot.resolve(scheme.name());
      files.createDirectories(store);
      codec = scheme.open(new Context(scheme, store));
      blockCodecs.put(scheme.name(), codec);
      if (leaving) {
        leave(scheme.name(), codec);
      }
    }
    return codec;
  }

  /**
   * Opens the store that a block scheme has here, if it has one, whether or not a chain names it:
   * so that it is kept up, and what blocks need no more is taken away.
   */
  public synchronized void openStore(BlockScheme scheme) throws IOException {
    requireOpen();
    if (Files.isDirectory(storeRoot.resolve(scheme.name()))) {
      blockCodec(scheme);
    }
  }

  private PluginSettings settings(ReductionScheme scheme) {
    return new PluginSettings(configuration, scheme.name());
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the schemes of " + storeRoot + " are closed");
    }
  }

  /** Has work end that takes long: see {@link BlockCodec#leave}. */
  public void leave() {
    leaving = true;
    blockCodecs().forEach(this::leave);
  }

  private void leave(String scheme, BlockCodec codec) {
    try {
      codec.leave();
    } catch (RuntimeException | Error e) {
      LOG.warn("{}: {} does not end its work", storeRoot, scheme, e);
    }
  }

  /** The block schemes that are open, by name; a snapshot. */
  public Map<String, BlockCodec> blockCodecs() {
    synchronized (blockCodecs) {
      return new LinkedHashMap<>(blockCodecs);
    }
  }

  private static List<Integer> key(int[] ids) {
    return IntStream.of(ids).boxed().collect(Collectors.toList());
  }

  /**
   * Closes all codecs, which must not be in use; does nothing when called again. Threads of a block
   * codec may ask for a frame chain until it is closed, and are told that it is too late; so no
   * lock that they need is held meanwhile. On return of any call all is closed.
   */
  @Override
  public void close() throws IOException {
    synchronized (closing) {
      List<Closeable> open = new ArrayList<>();
      synchronized (this) {
        if (closed) {
          return;
        }
        closed = true;
        codecs.clear();
        open.addAll(blockCodecs.values());
        open.addAll(frameCodecs.values());
      }
      closeAll(open);
    }
  }

  /** Closes all in their order, whatever one of them throws. */
  private static void closeAll(List<Closeable> codecs) throws IOException {
    if (!codecs.isEmpty()) {
      try (Closeable rest = () -> closeAll(codecs.subList(1, codecs.size()))) {
        codecs.get(0).close();
      }
    }
  }

  private final class Context implements SchemeContext {
    private final BlockScheme scheme;
    private final Path store;

    Context(BlockScheme scheme, Path store) {
      this.scheme = scheme;
      this.store = store;
    }

    @Override
    public PluginSettings settings() {
      return VolumeSchemes.this.settings(scheme);
    }

    @Override
    public long volumeId() {
      return services.volumeId();
    }

    @Override
    public MetadataStore metadata() {
      return services.metadata();
    }

    @Override
    public MemoryBudget memory() {
      return services.memory();
    }

    @Override
    public StoredPayloads payloads() {
      return services.payloads(scheme.id());
    }

    @Override
    public Path storeDirectory() {
      return store;
    }

    @Override
    public DurableFiles files() {
      return storeFiles;
    }

    @Override
    public ChunkLookup newLookupElsewhere() {
      return services.newLookupElsewhere(scheme.name());
    }

    @Override
    public FrameChain frameChain(int... ids) throws IOException {
      List<ReductionScheme> schemes = new ArrayList<>();
      for (int id : ids) {
        ReductionScheme scheme = registry.byId(id);
        if (!(scheme instanceof FrameScheme)) {
          throw new SchemeNotFoundException(
              "scheme " + scheme.name() + " (id " + id + ") is no frame scheme");
        }
        schemes.add(scheme);
      }
      synchronized (VolumeSchemes.this) {
        requireOpen();
        return VolumeSchemes.this.frameChain(schemes);
      }
    }
  }
}
