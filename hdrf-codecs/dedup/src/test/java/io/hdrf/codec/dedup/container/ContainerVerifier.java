/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Checks all of a container: every CRC, every fingerprint, every header against the directory. */
final class ContainerVerifier {

  private final BufferPool buffers = BufferPool.shared();
  private final LoadedContainer container;
  private final LoadedDirectory loaded;
  private final ContainerDirectory directory;
  private final BitSet damagedChunks = new BitSet();
  private final List<String> problems = new ArrayList<>();

  private ContainerVerifier(LoadedContainer container, LoadedDirectory loaded) {
    this.container = container;
    this.loaded = loaded;
    this.directory = loaded.content();
  }

  static ContainerVerifier verify(ContainerStore store, long id) throws IOException {
    Container found = store.loaded.find(id);
    synchronized (found.maintenance()) {
      LoadedContainer container = store.loaded.acquireAlone(found);
      try {
        LoadedDirectory known = container.known();
        ContainerVerifier verifier =
            new ContainerVerifier(container, known != null ? known : store.loaded.directory(found));
        verifier.verify();
        return verifier;
      } finally {
        container.release();
      }
    }
  }

  /** What is wrong, in words that name the file. */
  List<String> problems() {
    return problems;
  }

  /** Numbers of the chunks that can't be read. */
  BitSet damagedChunks() {
    return damagedChunks;
  }

  private void verify() throws IOException {
    try {
      ContainerHeader header = ContainerHeader.read(container.path(), container.file());
      header.check(container.path(), container.id(), container.header().identity());
    } catch (CorruptFileException e) {
      problems.add(e.getMessage());
    }
    for (int g = 0; g < directory.groupCount(); g++) {
      verifyGroup(g);
    }
    if (loaded.origin() == LoadedDirectory.Origin.LOSSY) {
      problems.add(container.path() + ": the directory is damaged, and chunks may be lost");
    }
  }

  private void verifyGroup(int group) throws IOException {
    ByteBuffer bytes = buffers.take(directory.groupLength(group));
    ByteBuffer original = buffers.take(directory.originalLength(group));
    try {
      container.read(bytes, directory.groupPosition(group));
      bytes.flip();
      try {
        container.checkHeader(directory, group, bytes);
      } catch (CorruptFileException e) {
        problems.add(e.getMessage());
      }
      GroupHeader header =
          directory.hasChecksums()
              ? directory.header(group)
              : container.header(directory.groups(), group, bytes);
      container.decode(header, bytes, original);
      verifyChunks(header, group, original);
    } catch (CorruptFrameException | CorruptFileException e) {
      problems.add(e.getMessage());
      for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
        damagedChunks.set(directory.number(i));
      }
    } finally {
      buffers.give(bytes);
      buffers.give(original);
    }
  }

  private void verifyChunks(GroupHeader header, int group, ByteBuffer original) {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    int offset = 0;
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      original.limit(offset + directory.keptLength(i));
      original.position(offset);
      offset += directory.keptLength(i);
      try {
        container.checkChunk(header, i - directory.firstChunk(group), Crc32c.update(0, original));
        if (directory.isDifference(i)) {
          continue;
        }
        Chunks.fingerprint(original, fingerprint, 0);
        if (!directory.hasFingerprint(i, fingerprint, 0)) {
          throw new CorruptFrameException(
              container.path() + ": chunk " + directory.number(i) + " has another fingerprint");
        }
      } catch (CorruptFrameException e) {
        problems.add(e.getMessage());
        damagedChunks.set(directory.number(i));
      }
    }
  }
}
