/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.zip.Checksum;

/**
 * CRC32C by {@code java.util.zip.CRC32C}, which the virtual machine compiles to machine
 * instructions. Only Java 9 and later have that class, hence the method handles.
 */
final class JdkCrc32c {

  /** The minimum length in bytes for which the detour by {@link #prefixFor} pays off. */
  static final int WORTH_WHILE = 256;

  /** {@code () -> Checksum}, or null. */
  private static final MethodHandle NEW;

  /** {@code (Checksum, ByteBuffer) -> void}, or null. */
  private static final MethodHandle UPDATE;

  static {
    MethodHandle constructor = null;
    MethodHandle update = null;
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> implementation = Class.forName("java.util.zip.CRC32C");
      MethodType nothing = MethodType.methodType(void.class);
      constructor =
          lookup
              .findConstructor(implementation, nothing)
              .asType(MethodType.methodType(Checksum.class));
      update =
          lookup.findVirtual(
              Checksum.class, "update", MethodType.methodType(void.class, ByteBuffer.class));
    } catch (ReflectiveOperationException e) {
      constructor = null;
    }
    NEW = constructor;
    UPDATE = update;
  }

  private JdkCrc32c() {}

  static boolean isAvailable() {
    return NEW != null;
  }

  /** See {@link Crc32c#update}. */
  static int update(int crc, ByteBuffer buffer) {
    Checksum checksum = newChecksum();
    if (crc != 0) {
      int prefix = prefixFor(~crc);
      checksum.update(prefix);
      checksum.update(prefix >>> 8);
      checksum.update(prefix >>> 16);
      checksum.update(prefix >>> 24);
    }
    if (buffer.hasArray()) {
      checksum.update(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    } else {
      // A duplicate, because the update moves the position.
      updateByBuffer(checksum, buffer.duplicate());
    }
    return (int) checksum.getValue();
  }

  /**
   * Returns the four bytes, the first in the low bits, that bring a fresh checksum's register to
   * {@code register}: {@code CRC32C} has no other way to continue from an earlier result. Any four
   * bytes XORed with a register of all ones are shifted through it bit by bit, and each such step
   * can be undone, because bit 31 shows whether the polynomial was added.
   */
  private static int prefixFor(int register) {
    int before = register;
    for (int bit = 0; bit < 32; bit++) {
      before = before < 0 ? (before ^ TableCrc32c.POLYNOMIAL) << 1 | 1 : before << 1;
    }
    return ~before;
  }

  private static Checksum newChecksum() {
    try {
      return (Checksum) NEW.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static void updateByBuffer(Checksum checksum, ByteBuffer buffer) {
    try {
      UPDATE.invokeExact(checksum, buffer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Neither method declares a checked exception. */
  private static IllegalStateException unexpected(Throwable e) {
    if (e instanceof Error) {
      throw (Error) e;
    }
    throw new IllegalStateException(e);
  }
}
