/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.LogCapture;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Collections on disks that fail or are full. */
class FailingCollectionTest {

  private static final int LENGTH = 250_000;
  private static final int COUNT = 8;

  /** Longer than any chunk, so that a block with so many bytes of another shares one. */
  private static final int KEPT = 10_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random("failing-collection");
  private final Configuration conf = new Configuration(false);
  private final byte[][] blocks = new byte[COUNT][LENGTH];
  private volatile Predicate<Path> full = file -> false;
  private volatile Runnable failing = () -> {};
  private DedupVolume volume;

  /** No file can be created that {@link #full} names. */
  private final class FullDisk extends ForwardingFiles {
    FullDisk() {
      super(LocalDurableFiles.INSTANCE);
    }

    @Override
    public DurableFile create(Path file) throws IOException {
      if (full.test(file)) {
        throw new IOException(file + ": No space left on device");
      }
      return super.create(file);
    }
  }

  @BeforeEach
  void open() throws IOException {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "32k");
    conf.set("hdrf.dedup.group.size", "16k");
    conf.set("hdrf.dedup.container.size", "128k");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.live.percent", "95");
    // So that parts of a block are found.
    conf.set("hdrf.dedup.index.sample", "8");
    conf.set("hdrf.dedup.gc.rate", "0");
    MetadataStore store =
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool"));
    MetadataStore watched =
        (MetadataStore)
            Proxy.newProxyInstance(
                MetadataStore.class.getClassLoader(),
                new Class<?>[] {MetadataStore.class},
                (proxy, method, arguments) -> {
                  failing.run();
                  return method.invoke(store, arguments);
                });
    volume = new DedupVolume(directory, conf, new FullDisk(), "dedup", watched);
    for (int id = 0; id < COUNT; id++) {
      random.nextBytes(blocks[id]);
      volume.put(id, blocks[id], random);
    }
    volume.restart();
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private List<Path> containers() throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found
          .filter(file -> file.toString().endsWith(".hdc"))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  private void assertReadable(int first) throws IOException {
    for (int id = first; id < COUNT; id++) {
      assertThat(volume.get(id, random)).isEqualTo(blocks[id]);
    }
  }

  @Test
  void whatIsWhollyDeadGoesWhereNothingCanBeWritten() throws Exception {
    int before = containers().size();
    volume.awaitIndexed();
    volume.put(100, Arrays.copyOf(blocks[0], LENGTH / 4), random);
    for (long id = 0; id < COUNT - 2; id++) {
      volume.delete(id);
    }
    full = file -> true;
    Map<String, Long> result = volume.collect();
    assertThat(result.get("containersDeleted")).isGreaterThanOrEqualTo(before / 2);
    assertThat(result.get("containersFailed")).isPositive();
    assertThat(containers()).hasSizeLessThanOrEqualTo(before / 2);
    assertReadable(COUNT - 2);
    full = file -> false;
    assertThat(volume.collect().get("containersCompacted")).isPositive();
    assertThat(volume.collect()).containsEntry("containersFailed", 0L);
    assertReadable(COUNT - 2);
  }

  @Test
  void oneContainerThatCanNotBeCompactedDoesNotKeepOthers() throws Exception {
    String first = containers().get(0).getFileName().toString().replace(".hdc", "");
    volume.awaitIndexed();
    for (long id = 0; id < COUNT - 1; id++) {
      byte[] rest = new byte[KEPT];
      System.arraycopy(blocks[(int) id], 0, rest, 0, rest.length);
      volume.put(100 + id, rest, random);
      volume.delete(id);
    }
    full = file -> file.getFileName().toString().startsWith(first);
    String logged;
    try (LogCapture warnings = new LogCapture(Level.WARN)) {
      Map<String, Long> result = volume.collect();
      assertThat(result.get("containersFailed")).isEqualTo(1);
      assertThat(result.get("containersCompacted") + result.get("containersDeleted"))
          .isGreaterThan(COUNT - 2);
      logged = warnings.all();
    }
    assertThat(logged).contains(first + ".hdc", "disk");
    // Garbage that comes later goes too, and what failed is left alone ever longer.
    volume.delete(COUNT - 1);
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    full = file -> false;
    assertThat(volume.collect().get("containersFailed")).isZero();
    for (int id = 0; id < COUNT - 1; id++) {
      assertThat(volume.get(100 + id, random))
          .startsWith(blocks[id][0], blocks[id][1])
          .hasSize(KEPT);
    }
  }

  @Test
  void containerThatCanNotBeReadDoesNotKeepOthers() throws Exception {
    volume.close();
    Path damaged = containers().get(1);
    byte[] bytes = Files.readAllBytes(damaged);
    Arrays.fill(bytes, (byte) 0);
    Files.write(damaged, bytes);
    volume.restart();
    for (long id = 0; id < COUNT - 2; id++) {
      volume.delete(id);
    }
    Map<String, Long> result = volume.collect();
    assertThat(result.get("containersFailed")).isEqualTo(1);
    assertThat(result.get("containersDeleted")).isPositive();
    assertThat(Files.exists(damaged)).isTrue();
    assertReadable(COUNT - 2);
  }

  /** The unreadable part of a damaged file may be needed, and may become readable again. */
  @Test
  void containerThatLostNeededChunksIsLeftAsItIs() throws Exception {
    byte[] middle = Arrays.copyOfRange(blocks[0], 130_000, 210_000);
    volume.awaitIndexed();
    volume.put(100, middle, random);
    assertThat(volume.metric("bytesNew")).isLessThan(LENGTH / 10);
    volume.close();
    Path damaged = containers().get(1);
    byte[] bytes = Files.readAllBytes(damaged);
    Arrays.fill(bytes, 30_000, 55_000, (byte) 0);
    // Its directory, but not its footer.
    Arrays.fill(bytes, bytes.length - 3000, bytes.length - 1000, (byte) 0);
    Files.write(damaged, bytes);
    volume.restart();
    for (long id = 0; id < COUNT - 2; id++) {
      volume.delete(id);
    }
    Map<String, Long> result = volume.collect();
    assertThat(result.get("containersFailed")).isEqualTo(1);
    assertThat(result.get("containersDeleted")).isPositive();
    assertThat(Files.readAllBytes(damaged)).isEqualTo(bytes);
    volume.delete(100);
    volume.collect();
    volume.collect();
    assertThat(Files.exists(damaged)).isFalse();
    assertReadable(COUNT - 2);
  }

  /** A later read of its file may give the lost part. */
  @Test
  void damagedOpenContainerStaysUntilNobodyNeedsWhatIsLost() throws Exception {
    volume.awaitIndexed();
    byte[] part = Arrays.copyOfRange(blocks[0], 140_000, 160_000);
    volume.put(100, part, random);
    volume.close();
    Path sealed = containers().get(1);
    Path open = sealed.resolveSibling(sealed.getFileName() + ".open");
    byte[] bytes = Files.readAllBytes(sealed);
    long directory =
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(bytes.length - 96 + 48);
    bytes = Arrays.copyOf(bytes, (int) directory);
    bytes[bytes.length - 1000] ^= 1;
    Files.delete(sealed);
    Files.write(open, bytes);
    for (int i = 0; i < 2; i++) {
      volume.restart();
      volume.collect();
      assertThatThrownBy(() -> volume.get(0, random)).isInstanceOf(CorruptFrameException.class);
      assertThat(volume.get(100, random)).isEqualTo(part);
      assertThat(Files.readAllBytes(open)).isEqualTo(bytes);
      volume.close();
    }
    volume.restart();
    volume.delete(0);
    volume.collect();
    assertThat(Files.exists(open)).isFalse();
    assertThat(Files.exists(sealed)).isTrue();
    assertThat(volume.get(100, random)).isEqualTo(part);
    assertReadable(1);
  }

  /** However much of it is live: otherwise each read would search it, for ever. */
  @Test
  void containerWithoutADirectoryGetsOneWhenNobodyNeedsWhatIsLost() throws Exception {
    conf.set("hdrf.dedup.gc.live.percent", "10");
    volume.awaitIndexed();
    byte[] part = Arrays.copyOfRange(blocks[0], 200_000, LENGTH);
    volume.put(100, part, random);
    volume.close();
    Path damaged = containers().get(1);
    byte[] bytes = Files.readAllBytes(damaged);
    Arrays.fill(bytes, 20_000, 45_000, (byte) 0);
    Arrays.fill(bytes, bytes.length - 3000, bytes.length - 1000, (byte) 0);
    Files.write(damaged, bytes);
    volume.restart();
    volume.collect();
    assertThat(Files.readAllBytes(damaged)).isEqualTo(bytes);
    volume.delete(0);
    assertThat(volume.collect()).containsEntry("containersFailed", 0L);
    assertThat(Files.readAllBytes(damaged)).isNotEqualTo(bytes);
    assertThat(volume.get(100, random)).isEqualTo(part);
    assertThat(volume.collect()).containsEntry("containersCompacted", 0L);
    assertReadable(1);
  }

  @Test
  void threadsGoOnAfterAnError() throws Exception {
    conf.set("hdrf.dedup.gc.interval", "1");
    CountDownLatch collections = new CountDownLatch(2);
    volume.afterBlocksWereShown(
        () -> {
          collections.countDown();
          throw new OutOfMemoryError("a test");
        });
    AtomicInteger errors = new AtomicInteger(2);
    failing =
        () -> {
          if (errors.getAndDecrement() > 0) {
            throw new OutOfMemoryError("a test");
          }
        };
    volume.restart();
    assertThat(collections.await(60, TimeUnit.SECONDS)).isTrue();
    volume.awaitIndexed();
    assertThat(errors.get()).isNegative();
  }

  /** Not even for the line of the log that would say so. */
  @Test
  void collectorGoesOnWhenThereIsNoMemoryToLog() throws Exception {
    conf.set("hdrf.dedup.gc.interval", "1");
    CountDownLatch collections = new CountDownLatch(2);
    volume.afterBlocksWereShown(
        () -> {
          collections.countDown();
          throw new UncheckedIOException(new IOException("a block can't be read"));
        });
    AtomicInteger refused = new AtomicInteger();
    AppenderSkeleton noMemory =
        new AppenderSkeleton() {
          @Override
          protected void append(LoggingEvent event) {
            if (event.getThreadName().startsWith("hdrf-dedup-gc-")
                && event.getLevel().isGreaterOrEqual(Level.WARN)) {
              refused.incrementAndGet();
              throw new OutOfMemoryError("a test");
            }
          }

          @Override
          public boolean requiresLayout() {
            return false;
          }

          @Override
          public void close() {}
        };
    Logger.getRootLogger().addAppender(noMemory);
    try {
      volume.restart();
      assertThat(collections.await(20, TimeUnit.SECONDS)).isTrue();
      volume.close();
    } finally {
      Logger.getRootLogger().removeAppender(noMemory);
    }
    assertThat(refused.get()).isPositive();
  }

  @Test
  void figuresSayThatNothingIsCollected() throws Exception {
    for (int i = 1; i < 3; i++) {
      volume.afterBlocksWereShown(
          () -> {
            throw new UncheckedIOException(
                new UnreadableBlocksException("7 can't be read", 7, new IOException("damaged")));
          });
      assertThatThrownBy(() -> volume.collect()).hasMessageContaining("7 can't be read");
      assertThat(volume.metric("gcAbortedInARow")).isEqualTo(i);
      assertThat(volume.metric("gcBlocksUnreadable")).isEqualTo(7);
    }
    volume.afterBlocksWereShown(() -> {});
    volume.collect();
    assertThat(volume.metric("gcAbortedInARow")).isZero();
    assertThat(volume.metric("gcBlocksUnreadable")).isZero();
  }

  /** A block written meanwhile may look for chunks that earlier collections dropped. */
  @Test
  void lookingForDroppedChunksDoesNotKeepTheirContainers() throws Exception {
    byte[] block = new byte[110_000];
    random.nextBytes(block);
    byte[] kept = Arrays.copyOf(block, 20_000);
    volume.put(100, block, random);
    volume.put(101, Arrays.copyOf(block, 50_000), random);
    volume.put(102, kept, random);
    volume.delete(100);
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    volume.delete(101);
    int[] from = {55_000};
    volume.afterBlocksWereShown(
        () -> {
          try {
            volume.put(from[0], Arrays.copyOfRange(block, from[0], from[0] + 20_000), random);
            from[0] += 20_000;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    Map<String, Long> result = volume.collect();
    assertThat(result.get("containersFailed")).isZero();
    assertThat(result.get("chunksDropped")).isPositive();
    assertThat(volume.get(102, random)).isEqualTo(kept);
    assertReadable(0);
  }

  @Test
  void figuresSayThatErrorsAbortCollections() {
    volume.afterBlocksWereShown(
        () -> {
          throw new OutOfMemoryError("a test");
        });
    for (int i = 1; i < 4; i++) {
      assertThatThrownBy(() -> volume.collect()).isInstanceOf(OutOfMemoryError.class);
      assertThat(volume.metric("gcAbortedInARow")).isEqualTo(i);
    }
  }

  @Test
  void noMemoryForOneContainerDoesNotKeepOthers() throws Exception {
    String first = containers().get(0).getFileName().toString().replace(".hdc", "");
    volume.awaitIndexed();
    volume.put(100, Arrays.copyOf(blocks[0], KEPT), random);
    for (long id = 0; id < COUNT - 1; id++) {
      volume.delete(id);
    }
    full =
        file -> {
          if (file.getFileName().toString().startsWith(first)) {
            throw new OutOfMemoryError("Direct buffer memory");
          }
          return false;
        };
    Map<String, Long> result;
    try {
      result = volume.collect();
    } catch (OutOfMemoryError e) {
      // It would end the test run.
      throw new AssertionError(e);
    }
    assertThat(result.get("containersFailed")).isEqualTo(1);
    assertThat(result.get("containersDeleted")).isPositive();
    assertThat(volume.metric("gcAbortedInARow")).isZero();
    assertReadable(COUNT - 1);
  }
}
