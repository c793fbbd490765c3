/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads any bytes as entries of a metadata store, as they are and with the right CRC32C. Runs on
 * the kept inputs; with {@code JAZZER_FUZZ=1} and one method chosen, it looks for new ones.
 */
class RecordsFuzzTest {

  private interface Form {
    /** Reads a value and writes it again. */
    byte[] again(byte[] value) throws MetadataException;
  }

  /** An accepted value has only one form. */
  private static void read(byte[] value, Form form) {
    same(value, form);
    if (value.length >= Integer.BYTES) {
      byte[] repaired = value.clone();
      int end = value.length - Integer.BYTES;
      int crc = Crc32c.update(0, ByteBuffer.wrap(repaired, 0, end));
      ByteBuffer.wrap(repaired).order(ByteOrder.LITTLE_ENDIAN).putInt(end, crc);
      same(repaired, form);
    }
  }

  private static void same(byte[] value, Form form) {
    byte[] again;
    try {
      again = form.again(value);
    } catch (StoreCorruptException | StoreVersionException expected) {
      return;
    } catch (MetadataException other) {
      throw new AssertionError("no orderly refusal", other);
    }
    if (!Arrays.equals(value, again)) {
      throw new AssertionError("two forms of one value");
    }
  }

  @FuzzTest(maxDuration = "1m")
  void anyRecord(byte[] value) {
    read(value, bytes -> BlockRecord.decode(17, bytes).encode());
  }

  @FuzzTest(maxDuration = "1m")
  void anyIdentity(byte[] value) {
    read(value, bytes -> StoreIdentity.decode(bytes).encode());
  }

  /** Each value has an owner, if only an unknown one, whose beat is in range. */
  @FuzzTest(maxDuration = "1m")
  void anyOwner(byte[] value) {
    read(
        value,
        bytes -> {
          StoreOwner owner = StoreOwner.decode(bytes);
          if (owner.beatMillis() < 1
              || owner.beatMillis() > 600_000
              || !StoreOwner.decode(owner.encode()).isAt(owner)) {
            throw new AssertionError(owner + " beats in " + owner.beatMillis());
          }
          return bytes;
        });
  }
}
