/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.index.IndexSettings;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;

/**
 * Containers with an index, on a metadata store and files that a test can make fail. Each chunk is
 * one group, and all take the same space.
 */
public class IndexedContainers implements Closeable {

  public static final int CHUNK = 100;

  /** Sees calls of the metadata store before they are done, and may fail them. */
  public interface Watcher {
    void called(String operation, StoreBatch batch) throws IOException;
  }

  public final Configuration conf;
  public final ChunkPins chunkPins = new ChunkPins();

  public final ContainerStore containers;
  public final FingerprintIndex index;

  /** The store below the index; not watched. */
  public final MetadataStore map;

  /** The store that the index gets. */
  public final MetadataStore watched;

  public final ForwardingFiles files;
  public Watcher watcher = (operation, batch) -> {};

  /** Names files that can't be created. */
  public Predicate<Path> refused = file -> false;

  private long chunks;

  public IndexedContainers(Path directory) throws IOException {
    this(directory, new Configuration(false));
  }

  /**
   * @param conf gets one entry for each chunk, unless it says otherwise
   */
  public IndexedContainers(Path directory, Configuration conf) throws IOException {
    this(directory, conf, ContainerSettings.of(7));
  }

  /**
   * @param conf gets one entry for each chunk, unless it says otherwise
   * @param settings but for the size of groups
   */
  public IndexedContainers(Path directory, Configuration conf, ContainerSettings settings)
      throws IOException {
    this.conf = conf;
    conf.setIfUnset("hdrf.dedup.index.sample", "1");
    FrameChain plain = FrameChain.of(List.of(), conf);
    files =
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
            settings.groupSize(CHUNK),
            ids -> plain,
            (chunk, dst, offset) ->
                System.arraycopy(name(chunk.get(chunk.position())), 0, dst, offset, 32));
    map =
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool"));
    watched =
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
            chunkPins,
            directory.resolve("index"),
            files,
            IndexSettings.from(new PluginSettings(conf, "dedup")));
    index.begin();
  }

  /** Returns the fingerprint of the n-th appended chunk, from 1 on. */
  public static byte[] name(long chunk) {
    return ByteBuffer.allocate(Fingerprinter.LENGTH).putLong(chunk * 0x9E3779B97F4A7C15L).array();
  }

  private static byte[] content(long chunk) {
    return ByteBuffer.allocate(CHUNK).put((byte) chunk).putLong(50, chunk).array();
  }

  public ChunkAppender appender() throws IOException {
    return containers.appender(FrameChain.of(List.of(), conf));
  }

  /** Appends durable chunks. */
  public long[] append(ChunkAppender appender, int count) throws IOException {
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

  /** Returns a container of this many chunks that is open, but has no writer. */
  public long[] open(int count) throws IOException {
    try (ChunkAppender appender = appender()) {
      return append(appender, count);
    }
  }

  /** Returns a sealed container of this many chunks. */
  public long[] sealed(int count) throws IOException {
    long[] refs = open(count);
    containers.sealIdle(ChunkRef.container(refs[0]));
    return refs;
  }

  public ContainerInfo info(long ref) {
    for (ContainerInfo info : containers.containers()) {
      if (info.id() == ChunkRef.container(ref)) {
        return info;
      }
    }
    return null;
  }

  /** Whether a chunk is there. */
  public boolean has(long ref) throws IOException {
    return info(ref) != null
        && containers.directory(ChunkRef.container(ref)).indexOf(ChunkRef.number(ref)) >= 0;
  }

  /** The settings of the scheme. */
  public PluginSettings dedup() {
    return new PluginSettings(conf, "dedup");
  }

  @Override
  public void close() throws IOException {
    index.close();
    containers.close();
  }
}
