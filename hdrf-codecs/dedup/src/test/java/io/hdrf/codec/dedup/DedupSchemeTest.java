/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

class DedupSchemeTest extends BaseSchemeTestCase {

  @Override
  protected ReductionScheme scheme() {
    return new DedupScheme();
  }

  /** Many containers and frames even of small blocks. */
  @Override
  protected Configuration configuration() {
    Configuration conf = super.configuration();
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "16k");
    conf.set("hdrf.dedup.group.size", "8k");
    conf.set("hdrf.dedup.container.size", "64k");
    return conf;
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(
        Map.of("hdrf.dedup.chunker", "ram"),
        Map.of("hdrf.dedup.chunker", "raml", "hdrf.dedup.chunk.max", "2k"),
        Map.of("hdrf.dedup.chunker", "FastCDC", "hdrf.dedup.chunk.size", "4k"),
        Map.of("hdrf.dedup.frame.size", "256k", "hdrf.dedup.container.size", "1m"));
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        "hdrf.dedup.chunker", List.of("best", "sha256"),
        "hdrf.dedup.chunk.size", List.of("100", "2m", "big"),
        "hdrf.dedup.chunk.max", List.of("4k"),
        "hdrf.dedup.fingerprint", List.of("md5"),
        "hdrf.dedup.frame.size", List.of("1k", "17m"),
        "hdrf.dedup.container.size", List.of("1k", "-1"),
        "hdrf.dedup.gc.live.percent", List.of("0", "101"),
        "hdrf.dedup.gc.interval", List.of("-1", "often"),
        "hdrf.dedup.dba.group", List.of("7"));
  }
}
