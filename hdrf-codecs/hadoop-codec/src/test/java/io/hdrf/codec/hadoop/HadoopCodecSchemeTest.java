/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;

/** The rules for schemes, with the default codec; frames of other codecs stay readable. */
class HadoopCodecSchemeTest extends BaseSchemeTestCase {

  static final String CLASS = "hdrf.hadoop-codec.class";
  static final String FRAME_SIZE = "hdrf.hadoop-codec.frame.size";

  @Override
  protected ReductionScheme scheme() {
    return new HadoopCodecScheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        CLASS,
        List.of(
            "com.acme.NoSuchCodec",
            "java.lang.String",
            "no class",
            "a/b",
            BrokenCodec.class.getName(),
            ForgetfulCodec.class.getName()),
        FRAME_SIZE,
        List.of("4095", "0", "65m", "big"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(
        Map.of(CLASS, GzipCodec.class.getName()),
        Map.of(CLASS, BZip2Codec.class.getName()),
        Map.of(CLASS, DeflateCodec.class.getName()),
        Map.of(CLASS, PiecesCodec.class.getName()),
        Map.of(FRAME_SIZE, "4k"),
        Map.of("zlib.compress.level", "BEST_SPEED"));
  }
}
