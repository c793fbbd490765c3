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
 * The layout of one store in Redis, version 1. This is the specification; {@code docs/formats.md}
 * repeats it. Immutable.
 *
 * <p>A namespace is what belongs to one storage (a DataNode's volume) and one block pool. Its keys
 * begin with
 *
 * <pre>hdrf:1:{&lt;storage id&gt;/&lt;pool id&gt;}:</pre>
 *
 * <p>where both ids are form-encoded as by {@link URLEncoder} (which leaves the ids that HDFS makes
 * as they are). What stands in braces is the hash tag by which Redis Cluster chooses the slot: all
 * of a namespace lies on one server, and different namespaces spread. There are these keys, each a
 * hash:
 *
 * <ul>
 *   <li>{@code …:namespace} has the field {@code format} with the value {@code 1 <buckets>} in
 *       decimal ASCII digits: the version of the layout, and the number of buckets B, a power of
 *       two from 256 to 1048576. It is written before any entry, and never changed. A later version
 *       keeps this key, field and first number.
 *   <li>{@code …:0} is {@link Table#STATE}: each entry a field and its value, as they are.
 *   <li>{@code …:<t>:<b>} is bucket b, from 0 to B − 1, of the table with code t, both decimal; a
 *       bucket without entries is not there. An entry with key k is in bucket CRC-32(k) mod B; the
 *       CRC is that of zlib (polynomial 0x04C11DB7, reflected), read as an unsigned number.
 * </ul>
 *
 * <p>Redis keeps a small hash as one piece of memory without pointers as long as it has at most
 * {@code hash-max-listpack-entries} (512) fields, none longer than {@code hash-max-listpack-value}
 * (64 bytes). With the default of 65536 buckets this holds for 30 million entries in a table.
 */
final class RedisNamespace {

  static final int VERSION = 1;
  static final int MIN_BUCKETS = 1 << 8;
  static final int MAX_BUCKETS = 1 << 20;

  /** The field of {@link #formatKey} that has the version and the number of buckets. */
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

  /** The key of the hash that describes the namespace. */
  byte[] formatKey() {
    return bytes(prefix + "namespace");
  }

  /** The key of the only hash of {@link Table#STATE}. */
  byte[] stateKey() {
    return bytes(prefix + Table.STATE.code());
  }

  /** The key of a bucket of any other table. */
  byte[] bucketKey(Table table, int bucket) {
    return bytes(prefix + table.code() + ":" + bucket);
  }

  /** The key of the hash that an entry belongs to. */
  byte[] hashOf(Table table, byte[] key, int buckets) {
    return table == Table.STATE ? stateKey() : bucketKey(table, bucketOf(key, buckets));
  }

  /** The bucket of an entry. */
  static int bucketOf(byte[] key, int buckets) {
    CRC32 crc = new CRC32();
    crc.update(key, 0, key.length);
    return (int) (crc.getValue() & (buckets - 1));
  }

  /** The slot of all keys in a Redis Cluster. */
  int slot() {
    return JedisClusterCRC16.getSlot(formatKey());
  }

  /** What stands in {@link #FORMAT_FIELD}. */
  static byte[] format(int buckets) {
    return bytes(VERSION + " " + buckets);
  }

  /**
   * The version that a format begins with.
   *
   * @return -1 if it begins with none
   */
  static int versionOf(byte[] format) {
    String text = new String(format, ISO_8859_1);
    int space = text.indexOf(' ');
    return number(space < 0 ? text : text.substring(0, space));
  }

  /**
   * The number of buckets that a format of this version tells.
   *
   * @return -1 if it is none that is possible
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
