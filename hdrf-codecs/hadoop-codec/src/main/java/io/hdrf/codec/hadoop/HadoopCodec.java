/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import org.apache.hadoop.io.compress.BlockDecompressorStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DoNotPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of Hadoop's codecs with its idle compressors and decompressors. Hadoop's own {@code
 * CodecPool} keeps them for as long as the JVM lives, even after a failure. Thread-safe.
 */
final class HadoopCodec implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(HadoopCodec.class);

  private static final int PIECE = 64 << 10;

  /** The most idle objects: about as many as threads are likely to work at a time. */
  private static final int MAX_IDLE = 32;

  private final CompressionCodec codec;
  private final ArrayBlockingQueue<Compressor> compressors = new ArrayBlockingQueue<>(MAX_IDLE);
  private final ArrayBlockingQueue<Decompressor> decompressors = new ArrayBlockingQueue<>(MAX_IDLE);

  HadoopCodec(CompressionCodec codec) {
    this.codec = codec;
  }

  String className() {
    return codec.getClass().getName();
  }

  /** Encodes all of {@code src} as one stream. */
  void encode(ByteBuffer src, OutputStream out) throws IOException {
    Compressor idle = compressors.poll();
    Compressor compressor = idle != null ? idle : codec.createCompressor();
    boolean sound = false;
    try {
      // Some codecs lack a compressor where a native library is missing, and work without one.
      try (OutputStream stream =
          compressor == null
              ? codec.createOutputStream(out)
              : codec.createOutputStream(out, compressor)) {
        byte[] piece = new byte[Math.min(src.remaining(), PIECE)];
        while (src.hasRemaining()) {
          int count = Math.min(piece.length, src.remaining());
          src.get(piece, 0, count);
          stream.write(piece, 0, count);
        }
      }
      sound = true;
    } finally {
      give(compressor, sound);
    }
  }

  private void give(Compressor compressor, boolean sound) {
    if (compressor == null) {
      return;
    }
    if (sound && !compressor.getClass().isAnnotationPresent(DoNotPool.class)) {
      compressor.reset();
      if (compressors.offer(compressor)) {
        return;
      }
    }
    end(compressor::end);
  }

  /**
   * Decodes one stream, all of {@code src}, into {@code dst}, whose remaining bytes are the length
   * of the data.
   *
   * @throws CorruptFrameException if {@code src} is not such a stream
   * @throws CodecUnavailableException if the codec does not work here
   */
  void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
    Decompressor decompressor;
    try {
      Decompressor idle = decompressors.poll();
      decompressor = idle != null ? idle : codec.createDecompressor();
    } catch (RuntimeException | LinkageError e) {
      throw new CodecUnavailableException(
          "the codec " + className() + " does not work here: " + e.getMessage(), e);
    }
    boolean sound = false;
    try {
      decode(src, decompressor, dst);
      sound = true;
    } catch (CorruptFrameException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new CorruptFrameException("not a stream of " + className(), e);
    } finally {
      give(decompressor, sound);
    }
  }

  private void decode(ByteBuffer src, Decompressor decompressor, ByteBuffer dst)
      throws IOException {
    BufferInput input = new BufferInput(src);
    try (InputStream in =
        decompressor == null
            ? codec.createInputStream(input)
            : codec.createInputStream(input, decompressor)) {
      if (in instanceof BlockDecompressorStream) {
        input.limitLengths(Math.max(dst.remaining(), src.remaining()));
      }
      byte[] piece = new byte[Math.min(dst.remaining(), PIECE)];
      while (dst.hasRemaining()) {
        int count = in.read(piece, 0, Math.min(piece.length, dst.remaining()));
        if (count < 1) {
          throw new EOFException("the stream is " + dst.remaining() + " bytes short");
        }
        dst.put(piece, 0, count);
      }
      if (in.read() >= 0) {
        throw new CorruptFrameException("the stream goes on after the frame");
      }
      // Some codecs leave the end mark of the stream unread.
      src.position(src.limit());
    }
  }

  private void give(Decompressor decompressor, boolean sound) {
    if (decompressor == null) {
      return;
    }
    if (sound && !decompressor.getClass().isAnnotationPresent(DoNotPool.class)) {
      decompressor.reset();
      if (decompressors.offer(decompressor)) {
        return;
      }
    }
    end(decompressor::end);
  }

  /**
   * Frees an object, if it supports that: the dummies of Hadoop's bzip2 in Java hold nothing, and
   * don't.
   */
  private static void end(Runnable end) {
    try {
      end.run();
    } catch (UnsupportedOperationException e) {
      LOG.debug("There is nothing to be freed", e);
    }
  }

  /** Frees idle objects. */
  @Override
  public void close() {
    for (Compressor idle = compressors.poll(); idle != null; idle = compressors.poll()) {
      end(idle::end);
    }
    for (Decompressor idle = decompressors.poll(); idle != null; idle = decompressors.poll()) {
      end(idle::end);
    }
  }
}
