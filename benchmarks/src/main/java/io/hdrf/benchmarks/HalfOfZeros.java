/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Stands for a compressor where all data are zeros: the encoded form is half as long, and consists
 * of zeros as well, so that it may be a hole in a file. Has the id of another scheme.
 */
final class HalfOfZeros implements FrameScheme, FrameCodec {

  private static final byte[] ZEROS = new byte[1 << 16];

  private final String name;
  private final int id;

  HalfOfZeros(String name, int id) {
    this.name = name;
    this.id = id;
  }

  /** A chain of this scheme alone. */
  FrameChain chain() {
    return new FrameChain(List.of(this), List.of(this), false);
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public int frameLength(PluginSettings settings) {
    return MAX_FRAME_LENGTH;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return this;
  }

  @Override
  public int maxEncodedLength(int length) {
    return length / 2;
  }

  @Override
  public void encode(ByteBuffer src, ByteBuffer dst) {
    put(src.remaining() / 2, dst);
    src.position(src.limit());
  }

  @Override
  public void decode(ByteBuffer src, ByteBuffer dst) {
    put(dst.remaining(), dst);
    src.position(src.limit());
  }

  private static void put(int count, ByteBuffer dst) {
    for (int left = count; left > 0; left -= Math.min(left, ZEROS.length)) {
      dst.put(ZEROS, 0, Math.min(left, ZEROS.length));
    }
  }
}
