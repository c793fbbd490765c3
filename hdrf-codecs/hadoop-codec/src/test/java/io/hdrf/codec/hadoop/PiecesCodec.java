/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BlockCompressorStream;
import org.apache.hadoop.io.compress.BlockDecompressorStream;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DefaultCodec;

/** zlib in the streams of Hadoop's lz4 and snappy, which need native code. */
public final class PiecesCodec extends DefaultCodec {

  private static final int PIECE = 16 << 10;

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor)
      throws IOException {
    return new BlockCompressorStream(out, compressor, PIECE, 64);
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor)
      throws IOException {
    return new BlockDecompressorStream(in, decompressor, PIECE);
  }

  @Override
  public Compressor createCompressor() {
    return new PieceCompressor();
  }

  @Override
  public Decompressor createDecompressor() {
    return new PieceDecompressor();
  }

  /** Output, piece by piece. */
  private static final class Output {
    private byte[] bytes = {};
    private int position;

    void set(byte[] next) {
      bytes = next;
      position = 0;
    }

    boolean isEmpty() {
      return position == bytes.length;
    }

    int take(byte[] dst, int offset, int length) {
      int count = Math.min(length, bytes.length - position);
      System.arraycopy(bytes, position, dst, offset, count);
      position += count;
      return count;
    }
  }

  /** Gathers all input until it is finished. */
  private static final class PieceCompressor implements Compressor {
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();
    private final Output output = new Output();
    private boolean finishing;
    private boolean done;

    @Override
    public void setInput(byte[] bytes, int offset, int length) {
      input.write(bytes, offset, length);
    }

    @Override
    public boolean needsInput() {
      return true;
    }

    @Override
    public void setDictionary(byte[] bytes, int offset, int length) {}

    @Override
    public long getBytesRead() {
      return input.size();
    }

    @Override
    public long getBytesWritten() {
      return output.bytes.length;
    }

    @Override
    public void finish() {
      finishing = true;
    }

    @Override
    public boolean finished() {
      return done && output.isEmpty();
    }

    @Override
    public int compress(byte[] bytes, int offset, int length) {
      if (finishing && !done) {
        Deflater deflater = new Deflater();
        deflater.setInput(input.toByteArray());
        deflater.finish();
        byte[] out = new byte[PIECE];
        int count = deflater.deflate(out);
        deflater.end();
        output.set(Arrays.copyOf(out, count));
        done = true;
      }
      return output.take(bytes, offset, length);
    }

    @Override
    public void reset() {
      input.reset();
      output.set(new byte[0]);
      finishing = false;
      done = false;
    }

    @Override
    public void end() {}

    @Override
    public void reinit(Configuration conf) {
      reset();
    }
  }

  private static final class PieceDecompressor implements Decompressor {
    private final Output output = new Output();
    private byte[] input;

    @Override
    public void setInput(byte[] bytes, int offset, int length) {
      input = Arrays.copyOfRange(bytes, offset, offset + length);
    }

    @Override
    public boolean needsInput() {
      return input == null && output.isEmpty();
    }

    @Override
    public void setDictionary(byte[] bytes, int offset, int length) {}

    @Override
    public boolean needsDictionary() {
      return false;
    }

    @Override
    public boolean finished() {
      return needsInput();
    }

    @Override
    public int decompress(byte[] bytes, int offset, int length) throws IOException {
      if (input != null) {
        Inflater inflater = new Inflater();
        inflater.setInput(input);
        byte[] out = new byte[PIECE];
        try {
          int count = inflater.inflate(out);
          output.set(Arrays.copyOf(out, count));
        } catch (DataFormatException e) {
          throw new IOException(e);
        } finally {
          inflater.end();
        }
        input = null;
      }
      return output.take(bytes, offset, length);
    }

    @Override
    public int getRemaining() {
      return 0;
    }

    @Override
    public void reset() {
      input = null;
      output.set(new byte[0]);
    }

    @Override
    public void end() {}
  }
}
