/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.sample.DeflateScheme;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.Volume;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** Blocks in memory whose chunks lie in a directory, for tests; can be restarted. */
final class DedupVolume implements Closeable, VolumeServices {

  /** The store's entry for a complete index. */
  static final byte[] COMPLETE = "dedup.index".getBytes(StandardCharsets.US_ASCII);

  private final Path directory;
  private final Configuration configuration;
  private final DurableFiles files;
  private final String chain;
  private final MetadataStore store;
  private final MemoryBudget memory;
  private final Map<Long, List<StoredFrame>> blocks;
  private Volume volume;
  private ChainCodec codec;
  private ChunkLookup elsewhere = ChunkLookup.NONE;
  private final Set<Long> damaged = new ConcurrentSkipListSet<>();

  /** Runs whenever all stored blocks have been shown. */
  private Runnable afterBlocksWereShown = () -> {};

  DedupVolume(
      Path directory,
      Configuration configuration,
      DurableFiles files,
      String chain,
      MetadataStore store)
      throws IOException {
    this(directory, configuration, files, chain, store, new TreeMap<>());
  }

  /**
   * @param blocks the blocks that are in place
   */
  DedupVolume(
      Path directory,
      Configuration configuration,
      DurableFiles files,
      String chain,
      MetadataStore store,
      Map<Long, List<StoredFrame>> blocks)
      throws IOException {
    this(directory, configuration, files, chain, store, blocks, MemoryBudget.unlimited());
  }

  DedupVolume(
      Path directory,
      Configuration configuration,
      DurableFiles files,
      String chain,
      MetadataStore store,
      Map<Long, List<StoredFrame>> blocks,
      MemoryBudget memory)
      throws IOException {
    this.memory = memory;
    this.directory = directory;
    this.configuration = configuration;
    this.files = files;
    this.chain = chain;
    this.store = store;
    this.blocks = new ConcurrentSkipListMap<>(blocks);
    open();
  }

  /** Has a few hundred KB of data lie in several containers, and everything collected at once. */
  static void setSmall(Configuration conf) {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "32k");
    conf.set("hdrf.dedup.group.size", "16k");
    conf.set("hdrf.dedup.container.size", "128k");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
  }

  /** Returns a new store in memory. */
  static MetadataStore newStore() {
    return new MapStoreProvider()
        .open(
            new StoreContext(
                new PluginSettings(new Configuration(false), "map"),
                null,
                UUID.randomUUID().toString(),
                "pool"));
  }

  private void open() throws IOException {
    SchemeRegistry registry = SchemeRegistry.of(List.of(new DedupScheme(), new DeflateScheme()));
    volume = new Volume(registry, configuration, directory, files, this);
    codec = volume.codec(SchemeChain.parse("hdrf.schemes", chain, registry));
  }

  void restart() throws IOException {
    volume.close();
    open();
  }

  /** Restarts it and waits until its filters are there again. */
  void restartWithFilters() throws Exception {
    restart();
    awaitIndexed();
    while (metric("dbaLoaded") + metric("dbaRebuilt") == 0 && metric("indexRebuilds") == 0) {
      Thread.sleep(5);
    }
    awaitIndexed();
  }

  /** Stores a block as the Reducer does. */
  void put(long id, byte[] block, Random random) throws IOException {
    try (Pin pin = codec.pin()) {
      blocks.put(id, Volume.encode(codec, block, random));
    }
  }

  /** Encodes a block as the Reducer does, but does not put it in place. */
  List<StoredFrame> encode(byte[] block, Random random) throws IOException {
    return Volume.encode(codec, block, random);
  }

  Pin pin() {
    return codec.pin();
  }

  void putInPlace(long id, List<StoredFrame> block) {
    blocks.put(id, block);
  }

  void afterBlocksWereShown(Runnable action) {
    afterBlocksWereShown = action;
  }

  byte[] get(long id, Random random) throws IOException {
    return Volume.decode(codec, blocks.get(id), random);
  }

  void delete(long id) {
    blocks.remove(id);
  }

  Map<Long, List<StoredFrame>> blocks() {
    return new TreeMap<>(blocks);
  }

  ChainCodec codec() {
    return codec;
  }

  BlockCodec dedup() {
    return volume.blockCodecs().get("dedup");
  }

  long metric(String name) {
    return dedup().metrics().get(name);
  }

  Map<String, Long> collect() throws IOException {
    return dedup().reclaim(line -> {});
  }

  /** Waits until the index has all published chunks, and those of older containers. */
  void awaitIndexed() throws IOException, InterruptedException {
    while (metric("indexPending") > 0
        || !dedup().metrics().containsKey("dbaQueries")
        || store.get(Table.STATE, List.of(COMPLETE)).get(0) == null) {
      Thread.sleep(5);
    }
  }

  /** Waits until an index in memory has what the containers have. */
  void awaitFilled() throws InterruptedException {
    while (metric("indexContainersToRead") > 0) {
      Thread.sleep(5);
    }
  }

  /** Bytes of all files of the store. */
  long storedBytes() throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Override
  public long volumeId() {
    return 77;
  }

  @Override
  public MetadataStore metadata() {
    return store;
  }

  @Override
  public MemoryBudget memory() {
    return memory;
  }

  @Override
  public StoredPayloads payloads(int schemeId) {
    return new StoredPayloads() {
      @Override
      public void forEach(Visitor visitor) throws IOException {
        show(visitor);
      }

      @Override
      public void damaged(long blockId, DamageCheck check, IOException why) {
        try {
          for (StoredFrame frame : blocks.getOrDefault(blockId, List.of())) {
            if (check.isDamaged(payload(frame))) {
              damaged.add(blockId);
            }
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  private void show(StoredPayloads.Visitor visitor) throws IOException {
    for (Map.Entry<Long, List<StoredFrame>> block : blocks.entrySet()) {
      for (StoredFrame frame : block.getValue()) {
        visitor.frame(block.getKey(), frame.originalLength(), payload(frame));
      }
    }
    try {
      afterBlocksWereShown.run();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static ByteBuffer payload(StoredFrame frame) {
    return ByteBuffer.allocateDirect(frame.bytes().length).put(frame.bytes()).flip();
  }

  @Override
  public ChunkLookup newLookupElsewhere(String scheme) {
    return elsewhere;
  }

  /** Sets where chunks are looked for beyond this volume, after the next restart. */
  void elsewhere(ChunkLookup lookup) {
    elsewhere = lookup;
  }

  /** The blocks that were to be examined. */
  Set<Long> damaged() {
    return damaged;
  }

  @Override
  public void close() throws IOException {
    volume.close();
  }
}
