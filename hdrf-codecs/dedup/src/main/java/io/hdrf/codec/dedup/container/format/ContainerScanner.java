/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Makes a container's directory again from its groups. A group counts if its header, its stored
 * bytes and its place in the order of numbers are right; what lies between groups, or can't be
 * read, is searched for the next one. The CRC32C of a chunk is that of the group's header if it has
 * them, so that a chunk that differs stays a damaged one. The fingerprint of a chunk that is kept
 * as a difference stays unknown. For one thread and one scan.
 */
public final class ContainerScanner {

  private static final int WINDOW = 1 << 20;

  /** Where the disk fails, so much is left out at once. */
  private static final int SECTOR = 4 << 10;

  private final BufferPool buffers = BufferPool.shared();
  private final Path path;
  private final ReadableFile file;
  private final ContainerHeader header;
  private final FrameChain chain;
  private final Fingerprinter fingerprinter;
  private final long end;
  private final DirectoryBuilder directory = new DirectoryBuilder();
  private final byte[] fingerprint = new byte[Fingerprinter.LENGTH];
  private int nextNumber;
  private long endOfGroups = ContainerHeader.LENGTH;
  private boolean gaps;
  private boolean damagedGroups;
  private IOException unreadable;

  /** The stages of all groups that could be decoded. */
  private int decodedStages;

  /**
   * The stages of all groups that could not, though their stored bytes are as they were written.
   */
  private int failedStages;

  private IOException undecodable;

  /**
   * @param end where to end, in bytes from the file's beginning
   */
  public ContainerScanner(
      Path path,
      ReadableFile file,
      ContainerHeader header,
      FrameChain chain,
      Fingerprinter fingerprinter,
      long end) {
    this.path = path;
    this.file = file;
    this.header = header;
    this.chain = chain;
    this.fingerprinter = fingerprinter;
    this.end = end;
  }

  public void scan() throws IOException {
    long position = ContainerHeader.LENGTH;
    while (position < end) {
      long next = scanGroup(position);
      if (next < 0) {
        next = search(position + 1);
      }
      position = next;
    }
  }

  /** What was found. */
  public ContainerDirectory directory() {
    return directory.build();
  }

  /**
   * Whether there is something that was a sound group once, most likely: damage between groups, or
   * a group whose header is sound and whose bytes are all there, but not as they were written.
   */
  public boolean hasDamage() {
    return gaps || damagedGroups;
  }

  /** Whether there is something that the disk can't read, before or behind the last sound group. */
  public boolean hasUnreadable() {
    return unreadable != null;
  }

  /** The disk's error where there is {@link #hasUnreadable such a thing}; otherwise null. */
  public IOException readError() {
    return unreadable;
  }

  /** Where the last sound group ends. */
  public long endOfGroups() {
    return endOfGroups;
  }

  /**
   * Why groups could not be decoded whose stored bytes are as they were written, if that is so with
   * all that have one of their stages; otherwise null. No disk damages them so: a scheme fails, and
   * they may be decoded when that is mended. Where it decodes others, the group itself is wrong.
   */
  public IOException undecodable() {
    return (failedStages & ~decodedStages) == 0 ? null : undecodable;
  }

  /** Returns where the group ends; -1 if there is none at this position. */
  private long scanGroup(long position) throws IOException {
    ByteBuffer fixed = buffers.take(GroupHeader.FIXED_LENGTH);
    int headerLength;
    try {
      if (!fill(fixed, position)) {
        return -1;
      }
      headerLength = GroupHeader.peekLength(path, fixed, header.marker());
    } catch (CorruptFileException e) {
      return -1;
    } finally {
      buffers.give(fixed);
    }
    GroupHeader group = readHeader(position, headerLength);
    if (group == null
        || group.firstNumber() < nextNumber
        || end - position - headerLength < group.storedLength()) {
      return -1;
    }
    nextNumber = group.lastNumber() + 1;
    if (readChunks(position, group)) {
      gaps |= position != endOfGroups;
      endOfGroups = position + headerLength + group.storedLength();
    } else {
      damagedGroups = true;
    }
    return position + headerLength + group.storedLength();
  }

  private GroupHeader readHeader(long position, int length) throws IOException {
    if (end - position < length) {
      return null;
    }
    ByteBuffer bytes = buffers.take(length);
    try {
      return fill(bytes, position) ? GroupHeader.parse(path, bytes, header.marker()) : null;
    } catch (CorruptFileException e) {
      return null;
    } finally {
      buffers.give(bytes);
    }
  }

  private boolean readChunks(long position, GroupHeader group) throws IOException {
    ByteBuffer stored = buffers.take(group.storedLength());
    ByteBuffer original = buffers.take(group.originalLength());
    try {
      if (!fill(stored, position + group.length())
          || Crc32c.update(0, stored) != group.storedCrc()) {
        return false;
      }
      if (!decode(position, group, stored, original)) {
        return false;
      }
      int offset = 0;
      for (int i = 0; i < group.chunkCount(); i++) {
        original.limit(offset + group.chunkLength(i));
        original.position(offset);
        add(group, i, original);
        offset += group.chunkLength(i);
      }
      directory.endGroup(position, group.length(), group.storedLength(), group.stages());
      return true;
    } finally {
      buffers.give(stored);
      buffers.give(original);
    }
  }

  private void add(GroupHeader group, int chunk, ByteBuffer bytes) {
    int number = group.number(chunk);
    int length = group.chunkLength(chunk);
    int crc = group.hasChecksums() ? group.checksum(chunk) : Crc32c.update(0, bytes);
    if (group.isDifference(chunk)) {
      UnknownFingerprint.put(number, fingerprint, 0);
      directory.addDifference(
          number, length, crc, fingerprint, 0, group.wholeLength(chunk), group.baseOf(chunk));
    } else {
      fingerprinter.fingerprint(bytes.duplicate(), fingerprint, 0);
      directory.addChunk(number, length, crc, fingerprint, 0);
    }
  }

  private boolean decode(long position, GroupHeader group, ByteBuffer stored, ByteBuffer original)
      throws IOException {
    try {
      chain.decode(group.stages(), stored, original);
      decodedStages |= group.stages();
      return true;
    } catch (CorruptFrameException | RuntimeException e) {
      failedStages |= group.stages();
      if (undecodable == null) {
        undecodable =
            new IOException(
                path + ": the group at byte " + position + " is whole, but can't be decoded", e);
      }
      return false;
    }
  }

  /**
   * Where the next group may begin, from a position on; the end of the scan if there is none. What
   * the disk can't read is left out.
   */
  public long search(long from) throws IOException {
    ByteBuffer window = buffers.take(WINDOW);
    try {
      long position = from;
      while (end - position >= GroupHeader.FIXED_LENGTH) {
        window.clear();
        window.limit((int) Math.min(WINDOW, end - position));
        readAsMuchAsPossible(window, position);
        window.flip();
        int last = window.limit() - GroupHeader.SIGN_LENGTH;
        for (int i = 0; i <= last; i++) {
          if (GroupHeader.hasSign(window, i, header.marker())) {
            return position + i;
          }
        }
        if (last < 0) {
          return end;
        }
        position += last + 1;
      }
      return end;
    } finally {
      buffers.give(window);
    }
  }

  private boolean fill(ByteBuffer dst, long position) throws IOException {
    if (end - position < dst.remaining()) {
      return false;
    }
    int expected = dst.remaining();
    int count = tryToRead(dst, position);
    dst.flip();
    return count == expected;
  }

  /** Returns how much was read; -1 if the disk fails. */
  private int tryToRead(ByteBuffer dst, long position) throws IOException {
    try {
      return file.read(dst, position);
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      unreadable = e;
      return -1;
    }
  }

  /** Zeros take the place of what the disk can't read. */
  private void readAsMuchAsPossible(ByteBuffer dst, long position) throws IOException {
    if (tryToRead(dst, position) >= 0) {
      return;
    }
    int limit = dst.limit();
    int next;
    for (int from = 0; from < limit; from = next) {
      // As they lie in the file, so that nothing beside a bad sector is left out with it.
      next = from + SECTOR - (int) ((position + from) % SECTOR);
      dst.limit(Math.min(limit, next)).position(from);
      if (tryToRead(dst, position + from) < 0) {
        dst.position(from);
        while (dst.hasRemaining()) {
          dst.put((byte) 0);
        }
      }
    }
  }
}
