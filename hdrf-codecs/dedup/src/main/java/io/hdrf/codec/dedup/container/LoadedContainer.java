/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A container's open file together with the directory that says where its chunks lie in this very
 * file, even if it was renamed meanwhile. Closed by its last user. Safe for use by many threads; an
 * interrupt of one closes the file for all.
 */
final class LoadedContainer {

  /** The origin of the directory. */
  enum Origin {
    /** The container's own directory. */
    WRITTEN,
    /** The directory is damaged and was made from the groups; nothing else is damaged. */
    REBUILT,
    /** The directory was made from the groups, and chunks may have been lost. */
    LOSSY
  }

  private static final AtomicLong SERIALS = new AtomicLong();

  private final long serial = SERIALS.incrementAndGet();
  private final Path path;
  private final ContainerHeader header;
  private final ReadableFile file;
  private final Supplier<ContainerDirectory> directory;
  private final ChainSource chains;
  private final Origin origin;
  private final IOException readError;
  private int users = 1;
  private boolean closed;

  /** Made with one user, who must call {@link #release}. */
  LoadedContainer(
      Path path,
      ContainerHeader header,
      ReadableFile file,
      Supplier<ContainerDirectory> directory,
      ChainSource chains) {
    this(path, header, file, directory, chains, Origin.WRITTEN, null);
  }

  /**
   * As above, with the origin of the directory.
   *
   * @param readError where chunks may have been lost: the disk's error, if there was one, so that
   *     another look may find them; otherwise null
   */
  LoadedContainer(
      Path path,
      ContainerHeader header,
      ReadableFile file,
      Supplier<ContainerDirectory> directory,
      ChainSource chains,
      Origin origin,
      IOException readError) {
    this.origin = origin;
    this.readError = readError;
    this.path = path;
    this.header = header;
    this.file = file;
    this.directory = directory;
    this.chains = chains;
  }

  /**
   * Returns the same container with a separate file, which no interrupt of another reader closes.
   */
  LoadedContainer reopen() throws IOException {
    return new LoadedContainer(
        path, header, ChannelFile.open(path), directory, chains, origin, readError);
  }

  /** Adds a user; false if there is none any more. */
  synchronized boolean acquire() {
    if (users == 0) {
      return false;
    }
    users++;
    return true;
  }

  void release() {
    synchronized (this) {
      users--;
      if (users > 0 || closed) {
        return;
      }
      closed = true;
    }
    try {
      file.close();
    } catch (IOException e) {
      // The file was only read.
    }
  }

  /** A number that no other loaded container has. */
  long serial() {
    return serial;
  }

  long id() {
    return header.id();
  }

  /** Returns the path, for messages. */
  Path path() {
    return path;
  }

  ContainerHeader header() {
    return header;
  }

  ReadableFile file() {
    return file;
  }

  ContainerDirectory directory() {
    return directory.get();
  }

  Origin origin() {
    return origin;
  }

  /** Returns why chunks are missing that may be found another time; null if that does not pass. */
  IOException readError() {
    return readError;
  }

  FrameChain chain() throws IOException {
    return chains.chain(header.chainIds());
  }

  /** Fills {@code dst} from the file. */
  void read(ByteBuffer dst, long position) throws IOException {
    int expected = dst.remaining();
    int count = file.read(dst, position);
    if (count != expected) {
      throw new CorruptFrameException(
          path + ": the file ends at " + (position + count) + ", in the middle of a group");
    }
  }

  /**
   * Decodes a group. The group's own header, if it is sound, is asked whether the stored bytes are;
   * otherwise the chunks' CRCs, which the caller checks, are all that tells.
   *
   * @param bytes the group with its header, from position to limit; not consumed
   * @param dst direct, with exactly the original length remaining
   * @throws CorruptFrameException if it can't be decoded; names the file
   */
  void decode(ContainerDirectory from, int group, ByteBuffer bytes, ByteBuffer dst)
      throws IOException {
    ByteBuffer stored = bytes.duplicate();
    stored.position(bytes.position() + from.headerLength(group));
    int stages = from.stages(group);
    if (stages == 0) {
      if (stored.remaining() != dst.remaining()) {
        throw damaged(from, group, "has not its original length", null);
      }
      dst.put(stored);
      return;
    }
    if (GroupHeader.contradicts(bytes, header.marker(), stored)) {
      throw damaged(from, group, "does not have its CRC32C", null);
    }
    try {
      chain().decode(stages, stored, dst);
    } catch (CorruptFrameException e) {
      throw damaged(from, group, "can't be decoded: " + e.getMessage(), e);
    }
  }

  /**
   * Checks that a group's header and stored bytes are sound, and that the header says the same as
   * the directory.
   *
   * @param bytes the whole group; not consumed
   */
  void checkHeader(ContainerDirectory from, int group, ByteBuffer bytes)
      throws CorruptFileException {
    GroupHeader found = GroupHeader.parse(path, bytes, header.marker());
    int first = from.firstChunk(group);
    boolean same =
        found.length() == from.headerLength(group)
            && found.storedLength() == from.storedLength(group)
            && found.stages() == from.stages(group)
            && found.chunkCount() == from.endChunk(group) - first;
    for (int i = 0; same && i < found.chunkCount(); i++) {
      same =
          found.number(i) == from.number(first + i)
              && found.chunkLength(i) == from.length(first + i);
    }
    if (!same) {
      throw new CorruptFileException(
          path, "group of chunk " + from.number(first), "as in the directory", "another");
    }
    ByteBuffer stored = bytes.duplicate();
    stored.position(bytes.position() + found.length());
    ContainerFormat.expect(
        path,
        "CRC32C of the stored bytes of chunk " + from.number(first),
        found.storedCrc(),
        Crc32c.update(0, stored));
  }

  /**
   * Checks that a group can be decoded and all its chunks have their CRC32C.
   *
   * @param bytes the whole group; not consumed
   */
  void checkChunks(ContainerDirectory from, int group, ByteBuffer bytes) throws IOException {
    ByteBuffer original = BufferPool.shared().take(from.originalLength(group));
    try {
      decode(from, group, bytes, original);
      int offset = 0;
      for (int i = from.firstChunk(group); i < from.endChunk(group); i++) {
        original.limit(offset + from.length(i));
        original.position(offset);
        checkChunk(from, i, original);
        offset += from.length(i);
      }
    } finally {
      BufferPool.shared().give(original);
    }
  }

  private CorruptFrameException damaged(
      ContainerDirectory from, int group, String what, Throwable cause) {
    return new CorruptFrameException(
        path
            + ": the group of chunk "
            + from.number(from.firstChunk(group))
            + " at "
            + from.groupPosition(group)
            + " "
            + what,
        cause);
  }

  /**
   * Checks the CRC32C of a chunk.
   *
   * @param chunk its bytes, from position to limit
   */
  void checkChunk(ContainerDirectory from, int index, ByteBuffer chunk)
      throws CorruptFrameException {
    checkChunk(from, index, Crc32c.update(0, chunk));
  }

  /** As {@link #checkChunk(ContainerDirectory, int, ByteBuffer)}, with the CRC32C of the bytes. */
  void checkChunk(ContainerDirectory from, int index, int crc) throws CorruptFrameException {
    if (crc != from.checksum(index)) {
      throw new CorruptFrameException(
          String.format(
              "%s: chunk %d: expected CRC32C %08x, found %08x",
              path, from.number(index), from.checksum(index), crc));
    }
  }
}
