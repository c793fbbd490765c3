/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs work repeatedly and makes the power fail at each of its operations. */
public final class PowerLoss {

  /** Fills a directory; what it leaves is durable. */
  @FunctionalInterface
  public interface Setup {
    void prepare(Path directory) throws Exception;
  }

  /** Works in the directory, by {@code files} alone. */
  @FunctionalInterface
  public interface Work {
    void run(Path directory, CrashableFiles files) throws Exception;
  }

  /** Checks the state after a power loss. */
  @FunctionalInterface
  public interface Check {
    /**
     * Fails if the directory has a state that is not allowed.
     *
     * @param finished whether the work had returned before the power went off
     */
    void check(Path directory, boolean finished) throws Exception;
  }

  private PowerLoss() {}

  /**
   * Crashes before, inside and after every operation, and after the work has returned, and checks
   * several states for each.
   *
   * @param scratch an existing directory; this method puts directories into it
   * @param seed the first seed for {@link CrashableFiles#crashedState} beyond its fixed four
   * @param states how many states to check per crash, at least 4
   * @return how many states were checked
   */
  public static int everywhere(
      Path scratch, long seed, int states, Setup setup, Work work, Check check) throws Exception {
    Path whole = Files.createTempDirectory(scratch, "whole");
    setup.prepare(whole);
    CrashableFiles undisturbed = new CrashableFiles(whole);
    work.run(whole, undisturbed);
    List<String> log = undisturbed.log();
    int checked = 0;
    for (int operation = 1; operation <= log.size(); operation++) {
      for (CrashableFiles.Moment moment : CrashableFiles.Moment.values()) {
        Path directory = Files.createTempDirectory(scratch, "work");
        setup.prepare(directory);
        CrashableFiles files = new CrashableFiles(directory).crash(moment, operation);
        boolean finished = runToCrash(work, directory, files);
        String context = moment + " operation " + operation + " of " + log;
        checked += check(scratch, files, seed, states, check, finished, context);
        delete(directory);
      }
    }
    checked += check(scratch, undisturbed, seed, states, check, true, "after " + log);
    delete(whole);
    return checked;
  }

  private static boolean runToCrash(Work work, Path directory, CrashableFiles files)
      throws Exception {
    try {
      work.run(directory, files);
      return true;
    } catch (CrashException e) {
      return false;
    }
  }

  private static int check(
      Path scratch,
      CrashableFiles files,
      long seed,
      int states,
      Check check,
      boolean finished,
      String context)
      throws Exception {
    for (int i = 0; i < states; i++) {
      long stateSeed = i < 4 ? i : seed + i;
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, stateSeed);
      try {
        check.check(state, finished);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("power loss " + context + ", seed " + stateSeed + ": " + e, e);
      }
      delete(state);
    }
    return states;
  }

  /** Deletes a directory and all that is in it. */
  public static void delete(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      for (Path path :
          (Iterable<Path>) paths.sorted(java.util.Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
