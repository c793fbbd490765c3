/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChainSource;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.RunReader;
import io.hdrf.codec.dedup.gc.GarbageCollector;
import io.hdrf.codec.dedup.heal.ChunkHealer;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.Prefetch;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * What {@link DedupCodec} is made of, put together in the same way, but without its threads: so
 * that a benchmark can have each part work by itself. For one thread.
 */
public final class DedupVolume implements Closeable {

  private static final byte[] COMPLETE = "dedup.index".getBytes(StandardCharsets.US_ASCII);
  private static final int FIRST_PAYLOAD = 1 << 20;

  private final MetadataStore store;
  private final ContainerStore containers;
  private final FingerprintIndex index;
  private final ChunkPins pins = new ChunkPins();
  private final GarbageCollector collector;
  private final int readGap;
  private final Set<Long> touched = new HashSet<>();
  private long runs;

  /**
   * Opens what is below HDRF's directory of a pool.
   *
   * @param store stays the caller's
   * @param chains stays the caller's, as do the chains
   */
  public DedupVolume(
      Path hdrf,
      long identity,
      MetadataStore store,
      StoredPayloads payloads,
      DurableFiles files,
      ChainSource chains,
      Configuration configuration)
      throws IOException {
    this.store = store;
    DedupSettings settings = settings(configuration);
    readGap = settings.readGap();
    Path directory = directory(hdrf);
    containers =
        ContainerStore.open(
            containers(hdrf),
            files,
            ContainerSettings.of(identity)
                .containerSize(settings.containerSize())
                .groupSize(settings.groupSize())
                .directoryMemory(settings.directoryMemory())
                .groupMemory(settings.groupMemory()),
            chains,
            settings.fingerprint());
    index =
        new FingerprintIndex(
            store, containers, pins, directory.resolve("filters"), files, settings.index());
    collector =
        new GarbageCollector(
            containers,
            index,
            pins,
            (visitor, firstRange) ->
                payloads.forEachKnown(
                    (block, length, payload) ->
                        Recipe.parse(
                            payload,
                            (container, first, count) ->
                                visitor.reference(block, container, first, count))),
            new ChunkHealer(
                containers,
                index,
                Collections.emptyList(),
                settings.healRate(),
                () -> false,
                System::nanoTime),
            settings.gc(),
            () -> false);
  }

  private static DedupSettings settings(Configuration configuration) throws IOException {
    return new DedupSettings(new PluginSettings(configuration, new DedupScheme().name()));
  }

  private static Path directory(Path hdrf) {
    return hdrf.resolve(new DedupScheme().name());
  }

  /** Where the containers are, below HDRF's directory of a pool. */
  public static Path containers(Path hdrf) {
    return directory(hdrf).resolve(DedupCodec.CONTAINERS);
  }

  /** See {@code hdrf.dedup.group.size}. */
  public static int groupSize(Configuration configuration) throws IOException {
    return settings(configuration).groupSize();
  }

  /** See {@code hdrf.dedup.container.size}. */
  public static int containerSize(Configuration configuration) throws IOException {
    return settings(configuration).containerSize();
  }

  /** Makes the index complete, or writes what waits. */
  public void completeIndex() throws IOException {
    do {
      index.work(() -> false);
    } while (index.pending() > 0
        || store.get(Table.STATE, Collections.singletonList(COMPLETE)).get(0) == null);
  }

  public ContainerStore containers() {
    return containers;
  }

  public FingerprintIndex index() {
    return index;
  }

  public ChunkPins pins() {
    return pins;
  }

  /** Runs one cycle of the collector; returns its figures by name. */
  public Map<String, Long> collect() throws IOException {
    return collector.collect(message -> {}).asMap();
  }

  /** Decodes as {@link DedupCodec} does. */
  public BlockCodec codec() {
    return new Codec();
  }

  /** The number of runs that were decoded. */
  public long runs() {
    return runs;
  }

  /** The number of containers that were read from since the last call. */
  public int takeTouched() {
    int count = touched.size();
    touched.clear();
    return count;
  }

  private final class Codec implements BlockCodec {
    @Override
    public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) throws IOException {
      DedupCodec.prefetch(payload, containers);
      try (RunReader reader = containers.newRunReader()) {
        Recipe.parseChunks(
            payload,
            (container, first, count) -> {
              touched.add(container);
              runs++;
              reader.read(container, first, count, frame);
            });
      }
    }

    @Override
    public Prefetch newPrefetch() {
      return new RecipesAhead(containers, readGap);
    }
  }

  /** Chooses the chunks of blocks that are stored again, as {@link BlockDeduplicator} does. */
  public static final class Cap {
    private final ContainerCap cap;
    private final int[] ends = new int[IndexLookup.MAX_COUNT];
    private final long[] bases = new long[IndexLookup.MAX_COUNT];

    public Cap(Configuration configuration) throws IOException {
      cap = settings(configuration).newContainerCap();
      Arrays.fill(bases, ContainerStore.WHOLE);
    }

    public void beginBlock() {
      cap.beginBlock();
    }

    /**
     * The next chunks of a block.
     *
     * @param refs the references of {@code count} chunks; those that are stored again get -1
     * @param length of each chunk
     * @param own the container that the block is appended to, or -1
     */
    public void apply(long[] refs, int count, int length, long own) {
      for (int i = 0; i < count; i++) {
        ends[i] = (i + 1) * length;
      }
      cap.apply(refs, bases, ends, count, own);
    }
  }

  /** Makes the frames of blocks, one block after the other, as {@link BlockDeduplicator} does. */
  public static final class Frames {
    private final Recipe recipe = new Recipe();
    private final ByteBuffer payload = ByteBuffer.allocateDirect(FIRST_PAYLOAD);
    private final int frameSize;

    public Frames(Configuration configuration) throws IOException {
      frameSize = settings(configuration).frameSize();
    }

    /** The next chunk of a block. */
    public void add(long ref, int length, FrameSink sink) throws IOException {
      recipe.add(ref, length);
      if (recipe.originalLength() >= frameSize) {
        end(sink);
      }
    }

    /** Ends a block. */
    public void end(FrameSink sink) throws IOException {
      if (recipe.originalLength() > 0) {
        int length = (int) recipe.originalLength();
        payload.clear();
        recipe.write(payload);
        payload.flip();
        sink.frame(length, 1, payload);
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      index.close();
    } finally {
      containers.close();
    }
  }
}
