/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hdrf.spi.store.Table;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.zip.CRC32;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The layout of one store in Redis: the keys and buckets of a namespace, which belongs to one
 * storage (a DataNode's volume) and one block pool; {@code docs/formats.md} ("Redis") specifies it.
 * Immutable.
 *
 * <p>The braces in keys are the hash tag by which Redis Cluster chooses the slot: all of a
 * namespace lies on one server, so that a batch can be a transaction. Empty buckets do not exist.
 */
final class RedisNamespace {

  static final int VERSION = 1;
  static final int MIN_BUCKETS = 1 << 8;
  static final int MAX_BUCKETS = 1 << 20;

  /** The field of {@link #formatKey} with the version and the number of buckets. */
  static final byte[] FORMAT_FIELD = "format".getBytes(US_ASCII);

  private final String prefix;

  RedisNamespace(String storageId, String poolId) {
    prefix = "hdrf:" + VERSION + ":{" + encode(storageId) + "/" + encode(poolId) + "}:";
  }

  private static String encode(String id) {
    try {
      return URLEncoder.encode(id, "UTF-8");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the key of the hash that describes the namespace. */
  byte[] formatKey() {
    return bytes(prefix + "namespace");
  }

  /** Returns the key of the only hash of {@link Table#STATE}. */
  byte[] stateKey() {
    return bytes(prefix + Table.STATE.code());
  }

  /** Returns the key of a bucket of any other table. */
  byte[] bucketKey(Table table, int bucket) {
    return bytes(prefix + table.code() + ":" + bucket);
  }

  /** Returns the key of the hash of an entry. */
  byte[] hashOf(Table table, byte[] key, int buckets) {
    return table == Table.STATE ? stateKey() : bucketKey(table, bucketOf(key, buckets));
  }

  /** Returns the bucket of an entry. */
  static int bucketOf(byte[] key, int buckets) {
    CRC32 crc = new CRC32();
    crc.update(key, 0, key.length);
    return (int) (crc.getValue() & (buckets - 1));
  }

  /** Returns the slot of all keys in a Redis Cluster. */
  int slot() {
    return JedisClusterCRC16.getSlot(formatKey());
  }

  /** Returns the value of {@link #FORMAT_FIELD}. */
  static byte[] format(int buckets) {
    return bytes(VERSION + " " + buckets);
  }

  /**
   * Returns the version that a format begins with.
   *
   * @return -1 if it begins with none
   */
  static int versionOf(byte[] format) {
    String text = new String(format, ISO_8859_1);
    int space = text.indexOf(' ');
    return number(space < 0 ? text : text.substring(0, space));
  }

  /**
   * Returns the number of buckets in a format of this version.
   *
   * @return -1 if there is no possible number
   */
  static int bucketsOf(byte[] format) {
    String text = new String(format, ISO_8859_1);
    int buckets = number(text.substring(text.indexOf(' ') + 1));
    boolean possible =
        buckets >= MIN_BUCKETS && buckets <= MAX_BUCKETS && Integer.bitCount(buckets) == 1;
    return possible ? buckets : -1;
  }

  private static int number(String digits) {
    return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : -1;
  }

  private static byte[] bytes(String key) {
    return key.getBytes(US_ASCII);
  }

  @Override
  public String toString() {
    return prefix;
  }
}
