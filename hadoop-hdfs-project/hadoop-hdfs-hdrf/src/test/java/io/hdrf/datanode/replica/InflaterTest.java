/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.FrameTable;
import io.hdrf.datanode.BlockFiles;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reduced block becomes plain as a whole and verified, or stays as it is. */
class InflaterTest {

  private static final int LENGTH = 150_001;
  private static final byte NO_CHECKSUMS = 0;

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(InflaterTest.class.getName()));
  private SwapVolume volume;
  private long physicalLength;

  @BeforeEach
  void open() throws IOException {
    volume = new SwapVolume(directory.resolve("volume"), data);
    physicalLength = volume.reduce();
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private void inflate() throws IOException {
    volume.inflater.inflate(volume.snapshot());
  }

  private long inflations() {
    return volume.counters.values().get("blocksInflated");
  }

  private void assertNothingIsKept() throws IOException {
    assertThat(volume.temporaries()).isEmpty();
    assertThat(volume.references).isZero();
    assertThat(volume.reserved).isZero();
    assertThat(BlockFiles.isOpen(volume.blockFile())).isFalse();
    assertThat(BlockFiles.isOpen(volume.metaFile())).isFalse();
    assertThat(volume.isUnusedAfterClose()).isTrue();
    volume.volumes.open(volume, SwapVolume.POOL);
  }

  private interface Part {
    void assertFails() throws IOException;
  }

  private void assertStaysReduced(Part part) throws IOException {
    byte[] before = Files.readAllBytes(volume.blockFile());
    Object inode = Files.getAttribute(volume.blockFile(), "unix:ino");
    part.assertFails();
    assertThat(volume.blockFile()).hasBinaryContent(before);
    assertThat(Files.getAttribute(volume.blockFile(), "unix:ino")).isEqualTo(inode);
    assertThat(volume.used).isZero();
    assertThat(inflations()).isZero();
    assertNothingIsKept();
  }

  @Test
  void thePlainFileTakesTheReducedOnesPlace() throws IOException {
    Files.setPosixFilePermissions(volume.blockFile(), PosixFilePermissions.fromString("rw-r--r--"));
    inflate();
    assertThat(volume.blockFile()).hasBinaryContent(data);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(volume.blockFile())))
        .isEqualTo("rw-r--r--");
    assertThat(volume.used).isEqualTo(LENGTH - physicalLength);
    assertThat(inflations()).isEqualTo(1);
    assertNothingIsKept();
  }

  /** After a power loss one of the two must exist, whole. */
  @Test
  void theDataAreDurableBeforeTheNameAndThenTheName() throws IOException {
    inflate();
    assertThat(volume.events)
        .containsExactly("force", "rename", "adjustUsed", "revokeDescriptors", "force subdir0");
  }

  @Test
  void nothingIsDoneWhereTheBlockIsPlain() throws IOException {
    inflate();
    Object inode = Files.getAttribute(volume.blockFile(), "unix:ino");
    volume.available = 0;
    inflate();
    assertThat(Files.getAttribute(volume.blockFile(), "unix:ino")).isEqualTo(inode);
    assertThat(inflations()).isEqualTo(1);
    assertNothingIsKept();
  }

  @Test
  void spaceIsReservedMeanwhile() throws IOException {
    volume.available = LENGTH;
    volume.scheme.afterDecode =
        frame -> {
          assertThat(volume.reserved).isEqualTo(LENGTH);
          assertThat(volume.references).isEqualTo(1);
        };
    inflate();
    assertThat(volume.blockFile()).hasBinaryContent(data);
    assertNothingIsKept();
  }

  @Test
  void aFullVolumeIsNamed() throws IOException {
    volume.available = LENGTH - 1;
    assertStaysReduced(
        () ->
            assertThatThrownBy(this::inflate)
                .isInstanceOf(DiskOutOfSpaceException.class)
                .hasMessageContaining(SwapVolume.BLOCK.toString())
                .hasMessageContaining(volume.toString()));
  }

  @Test
  void aVolumeThatLeavesIsLeftAlone() throws IOException {
    volume.leaves = true;
    assertStaysReduced(() -> assertThatThrownBy(this::inflate).isInstanceOf(IOException.class));
  }

  /** An upgrade's previous/ keeps the reduced file, so that its space is not given back. */
  @Test
  void anotherNameKeepsTheReducedFile() throws IOException {
    Path previous = Files.createLink(directory.resolve("previous"), volume.blockFile());
    byte[] reduced = Files.readAllBytes(previous);
    inflate();
    assertThat(volume.blockFile()).hasBinaryContent(data);
    assertThat(previous).hasBinaryContent(reduced);
    assertThat(volume.used).isEqualTo(LENGTH);
  }

  @Test
  void whatDecodesToOtherDataIsNotPutInPlace() throws IOException {
    byte[] other = data.clone();
    other[LENGTH - 1] ^= 1;
    volume.close();
    volume = new SwapVolume(directory.resolve("wrong"), data);
    volume.reduce(other);
    assertStaysReduced(
        () ->
            assertThatThrownBy(this::inflate)
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining(volume.blockFile().toString())
                .hasMessageContaining(volume.metaFile().toString()));
  }

  @Test
  void aDamagedFrameIsNotPutInPlace() throws IOException {
    byte[] raw = Files.readAllBytes(volume.blockFile());
    raw[(int) physicalLength / 2] ^= 1;
    Files.write(volume.blockFile(), raw);
    assertStaysReduced(
        () ->
            assertThatThrownBy(this::inflate)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(volume.blockFile().toString()));
  }

  @Test
  void theReplicasLengthMustBeTheFiles() throws IOException {
    volume.current = volume.finalized(LENGTH - 1);
    assertStaysReduced(
        () ->
            assertThatThrownBy(this::inflate)
                .isInstanceOf(IOException.class)
                .hasMessage(
                    volume.blockFile()
                        + " holds "
                        + LENGTH
                        + " bytes, its replica "
                        + (LENGTH - 1)));
  }

  @Test
  void checksumsMustCoverTheWholeBlock() throws IOException {
    byte[] meta = Files.readAllBytes(volume.metaFile());
    Files.write(volume.metaFile(), Arrays.copyOf(meta, meta.length - 4));
    assertStaysReduced(
        () ->
            assertThatThrownBy(this::inflate)
                .isInstanceOf(IOException.class)
                .hasMessage(volume.metaFile() + " does not cover the whole block"));
  }

  /** Earlier versions reduced blocks without checksums, too. */
  @Test
  void aBlockWithoutChecksumsIsDecodedAsItIs() throws IOException {
    byte[] meta = Files.readAllBytes(volume.metaFile());
    meta[2] = NO_CHECKSUMS;
    Files.write(volume.metaFile(), Arrays.copyOf(meta, 7), StandardOpenOption.TRUNCATE_EXISTING);
    inflate();
    assertThat(volume.blockFile()).hasBinaryContent(data);
    assertNothingIsKept();
  }

  @Test
  void aReplicaThatChangedMeanwhileIsLeftAlone() throws IOException {
    volume.scheme.afterDecode = frame -> volume.current.setGenerationStamp(SwapVolume.STAMP + 1);
    assertStaysReduced(
        () ->
            assertThatThrownBy(this::inflate)
                .isInstanceOf(Replicas.ReplicaChangedException.class)
                .hasMessageContaining(SwapVolume.BLOCK.toString()));
  }

  @Test
  void buffersAreGivenBack() throws IOException {
    BufferPool pool = BufferPool.shared();
    try (BlockOpener.Opened opened = volume.opener.open(volume.snapshot())) {
      FrameTable frames = opened.reduced().frames();
      ByteBuffer stored = pool.take(frames.maxStoredLength());
      ByteBuffer decoded = pool.take(frames.maxOriginalLength());
      pool.give(stored);
      pool.give(decoded);
    }
    long idle = pool.idleBytes();
    inflate();
    assertThat(pool.idleBytes()).isEqualTo(idle);
  }
}
