/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Differences;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Makes sealed containers whose headers, directory and footer are true, and whose groups are holes:
 * all chunks have one length and consist of zeros, so that they can be read, and a group of n bytes
 * is stored as n / 2 zeros. Nothing is forced. For one thread.
 */
public final class ContainerMaker {

  /** Writes the fingerprint of a chunk. */
  public interface Names {
    void fingerprint(long chunk, byte[] dst, int index);
  }

  private static final byte[] NO_NAME = new byte[Fingerprinter.LENGTH];

  private final Path directory;
  private final long identity;
  private final int[] chain;
  private final int chunkLength;
  private final int chunksPerGroup;
  private final int groupsPerContainer;
  private final int chunkChecksum;

  /** A whole group with its header. */
  private final ByteBuffer group;

  private final int[] numbers;
  private final int[] lengths;
  private final int[] checksums;
  private final long sealTime;

  /**
   * @param directory exists
   * @param identity of the store
   * @param chain ids of the schemes behind {@code dedup}, the last of which halves a group
   * @param groupSize of chunks, as {@link ContainerSettings#groupSize}
   * @param containerSize as {@link ContainerSettings#containerSize}
   * @param sealTime as {@link System#currentTimeMillis}
   */
  public ContainerMaker(
      Path directory,
      long identity,
      int[] chain,
      int chunkLength,
      int groupSize,
      long containerSize,
      long sealTime) {
    this.directory = directory;
    this.identity = identity;
    this.chain = chain.clone();
    this.chunkLength = chunkLength;
    this.chunksPerGroup = groupSize / chunkLength;
    this.sealTime = sealTime;
    numbers = new int[chunksPerGroup];
    lengths = new int[chunksPerGroup];
    checksums = new int[chunksPerGroup];
    Arrays.fill(lengths, chunkLength);
    for (int i = 0; i < chunksPerGroup; i++) {
      numbers[i] = i;
    }
    int header = GroupHeader.length(numbers, lengths, chunksPerGroup, Differences.NONE);
    group = ByteBuffer.allocateDirect(header + stored(chunksPerGroup));
    groupsPerContainer =
        Math.toIntExact((containerSize - ContainerHeader.LENGTH) / group.capacity());
    chunkChecksum = Crc32c.update(0, ByteBuffer.allocateDirect(chunkLength));
    Arrays.fill(checksums, chunkChecksum);
  }

  private int stored(int chunks) {
    return chunks * chunkLength / 2;
  }

  /** The number of chunks in a container. */
  public int chunksPerContainer() {
    return groupsPerContainer * chunksPerGroup;
  }

  /**
   * Makes a container.
   *
   * @param first chunk that is in it
   * @param count at most {@link #chunksPerContainer}
   * @return the file's length
   */
  public long make(long id, long first, int count, Names names) throws IOException {
    ContainerHeader header = new ContainerHeader(id, identity, chain, sealTime, ~id);
    DirectoryBuilder builder = new DirectoryBuilder(count, count / chunksPerGroup + 1);
    byte[] name = NO_NAME.clone();
    Path path = ContainerNames.file(directory, id, ContainerNames.SEALED);
    try (DurableFile file = LocalDurableFiles.INSTANCE.create(path)) {
      file.write(header.encode(), 0);
      long position = ContainerHeader.LENGTH;
      for (int at = 0; at < count; at += chunksPerGroup) {
        int chunks = Math.min(chunksPerGroup, count - at);
        for (int i = 0; i < chunks; i++) {
          names.fingerprint(first + at + i, name, 0);
          builder.addChunk(at + i, chunkLength, chunkChecksum, name, 0);
          numbers[i] = at + i;
        }
        int length = GroupHeader.length(numbers, lengths, chunks, Differences.NONE);
        GroupHeader.put(
            group,
            ~id,
            numbers,
            lengths,
            checksums,
            chunks,
            Differences.NONE,
            length,
            stored(chunks),
            ContainerFormat.crc(group, length, length + stored(chunks)),
            1);
        group.limit(length);
        group.position(0);
        file.write(group, position);
        group.clear();
        for (int i = 0; i < length; i++) {
          group.put(i, (byte) 0);
        }
        builder.endGroup(position, length, stored(chunks), 1);
        position += length + stored(chunks);
      }
      return ContainerWriter.finish(file, header, builder.build(), sealTime);
    }
  }
}
