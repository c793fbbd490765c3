/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.ReflectionUtils;

/** Frames encoded by any of Hadoop's compression codecs. */
abstract class CompressionCodecScheme implements FrameScheme {

  private final String name;
  private final int id;
  private final Class<? extends CompressionCodec> codec;

  CompressionCodecScheme(String name, int id, Class<? extends CompressionCodec> codec) {
    this.name = name;
    this.id = id;
    this.codec = codec;
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
  public int frameLength(PluginSettings settings) throws BadSettingException {
    return settings.getSize("frame.size", 256 << 10, 1, FrameCodec.MAX_FRAME_LENGTH);
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return new CompressionCodecFrames(ReflectionUtils.newInstance(codec, settings.configuration()));
  }
}
