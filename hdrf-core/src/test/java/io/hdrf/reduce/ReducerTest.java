/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.sample.StoreScheme;
import io.hdrf.sample.WholeBlockScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ReducerTest {

  private static final int LENGTH = 300_000;

  /** The bytes of a block that the filter searches. */
  private static final int SEARCHED = 64 << 10;

  @TempDir Path directory;

  private final Random random = TestSeed.random(ReducerTest.class.getName());
  private final HookedScheme scheme = new HookedScheme("hooked", 65100, Integer.MAX_VALUE);
  private final ReducerCounters counters = new ReducerCounters();
  private final AtomicInteger roomSignals = new AtomicInteger();
  private final HookedScheme single = new HookedScheme("single", 65101, Integer.MAX_VALUE);
  private final Configuration conf = new Configuration(false);
  private SchemeRegistry registry;
  private VolumeSchemes schemes;
  private FileBlocks blocks;
  private Reducer reducer;

  @BeforeEach
  void open() throws Exception {
    registry = SchemeRegistry.of(List.of(scheme, single));
    schemes =
        new VolumeSchemes(
            registry, new Configuration(false), directory, LocalDurableFiles.INSTANCE);
    blocks =
        new FileBlocks(directory, schemes.codec(SchemeChain.parse("chain", "hooked", registry)));
  }

  @AfterEach
  void close() throws Exception {
    if (reducer != null) {
      reducer.close();
    }
    schemes.close();
    assertThat(blocks.leftovers()).as("temporary files").isEmpty();
  }

  private void start(int threads, int queueLength) throws Exception {
    start(threads, queueLength, LocalDurableFiles.INSTANCE);
  }

  private void start(int threads, int queueLength, DurableFiles files) throws Exception {
    conf.setInt("hdrf.reduce.threads", threads);
    conf.setInt("hdrf.reduce.queue.length", queueLength);
    conf.setIfUnset("hdrf.reduce.delay", "0");
    reducer =
        new Reducer(
            "test", new HdrfConf(conf), blocks, files, counters, roomSignals::incrementAndGet);
  }

  private byte[] text(int length) {
    return TestData.TEXT.bytes(length, random);
  }

  private BlockRef write(long id, byte[] data) throws IOException {
    return blocks.write(id, data, DataChecksum.Type.CRC32C);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  private void awaitIdle() throws InterruptedException {
    await(() -> reducer.pending() == 0);
  }

  private void assertStaysPlain(BlockRef block, byte[] data, SkipReason reason) throws IOException {
    assertThat(blocks.skips).containsEntry(block, reason);
    assertThat(counters.skippedFor(reason)).isEqualTo(1);
    assertThat(Files.readAllBytes(blocks.file(block.blockId()))).isEqualTo(data);
  }

  @Test
  void reducesWhatIsOffered() throws Exception {
    start(3, 100);
    byte[][] data = new byte[20][];
    for (int id = 0; id < data.length; id++) {
      data[id] = text(20_000 + random.nextInt(400_000));
      assertThat(reducer.offer(write(id, data[id]))).isTrue();
    }
    awaitIdle();
    for (int id = 0; id < data.length; id++) {
      assertThat(blocks.isReduced(id)).isTrue();
      assertThat(Files.size(blocks.file(id))).isEqualTo(data[id].length);
      assertThat(blocks.decoded(id)).isEqualTo(data[id]);
    }
    assertThat(counters.blocksReduced()).isEqualTo(data.length);
    assertThat(counters.byChain()).containsOnlyKeys("hooked");
  }

  /** With one thread: had it ended, nothing would be reduced any more. */
  @Test
  void noErrorEndsAThread() throws Exception {
    start(1, 100);
    Error[] faults = {
      new OutOfMemoryError("for a test"),
      new StackOverflowError("for a test"),
      new AssertionError("for a test"),
      new NoClassDefFoundError("for a test")
    };
    for (int id = 0; id < faults.length; id++) {
      Error fault = faults[id];
      byte[] data = text(LENGTH);
      scheme.beforeEncode =
          frame -> {
            throw fault;
          };
      BlockRef block = write(id, data);
      assertThat(reducer.offer(block)).isTrue();
      awaitIdle();
      assertThat(blocks.skips).containsEntry(block, SkipReason.FAILED);
      assertThat(blocks.isReduced(id)).isFalse();
    }
    scheme.beforeEncode = frame -> {};
    assertThat(reducer.offer(write(9, text(LENGTH)))).isTrue();
    awaitIdle();
    assertThat(blocks.isReduced(9)).isTrue();
    assertThat(reducer.inProcess()).containsEntry("hooked", 0);
  }

  @Test
  void reducingTwiceIsNoticed() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    assertThat(reducer.reduceNow(block)).isNull();
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.ALREADY_REDUCED);
    assertThat(blocks.skips).containsEntry(block, SkipReason.ALREADY_REDUCED);
    assertThat(blocks.decoded(1)).isEqualTo(data);
  }

  @Test
  void whatWaitsCanBeForgottenAndOfferedAgain() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    scheme.beforeEncode =
        frame -> {
          begun.countDown();
          awaitGate(gate);
        };
    start(1, 10);
    BlockRef inWork = write(1, text(LENGTH));
    BlockRef waits = write(2, text(LENGTH));
    reducer.offer(inWork);
    begun.await();
    reducer.offer(waits);
    assertThat(reducer.pending()).isEqualTo(2);
    reducer.dropWaiting();
    assertThat(reducer.pending()).isEqualTo(1);
    gate.countDown();
    awaitIdle();
    assertThat(blocks.isReduced(1)).isTrue();
    assertThat(blocks.isReduced(2)).isFalse();
    assertThat(reducer.offer(waits)).isTrue();
    awaitIdle();
    assertThat(blocks.isReduced(2)).isTrue();
  }

  @Test
  void aFullQueueRefusesAndTellsWhenThereIsRoom() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    scheme.beforeEncode =
        frame -> {
          begun.countDown();
          awaitGate(gate);
        };
    start(1, 2);
    BlockRef[] refs = new BlockRef[4];
    for (int id = 0; id < refs.length; id++) {
      refs[id] = write(id, text(LENGTH));
    }
    assertThat(reducer.offer(refs[0])).isTrue();
    begun.await();
    assertThat(reducer.offer(refs[1])).isTrue();
    assertThat(reducer.offer(refs[2])).isTrue();
    assertThat(reducer.room()).isZero();
    assertThat(reducer.offer(refs[3])).isFalse();
    assertThat(counters.skippedFor(SkipReason.QUEUE_FULL)).isEqualTo(1);
    assertThat(reducer.pending()).isEqualTo(3);
    assertThat(roomSignals.get()).isZero();
    gate.countDown();
    awaitIdle();
    await(() -> roomSignals.get() == 1);
    assertThat(blocks.isReduced(0) && blocks.isReduced(1) && blocks.isReduced(2)).isTrue();
    assertThat(blocks.isReduced(3)).isFalse();
    assertThat(reducer.offer(refs[3])).isTrue();
    awaitIdle();
    assertThat(blocks.isReduced(3)).isTrue();
    assertThat(roomSignals.get()).isEqualTo(1);
  }

  private static void awaitGate(CountDownLatch gate) throws IOException {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new java.io.InterruptedIOException();
    }
  }

  @Test
  void aWaitingBlockIsQueuedOnce() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    scheme.beforeEncode =
        frame -> {
          begun.countDown();
          awaitGate(gate);
        };
    start(1, 10);
    BlockRef inWork = write(1, text(LENGTH));
    BlockRef waiting = write(2, text(LENGTH));
    reducer.offer(inWork);
    begun.await();
    for (int i = 0; i < 5; i++) {
      assertThat(reducer.offer(waiting)).isTrue();
    }
    assertThat(reducer.queueLength()).isEqualTo(1);
    // A block in work may have been finalized again since it was opened.
    assertThat(reducer.offer(inWork)).isTrue();
    assertThat(reducer.queueLength()).isEqualTo(2);
    gate.countDown();
    awaitIdle();
    assertThat(counters.blocksReduced()).isEqualTo(2);
    assertThat(counters.skippedFor(SkipReason.ALREADY_REDUCED)).isEqualTo(1);
  }

  @Test
  void closingGivesUpWhatIsInWork() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    scheme.beforeEncode =
        frame -> {
          begun.countDown();
          awaitGate(gate);
        };
    start(1, 10);
    byte[] data = text(13 << 20);
    BlockRef inWork = write(1, data);
    BlockRef waiting = write(2, text(LENGTH));
    reducer.offer(inWork);
    begun.await();
    reducer.offer(waiting);
    Thread closing = new Thread(reducer::close);
    closing.start();
    await(() -> !reducer.offer(waiting));
    gate.countDown();
    closing.join();
    assertStaysPlain(inWork, data, SkipReason.STOPPING);
    assertThat(blocks.isReduced(2)).isFalse();
    assertThat(counters.blocksReduced()).isZero();
    assertThat(reducer.pending()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {IllegalStateException.class, NoSuchMethodError.class, OutOfMemoryError.class})
  void aFaultOfASchemeEndsNoThread(Class<? extends Throwable> fault) throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    scheme.beforeEncode =
        frame -> {
          throwUnchecked(fault);
        };
    BlockRef encoding = write(1, data);
    reducer.offer(encoding);
    awaitIdle();
    assertStaysPlain(encoding, data, SkipReason.FAILED);
    scheme.beforeEncode = frame -> {};
    scheme.afterDecode =
        frame -> {
          throwUnchecked(fault);
        };
    BlockRef verifying = write(2, data);
    reducer.offer(verifying);
    awaitIdle();
    assertThat(blocks.skips).containsKey(verifying);
    assertThat(Files.readAllBytes(blocks.file(2))).isEqualTo(data);
    scheme.afterDecode = frame -> {};
    reducer.offer(encoding);
    reducer.offer(verifying);
    awaitIdle();
    assertThat(blocks.decoded(1)).isEqualTo(data);
    assertThat(blocks.decoded(2)).isEqualTo(data);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwUnchecked(Class<? extends Throwable> fault)
      throws T {
    try {
      throw (T) fault.getConstructor(String.class).newInstance("for a test");
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"CRC32", "CRC32C"})
  void aSchemeThatGivesOtherBytesBackIsFoundOut(String type) throws Exception {
    start(1, 10);
    AtomicInteger frames = new AtomicInteger();
    scheme.afterDecode =
        frame -> {
          if (frames.incrementAndGet() == 3) {
            int position = random.nextInt(frame.limit());
            frame.put(position, (byte) (frame.get(position) ^ 1 << random.nextInt(8)));
          }
        };
    byte[] data = text(LENGTH);
    BlockRef block = blocks.write(1, data, DataChecksum.Type.valueOf(type));
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.VERIFICATION_FAILED);
    assertThat(blocks.mismatches.get()).isZero();
  }

  /** So short that no checksum is left without its bytes. */
  @Test
  void aSchemeThatLosesTheEndIsFoundOut() throws Exception {
    start(1, 10);
    scheme.afterDecode =
        frame -> {
          if (frame.remaining() < HookedScheme.FRAME_LENGTH) {
            frame.limit(frame.position() + 512);
          }
        };
    byte[] data = text(HookedScheme.FRAME_LENGTH + 5000);
    BlockRef block = write(1, data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.VERIFICATION_FAILED);
  }

  @Test
  void aBlockWithoutChecksumsStaysPlain() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = blocks.write(1, data, DataChecksum.Type.NULL);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.DECLINED);
  }

  @Test
  void aSchemeThatRefusesItsOwnFramesIsFoundOut() throws Exception {
    start(1, 10);
    scheme.afterDecode =
        frame -> {
          throw new CorruptFrameException("for a test");
        };
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.VERIFICATION_FAILED);
    assertThat(blocks.ioErrors.get()).isZero();
    assertThat(blocks.mismatches.get()).isZero();
  }

  @Test
  void aBlockThatIsCorruptStaysPlainAndIsReported() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    data[random.nextInt(LENGTH)] ^= 4;
    Files.write(blocks.file(1), data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.MISMATCH);
    assertThat(blocks.mismatches.get()).isEqualTo(1);
  }

  @Test
  void aMismatchOfABlockThatChangedIsNoCorruption() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    data[random.nextInt(LENGTH)] ^= 4;
    Files.write(blocks.file(1), data);
    blocks.unchanged = false;
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.CHANGED);
    assertThat(blocks.mismatches.get()).isZero();
  }

  @Test
  void aShortMetaFileLeavesTheBlockPlain() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    try (FileChannel meta = FileChannel.open(blocks.metaFile(1), StandardOpenOption.WRITE)) {
      meta.truncate(meta.size() - 1);
    }
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.CHECKSUMS_INCOMPLETE);
  }

  @Test
  void bytesBehindTheChecksumsAreIgnored() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    Files.write(blocks.metaFile(1), new byte[] {1, 2, 3, 4, 5}, StandardOpenOption.APPEND);
    reducer.offer(block);
    awaitIdle();
    assertThat(blocks.decoded(1)).isEqualTo(data);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4095, 16383})
  void shortBlocksStayPlain(int length) throws Exception {
    start(1, 10);
    byte[] data = new byte[length];
    BlockRef block = write(1, data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.SMALL);
  }

  @ParameterizedTest
  @ValueSource(ints = {16384, 300_000, 3 << 20})
  void noiseStaysPlain(int length) throws Exception {
    start(1, 10);
    byte[] data = TestData.RANDOM.bytes(length, random);
    BlockRef block = write(1, data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.INCOMPRESSIBLE);
  }

  /** As by an append meanwhile: what is there now was not tried. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofAnotherContentNothingIsConcluded(boolean filtered) throws Exception {
    if (filtered) {
      conf.set("hdrf.filter.include.keywords", "nowhere");
      blocks.unchanged = false;
    }
    scheme.beforeEncode = frame -> blocks.unchanged = false;
    start(1, 10);
    byte[] data = TestData.RANDOM.bytes(300_000, random);
    BlockRef block = write(1, data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.CHANGED);
  }

  /** The probe sees four places; the rest decides. */
  @Test
  void noiseThatTheProbeMissesStaysPlain() throws Exception {
    start(1, 10);
    int length = 4 << 20;
    byte[] data = TestData.RANDOM.bytes(length, random);
    int sample = 32 << 10;
    for (int i = 0; i < 4; i++) {
      int from = i * ((length - sample) / 3);
      Arrays.fill(data, from, from + sample, (byte) 0);
    }
    BlockRef block = write(1, data);
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.INCOMPRESSIBLE);
  }

  @Test
  void aBlockThatIsGoneIsNoFailure() throws Exception {
    start(1, 10);
    BlockRef block = new BlockRef(FileBlocks.POOL, 77);
    reducer.offer(block);
    awaitIdle();
    assertThat(blocks.skips).containsEntry(block, SkipReason.CHANGED);
    assertThat(blocks.ioErrors.get()).isZero();
  }

  /** Notes all calls except decoding. */
  private static final class NotedScheme implements BlockScheme {
    private final BlockScheme of = new WholeBlockScheme();
    private final List<String> calls;

    NotedScheme(List<String> calls) {
      this.calls = calls;
    }

    @Override
    public int spiVersion() {
      return of.spiVersion();
    }

    @Override
    public String name() {
      return "noted";
    }

    @Override
    public int id() {
      return 65102;
    }

    @Override
    public BlockCodec open(SchemeContext context) throws IOException {
      BlockCodec codec = of.open(context);
      return (BlockCodec)
          Proxy.newProxyInstance(
              BlockCodec.class.getClassLoader(),
              new Class<?>[] {BlockCodec.class},
              (self, method, arguments) -> {
                if (List.of("encode", "force", "pin").contains(method.getName())) {
                  calls.add(method.getName());
                }
                return method.getName().equals("pin")
                    ? (Pin) () -> calls.add("unpin")
                    : method.invoke(codec, arguments);
              });
    }
  }

  /** A scheme's data for a block stay until the block that refers to them is in place. */
  @Test
  void theStoreOfASchemeIsPinnedUntilTheSwap() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    SchemeRegistry noted = SchemeRegistry.of(List.of(new NotedScheme(calls)));
    start(1, 10);
    BlockRef block = write(1, text(LENGTH));
    blocks.onSwap = () -> calls.add("swap");
    try (VolumeSchemes open =
        new VolumeSchemes(noted, new Configuration(false), directory, LocalDurableFiles.INSTANCE)) {
      blocks.otherCodecs.put(block, open.codec(SchemeChain.parse("chain", "noted", noted)));
      reducer.offer(block);
      awaitIdle();
    }
    assertThat(calls).containsExactly("pin", "encode", "force", "swap", "unpin");
  }

  @Test
  void aSwapThatFailsLeavesThePlainBlock() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    blocks.swapFailure = new BlockSkippedException(SkipReason.HELD_PLAIN, "for a test");
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.HELD_PLAIN);
    blocks.swapFailure = new IOException("for a test");
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.FAILED);
    assertThat(blocks.ioErrors.get()).isEqualTo(1);
  }

  @Test
  void anIoErrorIsToldToTheOwner() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    blocks.openFailure = new IOException("Input/output error");
    reducer.offer(block);
    awaitIdle();
    assertStaysPlain(block, data, SkipReason.FAILED);
    assertThat(blocks.ioErrors.get()).isEqualTo(1);
  }

  /** But not blocks of an administrator's job, and the end does not wait for the delay. */
  @Test
  void aBlockRestsBeforeItIsReduced() throws Exception {
    conf.setInt("hdrf.reduce.delay", 60_000);
    start(2, 10);
    BlockRef resting = write(1, text(LENGTH));
    assertThat(reducer.offer(resting)).isTrue();
    await(() -> reducer.queueLength() == 0);
    assertThat(reducer.offer(resting)).as("again").isTrue();
    assertThat(reducer.queueLength()).isZero();
    assertThat(reducer.reduceNow(write(2, text(LENGTH)))).isNull();
    assertThat(reducer.pending()).isEqualTo(1);
    assertThat(blocks.isReduced(1)).isFalse();
    assertThat(blocks.isReduced(2)).isTrue();
    reducer.close();
    assertThat(blocks.isReduced(1)).isFalse();
  }

  @Test
  void whatHasRestedIsReduced() throws Exception {
    conf.setInt("hdrf.reduce.delay", 300);
    start(1, 10);
    long before = System.nanoTime();
    for (int id = 0; id < 5; id++) {
      assertThat(reducer.offer(write(id, text(LENGTH)))).isTrue();
    }
    await(() -> counters.blocksReduced() > 0);
    assertThat(System.nanoTime() - before).isGreaterThan(300_000_000);
    awaitIdle();
    assertThat(counters.blocksReduced()).isEqualTo(5);
  }

  @Test
  void nothingIsTakenAfterClose() throws Exception {
    start(2, 10);
    reducer.close();
    BlockRef block = write(1, text(LENGTH));
    assertThat(reducer.offer(block)).isFalse();
    assertThat(reducer.pending()).isZero();
    assertThat(blocks.isReduced(1)).isFalse();
    reducer.close();
  }

  /** One slow scheme must not keep the others from their work. */
  @Test
  void aSchemeWithItsHandsFullDoesNotStopTheOthers() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    single.beforeEncode =
        frame -> {
          most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
          begun.countDown();
          awaitGate(gate);
          atOnce.decrementAndGet();
        };
    conf.setInt("hdrf.single.max.blocks", 1);
    start(2, 100);
    BlockRef[] slow = new BlockRef[5];
    for (int id = 0; id < slow.length; id++) {
      slow[id] = write(id, text(LENGTH));
      blocks.otherCodecs.put(
          slow[id], schemes.codec(SchemeChain.parse("chain", "single", registry)));
      assertThat(reducer.offer(slow[id])).isTrue();
    }
    begun.await();
    for (int id = 10; id < 15; id++) {
      assertThat(reducer.offer(write(id, text(LENGTH)))).isTrue();
    }
    await(() -> counters.blocksReduced() == 5);
    assertThat(counters.byChain()).containsOnlyKeys("hooked");
    await(() -> reducer.waitingForScheme().getOrDefault("single", 0) == 4);
    assertThat(reducer.inProcess()).containsEntry("single", 1);
    assertThat(reducer.queueLength()).isEqualTo(4);
    await(() -> reducer.pending() == 5);
    gate.countDown();
    awaitIdle();
    assertThat(counters.byChain().get("single").blocks()).isEqualTo(5);
    assertThat(most).hasValue(1);
    assertThat(reducer.inProcess().values()).containsOnly(0);
    assertThat(reducer.waitingForScheme().values()).containsOnly(0);
  }

  @Test
  void blocksPutAsideCountAsWaiting() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    scheme.beforeEncode = frame -> awaitGate(gate);
    conf.setInt("hdrf.hooked.max.blocks", 1);
    start(3, 4);
    assertThat(reducer.room()).isEqualTo(4);
    for (int id = 0; id < 3; id++) {
      assertThat(reducer.offer(write(id, text(LENGTH)))).isTrue();
    }
    await(() -> reducer.waitingForScheme().getOrDefault("hooked", 0) == 2);
    assertThat(reducer.room()).isEqualTo(2);
    gate.countDown();
    awaitIdle();
    assertThat(counters.blocksReduced()).isEqualTo(3);
  }

  @Test
  void whatTheFilterExcludesStaysPlain() throws Exception {
    conf.set("hdrf.filter.exclude.keywords", "secret stuff, DO NOT REDUCE");
    conf.set("hdrf.filter.exclude.regex", "^SEQ.{3,40}Tmp");
    start(1, 10);
    byte[] keyword = text(LENGTH);
    put(keyword, SEARCHED - 13, "DO NOT REDUCE");
    byte[] late = text(LENGTH);
    put(late, SEARCHED - 12, "DO NOT REDUCE");
    byte[] regex = text(LENGTH);
    put(regex, 0, "SEQ-org.acme.Tmp");
    BlockRef first = write(1, keyword);
    BlockRef second = write(2, regex);
    reducer.reduceNow(first);
    reducer.reduceNow(second);
    reducer.reduceNow(write(3, late));
    assertStaysPlain(first, keyword, SkipReason.EXCLUDED_BY_KEYWORD);
    assertStaysPlain(second, regex, SkipReason.EXCLUDED_BY_REGEX);
    assertThat(blocks.isReduced(3)).as("found beyond what is searched").isTrue();
  }

  @Test
  void whatTheFilterDoesNotIncludeStaysPlain() throws Exception {
    conf.set("hdrf.filter.include.keywords", "reduce me");
    conf.set("hdrf.filter.include.regex", "(?i)error\\s+\\d+\n\\xC3\\xA9");
    conf.set("hdrf.filter.exclude.keywords", "keep out");
    start(1, 10);
    byte[] other = text(LENGTH);
    byte[] both = text(LENGTH);
    put(both, 100, "reduce me");
    put(both, 200, "keep out");
    BlockRef first = write(1, other);
    BlockRef second = write(2, both);
    reducer.reduceNow(first);
    reducer.reduceNow(second);
    assertStaysPlain(first, other, SkipReason.NOT_INCLUDED);
    assertStaysPlain(second, both, SkipReason.EXCLUDED_BY_KEYWORD);
    byte[] included = text(LENGTH);
    put(included, 0, "reduce me");
    byte[] matched = text(LENGTH);
    put(matched, 50_000, "ERROR  42");
    byte[] bytes = text(LENGTH);
    put(bytes, 7, "\u00C3\u00A9");
    reducer.reduceNow(write(3, included));
    reducer.reduceNow(write(4, matched));
    reducer.reduceNow(write(5, bytes));
    for (int id = 3; id <= 5; id++) {
      assertThat(blocks.isReduced(id)).as("block " + id).isTrue();
    }
  }

  private static void put(byte[] data, int position, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(bytes, 0, data, position, bytes.length);
  }

  @Test
  void aYoungBlockIsReducedWhenItIsOld() throws Exception {
    conf.setInt("hdrf.filter.min.age", 3600);
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    reducer.reduceNow(block);
    assertStaysPlain(block, data, SkipReason.TOO_YOUNG);
    assertThat(SkipReason.TOO_YOUNG.isLasting()).isFalse();
    Files.setLastModifiedTime(
        blocks.file(1), FileTime.from(Instant.now().minus(61, ChronoUnit.MINUTES)));
    reducer.reduceNow(block);
    assertThat(blocks.isReduced(1)).isTrue();
    reducer.reduceNow(block);
    assertThat(blocks.skips).containsEntry(block, SkipReason.ALREADY_REDUCED);
  }

  /** With backtracking, this would take longer than the universe has lasted. */
  @Test
  void noExpressionStallsTheReducer() throws Exception {
    conf.set("hdrf.filter.exclude.regex", "(a*)*(a*)*(x+x+)+y\n(.*a){12}b$");
    start(1, 10);
    byte[] data = text(LENGTH);
    Arrays.fill(data, 0, SEARCHED, (byte) 'x');
    reducer.reduceNow(write(1, data));
    assertThat(blocks.isReduced(1)).isTrue();
  }

  /** After a power loss a block in place must find its schemes, their stores and its own data. */
  @Test
  void whatABlockNeedsIsDurableBeforeItIsInItsPlace() throws Exception {
    List<String> forced = new CopyOnWriteArrayList<>();
    DurableFiles logged =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public DurableFile create(Path path) throws IOException {
            return new ForwardingFile(super.create(path)) {
              @Override
              public void force() throws IOException {
                super.force();
                forced.add(path.getParent().getFileName().toString());
                blocks.events.add("forced");
              }
            };
          }
        };
    SchemeRegistry withStore = SchemeRegistry.of(List.of(new StoreScheme()));
    Path storeVolume = Files.createDirectories(directory.resolve("volume"));
    try (VolumeSchemes stores =
        new VolumeSchemes(withStore, new Configuration(false), storeVolume, logged)) {
      start(1, 10, logged);
      byte[] data = text(LENGTH);
      BlockRef block = write(1, data);
      blocks.otherCodecs.put(block, stores.codec(SchemeChain.parse("chain", "store", withStore)));
      assertThat(reducer.reduceNow(block)).isNull();
      assertThat(forced).hasSize(2).endsWith("tmp");
      assertThat(blocks.events.get(0)).isEqualTo("schemes");
      assertThat(blocks.events.subList(1, 3)).containsOnly("forced");
      assertThat(blocks.events).hasSize(4);
      long physical = reducedLength(blocks.file(1));
      assertThat(blocks.events.get(3)).isEqualTo("swap " + physical);
      assertThat(counters.byChain().get("store").logicalBytes()).isEqualTo(LENGTH);
      assertThat(counters.byChain().get("store").physicalBytes()).isEqualTo(physical);
    }
  }

  private static long reducedLength(Path file) throws IOException {
    try (ReducedBlock reduced = ReducedBlock.openUntrusted(file, ChannelFile.open(file))) {
      return reduced.physicalLength();
    }
  }

  @Test
  void aBlockWhoseSchemesCanNotBeRecordedStaysPlain() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    blocks.recordFailure = new IOException("No space left on device");
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.FAILED);
    assertStaysPlain(block, data, SkipReason.FAILED);
    assertThat(blocks.events).isEmpty();
  }

  @Test
  void whatIsNotWantedAnyMoreIsNotPutInPlace() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    AtomicInteger frames = new AtomicInteger();
    scheme.beforeEncode =
        frame -> {
          frames.incrementAndGet();
          blocks.unwanted = new BlockSkippedException(SkipReason.STOPPING, "for a test");
        };
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.STOPPING);
    assertStaysPlain(block, data, SkipReason.STOPPING);
    blocks.unwanted = null;
    frames.set(0);
    assertThat(reducer.reduceNow(write(2, text(13 << 20)))).isEqualTo(SkipReason.STOPPING);
    assertThat(frames.get() * HookedScheme.FRAME_LENGTH).isBetween(4 << 20, 6 << 20);
    frames.set(0);
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.STOPPING);
    assertThat(frames).as("it was not wanted from the beginning").hasValue(0);
  }

  @Test
  void aBlockThatWasMovedToOtherStorageWaitsForItsTurn() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    blocks.expectedChains.put(block, SchemeChain.parse("chain", "single", registry));
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.CHANGED);
    assertStaysPlain(block, data, SkipReason.CHANGED);
    assertThat(reducer.inProcess().values()).containsOnly(0);
  }

  @Test
  void anOwnerThatFailsEndsNoThread() throws Exception {
    start(1, 10);
    BlockRef block = write(1, text(LENGTH));
    blocks.chainFailure = new IllegalStateException("for a test");
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.FAILED);
    assertThat(reducer.offer(block)).isTrue();
    awaitIdle();
    assertThat(counters.skippedFor(SkipReason.FAILED)).isEqualTo(2);
    blocks.chainFailure = null;
    assertThat(reducer.offer(block)).isTrue();
    awaitIdle();
    assertThat(blocks.isReduced(1)).isTrue();
  }

  @Test
  void whoeverIsInterruptedWhileASchemeIsBusyGivesUp() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    scheme.beforeEncode =
        frame -> {
          begun.countDown();
          awaitGate(gate);
        };
    conf.setInt("hdrf.hooked.max.blocks", 1);
    start(1, 10);
    reducer.offer(write(1, text(LENGTH)));
    begun.await();
    BlockRef block = write(2, text(LENGTH));
    Thread.currentThread().interrupt();
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.STOPPING);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(reducer.waitingForScheme().values()).containsOnly(0);
    gate.countDown();
    awaitIdle();
    assertThat(blocks.isReduced(1)).isTrue();
    assertThat(blocks.isReduced(2)).isFalse();
  }

  @Test
  void whatIsAppendedMeanwhileIsNotRead() throws Exception {
    start(1, 10);
    byte[] data = text(LENGTH);
    BlockRef block = write(1, data);
    AtomicInteger frames = new AtomicInteger();
    scheme.beforeEncode =
        frame -> {
          if (frames.getAndIncrement() == 0) {
            Files.write(blocks.file(1), new byte[5000], StandardOpenOption.APPEND);
          }
        };
    assertThat(reducer.reduceNow(block)).isNull();
    assertThat(frames)
        .hasValue((LENGTH + HookedScheme.FRAME_LENGTH - 1) / HookedScheme.FRAME_LENGTH);
    assertThat(blocks.decoded(1)).isEqualTo(data);
  }

  /** Only what it samples is noise. */
  @Test
  void theProbeTakesItsSamplesEvenly() throws Exception {
    start(1, 10);
    int sample = 32 << 10;
    for (int length : new int[] {(2 << 20) - 1, 2 << 20, (4 << 20) + 4321}) {
      byte[] data = new byte[length];
      byte[] noise = TestData.RANDOM.bytes(sample, random);
      for (int i = 0; i < 4; i++) {
        System.arraycopy(noise, 0, data, i * ((length - sample) / 3), sample);
      }
      boolean probed = length >= 2 << 20;
      assertThat(reducer.reduceNow(write(length, data)))
          .isEqualTo(probed ? SkipReason.INCOMPRESSIBLE : null);
    }
  }

  @Test
  void oneCompressibleSampleOfFourIsEnough() throws Exception {
    start(1, 10);
    byte[] data = new byte[2 << 20];
    int sample = 32 << 10;
    for (int i = 0; i < 3; i++) {
      byte[] noise = TestData.RANDOM.bytes(sample, random);
      System.arraycopy(noise, 0, data, i * ((data.length - sample) / 3), sample);
    }
    assertThat(reducer.reduceNow(write(1, data))).isNull();
  }

  /** The caller must not take a failure for success. */
  @Test
  void aFailureIsToldToWhoeverAsked() throws Exception {
    start(1, 10);
    BlockRef block = write(1, text(LENGTH));
    blocks.openFailure = new IOException("Input/output error");
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.FAILED);
    blocks.openFailure = null;
    blocks.onSwap =
        () -> {
          throw new IllegalStateException("for a test");
        };
    assertThat(reducer.reduceNow(block)).isEqualTo(SkipReason.FAILED);
    assertThat(blocks.isReduced(1)).isFalse();
    blocks.onSwap = () -> {};
    assertThat(reducer.reduceNow(block)).isNull();
  }

  @Test
  void thereIsRoomOnceHalfOfAFullQueueIsFree() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    List<Integer> signalsAtBegin = new CopyOnWriteArrayList<>();
    scheme.beforeEncode =
        frame -> {
          signalsAtBegin.add(roomSignals.get());
          begun.countDown();
          awaitGate(gate);
        };
    start(1, 4);
    int oneFrame = HookedScheme.FRAME_LENGTH;
    reducer.offer(write(0, text(oneFrame)));
    begun.await();
    for (int id = 1; id <= 4; id++) {
      assertThat(reducer.offer(write(id, text(oneFrame)))).isTrue();
    }
    assertThat(reducer.offer(write(5, text(oneFrame)))).isFalse();
    gate.countDown();
    awaitIdle();
    assertThat(signalsAtBegin).containsExactly(0, 0, 0, 1, 1);
  }

  @Test
  void whatIsToBeIncludedNeedsNoExclusion() throws Exception {
    conf.set("hdrf.filter.include.keywords", "reduce me");
    start(1, 10);
    byte[] other = text(LENGTH);
    BlockRef block = write(1, other);
    reducer.reduceNow(block);
    assertStaysPlain(block, other, SkipReason.NOT_INCLUDED);
    byte[] included = text(LENGTH);
    put(included, 0, "reduce me");
    assertThat(reducer.reduceNow(write(2, included))).isNull();
  }
}
