/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.plugin.PluginLoadException;
import io.hdrf.sample.DeflateScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.sample.StoreScheme;
import io.hdrf.sample.WholeBlockScheme;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockDeclinedException;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.SpiVersion;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ChainCodecTest {

  @TempDir Path directory;

  private final Random random = TestSeed.random("chain codec");
  private final Configuration configuration = new Configuration(false);
  private final ScriptedScheme scripted = new ScriptedScheme();
  private SchemeRegistry registry;
  private Volume volume;

  @BeforeEach
  void open() throws IOException {
    registry =
        SchemeRegistry.of(
            List.of(
                scripted,
                new TrimScheme(0),
                new TrimScheme(1),
                new DeflateScheme(),
                new RunScheme(),
                new StoreScheme(),
                new WholeBlockScheme()));
    volume = new Volume(registry, configuration, directory);
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private ChainCodec codec(String chain) throws IOException {
    return volume.codec(SchemeChain.parse("hdrf.schemes", chain, registry));
  }

  @Test
  void framesHaveTheFirstSchemesLength() throws IOException {
    configuration.set("hdrf.trim0.frame.size", "300");
    configuration.set("hdrf.trim1.frame.size", "7");
    ChainCodec codec = codec("trim0,trim1");
    assertThat(codec.frameLength()).isEqualTo(300);
    byte[] block = TestData.RANDOM.bytes(1000, random);
    List<StoredFrame> frames = Volume.encode(codec, block, random);
    assertThat(frames).extracting(StoredFrame::originalLength).containsExactly(300, 300, 300, 100);
    assertThat(Volume.decode(codec, frames, random)).isEqualTo(block);
  }

  @Test
  void aWrongSettingIsFoundWhereverTheSchemeStands() {
    configuration.set("hdrf.trim1.frame.size", "0");
    assertThatThrownBy(() -> codec("trim0,trim1"))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.trim1.frame.size");
  }

  @Test
  void eachFrameHasItsOwnStages() throws IOException {
    configuration.set("hdrf.trim0.frame.size", "100");
    ChainCodec codec = codec("trim0,trim1");
    byte[] block = new byte[400];
    Arrays.fill(block, 100, 200, (byte) 1);
    Arrays.fill(block, 200, 300, (byte) 2);
    Arrays.fill(block, 300, 350, (byte) 1);
    List<StoredFrame> frames = Volume.encode(codec, block, random);
    assertThat(frames).extracting(StoredFrame::stages).containsExactly(0b01, 0b10, 0, 0b11);
    assertThat(frames.get(2).bytes()).isEqualTo(Arrays.copyOfRange(block, 200, 300));
    assertThat(Volume.decode(codec, frames, random)).isEqualTo(block);
  }

  @Test
  void aFrameThatEndsEarlyIsDamaged() throws IOException {
    ChainCodec codec = codec("scripted");
    scripted.emit(700, new byte[600]);
    List<StoredFrame> frames = Volume.encode(codec, new byte[700], random);
    scripted.stopsEarly = true;
    assertThatThrownBy(() -> Volume.decode(codec, frames, random))
        .isInstanceOf(CorruptFrameException.class)
        .hasMessageContaining("100 of a frame unwritten");
  }

  @Test
  void payloadsPassTheTail() throws IOException {
    ChainCodec codec = codec("scripted,trim0,trim1");
    assertThat(codec.frameLength()).isZero();
    List<Integer> expected = new ArrayList<>();
    for (int stages = 0; stages < 4; stages++) {
      byte[] payload = new byte[600];
      Arrays.fill(payload, (byte) 9);
      if ((stages & 1) != 0) {
        Arrays.fill(payload, 500, 600, (byte) 0);
      }
      if ((stages & 2) != 0) {
        Arrays.fill(payload, 400, 500, (byte) 1);
        Arrays.fill(payload, 500, (stages & 1) != 0 ? 500 : 600, (byte) 1);
      }
      scripted.emit(700, payload);
      expected.add(stages << 1 | 1);
    }
    List<StoredFrame> frames = Volume.encode(codec, new byte[2800], random);
    assertThat(frames).extracting(StoredFrame::stages).containsExactlyElementsOf(expected);
    for (int i = 0; i < 4; i++) {
      byte[] decoded = Volume.decode(codec, frames.get(i), random);
      assertThat(Arrays.copyOf(decoded, 600)).isEqualTo(scripted.payload(i));
    }
    // Frame 1: u32 length of the payload, then trim0's form of it.
    assertThat(frames.get(1).bytes())
        .hasSize(4 + 4 + 500)
        .startsWith(0x58, 2, 0, 0, 100, 0, 0, 0, 9);
  }

  @Test
  void emptyPayloadsPassNoTail() throws IOException {
    ChainCodec codec = codec("scripted,trim0");
    scripted.emit(5, new byte[0]);
    List<StoredFrame> frames = Volume.encode(codec, new byte[5], random);
    assertThat(frames.get(0).stages()).isEqualTo(1);
    assertThat(frames.get(0).bytes()).isEmpty();
    assertThat(Volume.decode(codec, frames, random)).isEqualTo(new byte[5]);
  }

  @Test
  void payloadLengthsAreCheckedBeforeUse() throws IOException {
    ChainCodec codec = codec("scripted,trim0");
    for (int length : new int[] {-1, Integer.MAX_VALUE, FrameSink.maxPayloadLength(10) + 1}) {
      byte[] bytes = ByteBuffer.allocate(9).putInt(Integer.reverseBytes(length)).array();
      assertThatThrownBy(() -> Volume.decode(codec, new StoredFrame(10, 3, bytes), random))
          .isInstanceOf(CorruptFrameException.class);
    }
    assertThatThrownBy(() -> Volume.decode(codec, new StoredFrame(10, 3, new byte[3]), random))
        .isInstanceOf(CorruptFrameException.class);
  }

  @Test
  void blockStageIsAlwaysSet() throws IOException {
    ChainCodec codec = codec("scripted,trim0");
    for (int stages : new int[] {0, 2, 4, 5, 7, 1 << 31 | 1, -1}) {
      assertThatThrownBy(
              () -> Volume.decode(codec, new StoredFrame(10, stages, new byte[14]), random))
          .as("stages %d", stages)
          .isInstanceOf(CorruptFrameException.class);
    }
  }

  @Test
  void framesMustAddUpToTheBlock() throws IOException {
    ChainCodec codec = codec("scripted");
    int[][] wrong = {{}, {9}, {5, 4}, {11}, {5, 6}, {0, 10}, {-1}, {Integer.MAX_VALUE}};
    for (int[] lengths : wrong) {
      scripted.clear();
      for (int length : lengths) {
        scripted.emit(length, new byte[0]);
      }
      assertThatThrownBy(() -> Volume.encode(codec, new byte[10], random))
          .as(Arrays.toString(lengths))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("scheme scripted");
    }
  }

  @Test
  void payloadsThatAreTooLongAreRefused() throws IOException {
    ChainCodec codec = codec("scripted");
    int max = FrameSink.maxPayloadLength(10);
    scripted.emit(10, new byte[max]);
    assertThat(Volume.encode(codec, new byte[10], random)).hasSize(1);
    scripted.clear();
    scripted.emit(10, new byte[max + 1]);
    assertThatThrownBy(() -> Volume.encode(codec, new byte[10], random))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("scheme scripted");
  }

  @Test
  void runtimeExceptionsOfASchemeAreIOExceptions() throws IOException {
    ChainCodec codec = codec("scripted");
    scripted.failure = new IndexOutOfBoundsException("no");
    assertThatThrownBy(() -> Volume.encode(codec, new byte[10], random))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("scheme scripted");
    assertThatThrownBy(() -> Volume.decode(codec, new StoredFrame(1, 1, new byte[1]), random))
        .isInstanceOf(CorruptFrameException.class);
    scripted.failure = new IllegalStateException("closed");
    assertThatThrownBy(() -> Volume.decode(codec, new StoredFrame(1, 1, new byte[1]), random))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(CorruptFrameException.class);
  }

  @Test
  void aDeclinedBlockIsDeclined() throws IOException {
    configuration.set("hdrf.whole-block.max.block.size", "100");
    ChainCodec codec = codec("whole-block");
    assertThat(Volume.encode(codec, new byte[100], random)).hasSize(1);
    assertThatThrownBy(() -> Volume.encode(codec, new byte[101], random))
        .isInstanceOf(BlockDeclinedException.class);
  }

  @Test
  void schemesAreOpenedOnceForAllChains() throws IOException {
    ChainCodec first = codec("scripted,trim0");
    assertThat(codec("scripted,trim0")).isSameAs(first);
    assertThat(volume.codec(59000, 60000)).isSameAs(first);
    assertThat(codec("scripted")).isNotSameAs(first);
    codec("scripted,trim1");
    assertThat(scripted.opened.get()).isEqualTo(1);
    assertThat(scripted.store).isEqualTo(directory.resolve("scripted")).isDirectory();
    assertThat(directory.resolve("trim0")).doesNotExist();
    volume.close();
    volume.close();
    assertThat(scripted.closed.get()).isEqualTo(1);
    assertThatThrownBy(() -> codec("scripted")).isInstanceOf(IOException.class);
  }

  @Test
  void aSchemeThatCouldNotBeOpenedIsTriedAgain() throws IOException {
    scripted.openFailure = new IOException("the store is damaged");
    assertThatThrownBy(() -> codec("scripted")).isSameAs(scripted.openFailure);
    scripted.openFailure = null;
    scripted.failure = new IllegalArgumentException("no luck");
    assertThatThrownBy(() -> codec("scripted,trim1"))
        .isInstanceOf(PluginLoadException.class)
        .hasMessageContaining("scripted,trim1")
        .hasMessageContaining("no luck");
    scripted.failure = null;
    scripted.emit(1, new byte[1]);
    assertThat(Volume.encode(codec("scripted"), new byte[1], random)).hasSize(1);
  }

  @Test
  void blockSchemesGetOlderFrameSchemesAndTheTail() throws IOException {
    codec("scripted,trim1,deflate");
    SchemeContext context = scripted.context;
    assertThat(context.frameChain(65001, 60000)).hasToString("deflate,trim0");
    assertThat(context.frameChain().isEmpty()).isTrue();
    assertThatThrownBy(() -> context.frameChain(1)).isInstanceOf(SchemeNotFoundException.class);
    assertThatThrownBy(() -> context.frameChain(65000)).isInstanceOf(SchemeNotFoundException.class);
    scripted.emit(1, new byte[1]);
    Volume.encode(codec("scripted,trim1,deflate"), new byte[1], random);
    assertThat(scripted.tail).hasToString("trim1,deflate");
  }

  /** The thread that rebuilds an index does so, and is waited for. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aThreadOfAStoreThatIsClosedMayAskForAChain() throws IOException {
    codec("scripted,deflate");
    FutureTask<FrameChain> asked = new FutureTask<>(() -> scripted.context.frameChain(65001));
    scripted.whileClosed =
        () -> {
          new Thread(asked).start();
          assertThatThrownBy(asked::get).hasMessageContaining("are closed");
        };
    volume.close();
    assertThat(asked).isDone();
  }

  @Test
  void idsOfNoPossibleChainAreCorrupt() {
    int[][] wrong = {{}, {60000, 60000}, {60000, 65000}, {60000, 60001, 65001, 65004, 65003}};
    for (int[] ids : wrong) {
      assertThatThrownBy(() -> volume.codec(ids)).isInstanceOf(CorruptFrameException.class);
    }
    assertThatThrownBy(() -> volume.codec(4711)).isInstanceOf(SchemeNotFoundException.class);
  }

  @Test
  void theInputIsReadToTheBlocksEndAndNoFurther() throws IOException {
    for (String chain : new String[] {"trim0", "run,trim0", "whole-block", "store"}) {
      long[] counts = new long[2];
      codec(chain)
          .encode(
              150_001,
              dst -> {
                int count = dst.remaining();
                dst.position(dst.limit());
                counts[0] += count;
                return count;
              },
              (originalLength, stages, stored) -> counts[1] += originalLength);
      assertThat(counts).as(chain).containsExactly(150_001, 150_001);
    }
  }

  @Test
  void storeKeepsTheBody() throws IOException {
    for (String chain : new String[] {"store", "store,deflate"}) {
      ChainCodec codec = codec(chain);
      byte[] block = TestData.RANDOM.bytes(200_000, random);
      List<StoredFrame> frames = Volume.encode(codec, block, random);
      assertThat(frames).hasSize(4).allMatch(f -> f.stages() == 1 && f.bytes().length == 16);
      assertThat(Volume.decode(codec, frames, random)).isEqualTo(block);
    }
  }

  @Test
  void randomStacks() throws IOException {
    String[] first = {"store", "run", "whole-block", "trim0", "trim1", "deflate"};
    String[] others = {"trim0", "trim1", "deflate"};
    for (int i = 0; i < 150; i++) {
      List<String> names = new ArrayList<>(List.of(first[random.nextInt(first.length)]));
      for (String other : others) {
        if (random.nextBoolean() && !names.contains(other)) {
          names.add(1 + random.nextInt(names.size()), other);
        }
      }
      ChainCodec codec = codec(String.join(",", names));
      TestData kind = TestData.values()[random.nextInt(TestData.values().length)];
      byte[] block = kind.bytes(1 + random.nextInt(50_000), random);
      List<StoredFrame> frames = Volume.encode(codec, block, random);
      assertThat(Volume.decode(codec, frames, random)).as("%s, %s", names, kind).isEqualTo(block);
    }
  }

  @Test
  void allocatesNothingPerFrame() throws IOException {
    configuration.set("hdrf.trim0.frame.size", "100");
    ChainCodec codec = codec("trim0,trim1");
    encodeZeros(codec, 2_000_000);
    long before = allocatedBytes();
    encodeZeros(codec, 2_000_000);
    assertThat((allocatedBytes() - before) / 20_000.0).isLessThan(4);
  }

  private static void encodeZeros(ChainCodec codec, long length) throws IOException {
    codec.encode(
        length,
        dst -> {
          int count = dst.remaining();
          dst.position(dst.limit());
          return count;
        },
        (originalLength, stages, stored) -> {});
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Emits scripted frames; decodes a frame to its payload and zeros. */
  private static final class ScriptedScheme implements BlockScheme, BlockCodec {
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    private final List<Integer> lengths = new ArrayList<>();
    private final List<byte[]> payloads = new ArrayList<>();
    boolean stopsEarly;
    RuntimeException failure;
    IOException openFailure;
    Path store;
    SchemeContext context;
    FrameChain tail;
    Runnable whileClosed = () -> {};

    void emit(int length, byte[] payload) {
      lengths.add(length);
      payloads.add(payload);
    }

    byte[] payload(int index) {
      return payloads.get(index);
    }

    void clear() {
      lengths.clear();
      payloads.clear();
    }

    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public int id() {
      return 59000;
    }

    @Override
    public int maxConcurrentBlocks() {
      return 3;
    }

    @Override
    public BlockCodec open(SchemeContext newContext) throws IOException {
      if (failure != null) {
        throw failure;
      }
      if (openFailure != null) {
        throw openFailure;
      }
      opened.incrementAndGet();
      context = newContext;
      store = newContext.storeDirectory();
      return this;
    }

    @Override
    public void encode(long length, BlockSource source, FrameChain chainTail, FrameSink sink)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      tail = chainTail;
      for (int i = 0; i < lengths.size(); i++) {
        byte[] payload = payloads.get(i);
        ByteBuffer direct = ByteBuffer.allocateDirect(payload.length + 3).position(3).put(payload);
        direct.position(3);
        sink.frame(lengths.get(i), direct);
        assertThat(direct.hasRemaining()).isFalse();
      }
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) {
      if (failure != null) {
        throw failure;
      }
      frame.put(payload);
      if (stopsEarly) {
        frame.limit(frame.position());
      }
      while (frame.hasRemaining()) {
        frame.put((byte) 0);
      }
    }

    @Override
    public void close() {
      closed.incrementAndGet();
      whileClosed.run();
    }
  }
}
