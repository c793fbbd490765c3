/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.index.IndexSettings;
import io.hdrf.codec.dedup.liveness.Liveness;
import io.hdrf.io.DurableFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.LocalDurableFiles;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.StoreBatch;
import io.hdrf.metadata.StoreContext;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.scheme.FrameChain;
import io.hdrf.scheme.SchemeSettings;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;

/**
 * Containers with an index and blocks that are lists of references, for a collector whose time the
 * test sets. Each chunk is a group of its own and takes as much room as any other.
 */
final class CollectedStore implements BlockReferences, Closeable {

  static final int CHUNK = 100;

  /** Sees calls of the metadata store before they are done, and may fail them. */
  interface Watcher {
    void called(String operation, StoreBatch batch) throws IOException;
  }

  final Configuration conf = new Configuration(false);
  final Liveness liveness = new Liveness();

  /** What each block refers to. */
  final Map<Long, long[]> blocks = new TreeMap<>();

  final ContainerStore containers;
  final FingerprintIndex index;
  Watcher watcher = (operation, batch) -> {};

  /** Names files that can't be created. */
  Predicate<Path> refused = file -> false;

  BooleanSupplier stopping = () -> false;

  /** Done when all blocks have been shown. */
  BlocksShown afterBlocksWereShown = () -> {};

  long nanoTime = Long.MAX_VALUE - 5;
  long millis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
  long pinMillis = TimeUnit.MINUTES.toMillis(15);
  private long chunks;

  /** As a {@link Runnable}. */
  interface BlocksShown {
    void run() throws IOException;
  }

  CollectedStore(Path directory) throws IOException {
    conf.set("hdrf.dedup.index.sample", "1");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
    FrameChain plain = FrameChain.of(List.of(), conf);
    ForwardingFiles files =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public DurableFile create(Path file) throws IOException {
            if (refused.test(file)) {
              throw new IOException(file + ": No space left on device");
            }
            return super.create(file);
          }
        };
    containers =
        ContainerStore.open(
            directory.resolve("containers"),
            files,
            ContainerSettings.of(7).groupSize(CHUNK),
            ids -> plain,
            (chunk, dst, offset) -> System.arraycopy(name(chunk.get(0)), 0, dst, offset, 32));
    MetadataStore map =
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new SchemeSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool"));
    MetadataStore watched =
        (MetadataStore)
            Proxy.newProxyInstance(
                MetadataStore.class.getClassLoader(),
                new Class<?>[] {MetadataStore.class},
                (proxy, method, arguments) -> {
                  boolean writes = method.getName().equals("write");
                  watcher.called(method.getName(), writes ? (StoreBatch) arguments[0] : null);
                  try {
                    return method.invoke(map, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    index =
        new FingerprintIndex(
            watched,
            containers,
            liveness,
            directory.resolve("index"),
            files,
            IndexSettings.from(new SchemeSettings(conf, "dedup")));
  }

  GarbageCollector collector() throws IOException {
    return new GarbageCollector(
        containers,
        index,
        liveness,
        this,
        GcSettings.from(new SchemeSettings(conf, "dedup")),
        () -> stopping.getAsBoolean(),
        () -> nanoTime,
        () -> millis,
        pinMillis);
  }

  private static byte[] name(long chunk) {
    return ByteBuffer.allocate(Fingerprinter.LENGTH).putLong(chunk * 0x9E3779B97F4A7C15L).array();
  }

  private static byte[] content(long chunk) {
    return ByteBuffer.allocate(CHUNK).put((byte) chunk).putLong(50, chunk).array();
  }

  ChunkAppender appender() throws IOException {
    return containers.appender(FrameChain.of(List.of(), conf));
  }

  /** Appends durable chunks. */
  long[] append(ChunkAppender appender, int count) throws IOException {
    long[] refs = new long[count];
    byte[] names = new byte[count * Fingerprinter.LENGTH];
    for (int i = 0; i < count; i++) {
      chunks++;
      System.arraycopy(name(chunks), 0, names, i * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
      ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK).put(content(chunks)).flip();
      refs[i] = appender.append(names, i * Fingerprinter.LENGTH, chunk);
    }
    appender.force();
    index.publish(names, refs, count);
    return refs;
  }

  /** A container of so many chunks that nobody writes to any more, but that is open. */
  long[] open(int count) throws IOException {
    try (ChunkAppender appender = appender()) {
      return append(appender, count);
    }
  }

  /** A sealed container of so many chunks. */
  long[] sealed(int count) throws IOException {
    long[] refs = open(count);
    containers.sealIdle(ChunkRef.container(refs[0]));
    return refs;
  }

  ContainerInfo info(long ref) {
    for (ContainerInfo info : containers.containers()) {
      if (info.id() == ChunkRef.container(ref)) {
        return info;
      }
    }
    return null;
  }

  /** Whether a chunk is there. */
  boolean has(long ref) throws IOException {
    return info(ref) != null
        && containers.directory(ChunkRef.container(ref)).indexOf(ChunkRef.number(ref)) >= 0;
  }

  @Override
  public void forEach(Visitor visitor) throws IOException {
    for (Map.Entry<Long, long[]> block : blocks.entrySet()) {
      for (long ref : block.getValue()) {
        visitor.reference(block.getKey(), ChunkRef.container(ref), ChunkRef.number(ref), 1);
      }
    }
    afterBlocksWereShown.run();
  }

  @Override
  public void close() throws IOException {
    index.close();
    containers.close();
  }
}
