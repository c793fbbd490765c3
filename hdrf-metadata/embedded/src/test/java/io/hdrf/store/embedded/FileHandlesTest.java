/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.ChildJvm;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** A store in a process that has no file handle left for a while. */
@Timeout(120)
class FileHandlesTest {

  @TempDir Path directory;

  @Test
  void goOnOnceThereAreFileHandlesAgain() throws Exception {
    List<String> wrapper = List.of("sh", "-c", "ulimit -n 400 && exec \"$@\"", "sh");
    Process process = ChildJvm.launch(wrapper, Stores.JVM_FLAGS, Hoarder.class, directory);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines())
        .containsExactly(
            "write: StoreUnreachableException",
            "opened again: StoreVersionException",
            "read: fails",
            "all read",
            "written again",
            "all read");
  }

  /**
   * Takes all file handles until RocksDB can't begin its next log, and then what the store needs to
   * be opened again.
   */
  static final class Hoarder {

    private static final int VALUE = 4000;
    private static final int MOST = 20_000;
    private static final int TRIES = 300;
    private static final String NONE = "none";

    private final MetadataStore store;
    private int written;

    private Hoarder(MetadataStore store) {
      this.store = store;
    }

    private interface Call {
      void run() throws MetadataException;
    }

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0], "store");
      // Classes can't be loaded without file handles.
      RocksDBException example =
          new RocksDBException(
              "example", new Status(Status.Code.IOError, Status.SubCode.None, "example"));
      Failures.passes(example);
      Failures.of(directory, example);
      try (MetadataStore store = Stores.open(directory)) {
        new Hoarder(store).run(directory);
      }
    }

    private void run(Path directory) throws Exception {
      failure(this::put);
      Call puts =
          () -> {
            while (written < MOST) {
              put();
            }
          };
      List<FileInputStream> hoard = new ArrayList<>();
      String failure;
      try {
        takeAll(hoard);
        failure = failure(puts);
      } finally {
        for (FileInputStream file : hoard) {
          file.close();
        }
      }
      System.out.println("write: " + failure);
      Path version = directory.resolve(VersionFile.NAME);
      Files.writeString(version, VersionFile.line(2));
      System.out.println("opened again: " + failure(this::put));
      System.out.println("read: " + (failure(() -> get(0)).equals(NONE) ? "works" : "fails"));
      Files.writeString(version, VersionFile.line(VersionFile.CURRENT));
      persist(() -> get(0));
      check();
      persist(this::put);
      System.out.println("written again");
      check();
    }

    private static void takeAll(List<FileInputStream> hoard) {
      try {
        while (true) {
          hoard.add(new FileInputStream("/dev/null"));
        }
      } catch (IOException e) {
        return;
      }
    }

    private static String failure(Call call) {
      try {
        call.run();
        return NONE;
      } catch (MetadataException e) {
        return e.getClass().getSimpleName();
      }
    }

    private static void persist(Call call) throws Exception {
      for (int tries = 0; true; tries++) {
        try {
          call.run();
          return;
        } catch (MetadataException e) {
          if (tries == TRIES) {
            throw e;
          }
          Thread.sleep(100);
        }
      }
    }

    private void put() throws MetadataException {
      store.write(new StoreBatch().put(Table.CHUNKS, Stores.bytes("k" + written), value(written)));
      written++;
    }

    private byte[] get(int i) throws MetadataException {
      return store.get(Table.CHUNKS, List.of(Stores.bytes("k" + i))).get(0);
    }

    private void check() throws MetadataException {
      for (int i = 0; i < written; i++) {
        if (!Arrays.equals(get(i), value(i))) {
          throw new IllegalStateException("the value of " + i);
        }
      }
      System.out.println("all read");
    }

    private static byte[] value(int i) {
      byte[] value = new byte[VALUE];
      new Random(i).nextBytes(value);
      return value;
    }
  }
}
