/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.hdrf.io.PowerLoss;
import io.hdrf.sample.DeflateScheme;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.Volume;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.MetadataStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proves a scheme: extend it, return the scheme from {@link #scheme()}, and every test runs against
 * it. Random choices depend on a printed seed; {@code -Dhdrf.test.seed=N} repeats them.
 */
public abstract class BaseSchemeTestCase {

  private static final int LONGEST_FRAME_TRIED = 4 << 20;

  /** The bytes that decoding a damaged frame may allocate beyond eight times the frame's length. */
  private static final long MAX_ALLOCATION = 32 << 20;

  @TempDir Path directory;

  private final Random random = TestSeed.random(getClass().getName());
  private ReductionScheme scheme;
  private SchemeRegistry registry;
  private Volume volume;
  private ChainCodec codec;

  /** Returns a new instance of the scheme. */
  protected abstract ReductionScheme scheme();

  /** Returns the settings to test with; Hadoop's defaults are not loaded. */
  protected Configuration configuration() {
    return new Configuration(false);
  }

  /**
   * Returns settings under which frames are encoded, in addition to {@link #configuration}, and
   * then decoded without; each map holds full keys and values.
   */
  protected List<Map<String, String>> otherSettings() {
    return Collections.emptyList();
  }

  /** Returns full keys with values that must be refused. */
  protected Map<String, List<String>> badSettings() {
    return Collections.emptyMap();
  }

  /** Returns whether every block of zeros becomes shorter, or is kept elsewhere. */
  protected boolean reducesZeros() {
    return true;
  }

  /**
   * Returns the length of the longest block to test with; four frames if those are longer. For slow
   * schemes.
   */
  protected int longestBlock() {
    return 300_000;
  }

  /** Returns how many damaged copies of each frame to decode. For slow schemes. */
  protected int damagedCopies() {
    return 300;
  }

  @BeforeEach
  void open() throws IOException {
    scheme = scheme();
    registry = registry(scheme);
    volume = new Volume(registry, configuration(), directory);
    codec = volume.codec(chain());
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  /** The scheme alone; one that keeps the length with a compressor behind it. */
  private int[] chain() {
    return keepsLength()
        ? new int[] {scheme.id(), new DeflateScheme().id()}
        : new int[] {scheme.id()};
  }

  private boolean keepsLength() {
    return scheme instanceof FrameScheme && ((FrameScheme) scheme).keepsLength();
  }

  private static SchemeRegistry registry(ReductionScheme scheme) throws IOException {
    Map<String, ReductionScheme> schemes = new LinkedHashMap<>();
    schemes.put(scheme.name(), scheme);
    schemes.putIfAbsent("deflate", new DeflateScheme());
    return SchemeRegistry.of(schemes.values());
  }

  // What it says of itself

  @Test
  void isAcceptedByTheRegistry() throws IOException {
    assertThat(scheme.spiVersion()).isEqualTo(SpiVersion.CURRENT);
    assertThat(SchemeRegistry.of(List.of(scheme)).names()).containsExactly(scheme.name());
    assertThat(scheme().name()).isEqualTo(scheme.name());
    assertThat(scheme().id()).isEqualTo(scheme.id());
  }

  @Test
  void isAnIdOfItsOwn() {
    if (!scheme.getClass().getName().startsWith("io.hdrf.")) {
      assertThat(scheme.id()).as("ids up to 1023 are HDRF's").isGreaterThan(1023);
    }
  }

  @Test
  void isFoundByServiceLoader() throws IOException {
    List<String> names = new ArrayList<>();
    String service = "META-INF/services/" + ReductionScheme.class.getName();
    for (URL url : Collections.list(scheme.getClass().getClassLoader().getResources(service))) {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(url.openStream(), StandardCharsets.UTF_8))) {
        lines.lines().map(line -> line.replaceAll("#.*", "").trim()).forEach(names::add);
      }
    }
    assertThat(names).as("lines of " + service).contains(scheme.getClass().getName());
    assertThat(scheme.getClass().getConstructors())
        .as("public constructors without arguments")
        .anyMatch(constructor -> constructor.getParameterCount() == 0);
  }

  @Test
  void frameLengthIsInRange() {
    if (scheme instanceof BlockScheme) {
      assertThat(codec.frameLength()).isZero();
    } else {
      assertThat(codec.frameLength()).isBetween(1, FrameCodec.MAX_FRAME_LENGTH);
    }
  }

  @Test
  void refusesBadSettings() {
    badSettings()
        .forEach(
            (key, values) -> {
              for (String value : values) {
                Configuration bad = configuration();
                bad.set(key, value);
                assertThatThrownBy(
                        () -> {
                          try (Volume other = new Volume(registry, bad, directory)) {
                            other.codec(chain());
                          }
                        })
                    .isInstanceOf(BadSettingException.class)
                    .hasMessageContaining(key)
                    .hasMessageContaining(value);
              }
            });
  }

  // Round trips

  @Test
  void roundTripsEverySmallLength() throws IOException {
    TestData[] kinds = TestData.values();
    for (int length = 1; length <= 300; length++) {
      if (codec.chain().keepsContentInStore()) {
        // Each block costs an fsync, and the content decides little.
        assertRoundTrip(kinds[length % kinds.length], length);
      } else {
        for (TestData kind : kinds) {
          assertRoundTrip(kind, length);
        }
      }
    }
  }

  @Test
  void roundTripsAroundPowersOfTwo() throws IOException {
    for (TestData kind : TestData.values()) {
      for (int power = 512; power < longestBlock(); power *= 2) {
        for (int length = power - 1; length <= power + 1; length++) {
          assertRoundTrip(kind, length);
        }
      }
    }
  }

  @Test
  void roundTripsAroundFrameBoundaries() throws IOException {
    int frame = codec.frameLength() == 0 ? 64 << 10 : codec.frameLength();
    if (frame > LONGEST_FRAME_TRIED) {
      return;
    }
    for (TestData kind : TestData.values()) {
      for (int frames = 1; frames <= 3; frames++) {
        for (int length = frames * frame - 1; length <= frames * frame + 1; length++) {
          if (length > 0) {
            assertRoundTrip(kind, length);
          }
        }
      }
    }
  }

  @Test
  void roundTripsRandomLengths() throws IOException {
    for (int i = 0; i < 60; i++) {
      TestData kind = TestData.values()[random.nextInt(TestData.values().length)];
      assertRoundTrip(kind, 1 + random.nextInt(1 + random.nextInt(longBlock())));
    }
  }

  private int longBlock() {
    return Math.max(longestBlock(), Math.min(4 * codec.frameLength(), LONGEST_FRAME_TRIED));
  }

  private void assertRoundTrip(TestData kind, int length) throws IOException {
    byte[] block = kind.bytes(length, random);
    List<StoredFrame> frames = Volume.encode(codec, block, random);
    if (!Arrays.equals(Volume.decode(codec, frames, random), block)) {
      fail("%d bytes of %s came back changed", length, kind);
    }
  }

  @Test
  void reducesZerosIfItSaysSo() throws IOException {
    byte[] block = new byte[longBlock()];
    long stored = 0;
    for (StoredFrame frame : Volume.encode(codec, block, random)) {
      stored += frame.bytes().length;
    }
    if (reducesZeros()) {
      assertThat(stored).isLessThan(block.length / 2);
    }
  }

  @Test
  void framesOfFrameSchemesAreNeverLongerThanTheirData() throws IOException {
    if (scheme instanceof BlockScheme) {
      return;
    }
    for (int length : new int[] {1, 10, 1000, longBlock()}) {
      for (StoredFrame frame :
          Volume.encode(codec, TestData.RANDOM.bytes(length, random), random)) {
        assertThat(frame.bytes().length).isLessThanOrEqualTo(frame.originalLength());
      }
    }
  }

  @Test
  void decodesWhatAnotherInstanceEncoded() throws IOException {
    byte[] block = TestData.TEXT.bytes(longBlock(), random);
    List<StoredFrame> frames = Volume.encode(codec, block, random);
    volume.close();
    ReductionScheme other = scheme();
    assertThat(other).isNotSameAs(scheme);
    volume = new Volume(registry(other), configuration(), directory);
    assertThat(Volume.decode(volume.codec(chain()), frames, random)).isEqualTo(block);
  }

  @Test
  void decodesWhatOtherSettingsEncoded() throws IOException {
    for (Map<String, String> settings : otherSettings()) {
      byte[] block = TestData.TEXT.bytes(longBlock(), random);
      Configuration other = configuration();
      settings.forEach(other::set);
      volume.close();
      List<StoredFrame> frames;
      try (Volume before = new Volume(registry, other, directory)) {
        frames = Volume.encode(before.codec(chain()), block, random);
      }
      volume = new Volume(registry, configuration(), directory);
      assertThat(Volume.decode(volume.codec(chain()), frames, random))
          .as(settings.toString())
          .isEqualTo(block);
    }
  }

  @Test
  void standsInChains() throws IOException {
    if (scheme.name().equals("deflate")) {
      return;
    }
    List<String> chains = new ArrayList<>(List.of(scheme.name() + ",deflate"));
    if (scheme instanceof FrameScheme && !keepsLength()) {
      chains.add("deflate," + scheme.name());
    }
    for (String names : chains) {
      ChainCodec chain = volume.codec(SchemeChain.parse("hdrf.schemes", names, registry));
      for (TestData kind : TestData.values()) {
        for (int length : new int[] {1, 7, 100, 5000, 70_000}) {
          byte[] block = kind.bytes(length, random);
          List<StoredFrame> frames = Volume.encode(chain, block, random);
          assertThat(Volume.decode(chain, frames, random))
              .as("%d bytes of %s through %s", length, kind, names)
              .isEqualTo(block);
        }
      }
    }
  }

  @Test
  void keepsTheLengthIfItSaysSo() throws IOException {
    if (!keepsLength()) {
      return;
    }
    try (FrameCodec frames = frameCodec()) {
      for (TestData kind : TestData.values()) {
        for (int length : new int[] {1, 2, 7, 63, 1000, 70_001}) {
          ByteBuffer src = ByteBuffer.allocateDirect(length).put(kind.bytes(length, random)).flip();
          ByteBuffer dst = ByteBuffer.allocateDirect(frames.maxEncodedLength(length));
          frames.encode(src, dst);
          assertThat(dst.position()).isBetween(length, length + FrameScheme.MAX_HEADER);
        }
      }
    }
    assertThatThrownBy(() -> SchemeChain.parse("hdrf.schemes", scheme.name(), registry))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("hdrf.schemes")
        .hasMessageContaining(scheme.name());
  }

  // Rules for a frame codec's buffers

  @Test
  void frameCodecKeepsWithinItsBuffers() throws IOException {
    if (scheme instanceof BlockScheme) {
      return;
    }
    try (FrameCodec frames = frameCodec()) {
      for (TestData kind : TestData.values()) {
        for (int length : new int[] {1, 2, 3, 15, 64, 1000, 4096, 70_000}) {
          byte[] frame = kind.bytes(length, random);
          GuardedBuffer src = new GuardedBuffer(frame, random);
          GuardedBuffer dst = new GuardedBuffer(frames.maxEncodedLength(length), random);
          frames.encode(src.buffer(), dst.buffer());
          src.assertExhausted();
          src.assertIntact();
          dst.assertIntact();
          assertThat(src.range()).as("source after encoding").isEqualTo(frame);

          GuardedBuffer encoded = new GuardedBuffer(dst.written(), random);
          GuardedBuffer decoded = new GuardedBuffer(length, random);
          frames.decode(encoded.buffer(), decoded.buffer());
          encoded.assertExhausted();
          decoded.assertExhausted();
          encoded.assertIntact();
          decoded.assertIntact();
          assertThat(decoded.range()).isEqualTo(frame);
        }
      }
    }
  }

  @Test
  void maxEncodedLengthGrowsWithTheLength() throws IOException {
    if (scheme instanceof BlockScheme) {
      return;
    }
    try (FrameCodec frames = frameCodec()) {
      int last = 0;
      for (long length = 1; length <= FrameCodec.MAX_FRAME_LENGTH; length += 1 + length / 3) {
        int max = frames.maxEncodedLength((int) length);
        assertThat(max).as("for %d bytes", length).isGreaterThanOrEqualTo(Math.max(1, last));
        last = max;
      }
      assertThat(frames.maxEncodedLength(FrameCodec.MAX_FRAME_LENGTH)).isPositive();
    }
  }

  private FrameCodec frameCodec() throws IOException {
    return ((FrameScheme) scheme).newCodec(new PluginSettings(configuration(), scheme.name()));
  }

  // Threads

  @Test
  void worksInSeveralThreads() throws Exception {
    int threads = Math.min(4, scheme.maxConcurrentBlocks());
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Void>> results = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Random own = TestSeed.random(getClass().getName(), thread);
        Callable<Void> work =
            () -> {
              for (int i = 0; i < 40; i++) {
                TestData kind = TestData.values()[own.nextInt(TestData.values().length)];
                byte[] block = kind.bytes(1 + own.nextInt(longestBlock() / 2), own);
                List<StoredFrame> frames = Volume.encode(codec, block, own);
                for (int again = 0; again < 2; again++) {
                  if (!Arrays.equals(Volume.decode(codec, frames, own), block)) {
                    throw new AssertionError(
                        block.length + " bytes of " + kind + " came back changed");
                  }
                }
              }
              return null;
            };
        results.add(pool.submit(work));
      }
      for (Future<Void> result : results) {
        result.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  // Damage

  @Test
  void truncationIsDetected() throws IOException {
    for (StoredFrame frame : someFrames()) {
      int length = frame.bytes().length;
      TreeSet<Integer> cuts = new TreeSet<>(List.of(0, length / 2, length - 1));
      for (int i = 0; i < 40; i++) {
        cuts.add(random.nextInt(length));
      }
      for (int cut : cuts) {
        StoredFrame damaged = frame.with(Arrays.copyOf(frame.bytes(), cut));
        assertThatThrownBy(() -> decodeDamaged(damaged))
            .as("cut to %d of %d bytes", cut, length)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void trailingBytesAreDetected() throws IOException {
    for (StoredFrame frame : someFrames()) {
      for (int more = 1; more < 20; more += 6) {
        byte[] bytes = Arrays.copyOf(frame.bytes(), frame.bytes().length + more);
        assertThatThrownBy(() -> decodeDamaged(frame.with(bytes)))
            .as("%d bytes more", more)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void wrongFrameLengthIsDetected() throws IOException {
    for (StoredFrame frame : someFrames()) {
      int length = frame.originalLength();
      for (int wrong : new int[] {length - 1, length + 1, length / 2, 2 * length}) {
        if (wrong != length && wrong > 0) {
          assertThatThrownBy(() -> decodeDamaged(frame.withLength(wrong)))
              .as("%d bytes decoded as %d", length, wrong)
              .isInstanceOf(IOException.class);
        }
      }
    }
  }

  @Test
  void wrongStagesAreDetected() throws IOException {
    for (StoredFrame frame : someFrames()) {
      for (int stages : new int[] {2, 3, 4, 8, 16, 1 << 30, 1 << 31, -1}) {
        if (stages >>> chain().length == 0) {
          continue;
        }
        StoredFrame damaged = new StoredFrame(frame.originalLength(), stages, frame.bytes());
        assertThatThrownBy(() -> decodeDamaged(damaged))
            .as("stages %d", stages)
            .isInstanceOf(CorruptFrameException.class);
      }
    }
  }

  /** Flipped bits may give wrong bytes, which the block file's checksums find, but no more. */
  @Test
  void flippedBitsDoNoHarm() throws IOException {
    for (StoredFrame frame : someFrames()) {
      for (int i = 0; i < damagedCopies(); i++) {
        byte[] bytes = frame.bytes().clone();
        int flips = 1 + random.nextInt(1 + random.nextInt(8));
        for (int flip = 0; flip < flips; flip++) {
          int range = random.nextBoolean() ? bytes.length : Math.min(bytes.length, 24);
          bytes[random.nextInt(range)] ^= (byte) (1 << random.nextInt(8));
        }
        decodeOrRefuse(frame.with(bytes));
      }
    }
  }

  @Test
  void junkDoesNoHarm() throws IOException {
    for (int i = 0; i < 500; i++) {
      byte[] junk = new byte[1 + random.nextInt(1 << random.nextInt(12))];
      random.nextBytes(junk);
      decodeOrRefuse(new StoredFrame(1 + random.nextInt(1 << 16), 1, junk));
    }
  }

  /** Encoded frames of several kinds and lengths that went through the scheme. */
  private List<StoredFrame> someFrames() throws IOException {
    List<StoredFrame> some = new ArrayList<>();
    for (TestData kind : TestData.values()) {
      for (int length : new int[] {1, 90, 5000, 60_000}) {
        for (StoredFrame frame : Volume.encode(codec, kind.bytes(length, random), random)) {
          if (frame.stages() != 0 && frame.bytes().length > 0 && random.nextInt(8) < 4) {
            some.add(frame);
          }
        }
      }
    }
    Collections.shuffle(some, random);
    return some.subList(0, Math.min(some.size(), 25));
  }

  private void decodeOrRefuse(StoredFrame frame) {
    try {
      decodeDamaged(frame);
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }

  /** Decodes within bounds of memory; canaries are checked on the way. */
  private void decodeDamaged(StoredFrame frame) throws IOException {
    long before = allocated();
    try {
      if (scheme instanceof FrameScheme && frame.stages() == 1) {
        decodeByFrameCodec(frame);
      } else {
        Volume.decode(codec, frame, random);
      }
    } finally {
      long margin = 16L * (frame.originalLength() + frame.bytes().length);
      assertThat(allocated() - before).as("memory").isLessThan(MAX_ALLOCATION + margin);
    }
  }

  /** Bypasses the core, which would turn a runtime exception into an IOException. */
  private void decodeByFrameCodec(StoredFrame frame) throws IOException {
    GuardedBuffer src = new GuardedBuffer(frame.bytes(), random);
    GuardedBuffer dst = new GuardedBuffer(frame.originalLength(), random);
    try (FrameCodec frames = frameCodec()) {
      frames.decode(src.buffer(), dst.buffer());
      src.assertExhausted();
      dst.assertExhausted();
    } finally {
      src.assertIntact();
      dst.assertIntact();
    }
  }

  private static long allocated() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long direct = 0;
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      direct += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
    }
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) + direct;
  }

  // Durability

  /**
   * The power fails at every operation on the scheme's store; unforced data are dropped, kept or
   * torn.
   */
  @Test
  void forcedFramesSurviveAPowerLoss(@TempDir Path scratch) throws Exception {
    if (scheme instanceof FrameScheme) {
      return;
    }
    byte[] first = TestData.REPEATS.bytes(1 + random.nextInt(100_000), random);
    byte[] second = TestData.RANDOM.bytes(1 + random.nextInt(10_000), random);
    List<List<StoredFrame>> undisturbed = new ArrayList<>();
    List<List<StoredFrame>> forced = new ArrayList<>();
    PowerLoss.everywhere(
        scratch,
        random.nextInt(1 << 30),
        6,
        work -> {},
        (work, files) -> {
          forced.clear();
          try (Volume crashing = new Volume(registry, configuration(), work, files)) {
            ChainCodec crashingCodec = crashing.codec(chain());
            for (byte[] block : List.of(first, second)) {
              forced.add(Volume.encode(crashingCodec, block, random));
            }
          }
          undisturbed.addAll(forced);
        },
        (state, finished) -> {
          try (Volume after = new Volume(registry, configuration(), state)) {
            ChainCodec reader = after.codec(chain());
            List<List<StoredFrame>> kept = finished ? undisturbed : forced;
            for (int i = 0; i < kept.size(); i++) {
              byte[] block = i == 0 ? first : second;
              if (!Arrays.equals(Volume.decode(reader, kept.get(i), random), block)) {
                fail("block %d came back changed", i);
              }
            }
          }
        });
    assertThat(undisturbed).hasSize(2);
  }

  // Limits

  @Test
  void emptyBlocksAreRefused() {
    assertThatThrownBy(() -> Volume.encode(codec, new byte[0], random))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aBlockThatEndsEarlyIsAnError() {
    byte[] half = TestData.TEXT.bytes(5000, random);
    assertThatThrownBy(
            () ->
                codec.encode(
                    2L * half.length,
                    new BlockSource() {
                      private final ByteBuffer rest = ByteBuffer.wrap(half);

                      @Override
                      public int read(ByteBuffer dst) {
                        if (!rest.hasRemaining()) {
                          return -1;
                        }
                        int count = Math.min(dst.remaining(), rest.remaining());
                        dst.put(rest.slice().limit(count));
                        rest.position(rest.position() + count);
                        return count;
                      }
                    },
                    (originalLength, stages, stored) -> {}))
        .isInstanceOf(IOException.class);
  }

  @Test
  void errorsOfTheOutputArePassedOn() {
    IOException full = new IOException("disk full");
    byte[] block = TestData.TEXT.bytes(5000, random);
    assertThatThrownBy(
            () ->
                codec.encode(
                    block.length,
                    dst -> {
                      int count = Math.min(dst.remaining(), block.length);
                      dst.put(block, 0, count);
                      return count;
                    },
                    (originalLength, stages, stored) -> {
                      throw full;
                    }))
        .isSameAs(full);
  }

  @Test
  void closingTwiceIsHarmless() throws IOException {
    volume.close();
    volume.close();
    assertThatThrownBy(() -> volume.codec(chain())).isInstanceOf(IOException.class);
    if (scheme instanceof FrameScheme) {
      FrameCodec frames = frameCodec();
      frames.close();
      frames.close();
    } else {
      SchemeContext context = new DirectContext(directory.resolve("twice"));
      BlockCodec block = ((BlockScheme) scheme).open(context);
      block.close();
      block.close();
    }
  }

  private final class DirectContext implements SchemeContext {
    private final Path store;

    DirectContext(Path store) throws IOException {
      this.store = store;
      files().createDirectories(store);
    }

    @Override
    public PluginSettings settings() {
      return new PluginSettings(configuration(), scheme.name());
    }

    @Override
    public Path storeDirectory() {
      return store;
    }

    @Override
    public DurableFiles files() {
      return LocalDurableFiles.INSTANCE;
    }

    @Override
    public long volumeId() {
      return VolumeServices.NONE.volumeId();
    }

    @Override
    public MetadataStore metadata() {
      return VolumeServices.NONE.metadata();
    }

    @Override
    public StoredPayloads payloads() {
      return VolumeServices.NONE.payloads(scheme.id());
    }

    @Override
    public FrameChain frameChain(int... ids) throws IOException {
      List<FrameScheme> schemes = new ArrayList<>();
      for (int id : ids) {
        schemes.add((FrameScheme) registry.byId(id));
      }
      return FrameChain.of(schemes, configuration());
    }
  }
}
