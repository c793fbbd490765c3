/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;

/**
 * Puts finalized blocks of zeros, with their checksums, on the volume of a stopped DataNode: every
 * other one plain and {@value #PLAIN_LENGTH} bytes long, too short to be reduced; the others
 * reduced and {@value #REDUCED_LENGTH} bytes long. All files are sparse.
 */
final class VolumeFiller {

  private static final int PLAIN_LENGTH = 1000;
  private static final int REDUCED_LENGTH = 64 << 10;

  /** The NameNode's first block id, and a generation stamp that it has left behind. */
  static final long FIRST_BLOCK = (1L << 30) + 1;

  private static final int GENERATION_STAMP = 1000;

  private static final short META_VERSION = 1;
  private static final byte META_CRC32C = 2;
  private static final int BYTES_PER_CHECKSUM = 512;

  /** As {@code DatanodeUtil.idToBlockDir}: 32 directories of 32 each. */
  private static final int DIRECTORY_MASK = 0x1F;

  /** About as long as a reduced block of zeros. */
  private static final int STOCK_BYTES = 400;

  private final Path pool;
  private final Path finalized;
  private final byte[] plainMeta = meta(PLAIN_LENGTH);
  private final byte[] reducedMeta = meta(REDUCED_LENGTH);

  /**
   * @param volume the data directory; has one block pool
   */
  VolumeFiller(Path volume) throws IOException {
    pool = pool(volume);
    finalized = pool.resolve("current").resolve("finalized");
  }

  /** The directory of a volume's only block pool. */
  static Path pool(Path volume) throws IOException {
    try (Stream<Path> children = Files.list(volume.resolve("current"))) {
      List<Path> pools =
          children.filter(child -> child.getFileName().toString().startsWith("BP-")).toList();
      if (pools.size() != 1) {
        throw new IOException(volume + " has " + pools.size() + " block pools");
      }
      return pools.get(0);
    }
  }

  /** HDRF's directory on a volume. */
  static Path hdrf(Path volume) throws IOException {
    return pool(volume).resolve("hdrf");
  }

  /** Files of the lengths and sizes that {@link #reduced} gives them, for stock HDFS. */
  void stock(int blocks) throws IOException {
    byte[] bytes = new byte[STOCK_BYTES];
    for (int i = 0; i < blocks; i++) {
      if (isPlain(i)) {
        writePlain(i);
      } else {
        try (RandomAccessFile out = new RandomAccessFile(file(i).toFile(), "rw")) {
          out.write(bytes);
          out.setLength(REDUCED_LENGTH);
        }
        writeMeta(i, reducedMeta);
      }
    }
  }

  /** Blocks for HDRF, which must have formatted the volume. */
  void reduced(int blocks, Path plugins, String scheme) throws IOException {
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    Superblock superblock =
        Superblock.load(pool.resolve("hdrf"), LocalDurableFiles.INSTANCE)
            .orElseThrow(() -> new IOException(pool + " was never used by HDRF"));
    superblock.recordScheme(registry.byName(scheme).id(), scheme);
    TagKey key = superblock.key();
    SchemeChain chain = SchemeChain.parse("scheme", scheme, registry);
    try (VolumeSchemes schemes =
        new VolumeSchemes(
            registry, new Configuration(false), pool.resolve("hdrf"), LocalDurableFiles.INSTANCE)) {
      ChainCodec codec = schemes.codec(chain);
      for (int i = 0; i < blocks; i++) {
        if (isPlain(i)) {
          writePlain(i);
        } else {
          writeReduced(i, chain, codec, key);
          writeMeta(i, reducedMeta);
        }
      }
    }
  }

  private void writeReduced(int index, SchemeChain chain, ChainCodec codec, TagKey key)
      throws IOException {
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            file(index),
            new BlockRef(pool.getFileName().toString(), FIRST_BLOCK + index),
            REDUCED_LENGTH,
            chain.ids(),
            key,
            REDUCED_LENGTH)) {
      codec.encode(REDUCED_LENGTH, zeros(), writer);
      writer.finish();
    }
  }

  private static BlockSource zeros() {
    int[] left = {REDUCED_LENGTH};
    return dst -> {
      if (left[0] == 0) {
        return -1;
      }
      int length = Math.min(left[0], dst.remaining());
      dst.put(new byte[length]);
      left[0] -= length;
      return length;
    };
  }

  private static boolean isPlain(int index) {
    return index % 2 == 0;
  }

  private void writePlain(int index) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file(index).toFile(), "rw")) {
      out.setLength(PLAIN_LENGTH);
    }
    writeMeta(index, plainMeta);
  }

  private Path file(int index) throws IOException {
    return file(finalized, FIRST_BLOCK + index);
  }

  /** Where HDFS puts a block; makes the directory. */
  static Path file(Path finalized, long id) throws IOException {
    Path directory =
        finalized
            .resolve("subdir" + (id >> 16 & DIRECTORY_MASK))
            .resolve("subdir" + (id >> 8 & DIRECTORY_MASK));
    Files.createDirectories(directory);
    return directory.resolve("blk_" + id);
  }

  private void writeMeta(int index, byte[] meta) throws IOException {
    Files.write(meta(file(index)), meta);
  }

  /** Where HDFS puts the checksums of a block. */
  static Path meta(Path file) {
    return file.resolveSibling(file.getFileName() + "_" + GENERATION_STAMP + ".meta");
  }

  /** Writes checksums that are a hole, as are those of a block nobody reads. */
  static void writeSparseMeta(Path file, long length) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(meta(file).toFile(), "rw")) {
      out.write(meta(0));
      out.setLength(7 + Integer.BYTES * ((length + BYTES_PER_CHECKSUM - 1) / BYTES_PER_CHECKSUM));
    }
  }

  private static byte[] meta(int length) {
    int chunks = (length + BYTES_PER_CHECKSUM - 1) / BYTES_PER_CHECKSUM;
    ByteBuffer out = ByteBuffer.allocate(7 + Integer.BYTES * chunks);
    out.putShort(META_VERSION).put(META_CRC32C).putInt(BYTES_PER_CHECKSUM);
    for (int from = 0; from < length; from += BYTES_PER_CHECKSUM) {
      CRC32C crc = new CRC32C();
      crc.update(new byte[Math.min(BYTES_PER_CHECKSUM, length - from)]);
      out.putInt((int) crc.getValue());
    }
    return out.array();
  }
}
