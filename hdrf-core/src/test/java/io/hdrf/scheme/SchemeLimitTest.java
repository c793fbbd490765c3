/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.wire.WireChains;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The limit of blocks in process, where they are decoded. */
@Timeout(60)
class SchemeLimitTest {

  private static final int THREADS = 6;

  @TempDir Path directory;

  private final Random random = TestSeed.random(SchemeLimitTest.class.getName());
  private final Configuration configuration = new Configuration(false);
  private final AtomicInteger now = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final HookedScheme two = counted(new HookedScheme("two", 65101, 2));
  private final HookedScheme free = new HookedScheme("free", 65102, Integer.MAX_VALUE);
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final byte[] data = TestData.TEXT.bytes(20_000, random);
  private SchemeRegistry registry;

  private HookedScheme counted(HookedScheme scheme) {
    scheme.afterDecode =
        frame -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          pause(20);
          now.decrementAndGet();
        };
    return scheme;
  }

  private static void pause(int millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }

  @BeforeEach
  void install() throws IOException {
    registry = SchemeRegistry.of(List.of(two, free, new RunScheme()));
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private VolumeSchemes volume(int number) {
    return new VolumeSchemes(
        registry,
        configuration,
        directory.resolve(Integer.toString(number)),
        LocalDurableFiles.INSTANCE);
  }

  private ChainCodec codec(VolumeSchemes schemes, String chain) throws IOException {
    return schemes.codec(SchemeChain.parse("chain", chain, registry));
  }

  /** A frame of {@link #data} that is decoded each time. */
  private final class Encoded {
    private final ChainCodec codec;
    private final ByteBuffer stored;
    private final int stages;
    private final int length;

    Encoded(ChainCodec codec) throws IOException {
      this.codec = codec;
      List<StoredFrame> frames = Volume.encode(codec, data, random);
      StoredFrame frame = frames.get(0);
      stages = frame.stages();
      length = frame.originalLength();
      stored = ByteBuffer.allocateDirect(frame.bytes().length).put(frame.bytes()).flip();
    }

    Void decode() throws IOException {
      codec.decode(stages, stored.duplicate(), ByteBuffer.allocateDirect(length));
      return null;
    }
  }

  /** Volumes and peers have codecs of their own. */
  @Test
  void allVolumesAndPeersShareTheTurnsOfAScheme() throws Exception {
    try (VolumeSchemes first = volume(1);
        VolumeSchemes second = volume(2);
        WireChains peers = new WireChains(registry, configuration)) {
      List<Encoded> encoded =
          List.of(
              new Encoded(codec(first, "two")),
              new Encoded(codec(second, "two")),
              new Encoded(codec(second, "run,two")));
      FrameChain chain = peers.get(new int[] {65101});
      ByteBuffer travelled = ByteBuffer.allocateDirect(chain.maxEncodedLength(data.length));
      int stages = chain.encode(ByteBuffer.allocateDirect(data.length).put(data).flip(), travelled);
      travelled.flip();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        encoded.forEach(frame -> all.add(threads.submit(frame::decode)));
        all.add(
            threads.submit(
                () -> {
                  chain.decode(
                      stages, travelled.duplicate(), ByteBuffer.allocateDirect(data.length));
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertThat(most).hasValue(2);
  }

  /** Reads of blocks with short frames must not become slower by a key that is for the Reducer. */
  @Test
  void anOperatorLowersTheLimitsOfTheSchemesThatHaveOne() throws Exception {
    configuration.setInt("hdrf.two.max.blocks", 1);
    configuration.setInt("hdrf.free.max.blocks", 1);
    AtomicInteger mostOfFree = new AtomicInteger();
    AtomicInteger nowOfFree = new AtomicInteger();
    free.afterDecode =
        frame -> {
          mostOfFree.accumulateAndGet(nowOfFree.incrementAndGet(), Math::max);
          pause(20);
          nowOfFree.decrementAndGet();
        };
    try (VolumeSchemes schemes = volume(1)) {
      assertThat(codec(schemes, "two").limitsDecoding()).isTrue();
      assertThat(codec(schemes, "free,two").limitsDecoding()).isTrue();
      assertThat(codec(schemes, "free").limitsDecoding()).isFalse();
      Encoded ofTwo = new Encoded(codec(schemes, "two"));
      Encoded ofFree = new Encoded(codec(schemes, "free"));
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        all.add(threads.submit(ofTwo::decode));
        all.add(threads.submit(ofFree::decode));
        all.add(threads.submit(ofFree::decode));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertThat(most).hasValue(1);
    assertThat(mostOfFree).hasValueGreaterThan(1);
    configuration.set("hdrf.two.max.blocks", "many");
    registry = SchemeRegistry.of(List.of(two));
    try (VolumeSchemes schemes = volume(2)) {
      assertThatThrownBy(() -> codec(schemes, "two"))
          .isInstanceOf(BadSettingException.class)
          .hasMessageContaining("hdrf.two.max.blocks");
    }
  }

  /** More often than there are turns. */
  @Test
  void whatFailsGivesItsTurnBack() throws Exception {
    try (VolumeSchemes schemes = volume(1)) {
      Encoded frame = new Encoded(codec(schemes, "two"));
      List<Throwable> failures =
          List.of(
              new CorruptFrameException("damaged"),
              new IOException("not now"),
              new IllegalArgumentException("a mistake"),
              new OutOfMemoryError("for a test"));
      for (Throwable failure : failures) {
        two.afterDecode =
            decoded -> {
              if (failure instanceof IOException) {
                throw (IOException) failure;
              } else if (failure instanceof RuntimeException) {
                throw (RuntimeException) failure;
              }
              throw (Error) failure;
            };
        assertThatThrownBy(frame::decode).isNotNull();
      }
      counted(two);
      frame.decode();
      assertThat(most).hasValue(1);
    }
  }

  @Test
  void aWaitForATurnEndsWithAnInterrupt() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch gate = new CountDownLatch(1);
    two.afterDecode =
        frame -> {
          begun.countDown();
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new InterruptedIOException();
          }
        };
    try (VolumeSchemes schemes = volume(1)) {
      Encoded frame = new Encoded(codec(schemes, "two"));
      List<Future<Void>> decoding =
          List.of(threads.submit(frame::decode), threads.submit(frame::decode));
      begun.await();
      Thread[] waiting = new Thread[1];
      CountDownLatch started = new CountDownLatch(1);
      Future<Boolean> waits =
          threads.submit(
              () -> {
                waiting[0] = Thread.currentThread();
                started.countDown();
                assertThatThrownBy(frame::decode).isInstanceOf(InterruptedIOException.class);
                return Thread.interrupted();
              });
      started.await();
      assertThatThrownBy(() -> waits.get(100, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      waiting[0].interrupt();
      assertThat(waits.get()).as("the interrupt is there for whoever waits next").isTrue();
      gate.countDown();
      for (Future<Void> one : decoding) {
        one.get();
      }
      frame.decode();
    } finally {
      gate.countDown();
    }
  }

  /** A client asks another DataNode after a while; its turn would be in vain. */
  @Test
  void nobodyWaitsForEver() throws Exception {
    SchemeLimit limit = new SchemeLimit("acme", 1, 50);
    limit.acquire();
    assertThatThrownBy(limit::acquire)
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("acme decodes 1 frames at a time (hdrf.acme.max.blocks)");
    limit.release();
    limit.acquire();
    limit.release();
  }
}
