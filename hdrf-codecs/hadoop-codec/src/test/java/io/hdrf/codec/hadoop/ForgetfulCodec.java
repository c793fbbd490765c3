/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DefaultCodec;

/** Returns other bytes than it was given. */
public final class ForgetfulCodec extends DefaultCodec {
  @Override
  public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor)
      throws IOException {
    InputStream right = super.createInputStream(in, decompressor);
    return new CompressionInputStream(new FilterInputStream(right) {}) {
      @Override
      public int read() throws IOException {
        return right.read();
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = right.read(bytes, offset, length);
        if (count > 0) {
          bytes[offset]++;
        }
        return count;
      }

      @Override
      public void resetState() {}
    };
  }
}
