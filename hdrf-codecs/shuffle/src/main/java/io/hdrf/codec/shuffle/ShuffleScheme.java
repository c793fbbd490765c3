/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.shuffle;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.SizedFrameScheme;
import io.hdrf.spi.scheme.SpiVersion;

/**
 * Prepares frames of numbers of one width for a compressor: their first bytes together, then their
 * second bytes, and so on. {@code hdrf.shuffle.element.size} sets the width, {@code
 * hdrf.shuffle.frame.size} the length of frames.
 */
public final class ShuffleScheme extends SizedFrameScheme {

  private static final int DEFAULT_FRAME_LENGTH = 128 << 10;
  private static final int DEFAULT_ELEMENT_SIZE = 8;

  public ShuffleScheme() {
    super(SpiVersion.CURRENT, "shuffle", 5, DEFAULT_FRAME_LENGTH);
  }

  @Override
  public boolean keepsLength() {
    return true;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) throws BadSettingException {
    return new ShuffleCodec(
        settings.getInt(
            "element.size",
            DEFAULT_ELEMENT_SIZE,
            ShuffleCodec.MIN_ELEMENT_SIZE,
            ShuffleCodec.MAX_ELEMENT_SIZE));
  }
}
