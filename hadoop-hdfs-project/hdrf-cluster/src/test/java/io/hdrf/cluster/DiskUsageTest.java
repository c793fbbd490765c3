/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUsageTest {
  @TempDir private Path volume;

  private static void fill(Path file, int length) throws IOException {
    Files.createDirectories(file.getParent());
    byte[] content = new byte[length];
    new Random(1).nextBytes(content);
    Files.write(file, content);
    // Some file systems allocate space only when data is written out.
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.getFD().sync();
    }
  }

  @Test
  void countsAllocatedBlocksNotLengths() throws IOException {
    Path pool = volume.resolve("current/BP-1-127.0.0.1-1/current/finalized/subdir0/subdir0");
    Path reduced = pool.resolve("blk_1073741825");
    fill(reduced, 4096 * 4);
    try (RandomAccessFile file = new RandomAccessFile(reduced.toFile(), "rw")) {
      file.setLength(1 << 20);
      file.getFD().sync();
    }
    fill(pool.resolve("blk_1073741825_1001.meta"), 4096);
    fill(pool.resolve("blk_1073741826"), 4096 * 2);
    fill(volume.resolve("current/VERSION"), 100_000);

    DiskUsage usage = DiskUsage.of(List.of(volume));
    assertThat(usage.blocks()).isEqualTo(2);
    assertThat(usage.logicalBytes()).isEqualTo((1 << 20) + 4096 * 2);
    assertThat(usage.blockBytes()).isBetween(4096L * 6, 4096L * 12);
    assertThat(usage.metaBytes()).isBetween(4096L, 8192L);
    assertThat(usage.hdrfBytes()).isZero();
    assertThat(usage.physicalBytes()).isEqualTo(usage.blockBytes());
  }

  @Test
  void countsHdrfOwnFilesAsPhysicalAndHardLinksOnce() throws IOException {
    Path pool = volume.resolve("current/BP-1-127.0.0.1-1");
    Path block = pool.resolve("current/finalized/blk_7");
    fill(block, 4096);
    Path before = pool.resolve("previous/finalized");
    Files.createDirectories(before);
    Files.createLink(before.resolve("blk_7"), block);
    fill(pool.resolve("hdrf/containers/blk_9"), 4096 * 3);

    DiskUsage usage = DiskUsage.of(List.of(volume));
    assertThat(usage.blocks()).isEqualTo(1);
    assertThat(usage.logicalBytes()).isEqualTo(4096);
    assertThat(usage.hdrfBytes()).isGreaterThanOrEqualTo(4096 * 3);
    assertThat(usage.physicalBytes()).isEqualTo(usage.blockBytes() + usage.hdrfBytes());
  }

  @Test
  void ratioOfNothingIsOne() {
    assertThat(DiskUsage.NONE.ratio()).isEqualTo(1);
    assertThat(new DiskUsage(1, 100, 30, 15, 999).ratio()).isEqualTo(0.45);
  }

  @Test
  void missingVolumeHoldsNothing() throws IOException {
    assertThat(DiskUsage.of(List.of(volume.resolve("none")))).isEqualTo(DiskUsage.NONE);
  }

  @Test
  void refusesALineItCannotRead() {
    assertThatThrownBy(() -> new DiskUsage.Tally().add("f x y z"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("f x y z");
  }
}
