/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import static io.hdrf.spi.io.CorruptFileException.expect;

import io.hdrf.block.TagKey;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The content of a superblock file; {@code docs/formats.md} ("Superblock") has its bytes.
 * Immutable.
 *
 * <p>The versions differ in what they promise: on a volume with version 2 no block without
 * checksums is reduced, on one with version 1 some may be, since the builds that made it reduced
 * such blocks. Magic, version and CRC stand at their places in every version, so that a file of a
 * later version can be distinguished from a damaged one.
 */
final class SuperblockContent {

  static final int VERSION = 2;
  static final int MAX_FILE_LENGTH = 64 << 10;
  static final int MAX_SCHEMES = 1024;

  /** The version in which reduced blocks may lack checksums. */
  private static final int OLDEST_VERSION = 1;

  private static final int MAGIC = 0x42534889;
  private static final int FIXED_LENGTH = 60;
  private static final int CRC_LENGTH = 4;
  private static final int MIN_FILE_LENGTH = FIXED_LENGTH + CRC_LENGTH;
  private static final int MAX_SCHEME_ID = 0xFFFF;
  private static final Pattern SCHEME_NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  private final long generation;
  private final long creationTime;
  private final byte[] secret;
  private final Map<Integer, String> schemes;
  private final boolean mayLackChecksums;

  SuperblockContent(
      long generation,
      long creationTime,
      byte[] secret,
      Map<Integer, String> schemes,
      boolean mayLackChecksums) {
    this.generation = generation;
    this.creationTime = creationTime;
    this.secret = secret.clone();
    this.schemes = Collections.unmodifiableMap(new TreeMap<>(schemes));
    this.mayLackChecksums = mayLackChecksums;
  }

  /** Returns a later generation with one more scheme. */
  SuperblockContent withScheme(long nextGeneration, int id, String name) {
    if (id < 1 || id > MAX_SCHEME_ID || !SCHEME_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("no scheme: id " + id + ", name \"" + name + "\"");
    }
    if (schemes.size() == MAX_SCHEMES) {
      throw new IllegalArgumentException("more than " + MAX_SCHEMES + " schemes");
    }
    Map<Integer, String> more = new TreeMap<>(schemes);
    more.put(id, name);
    return new SuperblockContent(nextGeneration, creationTime, secret, more, mayLackChecksums);
  }

  /** Returns a later generation that promises that all reduced blocks have checksums. */
  SuperblockContent withChecksumsOnly(long nextGeneration) {
    return new SuperblockContent(nextGeneration, creationTime, secret, schemes, false);
  }

  /**
   * Reads a file's content.
   *
   * @param file for messages
   * @param raw all bytes of the file
   */
  static SuperblockContent parse(Path file, byte[] raw)
      throws CorruptFileException, UnknownFormatVersionException {
    if (raw.length < MIN_FILE_LENGTH || raw.length > MAX_FILE_LENGTH) {
      throw new CorruptFileException(
          file, "length", "from " + MIN_FILE_LENGTH + " to " + MAX_FILE_LENGTH, raw.length);
    }
    ByteBuffer in = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    expect(file, "magic", MAGIC, in.getInt());
    expect(file, "CRC32C", crc(raw), in.getInt(raw.length - CRC_LENGTH));
    int version = in.get() & 0xFF;
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new UnknownFormatVersionException(file, version, OLDEST_VERSION, VERSION);
    }
    expect(file, "flags", 0, in.get());
    int schemeCount = in.getShort() & 0xFFFF;
    if (schemeCount > MAX_SCHEMES) {
      throw new CorruptFileException(
          file, "number of schemes", "at most " + MAX_SCHEMES, schemeCount);
    }
    expect(file, "file length", raw.length, in.getInt());
    long generation = in.getLong();
    long creationTime = in.getLong();
    byte[] secret = new byte[TagKey.LENGTH];
    in.get(secret);
    in.limit(raw.length - CRC_LENGTH);
    return new SuperblockContent(
        generation,
        creationTime,
        secret,
        parseSchemes(file, in, schemeCount),
        version == OLDEST_VERSION);
  }

  private static Map<Integer, String> parseSchemes(Path file, ByteBuffer in, int count)
      throws CorruptFileException {
    Map<Integer, String> schemes = new TreeMap<>();
    int previous = 0;
    for (int i = 0; i < count; i++) {
      if (in.remaining() < Short.BYTES + Byte.BYTES) {
        throw new CorruptFileException(file, "schemes", count, i);
      }
      int id = in.getShort() & 0xFFFF;
      if (id <= previous) {
        throw new CorruptFileException(file, "scheme id", "more than " + previous, id);
      }
      previous = id;
      int length = in.get() & 0xFF;
      if (length > in.remaining()) {
        throw new CorruptFileException(
            file, "length of a scheme's name", "at most " + in.remaining(), length);
      }
      byte[] ascii = new byte[length];
      in.get(ascii);
      String name = new String(ascii, StandardCharsets.ISO_8859_1);
      if (!SCHEME_NAME.matcher(name).matches()) {
        throw new CorruptFileException(file, "scheme " + id, "a scheme's name", "other bytes");
      }
      schemes.put(id, name);
    }
    if (in.hasRemaining()) {
      throw new CorruptFileException(file, "bytes behind the last scheme", 0, in.remaining());
    }
    return schemes;
  }

  byte[] encode() {
    int length = MIN_FILE_LENGTH;
    for (String name : schemes.values()) {
      length += Short.BYTES + Byte.BYTES + name.length();
    }
    byte[] raw = new byte[length];
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC);
    out.put((byte) (mayLackChecksums ? OLDEST_VERSION : VERSION));
    out.put((byte) 0);
    out.putShort((short) schemes.size());
    out.putInt(length);
    out.putLong(generation);
    out.putLong(creationTime);
    out.put(secret);
    for (Map.Entry<Integer, String> scheme : schemes.entrySet()) {
      out.putShort((short) (int) scheme.getKey());
      out.put((byte) scheme.getValue().length());
      out.put(scheme.getValue().getBytes(StandardCharsets.US_ASCII));
    }
    out.putInt(crc(raw));
    return raw;
  }

  private static int crc(byte[] raw) {
    return Crc32c.update(0, ByteBuffer.wrap(raw, 0, raw.length - CRC_LENGTH));
  }

  long generation() {
    return generation;
  }

  long creationTime() {
    return creationTime;
  }

  byte[] secret() {
    return secret.clone();
  }

  /** Returns scheme names by id, in the order of the ids; unmodifiable. */
  Map<Integer, String> schemes() {
    return schemes;
  }

  /** Returns whether blocks without checksums may be reduced. */
  boolean mayLackChecksums() {
    return mayLackChecksums;
  }

  boolean sameVolume(SuperblockContent other) {
    return creationTime == other.creationTime && Arrays.equals(secret, other.secret);
  }

  boolean sameAs(SuperblockContent other) {
    return generation == other.generation
        && sameVolume(other)
        && schemes.equals(other.schemes)
        && mayLackChecksums == other.mayLackChecksums;
  }
}
