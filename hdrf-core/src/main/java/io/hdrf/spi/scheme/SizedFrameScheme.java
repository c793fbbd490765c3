/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;

/**
 * A frame scheme whose frames are as long as {@code hdrf.<name>.frame.size} says, from 4 KiB to 64
 * MiB. It spares a compressor all but {@link #newCodec}; a scheme with other needs implements
 * {@link FrameScheme} itself.
 */
public abstract class SizedFrameScheme implements FrameScheme {

  private static final int MIN_FRAME_LENGTH = 4 << 10;
  private static final int MAX_FRAME_LENGTH = 64 << 20;

  private final int spiVersion;
  private final String name;
  private final int id;
  private final int defaultFrameLength;

  /**
   * Called by the scheme's public constructor without arguments.
   *
   * @param spiVersion {@link SpiVersion#CURRENT}, to be written in the scheme itself: so it is that
   *     of the compiler, and not that of the HDRF which the scheme meets
   * @param name see {@link #name}
   * @param id see {@link #id}
   * @param defaultFrameLength in bytes, where nothing is set
   */
  protected SizedFrameScheme(int spiVersion, String name, int id, int defaultFrameLength) {
    this.spiVersion = spiVersion;
    this.name = name;
    this.id = id;
    this.defaultFrameLength = defaultFrameLength;
  }

  @Override
  public final int spiVersion() {
    return spiVersion;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final int id() {
    return id;
  }

  @Override
  public final int frameLength(PluginSettings settings) throws BadSettingException {
    return settings.getSize("frame.size", defaultFrameLength, MIN_FRAME_LENGTH, MAX_FRAME_LENGTH);
  }
}
