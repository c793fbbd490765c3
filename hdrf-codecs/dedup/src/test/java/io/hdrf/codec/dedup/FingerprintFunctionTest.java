/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FingerprintFunctionTest {

  /** Each thread keeps a digest, and its input stays in it until the result is requested. */
  @ParameterizedTest
  @CsvSource({"sha256, SHA-256", "sha1, SHA-1"})
  void whatFailedIsNotPartOfTheNextChunk(String name, String algorithm) throws Exception {
    FingerprintFunction function = FingerprintFunction.named(name);
    ByteBuffer chunk = ByteBuffer.wrap(new byte[] {1, 2, 3});
    assertThatThrownBy(() -> function.fingerprint(chunk.duplicate(), new byte[4], 0))
        .isInstanceOf(RuntimeException.class);
    byte[] fingerprint = new byte[32];
    function.fingerprint(chunk.duplicate(), fingerprint, 0);
    byte[] expected = MessageDigest.getInstance(algorithm).digest(new byte[] {1, 2, 3});
    assertThat(fingerprint).startsWith(expected);
  }
}
