/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.block.LaterVersion;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.datanode.BlockFiles;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The classification of a replica's file; a refused file does not stay open. */
class BlockOpenerTest {

  private static final int LENGTH = 150_001;
  private static final int CHAIN_OFFSET = 8;

  @TempDir Path scratch;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(BlockOpenerTest.class.getName()));
  private SwapVolume volume;

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private void volume(byte[] content) throws IOException {
    volume = new SwapVolume(scratch.resolve("volume"), content);
  }

  private void reducedVolume() throws IOException {
    volume(data);
    volume.reduce();
  }

  /** User data that are a reduced file from elsewhere. */
  private void volumeOfALookAlike() throws IOException {
    try (SwapVolume other = new SwapVolume(scratch.resolve("other"), data)) {
      other.reduce();
      volume(Files.readAllBytes(other.blockFile()));
    }
  }

  private LocalReplica replica() {
    return (LocalReplica) volume.current;
  }

  private BlockOpener.Opened open() throws IOException {
    return volume.opener.open(SwapVolume.BLOCK, replica());
  }

  private void assertShows(byte[] expected) throws IOException {
    try (BlockOpener.Opened opened = open()) {
      assertThat(opened.isReduced()).isFalse();
      assertThat(opened.reduced()).isNull();
      assertThat(opened.volume()).isNull();
      assertThat(opened.stream().readAllBytes()).isEqualTo(expected);
    }
    assertNothingIsKept();
  }

  private void assertNothingIsKept() throws IOException {
    assertThat(BlockFiles.isOpen(volume.blockFile())).isFalse();
    assertThat(volume.isUnusedAfterClose()).isTrue();
    volume.volumes.open(volume, SwapVolume.POOL);
  }

  private long corruptBlocks() {
    return volume.counters.values().get("corruptBlocks");
  }

  private void assertCorrupt() throws IOException {
    long before = corruptBlocks();
    assertThatThrownBy(this::open)
        .isInstanceOf(DiskFileCorruptException.class)
        .hasMessageContaining(volume.blockFile().toString());
    assertThat(corruptBlocks()).isEqualTo(before + 1);
    assertNothingIsKept();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 5, LENGTH})
  void aPlainBlockIsReadFromItsFirstByte(int length) throws IOException {
    volume(Arrays.copyOf(data, length));
    assertShows(volume.data);
    assertThat(volume.opener.header(SwapVolume.BLOCK, replica())).isNull();
    assertNothingIsKept();
  }

  /** It is moved before the block's file where the block is appended to. */
  @Test
  void aLookAlikeWhoseChecksumsAreMissingIsUnavailable() throws IOException {
    volumeOfALookAlike();
    Files.delete(replica().getMetaFile().toPath());
    assertThatThrownBy(this::open)
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining(volume.blockFile().toString());
    assertThat(corruptBlocks()).isZero();
    assertNothingIsKept();
  }

  /** The magic alone, and a header less a byte. */
  @ParameterizedTest
  @ValueSource(ints = {4, ReducedBlockWriter.FRAMES_START - 1})
  void whatIsTooShortForAHeaderIsPlain(int length) throws IOException {
    reducedVolume();
    byte[] beginning = Arrays.copyOf(Files.readAllBytes(volume.blockFile()), length);
    volume.close();
    volume = new SwapVolume(scratch.resolve("short"), beginning);
    assertShows(beginning);
  }

  @Test
  void aReducedBlockGivesItsData() throws IOException {
    reducedVolume();
    PoolSlice poolSlice = volume.poolSlice();
    BlockOpener.Opened opened = volume.opener.open(volume.snapshot());
    assertThat(opened.isReduced()).isTrue();
    assertThat(opened.volume()).isSameAs(poolSlice);
    assertThat(decode(opened)).isEqualTo(data);
    volume.volumes.closeAll();
    assertThat(poolSlice.beginUse()).as("it is in use, still").isTrue();
    poolSlice.endUse();
    assertThat(decode(opened)).isEqualTo(data);
    opened.close();
    assertThat(BlockFiles.isOpen(volume.blockFile())).isFalse();
    assertThat(poolSlice.beginUse()).isFalse();
  }

  /** At the end of the process the last records are made when the schemes' stores are closed. */
  @Test
  void aHeaderIsReadWhereTheSliceIsClosed() throws IOException {
    reducedVolume();
    volume.poolSlice().close();
    assertThat(volume.opener.header(SwapVolume.BLOCK, replica()).logicalLength()).isEqualTo(LENGTH);
  }

  private static byte[] decode(BlockOpener.Opened opened) throws IOException {
    ReducedBlock block = opened.reduced();
    ChainCodec codec = opened.codec();
    ByteBuffer data = ByteBuffer.allocate((int) block.logicalLength());
    ByteBuffer stored = ByteBuffer.allocateDirect(block.frames().maxStoredLength());
    ByteBuffer frame = ByteBuffer.allocateDirect(block.frames().maxOriginalLength());
    for (int i = 0; i < block.frames().frameCount(); i++) {
      frame.clear();
      block.readFrame(i, codec, stored, frame);
      data.put(frame.flip());
    }
    return data.array();
  }

  /** Closing twice must not release another user's reference to the volume. */
  @Test
  void aSecondCloseDoesNothing() throws IOException {
    reducedVolume();
    PoolSlice poolSlice = volume.poolSlice();
    try (BlockOpener.Opened other = open()) {
      BlockOpener.Opened opened = open();
      opened.close();
      opened.close();
      volume.volumes.closeAll();
      assertThat(poolSlice.beginUse()).isTrue();
      poolSlice.endUse();
    }
    assertThat(poolSlice.beginUse()).isFalse();
  }

  /** A reader goes on in the file that it opened. */
  @Test
  void whatTakesTheFilesPlaceLaterIsNotShown() throws IOException {
    reducedVolume();
    try (BlockOpener.Opened opened = open()) {
      Path other = Files.write(scratch.resolve("file"), new byte[LENGTH]);
      Files.move(other, volume.blockFile(), StandardCopyOption.REPLACE_EXISTING);
      assertThat(decode(opened)).isEqualTo(data);
    }
  }

  @Test
  void theHeaderAloneIsThatOfTheBlock() throws IOException {
    reducedVolume();
    assertThat(volume.opener.header(SwapVolume.BLOCK, replica()))
        .satisfies(
            header -> {
              assertThat(header.blockId()).isEqualTo(SwapVolume.BLOCK.blockId());
              assertThat(header.logicalLength()).isEqualTo(LENGTH);
            });
    assertNothingIsKept();
  }

  @Test
  void dataThatLookReducedAreShownAsTheyAre() throws IOException {
    volumeOfALookAlike();
    assertShows(volume.data);
    assertThat(volume.opener.header(SwapVolume.BLOCK, replica())).isNull();
    assertNothingIsKept();
    assertThat(corruptBlocks()).isZero();
  }

  /** Its bytes must never be taken for the user's. */
  @ParameterizedTest
  @ValueSource(ints = {CHAIN_OFFSET, ReducedBlockWriter.FRAMES_START - 1})
  void aDamagedHeaderIsDamageAndNoData(int position) throws IOException {
    reducedVolume();
    flip(position);
    assertCorrupt();
    assertThatThrownBy(() -> volume.opener.header(SwapVolume.BLOCK, replica()))
        .isInstanceOf(DiskFileCorruptException.class);
    assertNothingIsKept();
  }

  private void flip(int position) throws IOException {
    byte[] raw = Files.readAllBytes(volume.blockFile());
    raw[position] ^= 1;
    Files.write(volume.blockFile(), raw);
  }

  @Test
  void aReducedFileOfAnotherBlockIsDamage() throws IOException {
    reducedVolume();
    BlockRef other = new BlockRef(SwapVolume.POOL, SwapVolume.BLOCK.blockId() + 1);
    assertThatThrownBy(() -> volume.opener.open(other, replica()))
        .isInstanceOf(DiskFileCorruptException.class)
        .hasMessageContaining("block id");
    assertNothingIsKept();
  }

  /** No disk check, no report of a bad block: an older program reads what a newer one wrote. */
  @Test
  void aLaterFormatIsNoDamage() throws IOException {
    reducedVolume();
    LaterVersion.make(volume.blockFile(), volume.poolSlice().key());
    assertThatThrownBy(this::open)
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining(volume.blockFile().toString());
    assertThat(corruptBlocks()).isZero();
    assertNothingIsKept();
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    volume(data);
    Files.delete(volume.blockFile());
    assertThatThrownBy(this::open)
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("Expected block file at " + volume.blockFile() + " does not exist.")
        .hasCauseInstanceOf(FileNotFoundException.class);
  }

  @Test
  void aReducedBlockOfAVolumeThatLeftIsUnavailable() throws IOException {
    reducedVolume();
    volume.volumes.closeAll();
    assertThatThrownBy(this::open).isInstanceOf(UnavailableException.class);
    assertThat(BlockFiles.isOpen(volume.blockFile())).isFalse();
    assertThatThrownBy(() -> volume.opener.header(SwapVolume.BLOCK, replica()))
        .isInstanceOf(UnavailableException.class);
    assertThat(BlockFiles.isOpen(volume.blockFile())).isFalse();
  }

  /** Stock code interrupts threads that read. */
  @Test
  void anInterruptIsNoDamage() throws IOException {
    reducedVolume();
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(this::open)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(volume.blockFile().toString());
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(corruptBlocks()).isZero();
    assertNothingIsKept();
  }

  @Test
  void anInterruptDoesNotKeepAPlainBlockFromBeingRead() throws IOException {
    volume(data);
    Thread.currentThread().interrupt();
    try (BlockOpener.Opened opened = open()) {
      assertThat(opened.stream().readAllBytes()).isEqualTo(data);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  /** The header is right, so that it is not the block that is at fault. */
  @Test
  void aSchemeThatIsNotThereIsNoDamage() throws IOException {
    volume(data);
    Path temporary = volume.poolSlice().temporaryFile(SwapVolume.BLOCK.blockId());
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            temporary,
            volume.snapshot().block(),
            LENGTH,
            new int[] {65101},
            volume.poolSlice().key(),
            LENGTH)) {
      writer.frame(LENGTH, 1, ByteBuffer.allocateDirect(100));
      writer.finish();
    }
    Files.move(temporary, volume.blockFile(), StandardCopyOption.REPLACE_EXISTING);
    try (BlockOpener.Opened opened = open()) {
      assertThatThrownBy(opened::codec)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(volume.blockFile().toString())
          .hasMessageContaining("65101");
    }
    assertNothingIsKept();
  }
}
