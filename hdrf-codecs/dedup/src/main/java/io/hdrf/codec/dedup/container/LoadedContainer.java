/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.LoadedDirectory.Origin;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.codec.dedup.container.format.GroupIndex;
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
 * A container's open file together with what says where its chunks lie in this very file, even if
 * it was renamed meanwhile: the group index, or a directory that is in memory anyway. Closed by its
 * last user. Safe for use by many threads; an interrupt of one closes the file for all.
 */
final class LoadedContainer {

  private static final AtomicLong SERIALS = new AtomicLong();

  private final long serial = SERIALS.incrementAndGet();
  private final Path path;
  private final ContainerHeader header;
  private final ReadableFile file;

  /** Null if there is the directory. */
  private final GroupIndex groups;

  /** Null if only the group index is loaded. */
  private final Supplier<ContainerDirectory> directory;

  private final ChainSource chains;
  private final Origin origin;
  private final IOException readError;
  private int users = 1;
  private boolean closed;

  /** Made with one user, who must call {@link #release}, and read by the file's group index. */
  LoadedContainer(
      Path path, ContainerHeader header, ReadableFile file, GroupIndex groups, ChainSource chains) {
    this(path, header, file, groups, null, chains, Origin.WRITTEN, null);
  }

  /** As above, read by a directory that is in memory. */
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
    this(path, header, file, null, directory, chains, origin, readError);
  }

  private LoadedContainer(
      Path path,
      ContainerHeader header,
      ReadableFile file,
      GroupIndex groups,
      Supplier<ContainerDirectory> directory,
      ChainSource chains,
      Origin origin,
      IOException readError) {
    this.origin = origin;
    this.readError = readError;
    this.path = path;
    this.header = header;
    this.file = file;
    this.groups = groups;
    this.directory = directory;
    this.chains = chains;
  }

  /**
   * Returns the same container with a separate file, which no interrupt of another reader closes.
   */
  LoadedContainer reopen() throws IOException {
    return new LoadedContainer(
        path, header, ChannelFile.open(path), groups, directory, chains, origin, readError);
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

  /** The directory if it is in memory, or null. That of an open container grows. */
  ContainerDirectory directory() {
    return directory == null ? null : directory.get();
  }

  /** As {@link #directory}, with its origin. */
  LoadedDirectory known() {
    return directory == null ? null : new LoadedDirectory(directory.get(), origin, readError);
  }

  /** The group index of a container of which the directory is not in memory. */
  GroupIndex groups() {
    return groups;
  }

  /** Where the groups lie, whether the directory is in memory or not. */
  GroupIndex index() {
    return directory == null ? groups : directory.get().groups();
  }

  /** Returns about the bytes of memory that index or directory take. */
  long memory() {
    return directory == null ? groups.memory() : directory.get().memory();
  }

  Origin origin() {
    return origin;
  }

  /** As {@link LoadedDirectory#readError}. */
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
   * The header of a group, which agrees with the index and has the chunks' CRCs.
   *
   * @param bytes the header at least, from the position on; not consumed
   * @throws CorruptFileException if it is damaged
   */
  GroupHeader header(GroupIndex index, int group, ByteBuffer bytes) throws IOException {
    GroupHeader found = GroupHeader.parse(path, bytes, header.marker());
    if (found.length() != index.headerLength(group)
        || found.storedLength() != index.storedLength(group)
        || found.stages() != index.stages(group)
        || found.firstNumber() != index.firstNumber(group)
        || found.lastNumber() >= index.endNumber(group)
        || !found.hasChecksums()) {
      throw new CorruptFileException(
          path, "group of chunk " + index.firstNumber(group), "as in the group index", "another");
    }
    return found;
  }

  /**
   * What the damaged header of a group said, as far as the directory tells. A chunk that is not
   * what its fingerprint says gets a CRC32C that it does not have; one that is kept as a difference
   * gets the directory's.
   *
   * @param bytes the whole group; not consumed
   * @throws CorruptFrameException if it can't be decoded
   */
  GroupHeader headerFrom(
      ContainerDirectory from, int group, ByteBuffer bytes, Fingerprinter fingerprinter)
      throws IOException {
    int[] checksums = new int[from.endChunk(group) - from.firstChunk(group)];
    GroupHeader made = from.header(group, checksums);
    ByteBuffer original = BufferPool.shared().take(from.originalLength(group));
    try {
      decode(made, bytes, original);
      original.position(0);
      addChecksums(checksums, from, group, 0, checksums.length, original, fingerprinter);
      return made;
    } finally {
      BufferPool.shared().give(original);
    }
  }

  /**
   * Fills in the CRC32C of chunks of a group, as {@link #headerFrom} does.
   *
   * @param first index of the first one in the group
   * @param end index behind the last one
   * @param original their bytes, from the position on; not consumed
   */
  static void addChecksums(
      int[] checksums,
      ContainerDirectory from,
      int group,
      int first,
      int end,
      ByteBuffer original,
      Fingerprinter fingerprinter) {
    ByteBuffer chunk = original.duplicate();
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    int offset = original.position();
    for (int i = first; i < end; i++) {
      int index = from.firstChunk(group) + i;
      if (from.isDifference(index)) {
        checksums[i] = from.differenceChecksum(index);
        offset += from.keptLength(index);
        continue;
      }
      chunk.limit(offset + from.keptLength(index));
      chunk.position(offset);
      offset += from.keptLength(index);
      int crc = Crc32c.update(0, chunk);
      fingerprinter.fingerprint(chunk.duplicate(), fingerprint, 0);
      checksums[i] = from.hasFingerprint(index, fingerprint, 0) ? crc : ~crc;
    }
  }

  /**
   * Decodes a group. The group's own header, if it is sound, is asked whether the stored bytes are;
   * otherwise the chunks' CRCs, which the caller checks, are all that tells.
   *
   * @param group what the header says, or should say
   * @param bytes the group with its header, from position to limit; not consumed
   * @param dst direct, with exactly the original length remaining
   * @throws CorruptFrameException if it can't be decoded; names the file
   */
  void decode(GroupHeader group, ByteBuffer bytes, ByteBuffer dst) throws IOException {
    ByteBuffer stored = bytes.duplicate();
    stored.position(bytes.position() + group.length());
    if (group.stages() == 0) {
      if (stored.remaining() != dst.remaining()) {
        throw damaged(group, "has not its original length", null);
      }
      dst.put(stored);
      return;
    }
    if (GroupHeader.contradicts(bytes, header.marker(), stored)) {
      throw damaged(group, "does not have its CRC32C", null);
    }
    try {
      chain().decode(group.stages(), stored, dst);
    } catch (CorruptFrameException e) {
      throw damaged(group, "can't be decoded: " + e.getMessage(), e);
    }
  }

  private CorruptFrameException damaged(GroupHeader group, String what, Throwable cause) {
    return new CorruptFrameException(
        path + ": the group of chunk " + group.firstNumber() + " " + what, cause);
  }

  /**
   * Checks that a group's header and stored bytes are sound, and that the header says the same as
   * the directory.
   *
   * @param bytes the whole group; not consumed
   * @return the header
   */
  GroupHeader checkHeader(ContainerDirectory from, int group, ByteBuffer bytes) throws IOException {
    GroupHeader found = GroupHeader.parse(path, bytes, header.marker());
    int first = from.firstChunk(group);
    boolean same =
        found.length() == from.headerLength(group)
            && found.storedLength() == from.storedLength(group)
            && found.stages() == from.stages(group)
            && found.chunkCount() == from.endChunk(group) - first
            && found.hasChecksums() == header.hasGroupIndex();
    for (int i = 0; same && i < found.chunkCount(); i++) {
      same =
          found.number(i) == from.number(first + i)
              && found.chunkLength(i) == from.keptLength(first + i)
              && found.isDifference(i) == from.isDifference(first + i)
              && found.wholeLength(i) == from.length(first + i)
              && (!found.isDifference(i) || found.baseOf(i) == from.baseOf(first + i))
              && (!found.hasChecksums()
                  || !from.hasChecksums()
                  || found.checksum(i) == from.checksum(first + i));
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
    return found;
  }

  /**
   * Checks that a group can be decoded and all its chunks have their CRC32C.
   *
   * @param bytes the whole group; not consumed
   */
  void checkChunks(GroupHeader group, ByteBuffer bytes) throws IOException {
    ByteBuffer original = BufferPool.shared().take(group.originalLength());
    try {
      decode(group, bytes, original);
      int offset = 0;
      for (int i = 0; i < group.chunkCount(); i++) {
        original.limit(offset + group.chunkLength(i));
        original.position(offset);
        checkChunk(group, i, Crc32c.update(0, original));
        offset += group.chunkLength(i);
      }
    } finally {
      BufferPool.shared().give(original);
    }
  }

  /**
   * Checks the CRC32C of a chunk.
   *
   * @param crc that of its bytes
   */
  void checkChunk(GroupHeader group, int chunk, int crc) throws CorruptFrameException {
    if (crc != group.checksum(chunk)) {
      throw new CorruptFrameException(
          String.format(
              "%s: chunk %d: expected CRC32C %08x, found %08x",
              path, group.number(chunk), group.checksum(chunk), crc));
    }
  }
}
