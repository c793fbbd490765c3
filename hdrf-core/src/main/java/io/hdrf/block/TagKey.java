/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A volume's secret. Its tag on a header proves that HDRF wrote that header, and no user who stored
 * look-alike data. Safe for use by many threads; never shows the secret.
 */
public final class TagKey {

  /** The secret's length in bytes. */
  public static final int LENGTH = 32;

  /** A tag's length in bytes. */
  public static final int TAG_LENGTH = 12;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /**
   * @param secret {@value #LENGTH} bytes, copied
   */
  public TagKey(byte[] secret) {
    if (secret.length != LENGTH) {
      throw new IllegalArgumentException("a secret has " + LENGTH + " bytes, not " + secret.length);
    }
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  /** The tag of the first {@code length} bytes: the first 12 of their HMAC-SHA256. */
  byte[] tag(byte[] data, int length) {
    return Arrays.copyOf(hmac(data, length), TAG_LENGTH);
  }

  private byte[] hmac(byte[] data, int length) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(data, 0, length);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /**
   * Bytes that name the volume without giving its secret away.
   *
   * @param purpose the same bytes for the same purpose, others for another
   * @param length up to 32
   */
  public byte[] derive(String purpose, int length) {
    byte[] bytes = purpose.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(hmac(bytes, bytes.length), length);
  }

  /**
   * A number that distinguishes the stores of schemes on this volume from those of other volumes.
   */
  public long volumeId() {
    return ByteBuffer.wrap(derive("scheme stores", Long.BYTES)).getLong();
  }

  /**
   * Returns whether {@code tag} is the tag of the first {@code length} bytes; takes constant time.
   */
  boolean verifies(byte[] data, int length, byte[] tag) {
    return MessageDigest.isEqual(tag(data, length), tag);
  }

  /** Compares in constant time. */
  @Override
  public boolean equals(Object other) {
    return other instanceof TagKey
        && MessageDigest.isEqual(key.getEncoded(), ((TagKey) other).key.getEncoded());
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  @Override
  public String toString() {
    return "TagKey[hidden]";
  }
}
