/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.zstd;

import com.github.luben.zstd.util.Native;
import io.hdrf.jni.NativeLibrary;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.SizedFrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.File;
import java.io.IOException;

/**
 * Frames as Zstandard frames (RFC 8878) without their own checksum. {@code hdrf.zstd.level} sets
 * the compression level, {@code hdrf.zstd.frame.size} the length of frames.
 */
public final class ZstdScheme extends SizedFrameScheme {

  private static final int DEFAULT_LEVEL = 3;
  private static final int MIN_LEVEL = -7;
  private static final int MAX_LEVEL = 19;
  private static final int DEFAULT_FRAME_LENGTH = 128 << 10;

  public ZstdScheme() {
    super(SpiVersion.CURRENT, "zstd", 2, DEFAULT_FRAME_LENGTH);
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) throws IOException {
    int level = settings.getInt("level", DEFAULT_LEVEL, MIN_LEVEL, MAX_LEVEL);
    try {
      load();
    } catch (LinkageError | RuntimeException e) {
      throw new IOException(
          "the native library of zstd can't be loaded: "
              + e.getMessage()
              + "; if the directory for temporary files is full, or mounted noexec, set -D"
              + NativeLibrary.DIRECTORY
              + "=DIR for the DataNode",
          e);
    }
    return new ZstdCodec(level);
  }

  /** From the directory that all native libraries of HDRF are unpacked into. */
  private static void load() {
    String directory = System.getProperty(NativeLibrary.DIRECTORY);
    if (directory == null) {
      Native.load();
    } else {
      Native.load(new File(directory));
    }
  }
}
