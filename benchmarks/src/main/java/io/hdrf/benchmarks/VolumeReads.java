/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.codec.dedup.DedupScheme;
import io.hdrf.read.FrameCheck;
import io.hdrf.read.FrameReader;
import io.hdrf.read.FrameReads;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Reads blocks of an {@link AgedVolume} as a DataNode does, in one thread. */
final class VolumeReads implements Closeable {

  private static final int NO_CACHE = 0;
  private static final int NO_THREADS = 0;

  private final AgedVolume volume;
  private final VolumeSchemes schemes;
  private final ChainCodec codec;
  private final FrameReads frames =
      new FrameReads(
          NO_CACHE,
          NO_THREADS,
          BufferPool.shared(),
          (block, failure) -> new IOException(block.name() + " can't be read", failure));

  /**
   * @param dedup of the volume; stays the caller's
   */
  VolumeReads(AgedVolume volume, BlockCodec dedup) throws IOException {
    this.volume = volume;
    SchemeRegistry registry = SchemeRegistry.of(List.of(new Opened(dedup), AgedVolume.TAIL));
    schemes =
        new VolumeSchemes(
            registry, volume.configuration(), volume.hdrf(), LocalDurableFiles.INSTANCE);
    codec =
        schemes.codec(
            SchemeChain.ofIds(new int[] {new DedupScheme().id(), AgedVolume.TAIL.id()}, registry));
  }

  /** The scheme where it is open already. */
  private record Opened(BlockCodec codec) implements BlockScheme {
    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return new DedupScheme().name();
    }

    @Override
    public int id() {
      return new DedupScheme().id();
    }

    @Override
    public boolean framesPassTail() {
      return false;
    }

    @Override
    public BlockCodec open(SchemeContext context) {
      return codec;
    }
  }

  /**
   * Reads part of a block.
   *
   * @param length in bytes; at most up to the block's end
   * @return the number of bytes read
   */
  long read(long id, long position, long length) throws IOException {
    Path file = VolumeFiller.file(volume.finalized(), id);
    try (FileInputStream stream = new FileInputStream(file.toFile());
        ReducedBlock block =
            ReducedBlock.open(
                file,
                new ChannelFile(stream.getChannel()),
                new BlockRef(volume.poolId(), id),
                volume.key());
        FrameReader reader =
            frames.reader(block, codec, stream.getFD(), FrameCheck.NONE, FrameReads.NOT_CACHED)) {
      long end = Math.min(block.logicalLength(), position + length);
      long at = position;
      while (at < end) {
        ByteBuffer bytes = reader.at(at);
        at += bytes.remaining();
      }
      return end - position;
    }
  }

  @Override
  public void close() throws IOException {
    frames.close();
    schemes.close();
  }
}
