/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.codec.dedup.container.format.GroupIndex;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Reads runs of chunks from a loaded container, and quarantines what can't be read: the chunks of
 * one group at most, or those of it that were wanted where they are stored as they are. Chunks that
 * are kept as differences are made from their bases, which are whole: there is no second step. Safe
 * for use by many threads.
 */
final class ChunkReader {

  /** Neighbouring groups are read together up to this many bytes. */
  private static final int MAX_READ = 1 << 20;

  private final BufferPool buffers = BufferPool.shared();
  private final GroupCache cache;
  private final Quarantine unreadable;
  private final Fingerprinter fingerprinter;
  private final LoadedContainers loaded;
  private final ContainerSettings settings;

  /**
   * @param unreadable gets the chunks that can't be read
   * @param fingerprinter tells which chunks are sound in a group whose header is damaged
   * @param loaded the containers in which bases lie
   * @param settings bound the decoded groups of bases that a reader keeps
   */
  ChunkReader(
      GroupCache cache,
      Quarantine unreadable,
      Fingerprinter fingerprinter,
      LoadedContainers loaded,
      ContainerSettings settings) {
    this.cache = cache;
    this.unreadable = unreadable;
    this.fingerprinter = fingerprinter;
    this.loaded = loaded;
    this.settings = settings;
  }

  /**
   * Reads chunks with consecutive numbers; {@code dst} gets their bytes one after the other.
   *
   * @param bases keeps the groups of their bases decoded
   * @throws MissingChunkException if one of them, or its base, is not there
   * @throws CorruptFrameException if one of them, or its base, is damaged
   */
  void read(LoadedContainer container, int firstNumber, int count, ByteBuffer dst, Bases bases)
      throws IOException {
    bases.mine = container;
    new Reading(container, firstNumber, count, dst, bases).run();
  }

  /**
   * For reads one after the other.
   *
   * @param throttle for what is read of bases
   */
  Bases newBases(Throttle throttle) {
    return new Bases(throttle);
  }

  /**
   * Starts to read the groups of chunks with consecutive numbers, without waiting for them.
   *
   * @return false if nothing was begun, as where they are decoded already
   */
  boolean prefetch(LoadedContainer container, int firstNumber, int count) {
    GroupIndex groups = container.index();
    int firstGroup = groups.groupOf(firstNumber);
    int lastGroup = groups.groupOf(firstNumber + count - 1);
    if (firstGroup < 0 || lastGroup < 0) {
      return false;
    }
    if (firstGroup == lastGroup && cache.contains(container, firstGroup)) {
      return false;
    }
    long start = groups.position(firstGroup);
    return container.file().prefetch(start, groups.end(lastGroup) - start);
  }

  /** Reads one run of chunks, group by group. */
  private final class Reading {
    private final LoadedContainer container;
    private final int firstNumber;
    private final int endNumber;
    private final ByteBuffer dst;

    /** Null if the chunk is wanted as a base, which must be whole. */
    private final Bases bases;

    /** Null if the container is read by its group index alone. */
    private final ContainerDirectory directory;

    private final GroupIndex groups;

    /** The next chunk's. */
    private int number;

    Reading(LoadedContainer container, int firstNumber, int count, ByteBuffer dst, Bases bases) {
      this.bases = bases;
      this.container = container;
      this.firstNumber = firstNumber;
      this.endNumber = firstNumber + count;
      this.dst = dst;
      this.directory = container.directory();
      this.groups = directory == null ? container.groups() : directory.groups();
      this.number = firstNumber;
    }

    void run() throws IOException {
      while (number < endNumber) {
        int group = groups.groupOf(number);
        if (group < 0) {
          throw missing();
        }
        if (groups.stages(group) == 0) {
          readPlain(group);
        } else {
          readEncoded(group);
        }
      }
    }

    private IOException missing() {
      String message =
          container.path()
              + ": not all of the chunks from "
              + firstNumber
              + " to "
              + (endNumber - 1)
              + " are there";
      IOException readError = container.readError();
      if (readError != null) {
        return new IOException(readError.getMessage() + "; " + message, readError);
      }
      if (container.origin() == LoadedDirectory.Origin.LOSSY) {
        return new CorruptFrameException(message + "; the file is damaged");
      }
      return new MissingChunkException(message);
    }

    /** Returns the index in its group of the next chunk, which there is room for. */
    private int find(GroupHeader header) throws IOException {
      int first = header.indexOf(number);
      if (first < 0) {
        throw missing();
      }
      if (bases == null) {
        requireWhole(header, first);
      }
      int end = endIn(header, first);
      long length = header.wholeLengthOf(first, end);
      if (length > dst.remaining()) {
        throw new CorruptFrameException(
            container.path()
                + ": "
                + (end - first)
                + " chunks from "
                + number
                + " on have "
                + length
                + " bytes, where at most "
                + dst.remaining()
                + " were expected");
      }
      return first;
    }

    /** No chunk takes more than one base: a chain of them could be endless. */
    private void requireWhole(GroupHeader header, int chunk) throws CorruptFrameException {
      if (header.isDifference(chunk)) {
        throw new CorruptFrameException(
            container.path()
                + ": chunk "
                + header.number(chunk)
                + " is a base of another, and a difference itself");
      }
    }

    /** Returns the index behind the last chunk of a group that is wanted and follows the first. */
    private int endIn(GroupHeader header, int first) {
      int most = Math.min(header.chunkCount() - first, endNumber - number);
      int count = 1;
      while (count < most && header.number(first + count) == number + count) {
        count++;
      }
      return first + count;
    }

    /** Reads chunks of a group that is stored as it is. */
    private void readPlain(int group) throws IOException {
      GroupHeader header = directory == null ? readHeader(group) : directory.header(group);
      int first = find(header);
      int end = endIn(header, first);
      if (header.storedLength() != header.originalLength()) {
        quarantine(group, header, first, end);
        throw new CorruptFrameException(
            container.path() + ": a group stored as it is has another length than its chunks");
      }
      long start = groups.position(group) + header.length() + header.lengthOf(0, first);
      if (header.hasDifferences(first, end)) {
        ByteBuffer kept = buffers.take(header.lengthOf(first, end));
        try {
          readBytes(group, header, first, end, kept, start);
          kept.flip();
          place(group, header, first, end, kept);
        } finally {
          buffers.give(kept);
        }
        return;
      }
      ByteBuffer part = dst.duplicate();
      part.limit(part.position() + header.lengthOf(first, end));
      readBytes(group, header, first, end, part, start);
      check(group, header, first, end);
    }

    private GroupHeader readHeader(int group) throws IOException {
      ByteBuffer bytes = buffers.take(groups.headerLength(group));
      try {
        container.read(bytes, groups.position(group));
        bytes.flip();
        return container.header(groups, group, bytes);
      } catch (ClosedChannelException | UnknownFormatVersionException e) {
        throw e;
      } catch (CorruptFileException e) {
        return headerForNext(group, new CorruptFrameException(e.getMessage(), e));
      } catch (IOException e) {
        if (DiskErrors.isReadError(e)) {
          return headerForNext(group, e);
        }
        quarantine(group, null, 0, 0);
        throw e;
      } finally {
        buffers.give(bytes);
      }
    }

    /**
     * The header of a group that is stored as it is and whose own can't be read, by the container's
     * directory. It has the CRCs of the next chunks alone: the others may be unreadable, too.
     */
    private GroupHeader headerForNext(int group, IOException damage) throws IOException {
      ContainerDirectory content = readDirectory(group, damage);
      int[] checksums = new int[content.endChunk(group) - content.firstChunk(group)];
      GroupHeader header = content.header(group, checksums);
      int first = find(header);
      int end = endIn(header, first);
      ByteBuffer part = dst.duplicate();
      part.limit(part.position() + header.lengthOf(first, end));
      long start = groups.position(group) + header.length() + header.lengthOf(0, first);
      readBytes(group, header, first, end, part, start);
      part.position(dst.position());
      LoadedContainer.addChecksums(checksums, content, group, first, end, part, fingerprinter);
      return header;
    }

    /** The header of a group whose own is damaged, by the container's directory. */
    private GroupHeader headerWithout(int group, ByteBuffer bytes, CorruptFileException damage)
        throws IOException {
      CorruptFrameException lost = new CorruptFrameException(damage.getMessage(), damage);
      ContainerDirectory content = readDirectory(group, lost);
      try {
        return container.headerFrom(content, group, bytes, fingerprinter);
      } catch (CorruptFrameException e) {
        quarantine(group, null, 0, 0);
        lost.addSuppressed(e);
        throw lost;
      }
    }

    /**
     * The container's directory, for a group whose header can't be read. If the directory can't be
     * read either, the group is lost.
     */
    private ContainerDirectory readDirectory(int group, IOException damage) throws IOException {
      try {
        return ContainerFooter.read(container.path(), container.file())
            .readDirectory(container.path(), container.file());
      } catch (IOException e) {
        if (!(e instanceof CorruptFileException) && !DiskErrors.isReadError(e)) {
          throw e;
        }
        quarantine(group, null, 0, 0);
        // What the disk can't read now may be read another time, and is no damage.
        IOException reason = DiskErrors.isReadError(e) ? e : damage;
        reason.addSuppressed(reason == e ? damage : e);
        throw reason;
      }
    }

    private void readEncoded(int group) throws IOException {
      GroupCache.DecodedGroup cached = cache.acquire(container, group);
      if (cached == null) {
        readGroups(group);
        return;
      }
      try {
        copy(group, cached);
      } finally {
        cache.release(cached);
      }
    }

    /** Reads neighbouring groups at once, from {@code group} on. */
    private void readGroups(int group) throws IOException {
      long start = groups.position(group);
      int endGroup = group + 1;
      while (endGroup < groups.groupCount()
          && groups.stages(endGroup) != 0
          && groups.firstNumber(endGroup) < endNumber
          && groups.position(endGroup) == groups.end(endGroup - 1)
          && groups.end(endGroup) - start <= MAX_READ
          && !(endNumber < groups.endNumber(endGroup) && cache.contains(container, endGroup))) {
        endGroup++;
      }
      ByteBuffer bytes = buffers.take((int) (groups.end(endGroup - 1) - start));
      try {
        if (endGroup > group + 1 && !readTogether(bytes, start)) {
          // One by one, so that it shows which of them is damaged.
          endGroup = group + 1;
          bytes.clear();
          bytes.limit(groups.length(group));
        }
        if (endGroup == group + 1) {
          readBytes(group, null, 0, 0, bytes, start);
        }
        for (int g = group; g < endGroup && number < endNumber; g++) {
          int offset = (int) (groups.position(g) - start);
          bytes.limit(offset + groups.length(g));
          bytes.position(offset);
          decode(g, header(g, bytes), bytes);
        }
      } finally {
        buffers.give(bytes);
      }
    }

    /** Returns false if the disk fails, or the file is too short. */
    private boolean readTogether(ByteBuffer bytes, long start) throws IOException {
      try {
        container.read(bytes, start);
        return true;
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        return false;
      }
    }

    private GroupHeader header(int group, ByteBuffer bytes) throws IOException {
      if (directory != null) {
        return directory.header(group);
      }
      try {
        return container.header(groups, group, bytes);
      } catch (CorruptFileException e) {
        return headerWithout(group, bytes, e);
      }
    }

    /**
     * Fills {@code bytes}; if this fails, the chunks from {@code first} to {@code end} are lost, or
     * all of the group if its header is not known.
     */
    private void readBytes(
        int group, GroupHeader header, int first, int end, ByteBuffer bytes, long start)
        throws IOException {
      try {
        container.read(bytes, start);
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        quarantine(group, header, first, end);
        throw e;
      }
    }

    private void decode(int group, GroupHeader header, ByteBuffer bytes) throws IOException {
      int first = find(header);
      int end = endIn(header, first);
      if (end - first == header.chunkCount() && !header.hasDifferences(first, end)) {
        ByteBuffer part = dst.duplicate();
        part.limit(part.position() + header.originalLength());
        decodeGroup(group, header, bytes, part);
        check(group, header, first, end);
        return;
      }
      GroupCache.DecodedGroup cached = decodeAll(group, header, bytes);
      try {
        copy(group, cached);
      } finally {
        cache.release(cached);
      }
    }

    /** Decodes a group and keeps it, to be released by the caller. */
    private GroupCache.DecodedGroup decodeAll(int group, GroupHeader header, ByteBuffer bytes)
        throws IOException {
      ByteBuffer all = buffers.take(header.originalLength());
      boolean decoded = false;
      try {
        decodeGroup(group, header, bytes, all);
        decoded = true;
      } finally {
        if (!decoded) {
          buffers.give(all);
        }
      }
      all.flip();
      return cache.put(container, group, header, all);
    }

    /**
     * A whole group, to be released by the caller.
     *
     * @param holder makes room for it before it is decoded
     * @throws IOException if not all of it can be read; where chunks are stored as they are, the
     *     wanted one may be read alone, and nothing counts as unreadable yet
     */
    private GroupCache.DecodedGroup group(int group, Bases holder) throws IOException {
      GroupCache.DecodedGroup cached = cache.acquire(container, group);
      if (cached != null) {
        holder.makeRoom(cached.header().originalLength());
        return cached;
      }
      ByteBuffer bytes = buffers.take(groups.length(group));
      try {
        if (groups.stages(group) == 0) {
          container.read(bytes, groups.position(group));
        } else {
          readBytes(group, null, 0, 0, bytes, groups.position(group));
        }
        bytes.flip();
        GroupHeader header = header(group, bytes);
        holder.makeRoom(header.originalLength());
        return decodeAll(group, header, bytes);
      } finally {
        buffers.give(bytes);
      }
    }

    private void decodeGroup(int group, GroupHeader header, ByteBuffer bytes, ByteBuffer to)
        throws IOException {
      try {
        container.decode(header, bytes, to);
      } catch (CorruptFrameException e) {
        quarantine(group, header, 0, header.chunkCount());
        throw e;
      }
    }

    private void copy(int group, GroupCache.DecodedGroup cached) throws IOException {
      GroupHeader header = cached.header();
      int first = find(header);
      int end = endIn(header, first);
      int start = header.lengthOf(0, first);
      ByteBuffer decoded = cached.bytes();
      decoded.limit(start + header.lengthOf(first, end));
      decoded.position(start);
      if (header.hasDifferences(first, end)) {
        place(group, header, first, end, decoded);
        return;
      }
      dst.duplicate().put(decoded);
      check(group, header, first, end);
    }

    /** Checks chunks that begin at the position of {@code dst}, and moves it behind them. */
    private void check(int group, GroupHeader header, int first, int end)
        throws CorruptFrameException {
      dst.position(dst.position() + check(group, header, first, end, dst));
      number += end - first;
    }

    /** Checks chunks, puts them into {@code dst}, and makes those that are differences. */
    private void place(int group, GroupHeader header, int first, int end, ByteBuffer kept)
        throws IOException {
      check(group, header, first, end, kept);
      int next = kept.position();
      for (int i = first; i < end; i++) {
        kept.limit(next + header.chunkLength(i));
        kept.position(next);
        next = kept.limit();
        if (header.isDifference(i)) {
          makeOf(kept, group, header, i);
        } else {
          dst.put(kept);
        }
      }
      number += end - first;
    }

    private void makeOf(ByteBuffer difference, int group, GroupHeader header, int chunk)
        throws IOException {
      ByteBuffer to = dst.duplicate();
      to.limit(to.position() + header.wholeLength(chunk));
      if (!bases.make(header.baseOf(chunk), difference, to)) {
        quarantine(group, header, chunk, chunk + 1);
        throw new CorruptFrameException(
            container.path()
                + ": chunk "
                + header.number(chunk)
                + " is no difference to chunk "
                + ChunkRef.toString(header.baseOf(chunk)));
      }
      dst.position(to.limit());
    }

    /**
     * Checks what is kept of chunks, from the position of {@code kept}, which stays.
     *
     * @return its length
     */
    private int check(int group, GroupHeader header, int first, int end, ByteBuffer kept)
        throws CorruptFrameException {
      int[] ends = new int[end - first];
      int length = 0;
      for (int i = first; i < end; i++) {
        length += header.chunkLength(i);
        ends[i - first] = length;
      }
      int[] checksums = new int[ends.length];
      Crc32c.ofEach(kept, ends, ends.length, checksums);
      for (int i = first; i < end; i++) {
        try {
          container.checkChunk(header, i, checksums[i - first]);
        } catch (CorruptFrameException e) {
          quarantine(group, header, i, i + 1);
          throw e;
        }
      }
      return length;
    }

    /** Returns the bytes of a chunk of a decoded group, which must be whole and sound. */
    private ByteBuffer base(int group, GroupCache.DecodedGroup decoded) throws IOException {
      GroupHeader header = decoded.header();
      int chunk = header.indexOf(number);
      if (chunk < 0) {
        throw missing();
      }
      requireWhole(header, chunk);
      ByteBuffer bytes = decoded.bytes();
      int start = header.lengthOf(0, chunk);
      bytes.limit(start + header.chunkLength(chunk));
      bytes.position(start);
      check(group, header, chunk, chunk + 1, bytes);
      return bytes;
    }

    /**
     * Quarantines chunks of a group.
     *
     * @param header null if it is not known, and so which chunks there are
     */
    private void quarantine(int group, GroupHeader header, int first, int end) {
      BitSet numbers = new BitSet();
      if (header == null) {
        numbers.set(groups.firstNumber(group), groups.endNumber(group));
      }
      for (int i = first; i < end; i++) {
        numbers.set(header.number(i));
      }
      unreadable.add(container.id(), numbers);
      // Read from memory, they would seem to be mended.
      cache.remove(container, group);
    }
  }

  /**
   * The bases of chunks that are read one after the other. They are mostly neighbours, as the
   * chunks are: the groups that were needed last stay decoded, whether the cache has room for them
   * or not. So a reader of a frame decodes none twice. For one thread.
   */
  final class Bases implements AutoCloseable {

    private final Throttle throttle;

    /** The container of the chunks, whose user the reader is. */
    private LoadedContainer mine;

    /** As many as there is room for, the oldest first. */
    private final List<BaseGroup> held = new ArrayList<>(0);

    /** Of these, decoded. */
    private long heldBytes;

    /**
     * The container, by its serial, and the group that could not be read whole last. Its chunks are
     * read alone: a disk takes seconds for each attempt. Serials begin at 1.
     */
    private long failedContainer;

    private int failedGroup;

    private Bases(Throttle throttle) {
      this.throttle = throttle;
    }

    /**
     * Makes a chunk that was read in another way.
     *
     * @param container of the chunk; stays the caller's
     * @param base its reference
     * @param chunk is filled from position to limit
     * @return false if it is no difference to that base
     * @throws IOException if the base can't be read, or is not there, or is a difference itself
     */
    boolean make(LoadedContainer container, long base, ByteBuffer difference, ByteBuffer chunk)
        throws IOException {
      mine = container;
      return make(base, difference, chunk);
    }

    private boolean make(long base, ByteBuffer difference, ByteBuffer chunk) throws IOException {
      long id = ChunkRef.container(base);
      while (true) {
        LoadedContainer container = acquire(id);
        try {
          return makeFrom(container, ChunkRef.number(base), difference, chunk);
        } catch (ClosedChannelException e) {
          if (container == mine) {
            // For whoever reads from it.
            throw e;
          }
          remove(container);
          loaded.forget(loaded.find(id), container, e);
        } finally {
          container.release();
        }
      }
    }

    /** A container, to be released; one of those at hand if it is there. */
    private LoadedContainer acquire(long id) throws IOException {
      if (id == mine.id() && mine.acquire()) {
        return mine;
      }
      for (BaseGroup group : held) {
        if (group.container.id() == id && group.container.acquire()) {
          return group.container;
        }
      }
      return loaded.acquire(loaded.find(id));
    }

    private boolean makeFrom(
        LoadedContainer container, int number, ByteBuffer difference, ByteBuffer chunk)
        throws IOException {
      Reading reading = new Reading(container, number, 1, null, null);
      int group = reading.groups.groupOf(number);
      if (group < 0) {
        throw reading.missing();
      }
      GroupCache.DecodedGroup all = held(container, group);
      if (all == null && container.serial() == failedContainer && group == failedGroup) {
        throttle.acquire(chunk.remaining());
        return makeAlone(container, group, number, difference, chunk);
      }
      if (all == null) {
        throttle.acquire(reading.groups.length(group));
        try {
          all = reading.group(group, this);
        } catch (ClosedChannelException | UnknownFormatVersionException e) {
          throw e;
        } catch (IOException e) {
          if (reading.groups.stages(group) != 0) {
            throw e;
          }
          failedContainer = container.serial();
          failedGroup = group;
          return makeAlone(container, group, number, difference, chunk);
        }
        hold(container, group, all);
      }
      return DifferenceFormat.make(reading.base(group, all), difference, chunk);
    }

    /** With a base of which the group, stored as it is, can't be read whole. */
    private boolean makeAlone(
        LoadedContainer container, int group, int number, ByteBuffer difference, ByteBuffer chunk)
        throws IOException {
      ByteBuffer base = buffers.take(container.index().storedLength(group));
      try {
        new Reading(container, number, 1, base, null).run();
        base.flip();
        return DifferenceFormat.make(base, difference, chunk);
      } finally {
        buffers.give(base);
      }
    }

    private GroupCache.DecodedGroup held(LoadedContainer container, int number) {
      for (BaseGroup group : held) {
        if (group.container == container && group.number == number) {
          return group.decoded;
        }
      }
      return null;
    }

    /** Gives up the oldest groups, so that one more may be held. */
    private void makeRoom(int more) {
      while (!settings.hasRoomForBases(held.size(), heldBytes, more)) {
        release(held.remove(0));
      }
    }

    /** Takes a group over, for which there is room. */
    private void hold(LoadedContainer container, int number, GroupCache.DecodedGroup decoded) {
      boolean done = false;
      try {
        held.add(new BaseGroup(container, number, decoded));
        heldBytes += decoded.header().originalLength();
        container.acquire();
        done = true;
      } finally {
        if (!done) {
          cache.release(decoded);
        }
      }
    }

    private void release(BaseGroup group) {
      heldBytes -= group.decoded.header().originalLength();
      group.container.release();
      cache.release(group.decoded);
    }

    private void remove(LoadedContainer container) {
      for (int i = held.size() - 1; i >= 0; i--) {
        if (held.get(i).container == container) {
          release(held.remove(i));
        }
      }
    }

    @Override
    public void close() {
      held.forEach(this::release);
      held.clear();
    }
  }

  /** A decoded group of bases, and its container, which it keeps open. */
  private static final class BaseGroup {
    private final LoadedContainer container;
    private final int number;
    private final GroupCache.DecodedGroup decoded;

    BaseGroup(LoadedContainer container, int number, GroupCache.DecodedGroup decoded) {
      this.container = container;
      this.number = number;
      this.decoded = decoded;
    }
  }
}
