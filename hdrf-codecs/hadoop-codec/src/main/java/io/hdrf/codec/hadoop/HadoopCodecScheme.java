/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.SizedFrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Set;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;

/**
 * Frames made by one of Hadoop's compression codecs. {@code hdrf.hadoop-codec.class} names it,
 * {@code hdrf.hadoop-codec.frame.size} sets the length of frames. Each frame bears the name of the
 * codec's class, so that the setting may change; see {@link HadoopFrames} for the format.
 *
 * <p>DataNodes may have different codecs, so these frames don't travel.
 */
public final class HadoopCodecScheme extends SizedFrameScheme {

  static final String CLASS = "class";

  private static final int DEFAULT_FRAME_LENGTH = 256 << 10;

  public HadoopCodecScheme() {
    super(SpiVersion.CURRENT, "hadoop-codec", 4, DEFAULT_FRAME_LENGTH);
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) throws IOException {
    HadoopCodecs codecs = new HadoopCodecs(settings.configuration());
    boolean made = false;
    try {
      HadoopCodec codec = codecs.proved(className(settings));
      made = true;
      return new HadoopFrames(codecs, codec);
    } catch (CodecUnavailableException e) {
      throw (BadSettingException)
          new BadSettingException(
                  settings.key(CLASS),
                  className(settings),
                  "the name of a class that implements "
                      + CompressionCodec.class.getName()
                      + " and works on this DataNode: "
                      + e.getMessage())
              .initCause(e);
    } finally {
      if (!made) {
        codecs.close();
      }
    }
  }

  @Override
  public boolean framesTravel() {
    return false;
  }

  @Override
  public Set<String> needs(PluginSettings settings) {
    return Collections.singleton(className(settings));
  }

  @Override
  public void requireNeed(String need, PluginSettings settings) throws IOException {
    try (HadoopCodecs codecs = new HadoopCodecs(settings.configuration())) {
      codecs.proved(need);
    } catch (CodecUnavailableException e) {
      throw new IOException(
          "they were stored with " + settings.key(CLASS) + " = " + need + ", but " + e.getMessage(),
          e);
    }
  }

  @Override
  public boolean needs(String need, ByteBuffer encoded) {
    return need.equals(HadoopFrames.codecOf(encoded));
  }

  private static String className(PluginSettings settings) {
    String name = settings.getString(CLASS, "");
    return name.isEmpty() ? DefaultCodec.class.getName() : name;
  }
}
