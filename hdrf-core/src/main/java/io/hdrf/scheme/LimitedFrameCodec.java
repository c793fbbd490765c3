/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.scheme.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The codec of a scheme that decodes so many frames at once. Thread-safe. */
final class LimitedFrameCodec implements FrameCodec {

  private final FrameCodec codec;
  private final SchemeLimit limit;

  LimitedFrameCodec(FrameCodec codec, SchemeLimit limit) {
    this.codec = codec;
    this.limit = limit;
  }

  @Override
  public int maxEncodedLength(int length) {
    return codec.maxEncodedLength(length);
  }

  @Override
  public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
    codec.encode(src, dst);
  }

  @Override
  public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
    limit.acquire();
    try {
      codec.decode(src, dst);
    } finally {
      limit.release();
    }
  }

  @Override
  public void close() {
    codec.close();
  }
}
