/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.spi.io.LocalDurableFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A process that checks a store and then lives with it until it is killed. Its input is a line of
 * reference and number for each chunk that must be there. It prints one when a chunk is forced, a
 * reference alone before it drops one, and {@link #READY} once the store is checked.
 */
final class StoreLifeProcess {

  static final String READY = "ready";

  /** The mean number of actions between two closes of the store. */
  private static final int LIFE = 200;

  private StoreLifeProcess() {}

  /** Arguments: the store's directory, the first chunk's number, and the seed. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    long firstNumber = Long.parseLong(args[1]);
    Random random = new Random(Long.parseLong(args[2]));
    Map<Long, Long> live = new TreeMap<>();
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        note(line, live);
      }
    }
    StoreLife.check(directory, LocalDurableFiles.INSTANCE, live);
    print(READY);
    StoreLife life =
        new StoreLife(
            directory, LocalDurableFiles.INSTANCE, live, firstNumber, random, new Printer());
    while (true) {
      life.begin();
      do {
        life.act();
      } while (random.nextInt(LIFE) > 0);
      life.end();
    }
  }

  /** A line that says that a chunk must be there, or no longer. */
  static void note(String line, Map<Long, Long> live) {
    int space = line.indexOf(' ');
    if (space < 0) {
      live.remove(Long.parseLong(line));
    } else {
      live.put(Long.parseLong(line.substring(0, space)), Long.parseLong(line.substring(space + 1)));
    }
  }

  /** A line that is understood by {@link #note}. */
  static String line(long ref, long number) {
    return ref + " " + number;
  }

  /** Ends the process if its output is closed. */
  private static void print(String line) {
    System.out.println(line);
    if (System.out.checkError()) {
      throw new IllegalStateException("nobody reads the output");
    }
  }

  private static final class Printer implements StoreLife.Witness {
    @Override
    public void forced(long ref, long number) {
      print(line(ref, number));
    }

    @Override
    public void dropping(long ref) {
      print(Long.toString(ref));
    }
  }
}
