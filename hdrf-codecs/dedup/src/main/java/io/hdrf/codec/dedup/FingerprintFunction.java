/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.jni.Sha256;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** A cryptographic hash by which chunks are taken for equal. Safe for use by many threads. */
final class FingerprintFunction implements Fingerprinter {

  static final FingerprintFunction SHA256 = new FingerprintFunction("sha256", "SHA-256");

  /** For comparison only: collisions of it can be made. The rest of the fingerprint is zeros. */
  static final FingerprintFunction SHA1 = new FingerprintFunction("sha1", "SHA-1");

  private final String configName;
  private final ThreadLocal<MessageDigest> digests;

  private FingerprintFunction(String configName, String algorithm) {
    this.configName = configName;
    this.digests = ThreadLocal.withInitial(() -> digest(algorithm));
  }

  /** The function that a configuration names, or null. */
  static FingerprintFunction named(String configName) {
    return configName.equals(SHA256.configName)
        ? SHA256
        : configName.equals(SHA1.configName) ? SHA1 : null;
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }

  /** The value of the configuration key. */
  String configName() {
    return configName;
  }

  @Override
  public void fingerprint(ByteBuffer chunk, byte[] dst, int offset) {
    MessageDigest digest = digests.get();
    // After an error, such as a lack of memory, part of another chunk may be left in it.
    digest.reset();
    digest.update(chunk);
    int length = digest.getDigestLength();
    try {
      digest.digest(dst, offset, length);
    } catch (DigestException e) {
      throw new IllegalArgumentException(e);
    }
    Arrays.fill(dst, offset + length, offset + LENGTH, (byte) 0);
  }

  @Override
  public void fingerprints(ByteBuffer data, int[] ends, int count, byte[] dst) {
    if (this == SHA256) {
      Sha256.hash(data, ends, count, dst);
    } else {
      Fingerprinter.super.fingerprints(data, ends, count, dst);
    }
  }
}
