/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.block.TagKey;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVersionException;
import io.hdrf.spi.store.Table;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The entry of {@link Table#STATE} with the owner of a store and the number of its last batch.
 * Every batch writes one; it tells a store in step from one that lost batches, was restored from an
 * older copy, or is written by another process. {@code docs/formats.md} ("Identity") specifies the
 * bytes. Immutable.
 *
 * <p>Batches alternate between two keys, {@link #key(long)}. So the identity of the previous batch
 * stays, and a different one there shows that the store went back between the two, however briefly:
 * one batch can't hide it.
 */
public final class StoreIdentity {

  /** The length in bytes of a volume's and a session's id. */
  public static final int ID_LENGTH = 16;

  static final int VERSION = 1;
  static final int LENGTH = 46;

  private static final byte[] EVEN = "identity".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ODD = "identity.odd".getBytes(StandardCharsets.US_ASCII);

  private final byte[] volume;
  private final byte[] session;
  private final long sequence;
  private final boolean complete;

  StoreIdentity(byte[] volume, byte[] session, long sequence, boolean complete) {
    this.volume = volume.clone();
    this.session = session.clone();
    this.sequence = sequence;
    this.complete = complete;
  }

  /** Returns the name of the volume with this secret in stores. */
  public static byte[] volume(TagKey key) {
    return key.derive("metadata store", ID_LENGTH);
  }

  /** Returns the key of the batch with that number. */
  static byte[] key(long sequence) {
    return (sequence & 1) == 0 ? EVEN.clone() : ODD.clone();
  }

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) VERSION).put(volume).put(session).putLong(sequence);
    out.put((byte) (complete ? 1 : 0));
    out.putInt(checksum(out.array()));
    return out.array();
  }

  /** Returns the checksum of all but the last four bytes, which hold it. */
  static int checksum(byte[] value) {
    return Crc32c.update(0, ByteBuffer.wrap(value, 0, value.length - Integer.BYTES));
  }

  /**
   * Decodes a value. Every version ends with its checksum, so a damaged one is not taken for a
   * newer one.
   */
  static StoreIdentity decode(byte[] value) throws MetadataException {
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    if (value.length <= Integer.BYTES
        || checksum(value) != in.getInt(value.length - Integer.BYTES)) {
      throw new StoreCorruptException("the store's identity is damaged");
    }
    if (value[0] != VERSION) {
      throw new StoreVersionException(
          "the store's identity has version " + (value[0] & 0xFF) + ", not " + VERSION);
    }
    if (value.length != LENGTH) {
      throw new StoreCorruptException("the store's identity has " + value.length + " bytes");
    }
    in.get();
    byte[] volume = new byte[ID_LENGTH];
    byte[] session = new byte[ID_LENGTH];
    in.get(volume).get(session);
    long sequence = in.getLong();
    int complete = in.get();
    if (complete != 0 && complete != 1) {
      throw new StoreCorruptException("the store's identity is damaged: complete is " + complete);
    }
    return new StoreIdentity(volume, session, sequence, complete == 1);
  }

  boolean isOfVolume(byte[] other) {
    return Arrays.equals(volume, other);
  }

  boolean isOfSession(byte[] other) {
    return Arrays.equals(session, other);
  }

  long sequence() {
    return sequence;
  }

  /** Returns whether every block had its record. */
  boolean isComplete() {
    return complete;
  }

  StoreIdentity next(boolean nowComplete) {
    return after(1, nowComplete);
  }

  StoreIdentity after(long batches, boolean nowComplete) {
    return new StoreIdentity(volume, session, sequence + batches, nowComplete);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoreIdentity
        && Arrays.equals(encode(), ((StoreIdentity) other).encode());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(session) + Long.hashCode(sequence);
  }
}
