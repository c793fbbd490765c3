/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.ChildJvm;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of a process that only has a store, as often as {@code -Dhdrf.kill.rounds} says.
 */
@Timeout(600)
class ContainerKillTest {

  private static final int ROUNDS = Integer.getInteger("hdrf.kill.rounds", 20);

  /** No two rounds give a number to different chunks. */
  private static final long NUMBERS_PER_ROUND = 1_000_000_000;

  private static final List<String> JVM_FLAGS =
      List.of("-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  @TempDir Path scratch;

  private final Random random = TestSeed.random("kill");

  /** Numbers by reference of the chunks that must be there, as the processes reported. */
  private final Map<Long, Long> live = new TreeMap<>();

  private int forced;
  private int dropped;
  private int killedEarly;

  @Test
  void killedAtRandomMoments() throws Exception {
    Path directory = scratch.resolve("containers");
    ChildJvm next = start(directory, 0);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        // The next one starts while this one works.
        try (ChildJvm process = next) {
          next = start(directory, round + 1);
          useAndKill(process);
        }
        // If this is left out, the next process recovers, and may be killed meanwhile.
        if (random.nextInt(3) > 0 || round == ROUNDS - 1) {
          check(directory, round);
        }
      }
    } finally {
      next.close();
    }
    System.out.printf(
        "%d chunks forced, %d dropped, %d live; %d processes killed before they had checked%n",
        forced, dropped, live.size(), killedEarly);
    assertThat(live).isNotEmpty();
    assertThat(dropped).isPositive();
  }

  private ChildJvm start(Path directory, int round) throws IOException {
    return ChildJvm.start(
        JVM_FLAGS,
        StoreLifeProcess.class,
        directory,
        round * NUMBERS_PER_ROUND,
        TestSeed.random("life", round).nextLong());
  }

  private void useAndKill(ChildJvm process) throws Exception {
    try (Writer input = new OutputStreamWriter(process.input(), StandardCharsets.US_ASCII)) {
      for (Map.Entry<Long, Long> chunk : live.entrySet()) {
        input.write(StoreLifeProcess.line(chunk.getKey(), chunk.getValue()) + "\n");
      }
    }
    boolean ready = false;
    if (random.nextInt(5) > 0) {
      assertThat(process.readLine()).isEqualTo(StoreLifeProcess.READY);
      ready = true;
      for (int lines = random.nextInt(500); lines > 0; lines--) {
        String line = process.readLine();
        assertThat(line).as("what the process printed").isNotNull();
        note(line);
      }
    }
    Thread.sleep(random.nextInt(ready ? 20 : 500));
    assertThat(process.kill()).as("exit status").isEqualTo(ChildJvm.KILLED);
    for (String line = process.readLine(); line != null; line = process.readLine()) {
      if (line.equals(StoreLifeProcess.READY)) {
        ready = true;
      } else {
        note(line);
      }
    }
    killedEarly += ready ? 0 : 1;
  }

  private void note(String line) {
    int before = live.size();
    StoreLifeProcess.note(line, live);
    if (live.size() > before) {
      forced++;
    } else {
      dropped++;
    }
  }

  private void check(Path directory, int round) throws IOException {
    try {
      StoreLife.check(directory, LocalDurableFiles.INSTANCE, live);
    } catch (IOException | AssertionError e) {
      throw new AssertionError("round " + round + " of " + ROUNDS + ": " + e, e);
    }
  }
}
