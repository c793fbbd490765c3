/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFiles;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Checks all of a container: every CRC, every fingerprint, every header against the directory. */
final class ContainerVerifier {

  private final BufferPool buffers = BufferPool.shared();
  private final LoadedContainer container;
  private final ContainerDirectory directory;
  private final Fingerprinter fingerprinter;
  private final VerifyReport report;

  ContainerVerifier(LoadedContainer container, Fingerprinter fingerprinter) {
    this.container = container;
    this.directory = container.directory();
    this.fingerprinter = fingerprinter;
    this.report = new VerifyReport(container.id());
  }

  VerifyReport verify(Throttle throttle) throws IOException {
    try {
      ContainerHeader header = ContainerFiles.readHeader(container.path(), container.file());
      header.check(container.path(), container.id(), container.header().identity());
    } catch (CorruptFileException e) {
      report.addProblem(e.getMessage());
    }
    for (int g = 0; g < directory.groupCount(); g++) {
      throttle.acquire(directory.groupLength(g));
      verifyGroup(g);
    }
    return report;
  }

  private void verifyGroup(int group) throws IOException {
    ByteBuffer bytes = buffers.take(directory.groupLength(group));
    ByteBuffer original = buffers.take(directory.originalLength(group));
    try {
      container.read(bytes, directory.groupPosition(group));
      bytes.flip();
      report.addRead(
          directory.endChunk(group) - directory.firstChunk(group), directory.groupLength(group));
      try {
        GroupCheck.checkHeader(container, directory, group, bytes);
      } catch (CorruptFileException e) {
        report.addProblem(e.getMessage());
      }
      container.decode(directory, group, bytes, original);
      verifyChunks(group, original);
    } catch (CorruptFrameException e) {
      report.addProblem(e.getMessage());
      for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
        report.addDamaged(directory.number(i));
      }
    } finally {
      buffers.give(bytes);
      buffers.give(original);
    }
  }

  private void verifyChunks(int group, ByteBuffer original) {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    int offset = 0;
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      original.limit(offset + directory.length(i));
      original.position(offset);
      offset += directory.length(i);
      try {
        container.checkChunk(directory, i, original);
        fingerprinter.fingerprint(original.duplicate(), fingerprint, 0);
        if (!directory.hasFingerprint(i, fingerprint, 0)) {
          throw new CorruptFrameException(
              container.path() + ": chunk " + directory.number(i) + " has another fingerprint");
        }
      } catch (CorruptFrameException e) {
        report.addProblem(e.getMessage());
        report.addDamaged(directory.number(i));
      }
    }
  }
}
