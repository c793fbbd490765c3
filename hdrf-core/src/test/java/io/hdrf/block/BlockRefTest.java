/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class BlockRefTest {

  @Test
  void poolHashIsTheBeginningOfSha256() {
    byte[] sha = HexFormat.of().parseHex("ba7816bf8f01cfea");
    assertThat(new BlockRef("abc", 1).poolHash())
        .isEqualTo(Long.reverseBytes(ByteBuffer.wrap(sha).getLong()));
  }

  @Test
  void equality() {
    BlockRef id = new BlockRef("BP-1", 5);
    assertThat(id).isEqualTo(new BlockRef("BP-1", 5)).hasToString("BP-1:blk_5");
    assertThat(id.hashCode()).isEqualTo(new BlockRef("BP-1", 5).hashCode());
    assertThat(id).isNotEqualTo(new BlockRef("BP-1", 6));
    assertThat(id).isNotEqualTo(new BlockRef("BP-2", 5));
  }

  /** RFC 4231, test case 2, adapted: the key padded with zeros to 32 bytes is the same HMAC key. */
  @Test
  void tagIsHmacSha256() {
    byte[] secret = new byte[TagKey.LENGTH];
    System.arraycopy(new byte[] {'J', 'e', 'f', 'e'}, 0, secret, 0, 4);
    byte[] data =
        "what do ya want for nothing?".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    TagKey key = new TagKey(secret);
    byte[] tag = key.tag(data, data.length);
    assertThat(HexFormat.of().formatHex(tag)).isEqualTo("5bdcc146bf60754e6a042426");
    assertThat(key.verifies(data, data.length, tag)).isTrue();
    assertThat(key.verifies(data, data.length - 1, tag)).isFalse();
    for (int bit = 0; bit < 8 * tag.length; bit++) {
      byte[] bad = tag.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(key.verifies(data, data.length, bad)).isFalse();
    }
  }

  @Test
  void keyDoesNotShowItself() {
    byte[] secret = new byte[TagKey.LENGTH];
    secret[5] = 99;
    TagKey key = new TagKey(secret);
    assertThat(key).hasToString("TagKey[hidden]").isEqualTo(new TagKey(secret));
    secret[5] = 98;
    assertThat(key).isNotEqualTo(new TagKey(secret));
    assertThatThrownBy(() -> new TagKey(new byte[31])).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void derivedBytesNameVolumeAndPurpose() throws Exception {
    byte[] secret = new byte[TagKey.LENGTH];
    secret[31] = 1;
    TagKey key = new TagKey(secret);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    byte[] whole = mac.doFinal("a purpose".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(key.derive("a purpose", 32)).isEqualTo(whole);
    assertThat(key.derive("a purpose", 5)).isEqualTo(Arrays.copyOf(whole, 5));
    assertThat(key.derive("another", 32)).isNotEqualTo(whole);
    assertThat(key.volumeId())
        .isEqualTo(ByteBuffer.wrap(key.derive("scheme stores", 8)).getLong())
        .isNotEqualTo(new TagKey(new byte[TagKey.LENGTH]).volumeId());
    assertThat(key.hashCode()).isEqualTo(new TagKey(secret).hashCode());
    assertThat(key.hashCode()).isNotEqualTo(new TagKey(new byte[TagKey.LENGTH]).hashCode());
    assertThat((Object) key).isNotEqualTo("a key");
  }
}
