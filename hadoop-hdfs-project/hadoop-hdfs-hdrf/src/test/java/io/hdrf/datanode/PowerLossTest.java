/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.CrashableFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.PowerLoss;
import io.hdrf.io.TestBytes;
import io.hdrf.sample.StoreScheme;
import io.hdrf.scheme.PluginJars;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Power loss, kills and failing disks at every file operation of a volume's first start, of the
 * swap and of inflation: afterwards the block is whole and plain or whole and reduced, the volume
 * starts, nothing is left over, and the block can be reduced.
 */
class PowerLossTest {

  /** For each crash: the four extremes, and random states. */
  private static final int STATES = 6;

  /** After the last operation, when nothing may be lost. */
  private static final int FINAL_STATES = 40;

  private static final int LENGTH = 150_001;
  private static final String EIO = "Input/output error";
  private static final String ENOSPC = "No space left on device";

  @TempDir private static Path plugins;

  @TempDir(factory = InMemory.class)
  private Path scratch;

  private byte[] data = TestBytes.text(LENGTH, 7);
  private Configuration conf;

  @BeforeAll
  static void installSchemes() throws IOException {
    try (Stream<Path> jars = Files.list(Paths.get(System.getProperty("hdrf.test.plugins")))) {
      for (Path jar : jars.toList()) {
        Files.copy(jar, plugins.resolve(jar.getFileName()));
      }
    }
    PluginJars.of(plugins, StoreScheme.class);
  }

  @AfterAll
  static void awaitClosed() throws InterruptedException {
    OneBlockDataNode.awaitClosed();
    LogManager.getLogger("io.hdrf").setLevel(null);
  }

  /** Each injected failure would be logged at length. */
  @BeforeAll
  static void logLess() {
    LogManager.getLogger("io.hdrf").setLevel(Level.FATAL);
  }

  private OneBlockDataNode open(Path directory, CrashableFiles files) throws IOException {
    return new OneBlockDataNode(directory, conf, files);
  }

  /** From a volume that HDRF never saw: superblock, store, record of the schemes, swap. */
  @ParameterizedTest
  @CsvSource({"lz4, true", "lz4, false", "store, true", "store, false"})
  void swapSurvivesPowerLoss(String chain, boolean synced) throws Exception {
    conf = OneBlockDataNode.configuration(plugins, chain);
    long seed = TestSeed.random("swap " + chain + (synced ? " of a synced block" : "")).nextLong();
    PowerLoss.Setup setup = directory -> OneBlockDataNode.format(directory, data);
    PowerLoss.Work work =
        (directory, files) -> {
          if (!synced) {
            files.importUnsynced(OneBlockDataNode.blockFile(directory));
            files.importUnsynced(OneBlockDataNode.metaFile(directory));
          }
          try (OneBlockDataNode datanode = open(directory, files)) {
            datanode.reduce();
            assertThat(datanode.isReduced()).isTrue();
          }
        };
    reduceWithoutPower(seed, setup, work, synced);
  }

  private void reduceWithoutPower(
      long seed, PowerLoss.Setup setup, PowerLoss.Work work, boolean synced) throws Exception {
    int[] reduced = new int[1];
    PowerLoss.Check check = (directory, finished) -> reduced[0] += check(directory, synced) ? 1 : 0;
    int checked =
        PowerLoss.everywhere(scratch, seed, STATES, setup, work, check)
            + atTheEnd(seed, setup, work, check);
    System.out.println(reduced[0] + " of " + checked + " states hold a reduced block");
    assertThat(reduced[0]).isBetween(FINAL_STATES / 8, checked / 2);
  }

  /** The file of frames that came with the block becomes the block's. */
  @Test
  void adoptionSurvivesPowerLoss() throws Exception {
    conf = OneBlockDataNode.configuration(plugins, "lz4");
    long seed = TestSeed.random("adoption").nextLong();
    becomeTooLongForMemory(seed);
    Path sender = reducedVolume();
    PowerLoss.Work work =
        (directory, files) -> {
          try (OneBlockDataNode datanode = open(directory, files)) {
            datanode.receive(sender, data.length);
            datanode.reduce();
            assertThat(datanode.isReduced()).isTrue();
            assertThat(datanode.adoptions()).isEqualTo(1);
          }
        };
    reduceWithoutPower(seed, directory -> OneBlockDataNode.format(directory, data), work, true);
  }

  /** The spool keeps 256 KiB of frames in memory. */
  private void becomeTooLongForMemory(long seed) {
    byte[] text = data;
    data = new byte[LENGTH + 350_000];
    new Random(seed).nextBytes(data);
    System.arraycopy(text, 0, data, 0, LENGTH);
  }

  @ParameterizedTest
  @ValueSource(strings = {EIO, ENOSPC})
  void adoptionSurvivesAFailingOperation(String failure) throws Exception {
    conf = OneBlockDataNode.configuration(plugins, "lz4");
    long seed = TestSeed.random("failing adoption").nextLong();
    becomeTooLongForMemory(seed);
    Path sender = reducedVolume();
    for (int operation = 1; ; operation++) {
      Path directory = newVolume();
      CrashableFiles files = new CrashableFiles(directory).failAt(operation, failure);
      String context = failure + " at operation " + operation;
      try (OneBlockDataNode datanode = openInSpiteOf(failure, directory, files)) {
        receiveInSpiteOf(failure, datanode, sender);
        reduceAndAgain(datanode, directory, files, seed, context);
        if (files.operations() < operation) {
          assertThat(datanode.adoptions()).isEqualTo(1);
          return;
        }
      }
    }
  }

  private void receiveInSpiteOf(String failure, OneBlockDataNode datanode, Path sender)
      throws IOException {
    try {
      datanode.receive(sender, data.length);
    } catch (IOException e) {
      assertThat(e).hasMessage(failure);
    }
  }

  @ParameterizedTest
  @CsvSource({"lz4, false", "lz4, true", "store, false"})
  void inflationSurvivesPowerLoss(String chain, boolean linked) throws Exception {
    conf = OneBlockDataNode.configuration(plugins, chain);
    long seed =
        TestSeed.random("inflation " + chain + (linked ? " with another link" : "")).nextLong();
    Path template = reducedVolume();
    byte[] previous = Files.readAllBytes(OneBlockDataNode.blockFile(template));
    PowerLoss.Setup setup =
        directory -> {
          copy(template, directory);
          if (linked) {
            link(directory);
          }
        };
    PowerLoss.Work work =
        (directory, files) -> {
          try (OneBlockDataNode datanode = open(directory, files)) {
            datanode.inflate();
            assertThat(datanode.isReduced()).isFalse();
          }
        };
    int[] plain = new int[1];
    PowerLoss.Check check =
        (directory, finished) -> {
          if (linked) {
            assertThat(previousFile(directory)).hasBinaryContent(previous);
            Files.delete(previousFile(directory));
          }
          boolean isReduced = check(directory, true);
          // The append that follows writes to the plain file at once.
          assertThat(isReduced && finished).isFalse();
          plain[0] += isReduced ? 0 : 1;
        };
    int checked =
        PowerLoss.everywhere(scratch, seed, STATES, setup, work, check)
            + atTheEnd(seed, setup, work, check);
    System.out.println(plain[0] + " of " + checked + " states hold a plain block");
    assertThat(plain[0]).isBetween(FINAL_STATES, checked / 2);
  }

  /** More states after the last operation, where a missing fsync shows. */
  private int atTheEnd(long seed, PowerLoss.Setup setup, PowerLoss.Work work, PowerLoss.Check check)
      throws Exception {
    Path directory = Files.createTempDirectory(scratch, "end");
    setup.prepare(directory);
    CrashableFiles files = new CrashableFiles(directory);
    work.run(directory, files);
    checkStates(files, FINAL_STATES, seed, "finished", state -> check.check(state, true));
    return FINAL_STATES;
  }

  /** The page cache survives a kill; later work must not rely on unsynced data. */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "store"})
  void killAtAnyOperationThenPowerLoss(String chain) throws Exception {
    conf = OneBlockDataNode.configuration(plugins, chain);
    long seed = TestSeed.random("kill, then power loss").nextLong();
    for (int operation = 1; ; operation++) {
      Path directory = newVolume();
      CrashableFiles files = new CrashableFiles(directory).failFrom(operation, "killed");
      try (OneBlockDataNode killed = open(directory, files)) {
        killed.reduce();
      } catch (IOException e) {
        assertThat(e).hasMessage("killed");
      }
      boolean undisturbed = files.operations() < operation;
      files.failAt(-1, "");
      try (OneBlockDataNode datanode = open(directory, files)) {
        assertNothingElse(directory);
        assertThat(datanode.read()).isEqualTo(data);
        datanode.reduce();
        assertThat(datanode.isReduced()).isTrue();
        assertThat(datanode.read()).isEqualTo(data);
      }
      checkStates(files, seed, "killed at " + operation);
      if (undisturbed) {
        return;
      }
    }
  }

  /** One operation fails and the DataNode continues; then the power fails. */
  @ParameterizedTest
  @CsvSource({"lz4, " + EIO, "lz4, " + ENOSPC, "store, " + EIO})
  void reductionSurvivesAFailingOperation(String chain, String failure) throws Exception {
    conf = OneBlockDataNode.configuration(plugins, chain);
    long seed = TestSeed.random("failing reduction").nextLong();
    for (int operation = 1; ; operation++) {
      Path directory = newVolume();
      CrashableFiles files = new CrashableFiles(directory).failAt(operation, failure);
      String context = failure + " at operation " + operation;
      try (OneBlockDataNode datanode = openInSpiteOf(failure, directory, files)) {
        boolean reduced = reduceAndAgain(datanode, directory, files, seed, context);
        if (files.operations() < operation) {
          assertThat(reduced).isTrue();
          return;
        }
      }
    }
  }

  /**
   * Reduces the block, which may fail once.
   *
   * @return whether it was reduced at the first try
   */
  private boolean reduceAndAgain(
      OneBlockDataNode datanode, Path directory, CrashableFiles files, long seed, String context)
      throws Exception {
    datanode.reduce();
    boolean reduced = datanode.isReduced();
    assertThat(datanode.read()).as(context).isEqualTo(data);
    assertThat(datanode.isDamageReported()).isFalse();
    assertNoTemporaries(directory, context + " of " + files.log());
    datanode.reduce();
    assertThat(datanode.isReduced()).as(context).isTrue();
    assertThat(datanode.read()).as(context).isEqualTo(data);
    assertNothingElse(directory);
    checkStates(files, seed, context);
    return reduced;
  }

  @ParameterizedTest
  @CsvSource({"lz4, " + EIO, "lz4, " + ENOSPC, "store, " + EIO})
  void inflationSurvivesAFailingOperation(String chain, String failure) throws Exception {
    conf = OneBlockDataNode.configuration(plugins, chain);
    Path template = reducedVolume();
    long seed = TestSeed.random("failing inflation").nextLong();
    for (int operation = 1; ; operation++) {
      Path directory = Files.createTempDirectory(scratch, "volume");
      copy(template, directory);
      CrashableFiles files = new CrashableFiles(directory).failAt(operation, failure);
      String context = failure + " at operation " + operation;
      try (OneBlockDataNode datanode = openInSpiteOf(failure, directory, files)) {
        // The DataNode looks at the block, and knows from then on what it saves.
        datanode.reduce();
        assertThat(datanode.knownSaving()).isPositive();
        boolean failed = false;
        try {
          datanode.inflate();
        } catch (IOException e) {
          assertThat(e).hasMessage(failure);
          failed = true;
        }
        assertThat(datanode.isReduced() && !failed).as(context).isFalse();
        assertThat(datanode.isReduced() || datanode.knownSaving() <= 0).as(context).isTrue();
        assertThat(datanode.read()).as(context).isEqualTo(data);
        assertThat(datanode.isDamageReported()).isFalse();
        assertNoTemporaries(directory, context + " of " + files.log());
        datanode.inflate();
        assertThat(datanode.isReduced()).as(context).isFalse();
        assertThat(datanode.read()).as(context).isEqualTo(data);
        assertNothingElse(directory);
        checkStates(files, seed, context);
        if (files.operations() < operation) {
          assertThat(failed).isFalse();
          return;
        }
      }
    }
  }

  private OneBlockDataNode openInSpiteOf(String failure, Path directory, CrashableFiles files)
      throws IOException {
    try {
      return open(directory, files);
    } catch (IOException e) {
      assertThat(e).hasMessage(failure);
      return open(directory, files);
    }
  }

  private void checkStates(CrashableFiles files, long seed, String context) throws Exception {
    checkStates(files, STATES, seed, context, state -> check(state, true));
  }

  private interface StateCheck {
    void check(Path state) throws Exception;
  }

  private void checkStates(
      CrashableFiles files, int states, long seed, String context, StateCheck check)
      throws Exception {
    for (int i = 0; i < states; i++) {
      Path state = Files.createTempDirectory(scratch, "state");
      long stateSeed = i < 4 ? i : seed + i;
      files.crashedState(state, stateSeed);
      try {
        check.check(state);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(context + ", then power loss, seed " + stateSeed + ": " + e, e);
      }
      PowerLoss.delete(state);
    }
  }

  /**
   * Starts a DataNode on what a power loss left.
   *
   * @param synced whether the plain block was durable; if not, HDFS itself may have lost it
   * @return whether the block is reduced
   */
  private boolean check(Path directory, boolean synced) throws IOException {
    byte[] raw = Files.readAllBytes(OneBlockDataNode.blockFile(directory));
    try (OneBlockDataNode datanode = open(directory, new CrashableFiles(directory))) {
      assertNothingElse(directory);
      boolean reduced = datanode.isReduced();
      byte[] read = datanode.read();
      if (synced || reduced) {
        assertThat(Arrays.equals(read, data)).as("reduced: " + reduced).isTrue();
      } else {
        assertThat(read).isEqualTo(raw);
      }
      if (reduced) {
        assertSchemesAreRecorded(directory);
      }
      datanode.reduce();
      // A block that lost its end may still match its checksums, and is then reduced as it is.
      assertThat(datanode.isReduced() || !(reduced || isWhole(directory, raw))).isTrue();
      assertThat(Arrays.equals(datanode.read(), read)).isTrue();
      assertNothingElse(directory);
      return reduced;
    }
  }

  private boolean isWhole(Path directory, byte[] raw) throws IOException {
    Path sound = Files.createTempDirectory(scratch, "sound");
    OneBlockDataNode.format(sound, data);
    boolean whole =
        Arrays.equals(raw, data)
            && Files.mismatch(
                    OneBlockDataNode.metaFile(sound), OneBlockDataNode.metaFile(directory))
                < 0;
    PowerLoss.delete(sound);
    return whole;
  }

  private void assertSchemesAreRecorded(Path directory) throws IOException {
    Path hdrf = OneBlockDataNode.poolDirectory(directory).resolve("hdrf");
    Superblock superblock = Superblock.load(hdrf, new CrashableFiles(hdrf)).orElseThrow();
    assertThat(superblock.schemes().values()).containsExactly(conf.get("hdrf.schemes"));
  }

  private static void assertNoTemporaries(Path directory, String context) throws IOException {
    Path temporaries = OneBlockDataNode.poolDirectory(directory).resolve("hdrf/tmp");
    try (Stream<Path> files = Files.list(temporaries)) {
      assertThat(files).as(context).isEmpty();
    }
  }

  /** The store scheme keeps the data of failed blocks, as its Javadoc says. */
  private static void assertNothingElse(Path directory) throws IOException {
    Path pool = OneBlockDataNode.poolDirectory(directory);
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(pool)) {
      files
          .filter(Files::isRegularFile)
          .map(file -> pool.relativize(file).toString())
          .filter(name -> !name.matches("hdrf/store/\\d+"))
          .forEach(names::add);
    }
    String block = pool.relativize(OneBlockDataNode.blockFile(directory)).toString();
    String meta = pool.relativize(OneBlockDataNode.metaFile(directory)).toString();
    assertThat(names).containsExactly(block, meta, "hdrf/superblock.0", "hdrf/superblock.1");
  }

  private Path newVolume() throws IOException {
    Path directory = Files.createTempDirectory(scratch, "volume");
    OneBlockDataNode.format(directory, data);
    return directory;
  }

  private Path reducedVolume() throws IOException {
    Path directory = newVolume();
    try (OneBlockDataNode datanode = open(directory, new CrashableFiles(directory))) {
      datanode.reduce();
      assertThat(datanode.isReduced()).isTrue();
    }
    return directory;
  }

  private static Path previousFile(Path directory) {
    Path block = OneBlockDataNode.blockFile(directory);
    return OneBlockDataNode.poolDirectory(directory)
        .resolve("previous/finalized/subdir0/subdir0")
        .resolve(block.getFileName());
  }

  private static void link(Path directory) throws IOException {
    Path link = previousFile(directory);
    Files.createDirectories(link.getParent());
    Files.createLink(link, OneBlockDataNode.blockFile(directory));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Path target = to.resolve(from.relativize(path).toString());
        if (!Files.exists(target)) {
          Files.copy(path, target, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }
}
