/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockFormat;
import io.hdrf.block.BlockRef;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.TagKey;
import io.hdrf.datanode.BlockFiles;
import io.hdrf.datanode.OneBlockDataNode;
import io.hdrf.read.ReducedFile;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainProofTest {

  private static final int LENGTH = 10_000;
  private static final byte NO_CHECKSUMS = 0;
  private static final BlockRef BLOCK = new BlockRef("BP-1-127.0.0.1-1", 1);
  private static final TagKey KEY = new TagKey(filled((byte) 7));

  @TempDir Path directory;

  private static final byte[] MAGIC = {(byte) 0x89, 'H', 'R', 'B'};

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(PlainProofTest.class.getName()));
  private Path file;
  private Path meta;

  @BeforeEach
  void aBlock() throws IOException {
    OneBlockDataNode.format(directory, data);
    file = OneBlockDataNode.blockFile(directory);
    meta = OneBlockDataNode.metaFile(directory);
  }

  private static byte[] filled(byte value) {
    byte[] secret = new byte[TagKey.LENGTH];
    Arrays.fill(secret, value);
    return secret;
  }

  /** The header of the block as it is reduced on the key's volume. */
  private byte[] header() throws IOException {
    Path other = Files.createDirectory(directory.resolve("reduced"));
    try (ReducedFile reduced = new ReducedFile(other, KEY, data, 0, 0)) {
      return Arrays.copyOf(Files.readAllBytes(reduced.path), BlockFormat.HEADER_LENGTH);
    }
  }

  private void assertHolds(boolean expected) throws IOException {
    assertThat(PlainProof.holds(file, false)).isEqualTo(expected);
    assertThat(BlockFiles.isOpen(file)).isFalse();
    assertThat(BlockFiles.isOpen(meta)).isFalse();
  }

  @Test
  void bytesThatMatchTheirChecksumsArePlain() throws IOException {
    assertHolds(true);
    assertThat(PlainProof.holds(file, true)).isTrue();
  }

  /** A damaged plain block is plain. */
  @Test
  void onlyTheBytesWhereAHeaderWouldBeAreCompared() throws IOException {
    data[LENGTH - 1] ^= 1;
    Files.write(file, data);
    assertHolds(true);
    data[0] ^= 1;
    Files.write(file, data);
    assertHolds(false);
  }

  /** Stock code finalizes what a client sends with wrong checksums, if a DataNode comes behind. */
  @Test
  void whatImitatesADamagedReducedBlockIsNotFinalized() throws IOException {
    LocalReplica replica =
        new FinalizedReplica(1, LENGTH, 1, null, file.getParent().toFile()) {
          @Override
          public File getBlockFile() {
            return file.toFile();
          }

          @Override
          public File getMetaFile() {
            return meta.toFile();
          }
        };
    data[0] ^= 1;
    Files.write(file, data);
    PlainProof.require(replica, BLOCK, KEY, false);
    System.arraycopy(MAGIC, 0, data, 0, MAGIC.length);
    Files.write(file, data);
    assertThatThrownBy(() -> PlainProof.require(replica, BLOCK, KEY, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
    assertThat(BlockFiles.isOpen(file)).isFalse();
    // With checksums that are right it is a user's data.
    OneBlockDataNode.format(directory, data);
    PlainProof.require(replica, BLOCK, KEY, false);
    // Stock code looks itself whether its thread was interrupted.
    Thread.currentThread().interrupt();
    PlainProof.require(replica, BLOCK, KEY, false);
    assertThat(Thread.interrupted()).isTrue();
    // Neither its checksums nor its length make the header of this block a user's data.
    byte[] header = header();
    System.arraycopy(header, 0, data, 0, header.length);
    OneBlockDataNode.format(directory, data);
    assertThatThrownBy(() -> PlainProof.require(replica, BLOCK, KEY, false))
        .hasMessageContaining("header of a reduced block");
    assertThatThrownBy(() -> PlainProof.require(replica, BLOCK, null, false))
        .hasMessageContaining("not in service");
    PlainProof.require(replica, new BlockRef(BLOCK.poolId(), 2), KEY, false);
    PlainProof.require(replica, BLOCK, new TagKey(new byte[TagKey.LENGTH]), false);
    data[20] ^= 1;
    OneBlockDataNode.format(directory, data);
    byte[] sums = Files.readAllBytes(meta);
    Files.delete(meta);
    PlainProof.require(replica, BLOCK, KEY, false);
    Files.write(meta, sums);
    Files.delete(file);
    PlainProof.require(replica, BLOCK, KEY, false);
    // A file that can't be opened, for instance for want of descriptors, is not taken for plain.
    Files.createDirectory(file);
    assertThatThrownBy(() -> PlainProof.require(replica, BLOCK, KEY, false))
        .isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void neitherDoChecksumsThatAreMissingOrDamaged() throws IOException {
    byte[] sums = Files.readAllBytes(meta);
    Files.write(meta, Arrays.copyOf(sums, 10));
    assertHolds(false);
    Files.write(meta, new byte[3]);
    assertHolds(false);
    Files.delete(meta);
    assertThatThrownBy(() -> PlainProof.holds(file, false)).isInstanceOf(NoSuchFileException.class);
    try (ChannelFile open = ChannelFile.open(file)) {
      assertThatThrownBy(() -> BlockVerifier.provesPlain(open, meta, false))
          .isInstanceOf(NoSuchFileException.class);
    }
    assertThat(BlockFiles.isOpen(file)).isFalse();
  }

  /** Only where no earlier version may have reduced such blocks. */
  @Test
  void noChecksumsAreProofWhereAllReducedBlocksHaveSome() throws IOException {
    byte[] header = Arrays.copyOf(Files.readAllBytes(meta), 7);
    header[2] = NO_CHECKSUMS;
    Files.write(meta, header);
    assertHolds(true);
    assertThat(PlainProof.holds(file, true)).isFalse();
  }

  @Test
  void aMissingBlockIsNamed() throws IOException {
    Files.delete(file);
    assertThatThrownBy(() -> PlainProof.holds(file, false))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(file.toString());
  }
}
