/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfConf;
import io.hdrf.reduce.ReductionRules;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** What is known of a block from the packets that have passed. */
class WireFilterTest {

  private static final int PACKET = 64_512;

  private static WireFilter filter(String key, String value, byte[] onDisk) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hdrf.filter." + key, value);
    return new WireFilter(
        new ReductionRules(new HdrfConf(conf)),
        length -> Arrays.copyOf(onDisk, Math.min(length, onDisk.length)));
  }

  private static WireFilter filter(String key, String value) throws Exception {
    return filter(key, value, new byte[0]);
  }

  private static ByteBuffer data(int length, String word, int at) {
    byte[] bytes = new byte[length];
    byte[] found = word.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(found, 0, bytes, at, found.length);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void aFullPacketTells() throws Exception {
    WireFilter filter = filter("exclude.keywords", "keep out");
    assertThat(filter.excludes(0, data(PACKET, "keep out", PACKET - 8))).isTrue();
    assertThat(filter.excludes(PACKET, data(PACKET, "x", 0))).isTrue();
  }

  @Test
  void aWordMayLieAcrossPackets() throws Exception {
    WireFilter filter = filter("exclude.keywords", "keep out");
    assertThat(filter.excludes(0, data(1000, "keep", 996))).isFalse();
    assertThat(filter.excludes(1000, data(1000, " out", 0))).as("not known yet").isFalse();
    assertThat(filter.excludes(2000, data(PACKET, "x", 0))).isTrue();
  }

  @Test
  void onlyTheBeginningCounts() throws Exception {
    WireFilter filter = filter("exclude.keywords", "keep out");
    assertThat(filter.excludes(0, data(PACKET, "x", 0))).isFalse();
    assertThat(filter.excludes(PACKET, data(PACKET, "keep out", 0))).isFalse();
  }

  /** A log may be flushed before it holds what includes it. */
  @Test
  void aShortPacketDecidesNothing() throws Exception {
    WireFilter filter = filter("include.keywords", "INFO");
    assertThat(filter.excludes(0, data(100, "x", 0))).isFalse();
    assertThat(filter.excludes(100, data(PACKET, "INFO", 100))).isFalse();
    WireFilter other = filter("include.keywords", "INFO");
    assertThat(other.excludes(0, data(PACKET, "x", 0))).isTrue();
  }

  @Test
  void anEmptyPacketTellsNothing() throws Exception {
    WireFilter filter = filter("include.keywords", "INFO");
    assertThat(filter.excludes(0, ByteBuffer.allocate(0))).isFalse();
    assertThat(filter.excludes(0, data(PACKET, "x", 0))).isTrue();
  }

  @Test
  void anAppendedBlockBeginsOnTheDisk() throws Exception {
    byte[] onDisk = data(100, "keep ", 95).array();
    WireFilter filter = filter("exclude.keywords", "keep out", onDisk);
    assertThat(filter.excludes(100, data(PACKET, "out", 0))).isTrue();
    byte[] much = data(70_000, "keep out", 60_000).array();
    assertThat(filter("exclude.keywords", "keep", much).excludes(70_000, data(9, "x", 0))).isTrue();
    assertThat(filter("exclude.keywords", "x", much).excludes(70_000, data(9, "x", 0))).isFalse();
  }

  /** Then nothing is known. */
  @Test
  void theDiskMayNotBeReadable() throws Exception {
    WireFilter filter = filter("include.keywords", "INFO");
    assertThat(filter.excludes(100, data(PACKET, "x", 0))).isFalse();
    assertThat(filter.excludes(PACKET + 100, data(PACKET, "x", 0))).isFalse();
  }

  @Test
  void bytesMayComeAgain() throws Exception {
    WireFilter filter = filter("exclude.keywords", "keep out");
    assertThat(filter.excludes(0, data(1000, "keep", 996))).isFalse();
    assertThat(filter.excludes(996, data(4, "keep", 0))).isFalse();
    assertThat(filter.excludes(996, data(PACKET, "keep out", 0))).isTrue();
  }

  /** Packets that go plain for another reason are not looked at. */
  @Test
  void aGapEndsTheSearch() throws Exception {
    WireFilter filter = filter("include.keywords", "INFO");
    assertThat(filter.excludes(0, data(100, "x", 0))).isFalse();
    assertThat(filter.excludes(500, data(PACKET, "x", 0))).isFalse();
  }
}
