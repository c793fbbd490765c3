/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import static io.hdrf.spi.io.CorruptFileException.expect;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * An administrator's goal for all blocks of a pool on a volume, reduced or plain, and whether the
 * DataNode is converting blocks to it. It is kept in the file {@value #FILE} of the pool's {@code
 * hdrf} directory, replaced as a whole, so that the work goes on after a restart; {@code
 * docs/formats.md} ("Conversion") has its bytes. Without a file the state is {@link #AUTOMATIC}.
 * Immutable.
 *
 * <p>Magic, version, the CRC and the greatest length are the same in every version, so that a file
 * of a later version can be distinguished from a damaged one.
 */
public final class ConversionState {

  /** The file's name in the pool's {@code hdrf} directory. */
  public static final String FILE = "conversion";

  /** The form that blocks are to have. */
  public enum Goal {
    /** No goal: the DataNode's settings decide. */
    NONE(0),
    REDUCED(1),
    /** Plain, including blocks that are yet to be written. */
    PLAIN(2);

    private final int code;

    Goal(int code) {
      this.code = code;
    }
  }

  /** Reduces new blocks, and older ones as {@code hdrf.reduce.existing} says. */
  public static final ConversionState AUTOMATIC = new ConversionState(Goal.NONE, false, 0);

  private static final int VERSION = 1;
  private static final int MAGIC = 0x56434889;
  private static final int LENGTH = 20;
  private static final int CRC_LENGTH = 4;

  /** The shortest file of any version: magic, version and CRC32C. */
  private static final int MIN_LENGTH = 9;

  private static final int MAX_LENGTH = 4096;
  private static final String TEMPORARY_SUFFIX = ".tmp";

  private final Goal goal;
  private final boolean running;
  private final long rate;

  private ConversionState(Goal goal, boolean running, long rate) {
    this.goal = goal;
    this.running = running;
    this.rate = rate;
  }

  /**
   * Returns the state in which blocks are converted to the goal.
   *
   * @param goal not {@link Goal#NONE}
   * @param rate in bytes a second; 0 for no limit
   */
  public static ConversionState running(Goal goal, long rate) {
    if (goal == Goal.NONE || rate < 0) {
      throw new IllegalArgumentException(goal + " at " + rate);
    }
    return new ConversionState(goal, true, rate);
  }

  /** Returns the state with the same goal, but no running conversion. */
  public ConversionState ended() {
    return goal == Goal.NONE ? this : new ConversionState(goal, false, rate);
  }

  /**
   * Returns the state in which no block may be reduced: the harmless one where a state can't be
   * read.
   */
  public static ConversionState keptPlain() {
    return new ConversionState(Goal.PLAIN, false, 0);
  }

  /**
   * Reads the state of a pool on a volume.
   *
   * @param directory the pool's {@code hdrf} directory
   * @throws CorruptFileException if the file is damaged
   * @throws UnknownFormatVersionException if another version of HDRF wrote it
   */
  public static ConversionState load(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    try {
      checkLength(file, Files.size(file));
      return parse(file, Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return AUTOMATIC;
    }
  }

  /**
   * Reads a file's content.
   *
   * @param file for messages
   * @param raw all bytes of the file
   */
  static ConversionState parse(Path file, byte[] raw)
      throws CorruptFileException, UnknownFormatVersionException {
    checkLength(file, raw.length);
    ByteBuffer in = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    expect(file, "magic", MAGIC, in.getInt());
    expect(file, "CRC32C", crc(raw), in.getInt(raw.length - CRC_LENGTH));
    int version = in.get() & 0xFF;
    if (version != VERSION) {
      throw new UnknownFormatVersionException(file, version, VERSION, VERSION);
    }
    if (raw.length != LENGTH) {
      throw new CorruptFileException(file, "length", LENGTH, raw.length);
    }
    int code = in.get();
    int running = in.get();
    expect(file, "byte 7", 0, in.get());
    long rate = in.getLong();
    if (code < Goal.REDUCED.code || code > Goal.PLAIN.code) {
      throw new CorruptFileException(file, "goal", "1 or 2", code);
    }
    if (running < 0 || running > 1) {
      throw new CorruptFileException(file, "whether it goes on", "0 or 1", running);
    }
    if (rate < 0) {
      throw new CorruptFileException(file, "rate", "at least 0", rate);
    }
    return new ConversionState(
        code == Goal.PLAIN.code ? Goal.PLAIN : Goal.REDUCED, running == 1, rate);
  }

  /**
   * Stores this as the state of a pool on a volume, durably.
   *
   * @param directory the pool's {@code hdrf} directory
   */
  public void store(Path directory, DurableFiles files) throws IOException {
    Path file = directory.resolve(FILE);
    Path temporary = directory.resolve(FILE + TEMPORARY_SUFFIX);
    files.deleteIfExists(temporary);
    if (goal == Goal.NONE) {
      files.deleteIfExists(file);
    } else {
      try (DurableFile out = files.create(temporary)) {
        out.write(ByteBuffer.wrap(encode()), 0);
        out.force();
      }
      files.rename(temporary, file);
    }
    files.forceDirectory(directory);
  }

  byte[] encode() {
    byte[] raw = new byte[LENGTH];
    ByteBuffer out = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC).put((byte) VERSION).put((byte) goal.code).put((byte) (running ? 1 : 0));
    out.put((byte) 0).putLong(rate).putInt(crc(raw));
    return raw;
  }

  private static int crc(byte[] raw) {
    return Crc32c.update(0, ByteBuffer.wrap(raw, 0, raw.length - CRC_LENGTH));
  }

  private static void checkLength(Path file, long length) throws CorruptFileException {
    if (length < MIN_LENGTH || length > MAX_LENGTH) {
      throw new CorruptFileException(
          file, "length", "from " + MIN_LENGTH + " to " + MAX_LENGTH, length);
    }
  }

  public Goal goal() {
    return goal;
  }

  /** Returns whether blocks are being converted to the goal. */
  public boolean isRunning() {
    return running;
  }

  /** Returns the rate in bytes a second; 0 for no limit. */
  public long rate() {
    return rate;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ConversionState
        && ((ConversionState) other).goal == goal
        && ((ConversionState) other).running == running
        && ((ConversionState) other).rate == rate;
  }

  @Override
  public int hashCode() {
    return Objects.hash(goal, running, rate);
  }

  /** Returns the state in words, for people. */
  @Override
  public String toString() {
    switch (goal) {
      case REDUCED:
        return running ? "converting" : "new blocks only";
      case PLAIN:
        return running ? "inflating" : "kept plain";
      default:
        return "automatic";
    }
  }
}
