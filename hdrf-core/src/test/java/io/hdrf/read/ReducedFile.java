/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;

/**
 * A reduced block in a separate file, with frames of {@link HookedScheme#FRAME_LENGTH}, after
 * others that are longer than their data.
 */
public final class ReducedFile implements Closeable {

  /** The data length of a frame that takes more. */
  public static final int BLOATED_LENGTH = 1 << 10;

  private static final BlockRef IDENTITY = new BlockRef("BP-1-127.0.0.1-1", 1);

  public final HookedScheme scheme;
  public final ChainCodec codec;
  public final Path path;
  private final VolumeSchemes schemes;
  private final TagKey key;

  public ReducedFile(Path directory, byte[] data) throws IOException {
    this(directory, data, 0, 0);
  }

  /**
   * @param lengths of the frames with which the block begins
   */
  public ReducedFile(Path directory, byte[] data, int[] lengths) throws IOException {
    this(directory, new TagKey(new byte[TagKey.LENGTH]), data, lengths, 0, Integer.MAX_VALUE);
  }

  /**
   * @param maxConcurrentBlocks the limit of the scheme
   */
  public ReducedFile(Path directory, byte[] data, int maxConcurrentBlocks) throws IOException {
    this(directory, new TagKey(new byte[TagKey.LENGTH]), data, new int[0], 0, maxConcurrentBlocks);
  }

  public ReducedFile(Path directory, byte[] data, int bloated, int storedLength)
      throws IOException {
    this(directory, new TagKey(new byte[TagKey.LENGTH]), data, bloated, storedLength);
  }

  /**
   * @param key the volume's
   * @param bloated with how many frames of {@link #BLOATED_LENGTH} the block begins
   * @param storedLength how many bytes each of them takes
   */
  public ReducedFile(Path directory, TagKey key, byte[] data, int bloated, int storedLength)
      throws IOException {
    this(
        directory,
        key,
        data,
        IntStream.generate(() -> BLOATED_LENGTH).limit(bloated).toArray(),
        storedLength,
        Integer.MAX_VALUE);
  }

  private ReducedFile(
      Path directory,
      TagKey key,
      byte[] data,
      int[] lengths,
      int storedLength,
      int maxConcurrentBlocks)
      throws IOException {
    this.key = key;
    scheme = new HookedScheme("hooked", 65100, maxConcurrentBlocks);
    SchemeRegistry registry = SchemeRegistry.of(List.of(scheme));
    schemes =
        new VolumeSchemes(
            registry, new Configuration(false), directory, LocalDurableFiles.INSTANCE);
    codec = schemes.codec(SchemeChain.parse("chain", "hooked", registry));
    path = directory.resolve("blk_1");
    ByteBuffer rest = ByteBuffer.wrap(data);
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            path,
            IDENTITY,
            data.length,
            codec.chain().ids(),
            key,
            data.length)) {
      FrameCodec deflater = scheme.newCodec(null);
      for (int length : lengths) {
        ByteBuffer stored =
            ByteBuffer.allocateDirect(Math.max(storedLength, deflater.maxEncodedLength(length)));
        deflater.encode(rest.slice().limit(length), stored);
        rest.position(rest.position() + length);
        stored.flip();
        writer.frame(length, 1, stored.limit(Math.max(storedLength, stored.limit())));
      }
      if (rest.hasRemaining()) {
        encodeRest(rest, writer);
      }
      writer.finish();
    }
  }

  private void encodeRest(ByteBuffer rest, ReducedBlockWriter writer) throws IOException {
    codec.encode(
        rest.remaining(),
        dst -> {
          int count = Math.min(dst.remaining(), rest.remaining());
          dst.put(rest.slice().limit(count));
          rest.position(rest.position() + count);
          return count;
        },
        writer);
  }

  public ReducedBlock open() throws IOException {
    return openOn(key);
  }

  /** Opens it as if it were on the volume with that key. */
  public ReducedBlock openOn(TagKey key) throws IOException {
    return ReducedBlock.open(path, ChannelFile.open(path), IDENTITY, key);
  }

  @Override
  public void close() throws IOException {
    schemes.close();
  }
}
