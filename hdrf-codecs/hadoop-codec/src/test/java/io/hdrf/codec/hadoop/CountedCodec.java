/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.zlib.BuiltInZlibDeflater;
import org.apache.hadoop.io.compress.zlib.BuiltInZlibInflater;

/** Counts created and freed compressors and decompressors. */
public final class CountedCodec extends DefaultCodec {

  static final AtomicInteger MADE = new AtomicInteger();
  static final AtomicInteger FREED = new AtomicInteger();

  @Override
  public Compressor createCompressor() {
    MADE.incrementAndGet();
    return new BuiltInZlibDeflater() {
      @Override
      public void end() {
        FREED.incrementAndGet();
        super.end();
      }
    };
  }

  @Override
  public Decompressor createDecompressor() {
    MADE.incrementAndGet();
    return new BuiltInZlibInflater() {
      @Override
      public void end() {
        FREED.incrementAndGet();
        super.end();
      }
    };
  }
}
