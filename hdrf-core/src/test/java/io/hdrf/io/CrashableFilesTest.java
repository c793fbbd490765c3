/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashableFilesTest {

  private static final int STATES = 200;
  private static final int LENGTH = 20_000;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private static byte[] bytes(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static void put(DurableFiles files, Path path, int value, boolean force)
      throws IOException {
    try (DurableFile file = files.create(path)) {
      file.write(ByteBuffer.wrap(bytes(value, LENGTH)), 0);
      if (force) {
        file.force();
      }
    }
  }

  /** What a file is like in a state: "none", "old", "new", or "torn". */
  private static String look(Path file) throws IOException {
    if (!Files.exists(file)) {
      return "none";
    }
    byte[] content = Files.readAllBytes(file);
    if (Arrays.equals(content, bytes(1, LENGTH))) {
      return "old";
    }
    return Arrays.equals(content, bytes(2, LENGTH)) ? "new" : "torn";
  }

  /** All looks of a file over many states. */
  private Set<String> looks(CrashableFiles files, String name) throws IOException {
    Set<String> looks = new TreeSet<>();
    for (int seed = 0; seed < STATES; seed++) {
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, seed);
      looks.add(look(state.resolve(name)));
      PowerLoss.delete(state);
    }
    return looks;
  }

  private Path newRoot() throws IOException {
    return Files.createTempDirectory(scratch, "root");
  }

  @Test
  void filesThatWereThereSurvive() throws IOException {
    Path root = newRoot();
    Files.createDirectories(root.resolve("sub"));
    Files.write(root.resolve("sub/f"), bytes(1, LENGTH));
    assertThat(looks(new CrashableFiles(root), "sub/f")).containsExactly("old");
  }

  @Test
  void unsyncedContentMayBeTornOrMissing() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("f"), 2, false);
    files.forceDirectory(root);
    assertThat(looks(files, "f")).containsExactly("new", "torn");
  }

  @Test
  void unsyncedNameMayBeMissing() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("f"), 2, true);
    assertThat(looks(files, "f")).containsExactly("new", "none");
  }

  @Test
  void syncedContentAndNameSurvive() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("f"), 2, true);
    files.forceDirectory(root);
    assertThat(looks(files, "f")).containsExactly("new");
  }

  @Test
  void importedUnsyncedFileKeepsItsNameOnly() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root);
    Files.write(root.resolve("f"), bytes(2, LENGTH));
    files.importUnsynced(root.resolve("f"));
    assertThat(looks(files, "f")).containsExactly("new", "torn");
  }

  @Test
  void renameIsAtomicAndUnsyncedUntilItsTargetDirectoryIs() throws IOException {
    Path root = newRoot();
    Files.createDirectories(root.resolve("a"));
    Files.createDirectories(root.resolve("b"));
    Files.write(root.resolve("b/f"), bytes(1, LENGTH));
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("a/tmp"), 2, true);
    files.forceDirectory(root.resolve("a"));
    files.rename(root.resolve("a/tmp"), root.resolve("b/f"));
    files.forceDirectory(root.resolve("a"));
    assertThat(looks(files, "b/f")).containsExactly("new", "old");
    for (int seed = 0; seed < STATES; seed++) {
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, seed);
      assertThat(look(state.resolve("a/tmp")))
          .isEqualTo(look(state.resolve("b/f")).equals("old") ? "new" : "none");
      PowerLoss.delete(state);
    }
    files.forceDirectory(root.resolve("b"));
    assertThat(looks(files, "b/f")).containsExactly("new");
    assertThat(looks(files, "a/tmp")).containsExactly("none");
  }

  @Test
  void renameWithoutForceOfTheFileMayLeaveATornOne() throws IOException {
    Path root = newRoot();
    Files.write(root.resolve("f"), bytes(1, LENGTH));
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("tmp"), 2, false);
    files.rename(root.resolve("tmp"), root.resolve("f"));
    assertThat(looks(files, "f")).containsExactly("new", "old", "torn");
  }

  @Test
  void namesSurviveIndependentlyAndEachNameInOrder() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("f"), 1, true);
    files.deleteIfExists(root.resolve("f"));
    put(files, root.resolve("f"), 2, true);
    put(files, root.resolve("g"), 2, true);
    Set<String> pairs = new TreeSet<>();
    for (int seed = 0; seed < STATES; seed++) {
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, seed);
      pairs.add(look(state.resolve("f")) + " " + look(state.resolve("g")));
      PowerLoss.delete(state);
    }
    assertThat(pairs)
        .containsExactly("new new", "new none", "none new", "none none", "old new", "old none");
  }

  @Test
  void deletedFileMayComeBack() throws IOException {
    Path root = newRoot();
    Files.write(root.resolve("f"), bytes(1, LENGTH));
    CrashableFiles files = new CrashableFiles(root);
    files.deleteIfExists(root.resolve("f"));
    assertThat(looks(files, "f")).containsExactly("none", "old");
    files.forceDirectory(root);
    assertThat(looks(files, "f")).containsExactly("none");
  }

  @Test
  void unsyncedLengthMayBeAnyThatTheFileHad() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root);
    Set<Long> lengths = new TreeSet<>();
    try (DurableFile file = files.create(root.resolve("f"))) {
      file.setLength(100_000);
      file.force();
      file.setLength(10);
      file.setLength(5000);
    }
    files.forceDirectory(root);
    for (int seed = 0; seed < STATES; seed++) {
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, seed);
      lengths.add(Files.size(state.resolve("f")));
      PowerLoss.delete(state);
    }
    assertThat(lengths).containsExactly(10L, 5000L, 100_000L);
  }

  @Test
  void copiedModeMayBeLost() throws IOException {
    Path root = newRoot();
    Path model = Files.createFile(root.resolve("model"));
    Files.setAttribute(model, "unix:mode", 01640);
    CrashableFiles files = new CrashableFiles(root);
    put(files, root.resolve("f"), 2, true);
    files.forceDirectory(root);
    files.copyMode(model, root.resolve("f"));
    Set<Integer> modes = new TreeSet<>();
    for (int seed = 0; seed < STATES; seed++) {
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, seed);
      modes.add((Integer) Files.getAttribute(state.resolve("f"), "unix:mode") & 07777);
      PowerLoss.delete(state);
    }
    assertThat(modes).containsExactly(0600, 01640);
  }

  @Test
  void afterTheCrashNothingWorks() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root).crash(CrashableFiles.Moment.BEFORE, 2);
    try (DurableFile file = files.create(root.resolve("f"))) {
      assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
          .isInstanceOf(CrashException.class)
          .hasMessageContaining("write f 0+1");
      assertThatThrownBy(file::force).isInstanceOf(CrashException.class);
      assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
          .isInstanceOf(CrashException.class);
    }
    assertThatThrownBy(() -> files.create(root.resolve("g"))).isInstanceOf(CrashException.class);
    assertThatThrownBy(() -> files.forceDirectory(root)).isInstanceOf(CrashException.class);
    assertThat(files.hasCrashed()).isTrue();
    assertThat(Files.size(root.resolve("f"))).isZero();
  }

  @Test
  void crashInsideOfAWriteLeavesAPart() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root).crash(CrashableFiles.Moment.INSIDE, 2);
    try (DurableFile file = files.create(root.resolve("f"))) {
      assertThatThrownBy(() -> file.write(ByteBuffer.wrap(bytes(2, LENGTH)), 0))
          .isInstanceOf(CrashException.class);
    }
    Path state = scratch.resolve("state");
    files.crashedState(state, 1);
    assertThat(Files.readAllBytes(state.resolve("f"))).isEqualTo(bytes(2, LENGTH / 2));
  }

  @Test
  void injectedFailureLeavesAPartOfAWriteAndPasses() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root).failAt(2, "No space left on device");
    try (DurableFile file = files.create(root.resolve("f"))) {
      assertThatThrownBy(() -> file.write(ByteBuffer.wrap(bytes(2, LENGTH)), 0))
          .isInstanceOf(IOException.class)
          .hasMessage("No space left on device");
      assertThat(file.length()).isEqualTo(LENGTH / 2);
      file.write(ByteBuffer.wrap(bytes(2, LENGTH)), 0);
      assertThat(file.length()).isEqualTo(LENGTH);
    }
  }

  @Test
  void failuresCanLast() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root).failFrom(2, "Input/output error");
    files.create(root.resolve("f")).close();
    assertThatThrownBy(() -> files.deleteIfExists(root.resolve("f"))).hasMessageContaining("Input");
    assertThatThrownBy(() -> files.create(root.resolve("g"))).hasMessageContaining("Input");
    assertThat(root.resolve("f")).exists();
  }

  @Test
  void noForceRepairsAFailedOne() throws IOException {
    Path root = newRoot();
    CrashableFiles files = new CrashableFiles(root).failAt(3, "Input/output error");
    try (DurableFile file = files.create(root.resolve("f"))) {
      file.write(ByteBuffer.wrap(bytes(2, LENGTH)), 0);
      assertThatThrownBy(file::force).isInstanceOf(IOException.class);
      file.force();
      files.forceDirectory(root);
      assertThat(looks(files, "f")).containsExactly("new", "torn");
      file.write(ByteBuffer.wrap(bytes(2, LENGTH)), 0);
      file.force();
      assertThat(looks(files, "f")).containsExactly("new");
    }
  }

  @Test
  void filesOutsideAreRefused() throws IOException {
    CrashableFiles files = new CrashableFiles(newRoot());
    assertThatThrownBy(() -> files.create(scratch.resolve("f")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The swap of a file for another, with one step left out or out of order. */
  private enum Swap {
    RIGHT,
    NO_FILE_FORCE,
    NO_DIRECTORY_FORCE,
    DELETE_FIRST,
    IN_PLACE;

    void run(Path dir, CrashableFiles files) throws IOException {
      Path f = dir.resolve("final/f");
      if (this == IN_PLACE) {
        files.deleteIfExists(f);
        put(files, f, 2, true);
        files.forceDirectory(f.getParent());
        return;
      }
      put(files, dir.resolve("tmp"), 2, this != NO_FILE_FORCE);
      if (this == DELETE_FIRST) {
        files.deleteIfExists(f);
      }
      files.rename(dir.resolve("tmp"), f);
      if (this != NO_DIRECTORY_FORCE) {
        files.forceDirectory(f.getParent());
      }
    }
  }

  private int swapEverywhere(Swap swap) throws Exception {
    return PowerLoss.everywhere(
        scratch,
        TestSeed.random("swap").nextLong(),
        40,
        dir -> {
          Files.createDirectories(dir.resolve("final"));
          Files.write(dir.resolve("final/f"), bytes(1, LENGTH));
        },
        swap::run,
        (dir, finished) -> {
          String look = look(dir.resolve("final/f"));
          assertThat(look).isIn(finished ? Set.of("new") : Set.of("old", "new"));
        });
  }

  @Test
  void rightSwapPassesEveryPowerLoss() throws Exception {
    assertThat(swapEverywhere(Swap.RIGHT)).isEqualTo(40 * (5 * 3 + 1));
  }

  @Test
  void wrongSwapsAreFound() {
    for (Swap swap : Swap.values()) {
      if (swap != Swap.RIGHT) {
        assertThatThrownBy(() -> swapEverywhere(swap))
            .as(swap.name())
            .isInstanceOf(AssertionError.class)
            .hasMessageContaining("power loss");
      }
    }
  }
}
