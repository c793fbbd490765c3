/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.SizedFrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import net.jpountz.lz4.LZ4Factory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frames as raw LZ4 blocks; {@code hdrf.lz4.frame.size} sets their length. */
public final class Lz4Scheme extends SizedFrameScheme {

  private static final Logger LOG = LoggerFactory.getLogger(Lz4Scheme.class);

  private static final int DEFAULT_FRAME_LENGTH = 128 << 10;

  public Lz4Scheme() {
    super(SpiVersion.CURRENT, "lz4", 1, DEFAULT_FRAME_LENGTH);
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return new Lz4Codec(factory());
  }

  /**
   * Avoids LZ4Factory.fastestInstance(): with a plug-in's class loader, it never returns the JNI
   * one.
   */
  private static LZ4Factory factory() {
    try {
      return LZ4Factory.nativeInstance();
    } catch (LinkageError | AssertionError | RuntimeException e) {
      LOG.warn("LZ4 runs in Java, several times slower, as its native library can't be loaded", e);
      return LZ4Factory.safeInstance();
    }
  }
}
