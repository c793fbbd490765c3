/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;

/** What an application does to its data before HDFS gets them. */
enum ClientCodec {
  /** Nothing. */
  PLAIN {
    @Override
    OutputStream encode(OutputStream out) {
      return out;
    }

    @Override
    InputStream decode(InputStream in) {
      return in;
    }
  },

  /** An LZ4 frame of independent blocks of 256 KiB, which is also what Hadoop's Lz4Codec takes. */
  LZ4 {
    @Override
    OutputStream encode(OutputStream out) throws IOException {
      return new LZ4FrameOutputStream(out, LZ4FrameOutputStream.BLOCKSIZE.SIZE_256KB);
    }

    @Override
    InputStream decode(InputStream in) throws IOException {
      return new LZ4FrameInputStream(in);
    }
  };

  /** The stream to write to; closing it closes {@code out}. */
  abstract OutputStream encode(OutputStream out) throws IOException;

  /** The stream to read from; closing it closes {@code in}. */
  abstract InputStream decode(InputStream in) throws IOException;
}
