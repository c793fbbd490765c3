/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * Reads runs of chunks that a recipe names, one after the other, and keeps the groups of their
 * bases between them. For one thread.
 */
public final class RunReader implements Closeable {

  private final LoadedContainers containers;
  private final ChunkReader reader;
  private final KnownDamage damage;
  private final ChunkReader.Bases bases;

  /**
   * @param damage loses what reads well
   */
  RunReader(LoadedContainers containers, ChunkReader reader, KnownDamage damage) {
    this.containers = containers;
    this.reader = reader;
    this.damage = damage;
    this.bases = reader.newBases(Throttle.NONE);
  }

  /**
   * Reads chunks with consecutive numbers.
   *
   * @param firstChunk number of the first one
   * @param chunkCount how many, at least 1
   * @param dst direct; gets the chunks' bytes one after the other from its position on, which moves
   *     behind them
   * @throws CorruptFrameException if one of them is damaged, the container's file is no container,
   *     or the chunks are longer than {@code dst} has room
   * @throws MissingChunkException if the container, or one of the chunks, is not there
   * @throws IOException if the disk fails; as after damage, no new block refers to the chunks of
   *     the group until they read well again, and what is in {@code dst} is undefined
   */
  public void read(long container, int firstChunk, int chunkCount, ByteBuffer dst)
      throws IOException {
    if (chunkCount < 1 || firstChunk < 0 || firstChunk > Integer.MAX_VALUE - chunkCount) {
      throw new IllegalArgumentException(chunkCount + " chunks from " + firstChunk + " on");
    }
    if (!dst.isDirect()) {
      throw new IllegalArgumentException("the buffer is not direct");
    }
    int start = dst.position();
    Container found = containers.find(container);
    while (true) {
      LoadedContainer source = containers.acquire(found);
      try {
        reader.read(source, firstChunk, chunkCount, dst, bases);
        damage.readWell(container, firstChunk, chunkCount);
        return;
      } catch (ClosedChannelException e) {
        dst.position(start);
        containers.forget(found, source, e);
      } finally {
        source.release();
      }
    }
  }

  @Override
  public void close() {
    bases.close();
  }
}
