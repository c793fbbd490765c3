/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.block.BlockIdentity;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.codec.lz4.Lz4Scheme;
import io.hdrf.io.LocalDurableFiles;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;

/** A volume with one reduced block, number 77, and its checksums. */
final class BlockOnVolume {
  static final String POOL = "BP-1-127.0.0.1-1";
  static final int LENGTH = 300_000;

  final byte[] data = new byte[LENGTH];
  final SchemeRegistry registry = SchemeRegistry.of(List.of(new Lz4Scheme()));
  final Path hdrf;
  final Path block;
  final Path meta;

  BlockOnVolume(Path volume) throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < LENGTH; i++) {
      data[i] = (byte) ('a' + random.nextInt(4));
    }
    Path finalized = volume.resolve("current/" + POOL + "/current/finalized/subdir0");
    Files.createDirectories(finalized);
    block = finalized.resolve("blk_77");
    meta = finalized.resolve("blk_77_1001.meta");
    hdrf = volume.resolve("current/" + POOL + "/hdrf");
    writeMeta(meta, data);
    TagKey key = Superblock.create(hdrf, LocalDurableFiles.INSTANCE).key();
    SchemeChain chain = SchemeChain.parse("test", "lz4", registry);
    try (VolumeSchemes schemes =
            new VolumeSchemes(registry, new Configuration(), hdrf, LocalDurableFiles.INSTANCE);
        ReducedBlockWriter writer =
            ReducedBlockWriter.create(
                LocalDurableFiles.INSTANCE,
                block,
                new BlockIdentity(POOL, 77),
                LENGTH,
                chain.ids(),
                key,
                LENGTH)) {
      ByteBuffer source = ByteBuffer.wrap(data);
      ChainCodec.BlockInput input =
          dst -> {
            if (!source.hasRemaining()) {
              return -1;
            }
            int count = Math.min(dst.remaining(), source.remaining());
            dst.put(source.slice().limit(count));
            source.position(source.position() + count);
            return count;
          };
      schemes.codec(chain).encode(LENGTH, input, writer);
      writer.finish();
      writer.force();
    }
  }

  /** As HDFS writes it: version 1, CRC32C, 512 bytes a checksum. */
  static void writeMeta(Path meta, byte[] data) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(7 + 4 * ((data.length + 511) / 512));
    bytes.putShort((short) 1).put((byte) 2).putInt(512);
    for (int i = 0; i < data.length; i += 512) {
      CRC32C crc = new CRC32C();
      crc.update(data, i, Math.min(512, data.length - i));
      bytes.putInt((int) crc.getValue());
    }
    Files.write(meta, bytes.array());
  }
}
