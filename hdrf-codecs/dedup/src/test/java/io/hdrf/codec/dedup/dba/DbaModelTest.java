/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.dba.DbaSettings.Control;
import io.hdrf.io.CrashableFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random sequences of everything that can happen, against a map: nothing is ever missing. */
class DbaModelTest {

  private static final int ROUNDS = Integer.getInteger("hdrf.dba.rounds", 8);
  private static final int STEPS = 100;

  private static final String[] KINDS = {
    "sealed", "refreshed", "loaded", "rebuilt", "enlarged", "tightened"
  };

  @TempDir Path scratch;

  @Test
  void nothingIsEverMissing() throws Exception {
    Map<String, Long> totals = new TreeMap<>();
    // Rare things need more rounds now and then.
    for (int round = 0; round < ROUNDS || (!hasAll(totals) && round < 20 * ROUNDS); round++) {
      for (DbaCounters counters : run(TestSeed.random("model", round), "round " + round)) {
        counters.asMap().forEach((name, count) -> totals.merge(name, count, Long::sum));
      }
    }
    for (String name : KINDS) {
      assertThat(totals.get(name)).as(name).isPositive();
    }
  }

  private static boolean hasAll(Map<String, Long> totals) {
    return Arrays.stream(KINDS).allMatch(name -> totals.getOrDefault(name, 0L) > 0);
  }

  private static DbaSettings settings(Random random) {
    int[] widths = {DbaSettings.AUTO, 1, 8, 16, 64, 128, 256, 512};
    return DbaSettings.builder()
        .capacity(20 + random.nextInt(200))
        .filters(2 + random.nextInt(12))
        .group(widths[random.nextInt(widths.length)])
        .growth(2 + random.nextInt(2))
        .control(random.nextBoolean() ? Control.ENLARGE : Control.TIGHTEN)
        .errorRate(random.nextBoolean() ? 0.01 : 1.0 / 16384)
        .staleShare(random.nextBoolean() ? 0.1 : 0.5)
        .memory(DbaSettings.UNLIMITED)
        .build();
  }

  private List<DbaCounters> run(Random random, String name) throws Exception {
    DbaSettings settings = settings(random);
    Path directory = Files.createTempDirectory(scratch, "array");
    CrashableFiles files = new CrashableFiles(directory);
    ToyIndex index = new ToyIndex();
    ArrayUser user = ArrayUser.open(directory, files, settings, index).from(0);
    List<DbaCounters> sessions = new ArrayList<>();
    long next = 0;
    for (int step = 0; step < STEPS; step++) {
      String when = name + " step " + step;
      int choice = random.nextInt(20);
      if (choice < 7) {
        int count = 1 + random.nextInt(400);
        next += count;
        user.add(count);
      } else if (choice < 10) {
        List<Long> all = index.elements();
        int from = all.isEmpty() ? 0 : random.nextInt(all.size());
        int to = Math.min(all.size(), from + random.nextInt(500));
        all.subList(from, to).forEach(user::remove);
      } else if (choice < 15) {
        for (int i = random.nextInt(30); i > 0; i--) {
          user.array().maintain();
          user.checkAll(when);
        }
      } else if (choice < 16) {
        index.failAfter(random.nextInt(50));
        user.maintainAll();
        index.failAfter(Integer.MAX_VALUE);
      } else if (choice < 17) {
        user.array().flush();
      } else if (choice < 18) {
        user.close();
        user = ArrayUser.open(directory, files, settings, index).from(next);
      } else if (choice < 19) {
        Path state = Files.createTempDirectory(scratch, "state");
        files.crashedState(state, random.nextInt(8));
        directory = state;
        files = new CrashableFiles(directory);
        user = ArrayUser.open(directory, files, settings, index).from(next);
      } else {
        user.maintainAll();
        assertThat(user.candidates.isComplete()).isTrue();
        assertThat(user.array().errorRate())
            .as("%s, %s", when, user.array().describe())
            .isLessThanOrEqualTo(settings.errorRate());
      }
      user.checkAll(when);
      if (!sessions.contains(user.counters())) {
        sessions.add(user.counters());
      }
    }
    return sessions;
  }
}
