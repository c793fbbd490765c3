/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Entries like those of the fingerprint index, made from numbers, so that none has to be
 * remembered: keys of 20 random bytes and values of 9.
 */
final class StoreKeys {

  static final int KEY_LENGTH = 20;
  static final int VALUE_LENGTH = 9;

  private StoreKeys() {}

  static byte[] key(long number) {
    return bytes(number, KEY_LENGTH);
  }

  static byte[] value(long number) {
    return bytes(~number, VALUE_LENGTH);
  }

  private static byte[] bytes(long number, int length) {
    SplittableRandom random = new SplittableRandom(number);
    ByteBuffer bytes = ByteBuffer.allocate(length + Long.BYTES - 1);
    while (bytes.position() < length) {
      bytes.putLong(random.nextLong());
    }
    return Arrays.copyOf(bytes.array(), length);
  }

  static List<byte[]> keys(int count, LongSupplier numbers) {
    List<byte[]> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(key(numbers.getAsLong()));
    }
    return keys;
  }
}
