/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.store.Table;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Version 1, which never changes. */
class RedisNamespaceTest {

  private final RedisNamespace namespace =
      new RedisNamespace("DS-0a1b-2c", "BP-526805057-127.0.0.1-1411980876842");

  private static String text(byte[] bytes) {
    return new String(bytes, US_ASCII);
  }

  @Test
  void keys() {
    String prefix = "hdrf:1:{DS-0a1b-2c/BP-526805057-127.0.0.1-1411980876842}:";
    assertThat(text(namespace.formatKey())).isEqualTo(prefix + "namespace");
    assertThat(text(namespace.stateKey())).isEqualTo(prefix + "0");
    assertThat(text(namespace.bucketKey(Table.CHUNKS, 65535))).isEqualTo(prefix + "2:65535");
    byte[] check = "123456789".getBytes(US_ASCII);
    // The check value of this CRC is 0xCBF43926.
    assertThat(RedisNamespace.bucketOf(check, 65536)).isEqualTo(0x3926);
    assertThat(text(namespace.hashOf(Table.BLOCKS, check, 256))).isEqualTo(prefix + "1:38");
    assertThat(text(namespace.hashOf(Table.STATE, check, 256))).isEqualTo(prefix + "0");
  }

  @Test
  void idsCannotLeaveTheHashTag() {
    assertThat(text(new RedisNamespace("a}{/b", "c d").stateKey()))
        .isEqualTo("hdrf:1:{a%7D%7B%2Fb/c+d}:0");
  }

  @Test
  void format() {
    assertThat(text(RedisNamespace.format(65536))).isEqualTo("1 65536");
    assertThat(RedisNamespace.versionOf("1 65536".getBytes(US_ASCII))).isEqualTo(1);
    assertThat(RedisNamespace.versionOf("12".getBytes(US_ASCII))).isEqualTo(12);
    assertThat(RedisNamespace.bucketsOf("1 1048576".getBytes(US_ASCII))).isEqualTo(1 << 20);
    assertThat(RedisNamespace.bucketsOf("1 2097152".getBytes(US_ASCII))).isEqualTo(-1);
  }

  @Test
  void blockIdsInSequenceFillAllBucketsAlike() {
    int[] count = new int[256];
    for (long id = 1L << 30; id < (1L << 30) + 25_600; id++) {
      count[RedisNamespace.bucketOf(ByteBuffer.allocate(8).putLong(id).array(), 256)]++;
    }
    assertThat(Arrays.stream(count)).allMatch(entries -> entries >= 80 && entries <= 120);
  }
}
