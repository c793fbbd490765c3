/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.Table;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The entry of {@link Table#STATE} with the location of the storage that uses a store. A copy of a
 * volume, with all its ids and secrets, has another location; it sees this entry and the advancing
 * identity, and leaves the store alone. Removed when the store is closed. {@code docs/formats.md}
 * ("Owner") specifies the bytes. Immutable.
 *
 * <p>A damaged entry, or one of another version, counts as another storage's.
 */
final class StoreOwner {

  private static final byte[] KEY = "owner".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int FIXED_LENGTH = 9;
  private static final int MAX_PLACE = 1024;
  private static final long MAX_BEAT_MILLIS = 600_000;

  private final long beatMillis;
  private final String place;

  private StoreOwner(long beatMillis, String place) {
    this.beatMillis = beatMillis;
    this.place = place;
  }

  /**
   * Returns the owner for a storage of this host.
   *
   * @param beatMillis the longest time in which it advances the identity
   */
  static StoreOwner here(Path directory, long beatMillis) {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown";
    }
    byte[] place = (host + " " + directory.toAbsolutePath()).getBytes(StandardCharsets.UTF_8);
    return new StoreOwner(
        beatMillis,
        new String(place, 0, Math.min(place.length, MAX_PLACE), StandardCharsets.UTF_8));
  }

  static byte[] key() {
    return KEY.clone();
  }

  byte[] encode() {
    byte[] text = place.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out =
        ByteBuffer.allocate(FIXED_LENGTH + text.length + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) VERSION).putLong(beatMillis).put(text);
    out.putInt(StoreIdentity.checksum(out.array()));
    return out.array();
  }

  static StoreOwner decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    int end = value.length - Integer.BYTES;
    if (end < FIXED_LENGTH
        || StoreIdentity.checksum(value) != in.getInt(end)
        || value[0] != VERSION) {
      return new StoreOwner(MAX_BEAT_MILLIS / 10, "somebody unknown");
    }
    in.get();
    long beat = in.getLong();
    byte[] text = Arrays.copyOfRange(value, FIXED_LENGTH, end);
    return new StoreOwner(
        Math.max(1, Math.min(beat, MAX_BEAT_MILLIS)), new String(text, StandardCharsets.UTF_8));
  }

  /** Returns the longest time, in milliseconds, in which it advances the identity. */
  long beatMillis() {
    return beatMillis;
  }

  boolean isAt(StoreOwner other) {
    return place.equals(other.place);
  }

  /** Returns host and directory. */
  @Override
  public String toString() {
    return place;
  }
}
