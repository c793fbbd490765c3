/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * In a process that has as many mappings as it may, memory is given back all the same. In a virtual
 * machine of its own, since most else fails there.
 */
class ManyMappingsTest {

  private static final Path LIMIT = Path.of("/proc/sys/vm/max_map_count");

  /** The virtual machine needs a mapping now and then, too. */
  private static final String NO_ROOM_FOR_ITSELF =
      "There is insufficient memory for the Java Runtime Environment to continue.";

  @TempDir Path directory;

  @Test
  void tablesGiveMemoryBack() throws Exception {
    assumeTrue(NativeLibrary.isLoaded());
    // To reach a high limit would take long.
    assumeTrue(Files.exists(LIMIT) && limit() <= 100_000);
    String said = NO_ROOM_FOR_ITSELF;
    for (int i = 0; i < 10 && said.contains(NO_ROOM_FOR_ITSELF); i++) {
      said = runChild(Files.createDirectory(directory.resolve("run-" + i)));
    }
    assertThat(said).contains("mapped=0 resident=true");
  }

  private static String runChild(Path directory) throws Exception {
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:+AlwaysPreTouch",
                "-Xms128m",
                "-Xmx128m",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + directory.resolve("crash"),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = child.waitFor(2, TimeUnit.MINUTES);
    child.destroyForcibly();
    String said = Files.readString(output);
    assertThat(ended).as(said).isTrue();
    return said;
  }

  private static int limit() throws IOException {
    // The system gives it to the first read alone, which has to be for more than one byte.
    try (BufferedReader in = Files.newBufferedReader(LIMIT)) {
      return Integer.parseInt(in.readLine());
    }
  }

  /** The virtual machine with many mappings. */
  static final class Child {

    private static final int PAGE = 4096;
    private static final int LOG2 = 19;
    private static final int TABLES = 8;

    private final FileChannel file;
    private final List<Object> mappings = new ArrayList<>(100_000);

    private Child(FileChannel file) {
      this.file = file;
    }

    public static void main(String[] arguments) throws Exception {
      try (FileChannel file =
          FileChannel.open(
              Path.of(arguments[0], "mapped"),
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE)) {
        new Child(file).run();
      }
    }

    private void run() throws IOException {
      file.write(ByteBuffer.allocate(1), 2L * PAGE * limit());
      // The system joins those of them that become neighbours.
      List<CuckooTable> tables = new ArrayList<>();
      for (int n = 0; n < TABLES; n++) {
        CuckooTable table = new CuckooTable(LOG2);
        for (int i = 0; i < table.slots().limit(); i += PAGE / Long.BYTES) {
          table.slots().put(i, 1L << 63 | i);
        }
        tables.add(table);
      }
      // All classes are loaded once there is no room for them.
      CuckooTable first = new CuckooTable(12);
      first.halve();
      first.makeTwice();
      resident();
      map(limit() - 500);
      mapAllBut(3);
      mapAllBut(0);
      long mapped = NativeWords.allocatedBytes();
      long resident = resident();
      tables.forEach(CuckooTable::halve);
      resident -= resident();
      mapped -= NativeWords.allocatedBytes();
      mappings.clear();
      long given = TABLES * CuckooTable.bytes(LOG2 - 1);
      System.out.println("mapped=" + (mapped - given) + " resident=" + (resident > given * 3 / 4));
    }

    private void mapAllBut(int left) throws IOException {
      long lines;
      try (Stream<String> all = Files.lines(Path.of("/proc/self/maps"))) {
        lines = all.filter(line -> !line.endsWith("[vsyscall]")).count();
      }
      map((int) (limit() - left - lines));
    }

    /** Every other page, as neighbours would be joined. */
    private void map(int count) throws IOException {
      for (int i = 0; i < count; i++) {
        mappings.add(file.map(FileChannel.MapMode.READ_ONLY, 2L * PAGE * mappings.size(), PAGE));
      }
    }

    private static long resident() throws IOException {
      try (Scanner pages = new Scanner(Files.readString(Path.of("/proc/self/statm")))) {
        pages.nextLong();
        return pages.nextLong() * PAGE;
      }
    }
  }
}
