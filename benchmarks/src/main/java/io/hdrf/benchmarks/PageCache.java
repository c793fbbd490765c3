/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine's page cache. */
final class PageCache {

  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

  private PageCache() {}

  /** Writes what is not yet on the disks. */
  static void sync() throws IOException, InterruptedException {
    new ProcessBuilder("sync").inheritIO().start().waitFor();
  }

  /** Whether it can be dropped, which only root may do. */
  static boolean canDrop() {
    return Files.isWritable(DROP_CACHES);
  }

  /** Has everything read from the disks again. */
  static void drop() throws IOException, InterruptedException {
    sync();
    Files.writeString(DROP_CACHES, "3");
  }
}
