/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;

/**
 * Zstandard frames, each encoded and decoded with a context that no other thread uses meanwhile.
 */
final class ZstdCodec implements FrameCodec {

  private final Contexts<ZstdCompressCtx> compressors;
  private final Contexts<ZstdDecompressCtx> decompressors = new Contexts<>(ZstdDecompressCtx::new);

  ZstdCodec(int level) {
    compressors =
        new Contexts<>(
            () -> new ZstdCompressCtx().setLevel(level).setContentSize(false).setChecksum(false));
  }

  /**
   * Idle contexts; each takes about 1 MB at level 3, and more at higher ones. At most about as many
   * are kept as threads are likely to work at a time.
   */
  private static final class Contexts<C extends Closeable> implements Closeable {
    private static final int MAX_IDLE = 32;

    private final ArrayBlockingQueue<C> idle = new ArrayBlockingQueue<>(MAX_IDLE);
    private final Supplier<C> maker;

    Contexts(Supplier<C> maker) {
      this.maker = maker;
    }

    C take() {
      C context = idle.poll();
      return context == null ? maker.get() : context;
    }

    void give(C context) throws IOException {
      if (!idle.offer(context)) {
        context.close();
      }
    }

    @Override
    public void close() throws IOException {
      for (C context = idle.poll(); context != null; context = idle.poll()) {
        context.close();
      }
    }
  }

  @Override
  public int maxEncodedLength(int length) {
    return (int) Math.min(Integer.MAX_VALUE, Zstd.compressBound(length));
  }

  @Override
  public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
    ZstdCompressCtx context = compressors.take();
    try {
      int length =
          context.compressDirectByteBuffer(
              dst, dst.position(), dst.remaining(), src, src.position(), src.remaining());
      src.position(src.limit());
      dst.position(dst.position() + length);
    } catch (ZstdException e) {
      throw new IOException("zstd can't compress " + src + " into " + dst, e);
    } finally {
      compressors.give(context);
    }
  }

  @Override
  public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
    ZstdDecompressCtx context = decompressors.take();
    int length;
    try {
      length =
          context.decompressDirectByteBuffer(
              dst, dst.position(), dst.remaining(), src, src.position(), src.remaining());
    } catch (ZstdException e) {
      throw new CorruptFrameException("not a zstd frame of " + dst.remaining() + " bytes", e);
    } finally {
      decompressors.give(context);
    }
    if (length != dst.remaining()) {
      throw new CorruptFrameException(
          "a zstd frame has " + length + " bytes instead of " + dst.remaining());
    }
    src.position(src.limit());
    dst.position(dst.limit());
  }

  @Override
  public void close() {
    try {
      compressors.close();
      decompressors.close();
    } catch (IOException e) {
      throw new IllegalStateException("a context throws no exception on close", e);
    }
  }
}
