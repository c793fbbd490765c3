/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Encodes and decodes single frames. Safe for use by many threads at once; a codec with a context
 * that isn't keeps a pool of them. All buffers are direct; position and limit tell the range, and
 * neither their byte order nor bytes outside of the range matter.
 */
public interface FrameCodec extends Closeable {

  /** The longest frame in original bytes: 1 GiB. */
  int MAX_FRAME_LENGTH = 1 << 30;

  /**
   * The most bytes that {@link #encode} can write for {@code length} bytes of input, where {@code
   * length} is from 1 to {@link #MAX_FRAME_LENGTH}.
   */
  int maxEncodedLength(int length);

  /**
   * Encodes all of {@code src} (at least one byte) into {@code dst} and leaves both positions
   * behind the last byte read and written. {@code src} is not changed.
   *
   * @param dst has at least {@link #maxEncodedLength} bytes remaining
   */
  void encode(ByteBuffer src, ByteBuffer dst) throws IOException;

  /**
   * Decodes all of {@code src} into {@code dst}, whose remaining bytes are exactly the length of
   * the original frame, and leaves both positions at their limits.
   *
   * @throws CorruptFrameException if {@code src} is not the encoded form of that many bytes; the
   *     content of {@code dst} is then undefined, and nothing outside of it was written
   */
  void decode(ByteBuffer src, ByteBuffer dst) throws IOException;

  @Override
  default void close() {}
}
