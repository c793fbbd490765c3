/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.hdrf.block.TagKey;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.PowerLoss;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuperblockTest {

  private static final DurableFiles FILES = LocalDurableFiles.INSTANCE;
  private static final int STATES = 24;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private Path dir;

  @BeforeEach
  void newDirectory() {
    dir = scratch.resolve("current/BP-1/hdrf");
  }

  private Path copy(int number) {
    return dir.resolve("superblock." + number);
  }

  private Superblock load() throws IOException {
    return loadUnsynced(dir).orElseThrow();
  }

  /** Without waiting for the disk. */
  private static Optional<Superblock> loadUnsynced(Path directory) throws IOException {
    return Files.isDirectory(directory)
        ? Superblock.load(directory, new CrashableFiles(directory))
        : Superblock.load(directory, FILES);
  }

  private static void flip(Path file, int position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[position] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void thereIsNoneAtFirst() throws IOException {
    assertThat(Superblock.load(dir, FILES)).isEmpty();
    Files.createDirectories(dir);
    Files.write(dir.resolve("superblock.0.tmp"), new byte[7]);
    assertThat(Superblock.load(dir, FILES)).isEmpty();
    assertThat(Superblock.readKey(dir)).isEmpty();
    assertThat(Superblock.readSchemes(dir)).isEmpty();
  }

  @Test
  void whatWasCreatedIsLoaded() throws IOException {
    Superblock created = Superblock.create(dir, FILES);
    created.recordScheme(2, "zstd");
    created.recordScheme(1, "lz4");
    Superblock loaded = load();
    assertThat(loaded.key()).isEqualTo(created.key());
    assertThat(loaded.creationTime()).isEqualTo(created.creationTime()).isNotZero();
    assertThat(loaded.schemes()).containsExactly(entry(1, "lz4"), entry(2, "zstd"));
    assertThat(Superblock.readKey(dir)).contains(created.key());
    assertThat(Superblock.readSchemes(dir)).containsExactly(entry(1, "lz4"), entry(2, "zstd"));
    assertThat(Files.readAllBytes(copy(0))).isEqualTo(Files.readAllBytes(copy(1)));
  }

  @Test
  void secretsDiffer() throws IOException {
    TagKey first = Superblock.create(dir, FILES).key();
    TagKey second = Superblock.create(scratch.resolve("other"), FILES).key();
    assertThat(first).isNotEqualTo(second);
  }

  @Test
  void filesAreTheirOwnersAlone() throws IOException {
    Superblock.create(dir, FILES).recordScheme(1, "lz4");
    for (int i = 0; i < 2; i++) {
      assertThat((Integer) Files.getAttribute(copy(i), "unix:mode") & 07777).isEqualTo(0600);
    }
    try (var names = Files.list(dir)) {
      assertThat(names).containsExactlyInAnyOrder(copy(0), copy(1));
    }
  }

  @Test
  void isNeverReplacedByAnother() throws IOException {
    Superblock.create(dir, FILES);
    Files.delete(copy(0));
    Files.write(copy(1), new byte[1]);
    assertThatThrownBy(() -> Superblock.create(dir, FILES))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void eitherCopyIsEnoughAndTheOtherIsRewritten() throws IOException {
    TagKey key = Superblock.create(dir, FILES).key();
    load().recordScheme(1, "lz4");
    byte[] good = Files.readAllBytes(copy(0));
    for (int damaged = 0; damaged < 2; damaged++) {
      for (int position = -2; position < good.length; position++) {
        if (position == -2) {
          Files.delete(copy(damaged));
        } else if (position == -1) {
          Files.write(copy(damaged), new byte[0]);
        } else {
          flip(copy(damaged), position);
        }
        assertThat(load().key()).isEqualTo(key);
        assertThat(Files.readAllBytes(copy(damaged))).isEqualTo(good);
      }
    }
  }

  @Test
  void twoDamagedCopiesAreAnErrorThatSaysWhatToDo() throws IOException {
    Superblock.create(dir, FILES);
    flip(copy(0), 40);
    flip(copy(1), 50);
    assertThatThrownBy(this::load)
        .isInstanceOf(DamagedSuperblockException.class)
        .hasMessageContaining(copy(0).toString())
        .hasMessageContaining(copy(1).toString())
        .hasMessageContaining("CRC32C")
        .hasMessageContaining("dfs.datanode.data.dir");
    Files.delete(copy(0));
    assertThatThrownBy(this::load).isInstanceOf(DamagedSuperblockException.class);
  }

  @Test
  void copiesOfDifferentVolumesAreAnError() throws IOException {
    Superblock.create(dir, FILES);
    Superblock.create(scratch.resolve("other"), FILES).recordScheme(1, "lz4");
    Files.copy(
        scratch.resolve("other/superblock.1"),
        copy(1),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(this::load)
        .isInstanceOf(DamagedSuperblockException.class)
        .hasMessageContaining("different volumes");
  }

  @Test
  void copiesOfOneGenerationThatDifferAreAnError() throws IOException {
    Superblock first = Superblock.create(dir, FILES);
    byte[] old = Files.readAllBytes(copy(0));
    first.recordScheme(1, "lz4");
    byte[] kept = Files.readAllBytes(copy(0));
    Files.write(copy(0), old);
    Files.write(copy(1), old);
    load().recordScheme(2, "zstd");
    Files.write(copy(0), kept);
    assertThatThrownBy(this::load)
        .isInstanceOf(DamagedSuperblockException.class)
        .hasMessageContaining("same generation");
  }

  @Test
  void theNewerCopyCounts() throws IOException {
    Superblock superblock = Superblock.create(dir, FILES);
    byte[] old = Files.readAllBytes(copy(0));
    superblock.recordScheme(1, "lz4");
    for (int i = 0; i < 2; i++) {
      Files.write(copy(i), old);
      assertThat(load().schemes()).containsExactly(entry(1, "lz4"));
    }
  }

  @Test
  void aSchemeIdNeverChangesItsName() throws IOException {
    Superblock superblock = Superblock.create(dir, FILES);
    superblock.recordScheme(7, "lz4");
    superblock.recordScheme(7, "lz4");
    assertThatThrownBy(() -> superblock.recordScheme(7, "zstd"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("7")
        .hasMessageContaining("lz4")
        .hasMessageContaining("zstd");
    assertThat(load().schemes()).containsExactly(entry(7, "lz4"));
  }

  @Test
  void takesOnlySchemes() throws IOException {
    Superblock superblock = Superblock.create(dir, FILES);
    for (String name : new String[] {"", "LZ4", "1z", "a b", "ä", "a".repeat(33)}) {
      assertThatThrownBy(() -> superblock.recordScheme(1, name))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (int id : new int[] {0, -1, 0x10000}) {
      assertThatThrownBy(() -> superblock.recordScheme(id, "a"))
          .isInstanceOf(IllegalArgumentException.class);
    }
    superblock.recordScheme(0xFFFF, "a".repeat(32));
    assertThat(load().schemes()).containsExactly(entry(0xFFFF, "a".repeat(32)));
  }

  @Test
  void asManySchemesAsTheFormatAllows() throws IOException {
    Map<Integer, String> schemes = new HashMap<>();
    for (int i = 0; i < SuperblockContent.MAX_SCHEMES; i++) {
      schemes.put(0xFFFF - i, String.format("s%031d", i));
    }
    SuperblockContent content =
        new SuperblockContent(9, 8, new byte[TagKey.LENGTH], schemes, false);
    byte[] raw = content.encode();
    assertThat(raw).hasSizeLessThanOrEqualTo(SuperblockContent.MAX_FILE_LENGTH);
    assertThat(SuperblockContent.parse(dir, raw).sameAs(content)).isTrue();
    assertThatThrownBy(() -> content.withScheme(10, 1, "more"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Builds that made version 1 reduced blocks without checksums. */
  @Test
  void onlyTheFirstVersionMayHaveReducedBlocksWithoutChecksums() throws IOException {
    assertThat(Superblock.readMayLackChecksums(dir)).isTrue();
    Superblock.create(dir, FILES);
    assertThat(load().mayLackChecksums()).isFalse();
    byte[] old =
        new SuperblockContent(7, 1, new byte[TagKey.LENGTH], Map.of(1, "lz4"), true).encode();
    Files.write(copy(0), old);
    Files.write(copy(1), old);
    Superblock superblock = load();
    superblock.recordScheme(2, "zstd");
    assertThat(superblock.mayLackChecksums()).isTrue();
    assertThat(load().mayLackChecksums()).isTrue();
    superblock.recordChecksumsOnly();
    assertThat(load().mayLackChecksums()).isFalse();
    assertThat(Superblock.readMayLackChecksums(dir)).isFalse();
    assertThat(load().schemes()).containsOnlyKeys(1, 2);
    assertThat(load().key()).isEqualTo(superblock.key());
  }

  @Test
  void laterVersionIsNotDamage() throws IOException {
    Superblock.create(dir, FILES);
    byte[] raw = Files.readAllBytes(copy(0));
    raw[4] = 3;
    int crc = Crc32c.update(0, ByteBuffer.wrap(raw, 0, raw.length - 4));
    ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN).putInt(raw.length - 4, crc);
    Files.write(copy(1), raw);
    assertThatThrownBy(this::load)
        .isInstanceOfSatisfying(
            UnknownFormatVersionException.class, e -> assertThat(e.isTooNew()).isTrue())
        .hasMessageContaining(copy(1).toString())
        .hasMessageContaining("too new");
    assertThat(Files.readAllBytes(copy(1))).isEqualTo(raw);
  }

  @Test
  void oneGoodCopyIsEnough() throws IOException {
    TagKey key = Superblock.create(dir, FILES).key();
    Files.delete(copy(0));
    Files.createDirectory(copy(0));
    assertThat(load().key()).isEqualTo(key);
    assertThat(Superblock.readKey(dir)).contains(key);
    Files.delete(copy(1));
    assertThatThrownBy(() -> Superblock.readKey(dir))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(DamagedSuperblockException.class);
  }

  /** The disk got full between the two copies, and still is at the next start. */
  @Test
  void oneGoodCopyIsEnoughOnAFullDisk() throws IOException {
    Superblock.create(dir, FILES).recordScheme(1, "lz4");
    for (int old = 0; old < 2; old++) {
      flip(copy(old), 20);
      FullDisk disk = new FullDisk(new CrashableFiles(scratch));
      Superblock superblock = Superblock.load(dir, disk).orElseThrow();
      byte[] good = Files.readAllBytes(copy(1 - old));
      assertThat(superblock.schemes()).containsEntry(1, "lz4");
      int id = 2 + old;
      assertThatThrownBy(() -> superblock.recordScheme(id, "zstd")).isInstanceOf(IOException.class);
      assertThat(Files.readAllBytes(copy(1 - old))).isEqualTo(good);
      disk.full = false;
      superblock.recordScheme(1, "lz4");
      assertThat(Files.readAllBytes(copy(old))).isEqualTo(good);
    }
  }

  private static final class FullDisk extends ForwardingFiles {
    boolean full = true;

    FullDisk(DurableFiles files) {
      super(files);
    }

    @Override
    public DurableFile create(Path file) throws IOException {
      if (full) {
        throw new IOException("No space left on device");
      }
      return super.create(file);
    }
  }

  /** Recorded data are in both copies, so that one bad sector does not lose them. */
  @Test
  void whatIsRecordedIsInBothCopies() throws IOException {
    Superblock.create(dir, FILES);
    byte[] before = Files.readAllBytes(copy(1));
    load().recordScheme(1, "lz4");
    Files.write(copy(1), before); // the power was lost between the copies
    FullDisk disk = new FullDisk(new CrashableFiles(scratch));
    Superblock superblock = Superblock.load(dir, disk).orElseThrow();
    for (int i = 0; i < 100; i++) {
      if (i == 2) {
        disk.full = false;
      }
      boolean recorded = true;
      try {
        superblock.recordScheme(1, "lz4");
      } catch (IOException e) {
        recorded = false;
      }
      if (recorded) {
        byte[] good = Files.readAllBytes(copy(0));
        flip(copy(0), 20);
        assertThat(Superblock.readSchemes(dir)).as("call " + i).containsEntry(1, "lz4");
        Files.write(copy(0), good);
      }
    }
  }

  @Test
  void failedRecordIsNotReportedAndDoesNoHarm() throws IOException {
    Superblock.create(dir, FILES).recordScheme(1, "lz4");
    for (int operation = 1; ; operation++) {
      CrashableFiles files = new CrashableFiles(scratch);
      Superblock superblock = Superblock.load(dir, files).orElseThrow();
      files.failAt(files.operations() + operation, "No space left on device");
      int id = 100 + operation;
      try {
        superblock.recordScheme(id, "failing");
        assertThat(operation).isEqualTo(13);
        return;
      } catch (IOException e) {
        assertThat(superblock.schemes()).doesNotContainKey(id);
      }
      superblock.recordScheme(50 + operation, "works");
      assertThat(load().schemes()).containsEntry(50 + operation, "works");
    }
  }

  /** One of two failed attempts may have reached one copy, the second the other. */
  @Test
  void twoFailedRecordsDoNoHarm() throws IOException {
    for (int first = 1; first <= 12; first++) {
      for (int second = 1; second <= 12; second++) {
        Path directory = Files.createTempDirectory(scratch, "failing");
        CrashableFiles files = new CrashableFiles(directory);
        Superblock superblock = Superblock.create(directory, files);
        files.failAt(files.operations() + first, "failed");
        assertThatThrownBy(() -> superblock.recordScheme(1, "lz4")).hasMessage("failed");
        files.failAt(files.operations() + second, "failed");
        assertThatThrownBy(() -> superblock.recordScheme(2, "zstd")).hasMessage("failed");
        assertThat(loadUnsynced(directory).orElseThrow().key()).isEqualTo(superblock.key());
      }
    }
  }

  @Test
  void creationSurvivesPowerLoss() throws Exception {
    byte[] secret = new byte[TagKey.LENGTH];
    Arrays.fill(secret, (byte) 5);
    int checked =
        PowerLoss.everywhere(
            scratch,
            TestSeed.random("creation").nextLong(),
            STATES,
            directory -> {},
            (directory, files) -> Superblock.create(directory.resolve("hdrf"), files, secret, 1),
            (directory, finished) -> {
              var loaded = loadUnsynced(directory.resolve("hdrf"));
              assertThat(loaded.isPresent() || !finished).isTrue();
              loaded.ifPresent(s -> assertThat(s.key()).isEqualTo(new TagKey(secret)));
            });
    assertThat(checked).isEqualTo(STATES * (3 * 13 + 1));
  }

  @Test
  void recordsSurvivePowerLoss() throws Exception {
    TagKey[] key = new TagKey[1];
    int[] recorded = new int[1];
    PowerLoss.everywhere(
        scratch,
        TestSeed.random("records").nextLong(),
        STATES,
        directory -> {
          byte[] secret = new byte[TagKey.LENGTH];
          Arrays.fill(secret, (byte) 5);
          CrashableFiles files = new CrashableFiles(directory);
          key[0] = Superblock.create(directory.resolve("hdrf"), files, secret, 1).key();
        },
        (directory, files) -> {
          recorded[0] = 0;
          Superblock superblock = Superblock.load(directory.resolve("hdrf"), files).orElseThrow();
          for (int id = 1; id <= 3; id++) {
            superblock.recordScheme(id, "scheme-" + id);
            recorded[0] = id;
          }
        },
        (directory, finished) -> {
          Superblock loaded = loadUnsynced(directory.resolve("hdrf")).orElseThrow();
          assertThat(loaded.key()).isEqualTo(key[0]);
          int least = finished ? 3 : recorded[0];
          assertThat(loaded.schemes().size()).isBetween(least, Math.min(3, least + 1));
          loaded.recordScheme(99, "after-crash");
          assertThat(loadUnsynced(directory.resolve("hdrf")).orElseThrow().schemes())
              .isEqualTo(loaded.schemes());
        });
  }

  /** The state that load() returned must not vanish, even if killed processes left it unsynced. */
  @Test
  void whatWasLoadedIsDurable() throws Exception {
    for (int killed = 1; killed <= 12; killed++) {
      for (int killedAgain = 1; killedAgain <= 9; killedAgain++) {
        Path directory = Files.createTempDirectory(scratch, "killed");
        CrashableFiles disk = new CrashableFiles(directory);
        Superblock first = Superblock.create(directory, disk);
        disk.failFrom(disk.operations() + killed, "killed");
        assertThatThrownBy(() -> first.recordScheme(1, "lz4")).hasMessage("killed");
        disk.failFrom(disk.operations() + killedAgain, "killed");
        try {
          Superblock.load(directory, disk);
        } catch (IOException e) {
          assertThat(e).hasMessage("killed");
        }
        disk.failAt(-1, "");
        Superblock loaded = Superblock.load(directory, disk).orElseThrow();
        for (int seed = 0; seed < 6; seed++) {
          Path state = Files.createTempDirectory(scratch, "state");
          disk.crashedState(state, seed);
          assertThat(loadUnsynced(state).orElseThrow().schemes()).isEqualTo(loaded.schemes());
        }
      }
    }
  }

  @Test
  void damageNeverGivesAnotherSecret() throws IOException {
    Random random = TestSeed.random("damage");
    Superblock superblock = Superblock.create(dir, FILES);
    superblock.recordScheme(1, "lz4");
    byte[] good = Files.readAllBytes(copy(0));
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = Arrays.copyOf(good, random.nextInt(10) == 0 ? random.nextInt(200) : good.length);
      for (int flips = random.nextInt(4); flips >= 0 && bad.length > 0; flips--) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      if (Arrays.equals(good, bad)) {
        continue;
      }
      assertThatThrownBy(() -> SuperblockContent.parse(dir, bad))
          .isInstanceOfAny(
              io.hdrf.spi.io.CorruptFileException.class, UnknownFormatVersionException.class);
    }
  }

  /** Two schemes, "lz4" with the id 7 and "zstd" with the id 9. */
  private static byte[] twoSchemes() {
    Map<Integer, String> schemes = new HashMap<>();
    schemes.put(7, "lz4");
    schemes.put(9, "zstd");
    return new SuperblockContent(3, 4, new byte[TagKey.LENGTH], schemes, false).encode();
  }

  private static byte[] signed(byte[] raw) {
    int end = raw.length - Integer.BYTES;
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(end, Crc32c.update(0, ByteBuffer.wrap(raw, 0, end)));
    return raw;
  }

  private void assertDamaged(byte[] raw, String message) {
    assertThatThrownBy(() -> SuperblockContent.parse(dir, signed(raw)))
        .isInstanceOf(io.hdrf.spi.io.CorruptFileException.class)
        .hasMessageContaining(message);
  }

  private static byte[] with(int offset, int... values) {
    byte[] raw = twoSchemes();
    for (int i = 0; i < values.length; i++) {
      raw[offset + i] = (byte) values[i];
    }
    return raw;
  }

  /** Returns a superblock of the length that it then claims. */
  private static byte[] ofLength(int length) {
    byte[] raw = Arrays.copyOf(twoSchemes(), length);
    ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN).putInt(8, length);
    return raw;
  }

  @Test
  void everyFieldIsCheckedBehindARightChecksum() throws IOException {
    int first = 60;
    int second = first + 3 + "lz4".length();
    int length = second + 3 + "zstd".length() + 4;
    assertThat(twoSchemes()).hasSize(length);
    assertThat(SuperblockContent.parse(dir, signed(twoSchemes())).schemes())
        .containsExactly(entry(7, "lz4"), entry(9, "zstd"));
    assertDamaged(with(0, 0), "magic");
    assertDamaged(with(5, 1), "flags");
    assertDamaged(with(8, length - 1), "file length");
    int tooMany = SuperblockContent.MAX_SCHEMES + 1;
    assertDamaged(with(6, tooMany & 0xFF, tooMany >> 8), "number of schemes");
    int most = SuperblockContent.MAX_SCHEMES;
    assertDamaged(with(6, most & 0xFF, most >> 8), "schemes: expected " + most + ", found 2");
    assertDamaged(with(6, 3), "schemes: expected 3, found 2");
    assertDamaged(with(6, 1), "bytes behind the last scheme");
    assertDamaged(with(first, 0, 0), "scheme id: expected more than 0, found 0");
    assertDamaged(with(second, 7), "scheme id: expected more than 7, found 7");
    assertDamaged(with(second, 6), "scheme id: expected more than 7, found 6");
    assertDamaged(with(second + 2, 5), "length of a scheme's name: expected at most 4, found 5");
    assertDamaged(with(second + 2, 3), "bytes behind the last scheme");
    assertDamaged(with(first + 3, 'L'), "a scheme's name");
    assertDamaged(ofLength(length + 1), "bytes behind the last scheme");
    byte[] empty = ofLength(64);
    empty[6] = 0;
    assertThat(SuperblockContent.parse(dir, signed(empty)).schemes()).isEmpty();
    assertThatThrownBy(() -> SuperblockContent.parse(dir, new byte[63]))
        .hasMessageContaining("length: expected from 64 to ");
    assertDamaged(ofLength(SuperblockContent.MAX_FILE_LENGTH), "bytes behind the last scheme");
    assertDamaged(ofLength(SuperblockContent.MAX_FILE_LENGTH + 1), "length: expected from 64 to ");
    assertThatThrownBy(() -> SuperblockContent.parse(dir, signed(with(4, 0))))
        .isInstanceOf(UnknownFormatVersionException.class);
  }

  @Test
  void contentsAreTheSameInAllTheirParts() {
    byte[] secret = new byte[TagKey.LENGTH];
    byte[] other = new byte[TagKey.LENGTH];
    other[31] = 1;
    Map<Integer, String> none = new HashMap<>();
    SuperblockContent content = new SuperblockContent(3, 4, secret, none, false);
    assertThat(content.sameAs(new SuperblockContent(3, 4, secret, none, false))).isTrue();
    assertThat(content.sameAs(new SuperblockContent(2, 4, secret, none, false))).isFalse();
    assertThat(content.sameAs(new SuperblockContent(3, 5, secret, none, false))).isFalse();
    assertThat(content.sameAs(new SuperblockContent(3, 4, other, none, false))).isFalse();
    assertThat(content.sameAs(new SuperblockContent(3, 4, secret, none, true))).isFalse();
    assertThat(content.sameAs(content.withScheme(3, 1, "lz4"))).isFalse();
    assertThat(content.sameVolume(content.withScheme(9, 1, "lz4"))).isTrue();
    assertThat(content.sameVolume(new SuperblockContent(3, 5, secret, none, false))).isFalse();
    assertThat(content.sameVolume(new SuperblockContent(3, 4, other, none, false))).isFalse();
  }

  @Test
  void whatACrashLeftIsDeleted() throws IOException {
    Superblock.create(dir, FILES);
    for (int i = 0; i < 2; i++) {
      Files.write(dir.resolve("superblock." + i + ".tmp"), new byte[7]);
    }
    load();
    try (var names = Files.list(dir)) {
      assertThat(names).containsExactlyInAnyOrder(copy(0), copy(1));
    }
  }

  @Test
  void aFileThatIsTooLongIsDamage() throws IOException {
    TagKey key = Superblock.create(dir, FILES).key();
    byte[] good = Files.readAllBytes(copy(0));
    Files.write(copy(0), new byte[5 << 20]);
    assertThat(load().key()).isEqualTo(key);
    assertThat(Files.readAllBytes(copy(0))).isEqualTo(good);
  }
}
