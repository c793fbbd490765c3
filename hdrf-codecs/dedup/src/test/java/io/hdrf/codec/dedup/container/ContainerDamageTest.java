/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.CrashableFiles;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ContainerDamageTest extends OneContainerTestCase {

  private final Random random = TestSeed.random("container damage");

  /** Each read comes from the disk. */
  @Override
  ContainerStore open() throws IOException {
    return Chunks.open(dir, LocalDurableFiles.INSTANCE, settings().groupMemory(0));
  }

  private static void mend(ContainerStore store) {
    store.mend(0, Throttle.NONE);
    store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
  }

  /** Reads every chunk: it is right or reported. Returns the numbers of those reported. */
  private static BitSet readAll(ContainerStore store) throws IOException {
    BitSet reported = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      try {
        assertThat(Chunks.read(store, ChunkRef.pack(0, i), 200)).isEqualTo(chunk(i));
      } catch (CorruptFrameException e) {
        assertThat(e).hasMessageContaining("000000000000.hdc");
        reported.set(i);
      }
    }
    return reported;
  }

  @Test
  void anyChangedByte() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      byte[] good = fill(tail);
      for (int position = 0; position < good.length; position++) {
        byte[] bad = good.clone();
        bad[position] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bad);
        try (ContainerStore store = open()) {
          BitSet reported = readAll(store);
          // At most one group is lost.
          assertThat(reported.cardinality()).as("position %d", position).isLessThanOrEqualTo(6);
          assertThat(reported.length() - Math.max(0, reported.nextSetBit(0)))
              .isEqualTo(reported.cardinality());
          for (int i = 0; i < CHUNKS; i++) {
            long ref = ChunkRef.pack(0, i);
            assertThat(store.holds(ref, Chunks.fingerprint(chunk(i)), 0))
                .isEqualTo(!reported.get(i));
          }
          mend(store);
          boolean repaired = !Arrays.equals(Files.readAllBytes(file), bad);
          ContainerVerifier report = ContainerVerifier.verify(store, 0);
          assertThat(report.problems().isEmpty()).as("position %d", position).isEqualTo(repaired);
          assertThat(report.damagedChunks().cardinality())
              .isGreaterThanOrEqualTo(reported.cardinality());
        }
        Files.write(file, good);
      }
      Files.delete(file);
    }
  }

  /** A block that refers to it would replace plain data by what only memory still has. */
  @Test
  void damageOutlastsWhatWasDecodedBefore() throws IOException {
    byte[] bytes = fill(Chunks.DEFLATE);
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, settings())) {
      ContainerDirectory directory = store.directory(0);
      int chunk = directory.firstChunk(1);
      long ref = ChunkRef.pack(0, chunk);
      Chunks.assertHas(store, ref, chunk(chunk));
      bytes[(int) directory.groupPosition(1) + directory.headerLength(1) + 3] ^= 1;
      Files.write(file, bytes);
      Chunks.assertHas(store, ref, chunk(chunk));
      ByteBuffer run = ByteBuffer.allocateDirect(2000);
      assertThatThrownBy(() -> store.read(0, 0, directory.endChunk(1), run))
          .isInstanceOf(CorruptFrameException.class);
      for (int i = 0; i < 2; i++) {
        assertThat(store.holds(ref, Chunks.fingerprint(chunk(chunk)), 0)).isFalse();
        assertThatThrownBy(() -> Chunks.read(store, ref, 200))
            .isInstanceOf(CorruptFrameException.class);
      }
    }
  }

  @Test
  void severalChangedBytes() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    for (int n = 0; n < 1000; n++) {
      byte[] bad = good.clone();
      for (int i = 0; i < 2 + n % 5; i++) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 + random.nextInt(255));
      }
      if (n % 3 == 0) {
        Arrays.fill(bad, good.length - 96 - random.nextInt(900), good.length, (byte) 0);
      }
      Files.write(file, bad);
      try (ContainerStore store = open()) {
        readAll(store);
      }
    }
  }

  @Test
  void aTruncatedFile() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    int lost = CHUNKS;
    for (int length = 0; length < good.length; length += 1 + random.nextInt(7)) {
      Files.write(file, Arrays.copyOf(good, length));
      try (ContainerStore store = open()) {
        BitSet reported = readAll(store);
        assertThat(reported.cardinality()).isLessThanOrEqualTo(lost);
        lost = reported.cardinality();
        assertThat(reported.length()).isEqualTo(reported.isEmpty() ? 0 : CHUNKS);
        if (!reported.isEmpty()) {
          assertThat(store.holds(ChunkRef.pack(0, 0), Chunks.fingerprint(chunk(0)), 0)).isFalse();
        }
      } catch (CorruptFrameException e) {
        assertThat(length).isLessThan(ContainerHeader.LENGTH);
        assertThat(e).hasMessageContaining("000000000000.hdc");
      }
    }
    assertThat(lost).isZero();
  }

  /** The tail that a power loss tore is cut; nothing else is. */
  @Test
  void anOpenContainerWithAnyLength() throws IOException {
    byte[] good = fill(Chunks.PLAIN);
    Path open = ContainerNames.file(dir, 0, ContainerNames.OPEN);
    Files.delete(file);
    for (int length = 0; length < good.length; length += 1 + random.nextInt(11)) {
      byte[] torn = Arrays.copyOf(good, length + random.nextInt(200));
      Files.write(open, torn);
      try (ContainerStore store = open()) {
        int chunks = 0;
        if (Files.exists(file)) {
          assertThat(open).doesNotExist();
        }
        if (store.containers().iterator().hasNext()) {
          chunks = store.directory(0).chunkCount();
        }
        assertThat(chunks).isGreaterThanOrEqualTo(Math.min(CHUNKS, (length - 1000) / 200));
        for (int i = 0; i < chunks; i++) {
          Chunks.assertHas(store, ChunkRef.pack(0, i), chunk(i));
        }
      }
      Files.deleteIfExists(file);
      Files.deleteIfExists(open);
    }
  }

  /**
   * Damage in an open container costs one group, not all behind it. Nothing is removed from the
   * file as long as a block may need it: it may have been a reading error.
   */
  @Test
  void damageInsideOfAnOpenContainer() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    ContainerDirectory content;
    try (ContainerStore store = open()) {
      content = store.directory(0);
    }
    int end = (int) content.groupEnd(content.groupCount() - 1);
    good = Arrays.copyOf(good, end);
    Path open = ContainerNames.file(dir, 0, ContainerNames.OPEN);
    Files.delete(file);
    for (int g = 0; g < content.groupCount(); g++) {
      byte[] bad = good.clone();
      int stored = (int) content.groupPosition(g) + content.headerLength(g);
      bad[stored + random.nextInt(content.storedLength(g))] ^= 1;
      Files.write(open, bad);
      int left = CHUNKS - (content.endChunk(g) - content.firstChunk(g));
      for (int i = 0; i < 2; i++) {
        try (ContainerStore store = open()) {
          assertThat(store.mayHaveMore(0)).isTrue();
          assertThat(store.directory(0).chunkCount()).isEqualTo(left);
          for (int c = 0; c < left; c++) {
            int number = store.directory(0).number(c);
            Chunks.assertHas(store, ChunkRef.pack(0, number), chunk(number));
          }
          mend(store);
          assertThat(file).doesNotExist();
          assertThat(Files.readAllBytes(open)).isEqualTo(bad);
        }
      }
      Files.write(open, good);
      try (ContainerStore store = open()) {
        assertThat(readAll(store)).as("group %d", g).isEqualTo(new BitSet());
      }
      Files.delete(file);
      Files.write(open, bad);
      try (ContainerStore store = open()) {
        assertThat(store.sealIdle(0)).isTrue();
        assertThat(open).doesNotExist();
        assertThat(store.directory(0).chunkCount()).isEqualTo(left);
        assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
      }
      Files.delete(file);
    }
  }

  /** As a disk may bring back what it had written before: a group counts once, and in order. */
  @Test
  void groupsOutOfOrderDontCount() throws IOException {
    byte[] good = fill(Chunks.PLAIN);
    ContainerDirectory content;
    try (ContainerStore store = open()) {
      content = store.directory(0);
    }
    Files.delete(file);
    int end = (int) content.groupEnd(2);
    byte[] doubled = Arrays.copyOf(good, end + content.groupLength(1));
    System.arraycopy(good, (int) content.groupPosition(1), doubled, end, content.groupLength(1));
    Files.write(ContainerNames.file(dir, 0, ContainerNames.OPEN), doubled);
    try (ContainerStore store = open()) {
      assertThat(store.directory(0).chunkCount()).isEqualTo(content.endChunk(2));
      assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
    }
  }

  /** Users choose the content of chunks: a search must not find a group inside of one. */
  @Test
  void aGroupInsideOfAChunkIsNotTakenForOne() throws IOException {
    byte[] forged = Arrays.copyOfRange(fill(Chunks.PLAIN), 64, 900);
    Files.delete(file);
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      Chunks.append(appender, forged);
      Chunks.append(appender, chunk(1));
    }
    byte[] bad = Files.readAllBytes(file);
    bad[70] ^= 1;
    bad[bad.length - 200] ^= 1;
    Files.write(file, bad);
    try (ContainerStore store = open()) {
      assertThat(store.directory(0).chunkCount()).isEqualTo(1);
      assertThat(Chunks.read(store, ChunkRef.pack(0, 1), 200)).isEqualTo(chunk(1));
    }
  }

  @Test
  void aFileOfAnotherStoreOrIdIsRefused() throws IOException {
    byte[] good = fill(Chunks.PLAIN);
    Path other = ContainerNames.file(dir, 5, ContainerNames.SEALED);
    Path otherOpen = ContainerNames.file(dir, 6, ContainerNames.OPEN);
    Files.write(other, good);
    Files.write(otherOpen, good);
    Files.write(dir.resolve("notes.txt"), new byte[3]);
    Files.write(ContainerNames.file(dir, 7, ContainerNames.SEALED), new byte[5000]);
    Files.write(ContainerNames.file(dir, 8, ContainerNames.OPEN), new byte[5000]);
    try (ContainerStore store = open()) {
      assertThat(readAll(store).isEmpty()).isTrue();
      for (long id : new long[] {5, 6, 7, 8}) {
        assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(id, 0), 200))
            .isInstanceOf(CorruptFrameException.class)
            .hasMessageContaining(ContainerNames.hex(id));
      }
      List<ContainerInfo> list = new ArrayList<>();
      store.containers().forEach(list::add);
      assertThat(list).hasSize(5).filteredOn(info -> info.problem() != null).hasSize(4);
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        assertThat(ChunkRef.container(Chunks.append(appender, chunk(0)))).isEqualTo(9);
      }
    }
    ContainerSettings foreign = ContainerSettings.of(Chunks.IDENTITY + 1);
    try (ContainerStore store = Chunks.open(dir, new CrashableFiles(scratch), foreign)) {
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, 0), 200))
          .isInstanceOf(CorruptFrameException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("identity");
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(good);
    assertThat(Files.readAllBytes(other)).isEqualTo(good);
    assertThat(Files.readAllBytes(otherOpen)).isEqualTo(good);
    assertThat(dir.resolve("notes.txt")).exists();
  }

  @Test
  void aLaterVersionIsNotDamage() throws IOException {
    byte[] bytes = fill(Chunks.PLAIN);
    later(bytes, 0, 60);
    later(bytes, bytes.length - ContainerFooter.LENGTH, 92);
    Files.write(file, bytes);
    Path open = ContainerNames.file(dir, 1, ContainerNames.OPEN);
    Files.write(open, bytes);
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> Chunks.read(store, 0, 200))
          .isInstanceOf(UnknownFormatVersionException.class)
          .hasMessageContaining(file.toString());
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(1, 0), 200))
          .isInstanceOf(UnknownFormatVersionException.class)
          .hasMessageContaining(open.toString());
      assertThatThrownBy(() -> store.compact(0, (listed, whole) -> new BitSet(), Throttle.NONE))
          .isInstanceOf(UnknownFormatVersionException.class);
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    assertThat(Files.readAllBytes(open)).isEqualTo(bytes);
  }

  private static void later(byte[] bytes, int offset, int crcOffset) {
    bytes[offset + 4] = ContainerFormat.VERSION + 1;
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(offset + crcOffset, ContainerFormat.crc(buffer, offset, offset + crcOffset));
  }

  /** As memory may change them between the fingerprint and the CRC. */
  @Test
  void chunksThatAreNotWhatTheirFingerprintsSay() throws IOException {
    try (ContainerStore store = open()) {
      long good;
      long bad;
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        good = Chunks.append(appender, chunk(1));
        bad = appender.append(Chunks.fingerprint(chunk(2)), 0, Chunks.direct(chunk(3)));
        appender.force();
      }
      assertThat(store.holds(bad, Chunks.fingerprint(chunk(2)), 0)).isTrue();
      assertThat(store.findDamage(0, ChunkRef.number(good), 1)).isFalse();
      assertThat(store.findDamage(0, ChunkRef.number(good), 2)).isTrue();
      // It reads well, but stays wrong.
      assertThat(Chunks.read(store, bad, 200)).isEqualTo(chunk(3));
      assertThat(store.isBad(bad)).isTrue();
      assertThat(store.holds(bad, Chunks.fingerprint(chunk(2)), 0)).isFalse();
      Chunks.assertHas(store, good, chunk(1));
    }
  }

  /** A listing of a container without a footer shows the data of its groups. */
  @Test
  void aDamagedFooterKeepsNothingFromBeingCollected() throws IOException {
    byte[] bytes = fill(Chunks.DEFLATE);
    bytes[bytes.length - 3] ^= 1;
    bytes[bytes.length - 120] ^= 1;
    Files.write(file, bytes);
    try (ContainerStore store = open()) {
      ContainerInfo info = store.containers().iterator().next();
      assertThat(info.problem()).isNull();
      assertThat(info.chunkCount()).isEqualTo(CHUNKS);
      assertThat(store.compact(0, (listed, whole) -> new BitSet(), Throttle.NONE).chunksDropped())
          .isEqualTo(CHUNKS);
    }
  }

  /** Chunks that can't be decoded now are reported as unreadable now, not as damaged. */
  @Test
  void aDirectoryThatIsMadeAgainWhileASchemeFails() throws IOException {
    byte[] bytes = fill(Chunks.DEFLATE);
    bytes[bytes.length - 3] ^= 1;
    Files.write(file, bytes);
    FrameChain failing = FrameChain.of(List.of(new FailingScheme(true)), new Configuration(false));
    try (ContainerStore store =
        ContainerStore.open(
            dir,
            LocalDurableFiles.INSTANCE,
            Chunks.settings(),
            ids -> failing,
            Chunks::fingerprint)) {
      assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, 0), 200))
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageContaining("can't be decoded");
    }
    try (ContainerStore store = open()) {
      assertThat(readAll(store)).isEqualTo(new BitSet());
      assertThat(store.holds(ChunkRef.pack(0, 1), Chunks.fingerprint(chunk(1)), 0)).isTrue();
    }
  }

  /** Compaction makes nothing worse. */
  @Test
  void compactionOfADamagedContainer() throws IOException {
    byte[] good = fill(Chunks.DEFLATE);
    for (int position = 0; position < good.length; position += 1 + random.nextInt(40)) {
      byte[] bad = good.clone();
      bad[position] ^= (byte) (1 + random.nextInt(255));
      Files.write(file, bad);
      BitSet before;
      BitSet live = new BitSet();
      try (ContainerStore store = open()) {
        before = readAll(store);
        for (int i = 0; i < CHUNKS; i++) {
          live.set(i, i % 8 != 3 && i / 6 != 2);
        }
        store.compact(0, (listed, whole) -> live, Throttle.NONE);
        for (int i = live.nextSetBit(0); i >= 0; i = live.nextSetBit(i + 1)) {
          if (!before.get(i)) {
            assertThat(Chunks.read(store, ChunkRef.pack(0, i), 200)).isEqualTo(chunk(i));
          } else {
            int damaged = i;
            assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, damaged), 200))
                .isInstanceOf(CorruptFrameException.class);
          }
        }
      }
    }
  }

  /** Forced groups are no torn tail just because the scheme fails now. */
  @Test
  void whatCanNotBeDecodedNowIsNotCutOff() throws IOException {
    Path open = ContainerNames.file(dir, 0, ContainerNames.OPEN);
    ContainerStore killed = open();
    ChunkAppender appender = killed.appender(Chunks.DEFLATE);
    for (int i = 0; i < CHUNKS; i++) {
      Chunks.append(appender, chunk(i));
    }
    appender.force();
    byte[] bytes = Files.readAllBytes(open);
    for (boolean corrupt : new boolean[] {true, false}) {
      FrameChain failing =
          FrameChain.of(List.of(new FailingScheme(corrupt)), new Configuration(false));
      try (ContainerStore store =
          ContainerStore.open(
              dir,
              LocalDurableFiles.INSTANCE,
              Chunks.settings(),
              ids -> failing,
              Chunks::fingerprint)) {
        ContainerInfo info = store.containers().iterator().next();
        assertThat(info.problem()).contains("can't be decoded");
        assertThatThrownBy(() -> Chunks.read(store, ChunkRef.pack(0, 0), 200))
            .isNotInstanceOf(CorruptFrameException.class)
            .hasMessageContaining("can't be decoded");
        mend(store);
      }
      assertThat(Files.readAllBytes(open)).isEqualTo(bytes);
    }
    try (ContainerStore store = open()) {
      assertThat(readAll(store)).isEqualTo(new BitSet());
    }
  }

  /** Decodes nothing. */
  private static final class FailingScheme implements FrameScheme {
    private final boolean corrupt;

    FailingScheme(boolean corrupt) {
      this.corrupt = corrupt;
    }

    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return "deflate";
    }

    @Override
    public int id() {
      return Chunks.DEFLATE_ID;
    }

    @Override
    public int frameLength(PluginSettings settings) {
      return 1 << 16;
    }

    @Override
    public FrameCodec newCodec(PluginSettings settings) {
      return new FrameCodec() {
        @Override
        public int maxEncodedLength(int length) {
          return length;
        }

        @Override
        public void encode(ByteBuffer src, ByteBuffer dst) {
          throw new AssertionError("nothing is to be encoded");
        }

        @Override
        public void decode(ByteBuffer src, ByteBuffer dst) throws CorruptFrameException {
          if (corrupt) {
            throw new CorruptFrameException("set up for another dictionary");
          }
          throw new UnsupportedOperationException("a test");
        }
      };
    }
  }
}
