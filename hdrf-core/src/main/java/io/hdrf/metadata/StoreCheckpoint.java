/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A volume's mark of its store, in the file {@value #NAME}: which store it was, and whether it was
 * closed in step with the blocks. Only then may its records be trusted at the next start without
 * comparing every block. {@code docs/formats.md} ("Mark") specifies the bytes. Immutable.
 *
 * <p>A file that is damaged or of another version counts as none, which only takes time.
 */
final class StoreCheckpoint {

  static final String NAME = "metadata.state";

  private static final String TEMPORARY = NAME + ".tmp";
  private static final int MAGIC = 0x534D4889;
  private static final int VERSION = 1;
  private static final int FIXED_LENGTH = 15;
  private static final int MAX_NAME = 64;

  private final String store;
  private final long sequence;
  private final boolean inStep;

  StoreCheckpoint(String store, long sequence, boolean inStep) {
    this.store = store;
    this.sequence = sequence;
    this.inStep = inStep;
  }

  /** Returns the volume's mark, or an empty one. */
  static StoreCheckpoint load(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    try {
      return decode(file, Files.readAllBytes(file));
    } catch (NoSuchFileException | CorruptFileException e) {
      return new StoreCheckpoint("", 0, false);
    }
  }

  /** Removes the mark: the next start does not trust the records. */
  static void remove(Path directory, DurableFiles files) throws IOException {
    files.deleteIfExists(directory.resolve(NAME));
    files.forceDirectory(directory);
  }

  private static StoreCheckpoint decode(Path file, byte[] bytes) throws CorruptFileException {
    if (bytes.length < FIXED_LENGTH + Integer.BYTES
        || bytes.length > FIXED_LENGTH + MAX_NAME + Integer.BYTES) {
      throw new CorruptFileException(file, "length", "a few bytes", bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int crcOffset = bytes.length - Integer.BYTES;
    int crc = Crc32c.update(0, ByteBuffer.wrap(bytes, 0, crcOffset));
    if (in.getInt() != MAGIC || in.getInt(crcOffset) != crc || in.get() != VERSION) {
      throw new CorruptFileException(file, "magic, version and CRC32C", "right", "others");
    }
    boolean inStep = in.get() == 1;
    long sequence = in.getLong();
    int length = in.get();
    if (length != crcOffset - FIXED_LENGTH) {
      throw new CorruptFileException(file, "length of the name", crcOffset - FIXED_LENGTH, length);
    }
    String store = new String(bytes, FIXED_LENGTH, length, StandardCharsets.US_ASCII);
    return new StoreCheckpoint(store, sequence, inStep);
  }

  /** Durably replaces the mark. */
  void save(Path directory, DurableFiles files) throws IOException {
    prepare(directory, files);
    put(directory, files);
    files.forceDirectory(directory);
  }

  /** Durably writes the mark beside its place, for {@link #put}. */
  void prepare(Path directory, DurableFiles files) throws IOException {
    byte[] name = store.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer out =
        ByteBuffer.allocate(FIXED_LENGTH + name.length + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC).put((byte) VERSION).put((byte) (inStep ? 1 : 0)).putLong(sequence);
    out.put((byte) name.length).put(name);
    out.putInt(Crc32c.update(0, ByteBuffer.wrap(out.array(), 0, out.position())));
    out.flip();
    Path temporary = directory.resolve(TEMPORARY);
    files.deleteIfExists(temporary);
    try (DurableFile file = files.create(temporary)) {
      file.write(out, 0);
      file.force();
    }
  }

  /**
   * Replaces the mark with the one that was prepared last. Durable once the directory is forced.
   */
  static void put(Path directory, DurableFiles files) throws IOException {
    files.rename(directory.resolve(TEMPORARY), directory.resolve(NAME));
  }

  long sequence() {
    return sequence;
  }

  /** Returns whether a store is the one that was closed in step, and was not written to since. */
  boolean vouchesFor(String name, StoreIdentity identity) {
    return inStep && store.equals(name) && identity.isComplete() && identity.sequence() == sequence;
  }
}
