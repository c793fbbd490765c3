/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hdrf.io.ChildJvm;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store on a file system of 24 MB, in its own mount namespace. */
@Timeout(120)
class FullDiskTest {

  @TempDir Path directory;

  @Test
  void sayThatItIsFullAndGoOnOnceItIsNot() throws Exception {
    List<String> wrapper =
        List.of(
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs -o size=24m none " + directory + " && exec \"$@\"",
            "sh");
    assumeTrue(canMount(wrapper), "no mount name spaces here");
    Process process = ChildJvm.launch(wrapper, Stores.JVM_FLAGS, Filler.class, directory);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines())
        .containsExactly("StoreFullException", "all read", "written again", "all read");
  }

  private static boolean canMount(List<String> wrapper) throws InterruptedException {
    try {
      List<String> command = new java.util.ArrayList<>(wrapper);
      command.add("true");
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Fills the disk beside a store, then the store, then makes room. */
  static final class Filler {

    private static final int VALUE = 4000;

    private Filler() {}

    public static void main(String[] args) throws Exception {
      Path ballast = Path.of(args[0], "ballast");
      Files.write(ballast, new byte[12 << 20]);
      try (MetadataStore store = Stores.open(Path.of(args[0], "store"))) {
        int written = 0;
        try {
          while (written < 100_000) {
            put(store, written);
            written++;
          }
        } catch (MetadataException e) {
          System.out.println(e.getClass().getSimpleName());
        }
        check(store, written);
        Files.delete(ballast);
        for (int tries = 0; true; tries++) {
          try {
            put(store, written);
            break;
          } catch (MetadataException e) {
            if (tries == 300) {
              throw e;
            }
            Thread.sleep(100);
          }
        }
        System.out.println("written again");
        check(store, written + 1);
      }
    }

    private static void put(MetadataStore store, int i) throws MetadataException {
      store.write(new StoreBatch().put(Table.CHUNKS, Stores.bytes("k" + i), value(i)));
    }

    private static void check(MetadataStore store, int count) throws MetadataException {
      for (int i = 0; i < count; i++) {
        byte[] value = store.get(Table.CHUNKS, List.of(Stores.bytes("k" + i))).get(0);
        if (!java.util.Arrays.equals(value, value(i))) {
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
