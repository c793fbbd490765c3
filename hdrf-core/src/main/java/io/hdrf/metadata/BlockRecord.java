/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * A store's entry for one finalized block (figure 3.3 of the thesis: length and location of every
 * block); {@code docs/formats.md} ("Block record") specifies the bytes. The volume, the pool and
 * the DataNode are those of the store. Immutable.
 */
public final class BlockRecord {

  /** The form of a block on the disk. */
  public enum State {
    PLAIN(1),
    REDUCED(2);

    private final int code;

    State(int code) {
      this.code = code;
    }
  }

  /** The reason why the block is plain is unknown, or the block is not plain. */
  public static final int NO_REASON = 0;

  /** A reason that was told without the rules by which it holds. */
  public static final int NO_RULES = 0;

  /** The greatest number that stands for rules. */
  public static final int MAX_RULES = (1 << 24) - 1;

  /** The version of records without rules. */
  static final int VERSION = 1;

  static final int VERSION_WITH_RULES = 2;
  private static final int MAX_SCHEMES = 4;
  private static final int FIXED_LENGTH = 30;
  private static final int RULES_LENGTH = 3;
  private static final int CODE_BITS = 8;
  private static final int CRC_LENGTH = 4;

  private final State state;

  /** See {@link #reason(int, int)}. */
  private final int reason;

  private final long logicalLength;
  private final long physicalLength;
  private final long modified;
  private final int location;
  private final int[] chain;

  private BlockRecord(
      State state,
      int reason,
      long logicalLength,
      long physicalLength,
      long modified,
      int location,
      int[] chain) {
    this.state = state;
    this.reason = reason;
    this.logicalLength = logicalLength;
    this.physicalLength = physicalLength;
    this.modified = modified;
    this.location = location;
    this.chain = chain;
  }

  /**
   * Returns the record of a plain block.
   *
   * @param reason a code from {@link #NO_REASON} to 255, or made by {@link #reason(int, int)}
   * @param location the two bytes that name its directory
   */
  public static BlockRecord plain(long length, int reason, long modified, int location) {
    return new BlockRecord(
        State.PLAIN, reason, length, length, modified, location & 0xFFFF, new int[0]);
  }

  /**
   * Returns a reason for {@link #plain} that holds as long as the same rules do.
   *
   * @param code from 1 to 255
   * @param rules from {@link #NO_RULES} to {@link #MAX_RULES}
   */
  public static int reason(int code, int rules) {
    return (rules << CODE_BITS) | code;
  }

  /**
   * Returns the record of a reduced block.
   *
   * @param chain ids of the schemes that reduced it
   */
  public static BlockRecord reduced(
      long logicalLength, long physicalLength, int[] chain, long modified, int location) {
    if (chain.length == 0 || chain.length > MAX_SCHEMES) {
      throw new IllegalArgumentException("a chain of " + chain.length + " schemes");
    }
    return new BlockRecord(
        State.REDUCED,
        NO_REASON,
        logicalLength,
        physicalLength,
        modified,
        location & 0xFFFF,
        chain.clone());
  }

  /** Returns the key of a block's record. */
  public static byte[] key(long blockId) {
    return ByteBuffer.allocate(Long.BYTES).putLong(blockId).array();
  }

  /**
   * Returns the block of a key.
   *
   * @throws IllegalArgumentException if it is not a block's key
   */
  public static long blockId(byte[] key) {
    if (key.length != Long.BYTES) {
      throw new IllegalArgumentException("a key of " + key.length + " bytes");
    }
    return ByteBuffer.wrap(key).getLong();
  }

  /** Returns the value as it is stored. */
  public byte[] encode() {
    int version = rules() == NO_RULES ? VERSION : VERSION_WITH_RULES;
    ByteBuffer out =
        ByteBuffer.allocate(
                FIXED_LENGTH + Short.BYTES * chain.length + rulesLength(version) + CRC_LENGTH)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) version).put((byte) state.code).put((byte) reason).put((byte) chain.length);
    out.putLong(logicalLength).putLong(physicalLength).putLong(modified);
    out.put((byte) (location >>> 8)).put((byte) location);
    for (int id : chain) {
      out.putShort((short) id);
    }
    if (version == VERSION_WITH_RULES) {
      out.put((byte) rules()).putShort((short) (rules() >>> 8));
    }
    out.putInt(Crc32c.update(0, ByteBuffer.wrap(out.array(), 0, out.position())));
    return out.array();
  }

  /**
   * Reads a value.
   *
   * @param blockId for messages
   * @throws StoreCorruptException if it is damaged
   * @throws StoreVersionException if a later version of HDRF wrote it
   */
  public static BlockRecord decode(long blockId, byte[] value) throws MetadataException {
    if (value.length < FIXED_LENGTH + CRC_LENGTH) {
      throw damaged(blockId, value.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    int end = value.length - CRC_LENGTH;
    if (Crc32c.update(0, ByteBuffer.wrap(value, 0, end)) != in.getInt(end)) {
      throw damaged(blockId, "its CRC32C differs");
    }
    int version = in.get() & 0xFF;
    if (version != VERSION && version != VERSION_WITH_RULES) {
      throw new StoreVersionException(
          String.format(
              "the record of block %d has version %d, not %d or %d",
              blockId, version, VERSION, VERSION_WITH_RULES));
    }
    int code = in.get();
    int reason = in.get() & 0xFF;
    int schemes = in.get() & 0xFF;
    long logical = in.getLong();
    long physical = in.getLong();
    long modified = in.getLong();
    int location = ((in.get() & 0xFF) << 8) | (in.get() & 0xFF);
    if (schemes > MAX_SCHEMES
        || end != FIXED_LENGTH + Short.BYTES * schemes + rulesLength(version)) {
      throw damaged(blockId, value.length + " bytes for " + schemes + " schemes");
    }
    if (logical < 0 || physical < 0 || physical > logical) {
      throw damaged(blockId, physical + " of " + logical + " bytes");
    }
    int[] chain = new int[schemes];
    for (int i = 0; i < schemes; i++) {
      chain[i] = in.getShort() & 0xFFFF;
    }
    if (version == VERSION_WITH_RULES) {
      int low = in.get() & 0xFF;
      reason = reason(reason, low | ((in.getShort() & 0xFFFF) << 8));
    }
    if (code == State.PLAIN.code && schemes == 0) {
      return new BlockRecord(State.PLAIN, reason, logical, physical, modified, location, chain);
    }
    if (code == State.REDUCED.code && schemes > 0) {
      return new BlockRecord(State.REDUCED, reason, logical, physical, modified, location, chain);
    }
    throw damaged(blockId, "state " + code + " with " + schemes + " schemes");
  }

  private static int rulesLength(int version) {
    return version == VERSION_WITH_RULES ? RULES_LENGTH : 0;
  }

  private static StoreCorruptException damaged(long blockId, String how) {
    return new StoreCorruptException("the record of block " + blockId + " is damaged: " + how);
  }

  public boolean isReduced() {
    return state == State.REDUCED;
  }

  /** Returns the code of why it is plain; {@link #NO_REASON} if that is unknown. */
  public int reason() {
    return reason & 0xFF;
  }

  /** Returns the rules by which it is plain; {@link #NO_RULES} if these are unknown. */
  public int rules() {
    return reason >>> CODE_BITS;
  }

  /** In bytes. */
  public long logicalLength() {
    return logicalLength;
  }

  /** In bytes. */
  public long physicalLength() {
    return physicalLength;
  }

  /** Returns the modification time of the file, in milliseconds since 1970-01-01 UTC. */
  public long modified() {
    return modified;
  }

  /** Returns the directory below {@code finalized}. */
  public String location() {
    return "subdir" + (location >>> 8) + "/subdir" + (location & 0xFF);
  }

  /** Returns the ids of the chain's schemes, none if it is plain; a copy. */
  public int[] chain() {
    return chain.clone();
  }

  /** Returns whether both agree about the file; why it is plain does not count. */
  public boolean agreesWith(BlockRecord other) {
    return state == other.state
        && logicalLength == other.logicalLength
        && physicalLength == other.physicalLength
        && location == other.location
        && Arrays.equals(chain, other.chain);
  }

  /**
   * Returns whether a block's file may be the one that this record was made from, by all that can
   * be told without reading it. Java 8 tells records' times in whole seconds.
   *
   * @param length of the block in bytes
   * @param fileModified as {@link #modified}
   * @param directory the two bytes that name its directory
   */
  public boolean isOf(long length, long fileModified, int directory) {
    return logicalLength == length
        && location == directory
        && (modified == fileModified
            || (modified % 1000 == 0 && modified == fileModified / 1000 * 1000));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockRecord
        && agreesWith((BlockRecord) other)
        && reason == ((BlockRecord) other).reason
        && modified == ((BlockRecord) other).modified;
  }

  @Override
  public int hashCode() {
    return Objects.hash(state, logicalLength, physicalLength, location, Arrays.hashCode(chain));
  }

  @Override
  public String toString() {
    return state + " " + physicalLength + "/" + logicalLength + " " + Arrays.toString(chain);
  }
}
