/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.WatchedFileSystem;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a pass knows of the one before, and when it does not believe it. */
class KnownPayloadsTest {

  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final String BLOCKS = "current/finalized/subdir0/subdir0";

  /** As many as there are turns in which a known file is read. */
  private static final int COUNT = 64;

  @TempDir Path pool;

  private final Set<Path> opened = new HashSet<>();
  private final List<Path> unreadable = new ArrayList<>();
  private LongSupplier clock = () -> System.currentTimeMillis() + TimeUnit.MINUTES.toMillis(1);
  private int scheme;

  /** A file that seems to be gone when it is read. */
  private Path gone;

  /** Whether the next file to be read seems to be gone. */
  private boolean goneOnce;

  @BeforeEach
  void write() throws IOException {
    for (int i = 0; i < COUNT; i++) {
      write(BLOCKS, i, i);
    }
    scheme = ToyFrames.CHAIN[0];
  }

  private Path write(String directory, long id, long seed) throws IOException {
    Path path = pool.resolve(directory).resolve("blk_" + id);
    Files.createDirectories(path.getParent());
    Files.deleteIfExists(path);
    TestBlock.random(new Random(seed), 5, 100, 1000)
        .write(LocalDurableFiles.INSTANCE, path, new BlockRef(POOL, id), TestBlock.KEY);
    return path;
  }

  private StoredPayloads payloads() {
    Path watched =
        new WatchedFileSystem(
                new WatchedFileSystem.Watch() {
                  @Override
                  public void opening(Path path) {
                    if (path.getFileName().toString().startsWith("blk_")) {
                      opened.add(path);
                    }
                  }

                  @Override
                  public int reading(Path path, long position, int length) throws IOException {
                    if (path.equals(gone) || (goneOnce && opened.contains(path))) {
                      goneOnce = false;
                      throw new NoSuchFileException(path.toString());
                    }
                    return length;
                  }
                })
            .path(pool);
    return new StoredBlocks(
            watched,
            watched.resolve("hdrf"),
            POOL,
            TestBlock.KEY,
            (path, file) -> false,
            LocalDurableFiles.INSTANCE,
            (file, id, why) -> unreadable.add(file))
        .payloads(scheme, clock);
  }

  /** The frames of each block, with their lengths. */
  private Map<Long, List<String>> known() throws IOException {
    return shown(payloads());
  }

  private Map<Long, List<String>> shown(StoredPayloads payloads) throws IOException {
    opened.clear();
    Map<Long, List<String>> shown = new TreeMap<>();
    payloads.forEachKnown((id, length, payload) -> add(shown, id, length, payload));
    return shown;
  }

  private Map<Long, List<String>> read() throws IOException {
    Map<Long, List<String>> shown = new TreeMap<>();
    payloads().forEach((id, length, payload) -> add(shown, id, length, payload));
    return shown;
  }

  private static void add(Map<Long, List<String>> shown, long id, int length, ByteBuffer payload) {
    assertThat(payload.isDirect()).isTrue();
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    shown
        .computeIfAbsent(id, key -> new ArrayList<>())
        .add(length + " " + HexFormat.of().formatHex(bytes));
  }

  private List<Path> files() throws IOException {
    if (!Files.exists(pool.resolve("hdrf"))) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(pool.resolve("hdrf"))) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void filesThatHaveNotChangedAreNotReadAgainButForSome() throws IOException {
    Map<Long, List<String>> first = known();
    assertThat(opened).hasSize(COUNT);
    assertThat(first).isEqualTo(read()).hasSize(COUNT);
    Set<Path> checked = new HashSet<>();
    for (int pass = 0; pass < 20; pass++) {
      assertThat(known()).isEqualTo(first);
      assertThat(opened).hasSize(1);
      checked.addAll(opened);
    }
    assertThat(checked).hasSizeGreaterThan(1);
  }

  /** A collection in parts reads the payloads for each of them. */
  @Test
  void filesAreNotCheckedWhereACallBeforeDidSo() throws IOException {
    final Map<Long, List<String>> first = known();
    StoredPayloads payloads = payloads();
    for (int pass = 0; pass < 5; pass++) {
      opened.clear();
      Map<Long, List<String>> shown = new TreeMap<>();
      payloads.forEachKnown((id, length, payload) -> add(shown, id, length, payload), false);
      assertThat(shown).isEqualTo(first);
      assertThat(opened).isEmpty();
    }
    // The turns go on where they were.
    Set<Path> checked = new HashSet<>();
    for (int pass = 0; pass < COUNT; pass++) {
      payloads.forEachKnown((id, length, payload) -> {}, false);
      assertThat(shown(payloads)).isEqualTo(first);
      checked.addAll(opened);
    }
    assertThat(checked).hasSize(COUNT);
  }

  @Test
  void whatChangedIsReadAndWhatWentIsForgotten() throws IOException {
    known();
    write(BLOCKS, 3, 1000);
    Files.delete(pool.resolve(BLOCKS).resolve("blk_4"));
    Files.move(
        pool.resolve(BLOCKS).resolve("blk_5"),
        Files.createDirectories(pool.resolve("trash")).resolve("blk_5"));
    // In the turn of the one that goes, so that each turn has one file.
    write(BLOCKS, COUNT + 4, 7);
    Map<Long, List<String>> now = read();
    assertThat(now).hasSize(COUNT);
    assertThat(known()).isEqualTo(now);
    assertThat(opened).hasSizeBetween(3, 4);
    assertThat(known()).isEqualTo(now);
    assertThat(opened).hasSize(1);
    assertThat(files()).hasSize(2);
    Files.delete(pool.resolve("trash/blk_5"));
    Files.delete(pool.resolve("trash"));
    now.remove(5L);
    assertThat(known()).isEqualTo(now);
    assertThat(files()).hasSize(1);
  }

  /** It may change again without that anything shows it. */
  @Test
  void aFileThatChangedJustNowIsReadAgain() throws IOException {
    clock = System::currentTimeMillis;
    known();
    assertThat(files()).isEmpty();
    known();
    assertThat(opened).hasSize(COUNT);
    // A clock that was set back.
    clock = () -> System.currentTimeMillis() - TimeUnit.DAYS.toMillis(1);
    known();
    assertThat(files()).isEmpty();
  }

  /** One whose first bytes were misread, or that was gone for a moment, looks like a plain one. */
  @Test
  void ofAPlainFileNothingIsKnown() throws IOException {
    Path plain = pool.resolve(BLOCKS).resolve("blk_3");
    Files.delete(plain);
    Files.write(plain, new byte[1000]);
    Map<Long, List<String>> first = known();
    assertThat(first).hasSize(COUNT - 1);
    assertThat(known()).isEqualTo(first);
    assertThat(opened).contains(plain).hasSizeBetween(1, 2);
  }

  @Test
  void aBlockThatSeemedToBeGoneIsShownTheNextTime() throws IOException {
    gone = pool.resolve(BLOCKS).resolve("blk_3");
    assertThat(known()).hasSize(COUNT - 1).doesNotContainKey(3L);
    gone = null;
    assertThat(known()).isEqualTo(read()).hasSize(COUNT);
  }

  /** As from a backup. */
  @Test
  void anOldFileOfTheCacheDoesNoHarm() throws IOException {
    known();
    Path file = files().get(0);
    final byte[] old = Files.readAllBytes(file);
    write(BLOCKS, 3, 1000);
    Files.delete(pool.resolve(BLOCKS).resolve("blk_4"));
    write(BLOCKS, COUNT, 7);
    Map<Long, List<String>> now = known();
    Files.write(file, old);
    assertThat(known()).isEqualTo(now).isEqualTo(read());
  }

  @Test
  void aFileOfTheCacheThatCanNotBeReadIsMadeAgain() throws IOException {
    final Map<Long, List<String>> first = known();
    Path file = files().get(0);
    byte[] sound = Files.readAllBytes(file);
    Random random = new Random(4);
    for (int i = 0; i < 50; i++) {
      byte[] damaged = sound.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, i % 2 == 0 ? damaged : Arrays.copyOf(sound, i * 7));
      assertThat(known()).isEqualTo(first);
      assertThat(opened).hasSize(COUNT);
      assertThat(Files.readAllBytes(file)).isEqualTo(sound);
    }
    assertThat(known()).isEqualTo(first);
    assertThat(opened).hasSize(1);
  }

  /** As after a copy of the directory to another disk. */
  @Test
  void whatIsOfOtherFilesIsNotUsed() throws IOException {
    known();
    for (int i = 0; i < COUNT; i++) {
      Path block = pool.resolve(BLOCKS).resolve("blk_" + i);
      Path copy = Files.copy(block, pool.resolve("copy"), StandardCopyOption.COPY_ATTRIBUTES);
      Files.move(copy, block, StandardCopyOption.REPLACE_EXISTING);
    }
    known();
    assertThat(opened).hasSize(COUNT);
  }

  @Test
  void payloadsOfAnotherVolumeOrSchemeAreNotUsed() throws IOException {
    known();
    Path file = files().get(0);
    byte[] raw = Files.readAllBytes(file);
    long volume = TestBlock.KEY.volumeId();
    assertThat(DirectoryPayloads.parse(file, raw, scheme, volume)).isNotNull();
    assertThatThrownBy(() -> DirectoryPayloads.parse(file, raw, scheme + 1, volume))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("scheme");
    assertThatThrownBy(() -> DirectoryPayloads.parse(file, raw, scheme, volume + 1))
        .hasMessageContaining("volume");
  }

  /** Nothing may be collected by what is known then. */
  @Test
  void whatIsKnownWronglyIsFoundAndForgotten() throws IOException {
    final Map<Long, List<String>> first = known();
    makeAllWrong();
    StoredPayloads payloads = payloads();
    assertThatThrownBy(() -> payloads.forEachKnown((id, length, payload) -> {}))
        .isNotInstanceOf(UnreadableBlocksException.class)
        .hasMessageContaining("blk_")
        .hasMessageContaining("has other payloads than it had");
    assertThat(unreadable).isEmpty();
    assertThat(shown(payloads)).isEqualTo(first);
    assertThat(opened).hasSize(COUNT);
    assertThat(shown(payloads)).isEqualTo(first);
    assertThat(opened).hasSize(1);
  }

  /** As when a process ends right after it has been found. */
  @Test
  void whatIsKnownWronglyIsDeletedAtOnce() throws IOException {
    known();
    makeAllWrong();
    assertThatThrownBy(this::known).hasMessageContaining("has other payloads than it had");
    assertThat(files()).isEmpty();
  }

  @Test
  void aKnownPayloadThatIsNoneIsNotBlamedOnTheBlock() throws IOException {
    known();
    makeAllWrong();
    assertThatThrownBy(
            () ->
                payloads()
                    .forEachKnown(
                        (id, length, payload) -> {
                          if (payload.remaining() == 1) {
                            throw new CorruptFrameException("no recipe");
                          }
                        }))
        .hasMessageContaining("has other payloads than it had");
    assertThat(unreadable).isEmpty();
    assertThat(files()).isEmpty();
  }

  /** All that is known would be forgotten. */
  @Test
  void oneFailedCheckIsTriedAgain() throws IOException {
    final Map<Long, List<String>> first = known();
    for (int pass = 0; pass < 5; pass++) {
      goneOnce = true;
      assertThat(known()).isEqualTo(first);
      assertThat(goneOnce).isFalse();
    }
    assertThat(files()).hasSize(1);
  }

  @Test
  void whatIsKnownWronglyAndCanNotBeDeletedIsNotUsed() throws IOException {
    final Map<Long, List<String>> first = known();
    Path cache = files().get(0).getParent();
    makeAllWrong();
    Files.createDirectories(cache.resolve("lost+found").resolve("any"));
    StoredPayloads payloads = payloads();
    assertThatThrownBy(() -> payloads.forEachKnown((id, length, payload) -> {}))
        .hasMessageContaining("has other payloads than it had");
    for (int pass = 0; pass < 3; pass++) {
      assertThat(shown(payloads)).isEqualTo(first);
      assertThat(opened).hasSize(COUNT);
    }
    assertThat(unreadable).isEmpty();
  }

  /** Has the one file of the cache know something else of each block. */
  private void makeAllWrong() throws IOException {
    DirectoryPayloads wrong = DirectoryPayloads.empty(scheme, TestBlock.KEY.volumeId());
    for (long i = 0; i < COUNT; i++) {
      wrong.add(wrongEntry(i));
    }
    Files.write(files().get(0), wrong.encode());
  }

  private DirectoryPayloads.Entry wrongEntry(long id) throws IOException {
    DirectoryPayloads.Entry entry =
        new DirectoryPayloads.Entry(
            id, FileIdentity.of(pool.resolve(BLOCKS).resolve("blk_" + id)), (i, l, p) -> {});
    entry.frame(id, 10, ByteBuffer.wrap(new byte[] {1}));
    return entry;
  }

  @Test
  void aDirectoryWithMoreThanAFileMayHaveKeepsWhatFits() throws IOException {
    DirectoryPayloads payloads = DirectoryPayloads.empty(scheme, 1);
    FileIdentity identity = new FileIdentity(1, 2, 3);
    byte[] raw = null;
    for (int pass = 0; pass < 3; pass++) {
      for (long id = 0; id < 5; id++) {
        if (payloads.has(id, identity)) {
          payloads.use(id);
          continue;
        }
        DirectoryPayloads.Entry entry =
            new DirectoryPayloads.Entry(id, identity, (i, length, bytes) -> {});
        entry.frame(id, 1, ByteBuffer.allocate(20 << 20));
        payloads.add(entry);
      }
      assertThat(payloads.isChanged()).isEqualTo(pass == 0);
      raw = pass == 0 ? payloads.encode() : raw;
      assertThat(raw.length).isBetween(60 << 20, DirectoryPayloads.MAX_LENGTH);
      payloads = DirectoryPayloads.parse(Path.of("big"), raw, scheme, 1);
    }
  }

  @Test
  void whatCanNotBeDeletedFailsNothing() throws IOException {
    known();
    Path cache = files().get(0).getParent();
    Files.createDirectories(cache.resolve("lost+found").resolve("any"));
    assertThat(known()).hasSize(COUNT);
    assertThat(opened).hasSize(1);
  }

  @Test
  void theCacheFailsNothing() throws IOException {
    Files.write(Files.createDirectories(pool.resolve("hdrf")).resolve("payloads"), new byte[1]);
    assertThat(known()).hasSize(COUNT);
    assertThat(known()).hasSize(COUNT);
    assertThat(opened).hasSize(COUNT);
  }

  @Test
  void aFileWhoseVisitorFailedIsNotKnown() throws IOException {
    assertThatThrownBy(
            () ->
                payloads()
                    .forEachKnown(
                        (id, length, payload) -> {
                          throw new CorruptFrameException("no recipe");
                        }))
        .isInstanceOfSatisfying(
            UnreadableBlocksException.class, e -> assertThat(e.count()).isEqualTo(COUNT));
    assertThat(known()).hasSize(COUNT);
    assertThat(opened).hasSize(COUNT);
    // What was known does not hide it either.
    assertThatThrownBy(
            () ->
                payloads()
                    .forEachKnown(
                        (id, length, payload) -> {
                          throw new IOException("a store is full");
                        }))
        .hasMessage("a store is full");
  }

  @Test
  void goldenBytes() throws IOException {
    DirectoryPayloads payloads = DirectoryPayloads.empty(258, 0x0102030405060708L);
    FileIdentity identity = new FileIdentity(5, 1_700_000_000_000_000_001L, 1000);
    DirectoryPayloads.Entry entry =
        new DirectoryPayloads.Entry(9, identity, (id, length, bytes) -> {});
    entry.frame(9, 600, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    payloads.add(entry);
    byte[] raw = payloads.encode();
    assertThat(HexFormat.of().formatHex(raw))
        .isEqualTo(
            "8948504c010002010807060504030201" // magic, version, scheme, volume
                + "2f0000000100000000000000" // length of the entries, their number
                + "090000000000000005000000000000000100" // block, inode, time,
                + "2a36fe9c9717e80300000000000001000000" // length, number of frames
                + "5802000003000000010203" // the frame
                + "e68dd282");
    Path name = Path.of("golden");
    assertThat(DirectoryPayloads.parse(name, raw, 258, 0x0102030405060708L).has(9, identity))
        .isTrue();
    raw[4] = 2;
    int end = raw.length - Integer.BYTES;
    ByteBuffer.wrap(raw)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(end, Crc32c.update(0, ByteBuffer.wrap(raw, 0, end)));
    assertThatThrownBy(() -> DirectoryPayloads.parse(name, raw, 258, 0x0102030405060708L))
        .isInstanceOf(UnknownFormatVersionException.class);
  }
}
