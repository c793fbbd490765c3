/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all of a sealed container: footer and directory, header, and every group in the order in
 * which they lie. Chunks are decoded and compared with their CRC32C and their fingerprints; those
 * that are kept as differences are made from their bases, which may lie in other containers. Where
 * the directory was made again without their fingerprints, these are found out. For one check.
 */
final class ContainerCheck {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerCheck.class);

  private final ContainerContext context;
  private final LoadedContainer source;
  private final ChunkReader.Bases bases;
  private final LongPredicate isBad;
  private final Throttle throttle;
  private final LoadedDirectory.Origin origin;
  private final ContainerDirectory directory;
  private final BitSet suspects = new BitSet();
  private final byte[] fingerprint = new byte[Fingerprinter.LENGTH];

  /** Of all chunks; null as long as none is known that the directory does not have. */
  private byte[] fingerprints;

  /** Whether a chunk lacks a fingerprint that may be found out another time. */
  private boolean mayFindFingerprints;

  private String beside;
  private boolean headerDamaged;
  private long bytesRead;

  /** The stages of all groups that could be decoded. */
  private int decodedStages;

  /** Why groups could not be decoded whose stored bytes are as they were written. */
  private final Map<Integer, IOException> undecodable = new TreeMap<>();

  /** Why a base could not be read for a reason that passes; null if there is none. */
  private IOException passing;

  /** Chunks that are what their fingerprints say. */
  private int matching;

  /** Chunks that have their CRC32C, and are not what their fingerprints say. */
  private final BitSet otherwise = new BitSet();

  /**
   * @param source loaded from the disk just now, as is the directory, and by a scrub for this
   *     alone, so that no reader is disturbed; stays the caller's
   * @param bases makes chunks at the check's pace; stays the caller's
   * @param isBad tells which bases can't be read
   */
  ContainerCheck(
      ContainerContext context,
      LoadedContainer source,
      LoadedDirectory found,
      ChunkReader.Bases bases,
      LongPredicate isBad,
      Throttle throttle) {
    this.context = context;
    this.source = source;
    this.bases = bases;
    this.isBad = isBad;
    this.throttle = throttle;
    this.origin = found.origin();
    this.directory = found.content();
  }

  /**
   * Reads the container.
   *
   * @throws IOException if the work shall end, or the file can't be read for a reason that says
   *     nothing about its bytes, or no chunk is what its fingerprint says and all else is sound, or
   *     nothing is known of some chunks and all else is sound
   */
  void run() throws IOException {
    if (origin != LoadedDirectory.Origin.WRITTEN) {
      beside = "its directory";
    } else if (source.origin() != LoadedDirectory.Origin.WRITTEN) {
      beside = "its group index";
    }
    checkFileHeader();
    for (int group = 0; group < directory.groupCount(); group++) {
      checkGroup(group);
    }
    IOException unknown = addUndecodable();
    if (isCompared()) {
      suspects.or(otherwise);
    } else if (suspects.isEmpty() && beside == null) {
      throw new IOException(
          source.path()
              + ": none of the chunks is what its fingerprint says"
              + (otherwise.cardinality() == directory.chunkCount()
                  ? "; hdrf.dedup.fingerprint must not be changed on volumes that have chunks"
                  : ", as far as they can be compared: others are differences whose bases can't be"
                      + " read, or their fingerprints are not known"));
    }
    if (unknown != null && suspects.isEmpty() && beside == null) {
      throw unknown;
    }
    long beyond = source.file().length() - bytesRead;
    throttle.acquire(beyond);
    bytesRead += beyond;
  }

  /** False if no chunk is what its fingerprint says: no memory fails so. */
  boolean isCompared() {
    return matching > 0 || otherwise.isEmpty();
  }

  private void checkFileHeader() throws IOException {
    try {
      ContainerHeader.read(source.path(), source.file());
    } catch (UnknownFormatVersionException | CorruptFileException e) {
      beside = "its header";
      headerDamaged = true;
    } catch (IOException e) {
      requireReadError(e);
      beside = "its header";
      headerDamaged = true;
    }
  }

  private void checkGroup(int group) throws IOException {
    int length = directory.groupLength(group);
    throttle.acquire(length);
    ByteBuffer bytes = BufferPool.shared().take(length);
    try {
      source.read(bytes, directory.groupPosition(group));
      bytesRead += length;
      bytes.flip();
      checkChunks(header(group, bytes), group, bytes);
      source.checkHeader(directory, group, bytes);
    } catch (CorruptFrameException e) {
      if (directory.stages(group) != 0 && isAsWritten(group, bytes)) {
        undecodable.put(group, e);
      } else {
        // For good, as nobody can replace a chunk whose fingerprint is unknown.
        suspect(group, false);
      }
    } catch (CorruptFileException e) {
      addHeader();
    } catch (IOException e) {
      requireReadError(e);
      suspect(group, true);
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  /**
   * Adds groups that are wrong themselves. Where no group with the same stages can be decoded, a
   * scheme fails, of whose chunks nothing is told.
   *
   * @return why nothing is known of some chunks; null if all is
   */
  private IOException addUndecodable() {
    IOException unknown = passing;
    for (Map.Entry<Integer, IOException> entry : undecodable.entrySet()) {
      if ((directory.stages(entry.getKey()) & ~decodedStages) == 0) {
        suspect(entry.getKey(), false);
      } else {
        unknown =
            new IOException(
                source.path() + ": stored groups are as they were written, but can't be decoded",
                entry.getValue());
      }
    }
    return unknown;
  }

  private boolean isAsWritten(int group, ByteBuffer bytes) {
    try {
      source.checkHeader(directory, group, bytes);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** The header of a group, or what the directory knows of a damaged one. */
  private GroupHeader header(int group, ByteBuffer bytes) throws IOException {
    if (directory.hasChecksums()) {
      return directory.header(group);
    }
    try {
      return source.header(directory.groups(), group, bytes);
    } catch (CorruptFileException e) {
      addHeader();
      return source.headerFrom(directory, group, bytes, context.fingerprinter());
    }
  }

  /** Chunks are read without it, but would not be found if the directory were lost. */
  private void addHeader() {
    beside = beside == null ? "the header of a group" : beside;
    headerDamaged = true;
  }

  private void checkChunks(GroupHeader header, int group, ByteBuffer bytes) throws IOException {
    ByteBuffer original = BufferPool.shared().take(directory.originalLength(group));
    try {
      source.decode(header, bytes, original);
      decodedStages |= header.stages();
      int first = directory.firstChunk(group);
      int offset = 0;
      for (int i = first; i < directory.endChunk(group); i++) {
        original.limit(offset + directory.keptLength(i));
        original.position(offset);
        offset += directory.keptLength(i);
        source.checkChunk(header, i - first, Crc32c.update(0, original));
        if (directory.isDifference(i)) {
          checkDifference(i, original);
        } else {
          compare(i, original);
        }
      }
    } finally {
      BufferPool.shared().give(original);
    }
  }

  /**
   * Makes the chunk. What is wrong with its base is told when the base's container is read; a disk
   * takes seconds for each attempt.
   */
  private void checkDifference(int index, ByteBuffer kept) throws IOException {
    if (isBad.test(directory.baseOf(index))) {
      mayFindFingerprints |= directory.lacksFingerprint(index);
      return;
    }
    ByteBuffer chunk = BufferPool.shared().take(directory.length(index));
    try {
      if (!bases.make(source, directory.baseOf(index), kept, chunk)) {
        suspects.set(directory.number(index));
      } else if (directory.lacksFingerprint(index)) {
        addFingerprint(index, chunk);
      } else {
        compare(index, chunk);
      }
    } catch (InterruptedIOException | ClosedChannelException e) {
      throw e;
    } catch (MissingChunkException e) {
      // For good: no other chunk gets its reference.
      LOG.debug("{}: the base of chunk {} is gone", source.path(), directory.number(index), e);
    } catch (IOException e) {
      passing = DiskErrors.isOutOfHandles(e) ? e : passing;
      mayFindFingerprints |= directory.lacksFingerprint(index);
      LOG.debug("{}: the base of chunk {}", source.path(), directory.number(index), e);
    } finally {
      BufferPool.shared().give(chunk);
    }
  }

  private void compare(int index, ByteBuffer chunk) {
    context.fingerprinter().fingerprint(chunk, fingerprint, 0);
    if (directory.hasFingerprint(index, fingerprint, 0)) {
      matching++;
    } else {
      otherwise.set(directory.number(index));
    }
  }

  /** The chunk has the CRC32C that stands before its difference, as a whole one has its own. */
  private void addFingerprint(int index, ByteBuffer chunk) {
    if (fingerprints == null) {
      fingerprints = directory.fingerprints();
    }
    context.fingerprinter().fingerprint(chunk, fingerprints, index * Fingerprinter.LENGTH);
  }

  private void suspect(int group, boolean mayPass) {
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      suspects.set(directory.number(i));
      mayFindFingerprints |= mayPass && directory.lacksFingerprint(i);
    }
  }

  private static void requireReadError(IOException e) throws IOException {
    if (!DiskErrors.isReadError(e)) {
      throw e;
    }
  }

  /** Returns the numbers of the chunks to be looked at one by one. */
  BitSet suspects() {
    return suspects;
  }

  /** The directory, with the fingerprints that it lacked, as far as their chunks can be made. */
  ContainerDirectory completed() {
    return fingerprints == null ? directory : directory.withFingerprints(fingerprints);
  }

  /** Whether another check may find out more fingerprints. */
  boolean mayFindFingerprints() {
    return mayFindFingerprints;
  }

  /** Returns what is damaged besides chunks; null if nothing is. */
  String damageBeside() {
    return beside;
  }

  boolean isHeaderDamaged() {
    return headerDamaged;
  }

  long bytesRead() {
    return bytesRead;
  }
}
