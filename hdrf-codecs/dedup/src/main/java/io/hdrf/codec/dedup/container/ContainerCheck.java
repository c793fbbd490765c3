/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Reads all of a sealed container: footer and directory, header, and every group in the order in
 * which they lie. Chunks are decoded and compared with their CRC32C and their fingerprints. The
 * file is opened for this alone, so that neither the directories of readers nor their files are
 * disturbed. For one check.
 */
final class ContainerCheck {

  private final ContainerContext context;
  private final LoadedContainer source;
  private final Throttle throttle;
  private final ContainerDirectory directory;
  private final BitSet suspects = new BitSet();
  private final byte[] fingerprint = new byte[Fingerprinter.LENGTH];
  private String beside;
  private long bytesRead;

  /**
   * @param source loaded from the disk just now; stays the caller's
   */
  ContainerCheck(ContainerContext context, LoadedContainer source, Throttle throttle) {
    this.context = context;
    this.source = source;
    this.throttle = throttle;
    this.directory = source.directory();
  }

  /**
   * Reads the container.
   *
   * @throws IOException if the work shall end, or the file can't be read for a reason that says
   *     nothing about its bytes
   */
  void run() throws IOException {
    if (source.origin() != LoadedContainer.Origin.WRITTEN) {
      beside = "its directory";
    }
    checkFileHeader();
    for (int group = 0; group < directory.groupCount(); group++) {
      checkGroup(group);
    }
    long beyond = source.file().length() - bytesRead;
    throttle.acquire(beyond);
    bytesRead += beyond;
  }

  private void checkFileHeader() throws IOException {
    try {
      ContainerHeader.read(source.path(), source.file());
    } catch (UnknownFormatVersionException | CorruptFileException e) {
      beside = "its header";
    } catch (IOException e) {
      requireReadError(e);
      beside = "its header";
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
      checkChunks(group, bytes);
      source.checkHeader(directory, group, bytes);
    } catch (CorruptFrameException e) {
      suspect(group);
    } catch (CorruptFileException e) {
      // Chunks are read without it, but would not be found if the directory were lost.
      beside = beside == null ? "the header of a group" : beside;
    } catch (IOException e) {
      requireReadError(e);
      suspect(group);
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  private void checkChunks(int group, ByteBuffer bytes) throws IOException {
    ByteBuffer original = BufferPool.shared().take(directory.originalLength(group));
    try {
      source.decode(directory, group, bytes, original);
      int offset = 0;
      for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
        original.limit(offset + directory.length(i));
        original.position(offset);
        offset += directory.length(i);
        source.checkChunk(directory, i, original.duplicate());
        context.fingerprinter().fingerprint(original, fingerprint, 0);
        if (!directory.hasFingerprint(i, fingerprint, 0)) {
          suspects.set(directory.number(i));
        }
      }
    } finally {
      BufferPool.shared().give(original);
    }
  }

  private void suspect(int group) {
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      suspects.set(directory.number(i));
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

  /** Returns what is damaged besides chunks; null if nothing is. */
  String damageBeside() {
    return beside;
  }

  long bytesRead() {
    return bytesRead;
  }
}
