/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Rewrites a container, whole or with only some of its chunks, as a sealed file under another name.
 * The new file is forced, read back and verified. For one container and one thread.
 *
 * <p>Groups that are kept whole are copied as they are stored; chunks of the others are encoded
 * again, together where they are neighbours. Groups with a wanted chunk that is damaged are copied
 * whole, byte by byte: they don't become better, but no worse either. The new file has the version
 * that is written today; groups of version 1 get headers with the CRCs that the directory has.
 */
final class ContainerRewriter {

  private final BufferPool buffers = BufferPool.shared();
  private final ContainerContext context;
  private final LoadedContainer source;
  private final ContainerDirectory directory;
  private final Path target;
  private final Throttle throttle;

  /** CRC32C of damaged groups that were copied, by the position where they are now. */
  private final Map<Long, Integer> damaged = new HashMap<>();

  private final BitSet damagedChunks = new BitSet();
  private long bytesRead;
  private long bytesWritten;

  /**
   * The caller holds the container's maintenance lock, or is alone with it.
   *
   * @param directory of the container
   */
  ContainerRewriter(
      ContainerContext context,
      LoadedContainer source,
      ContainerDirectory directory,
      Throttle throttle) {
    this.context = context;
    this.source = source;
    this.directory = directory;
    this.target = context.file(source.id(), ContainerNames.TEMPORARY);
    this.throttle = throttle;
  }

  /**
   * Writes the file. If this fails, the file is deleted, where that is possible.
   *
   * @param live numbers of the chunks to keep, or null for all
   */
  void rewrite(BitSet live) throws IOException {
    context.files().deleteIfExists(target);
    boolean done = false;
    try {
      ContainerDirectory written = write(live);
      verify(written);
      done = true;
    } finally {
      if (!done) {
        discard();
      }
    }
  }

  /** Deletes what was written. */
  void discard() throws IOException {
    context.files().deleteIfExists(target);
  }

  /** Puts what was written in place of the container's file, durably. */
  void replace() throws IOException {
    context.files().rename(target, context.file(source.id(), ContainerNames.SEALED));
    context.files().forceDirectory(context.directory());
  }

  long bytesRead() {
    return bytesRead;
  }

  long bytesWritten() {
    return bytesWritten;
  }

  /** Numbers of the chunks in these groups. */
  BitSet damagedChunks() {
    return damagedChunks;
  }

  int damagedGroups() {
    return damaged.size();
  }

  private ContainerDirectory write(BitSet live) throws IOException {
    try (ContainerWriter writer =
            new ContainerWriter(context.files(), target, source.header().latest());
        GroupBuffer pending = new GroupBuffer(source.chain(), context.settings().groupSize())) {
      for (int g = 0; g < directory.groupCount(); g++) {
        int wanted = countLive(live, g);
        if (wanted > 0) {
          boolean whole = wanted == directory.endChunk(g) - directory.firstChunk(g);
          writeGroup(g, live, whole, writer, pending);
        }
      }
      flush(writer, pending);
      writer.finish(System.currentTimeMillis());
      writer.force();
      bytesWritten = writer.length();
      return writer.directory();
    }
  }

  private int countLive(BitSet live, int group) {
    int count = 0;
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      if (isLive(live, i)) {
        count++;
      }
    }
    return count;
  }

  private boolean isLive(BitSet live, int index) {
    return live == null || live.get(directory.number(index));
  }

  private void writeGroup(
      int group, BitSet live, boolean whole, ContainerWriter writer, GroupBuffer pending)
      throws IOException {
    int length = directory.groupLength(group);
    throttle.acquire(length);
    ByteBuffer bytes = buffers.take(length);
    ByteBuffer original = buffers.take(directory.originalLength(group));
    try {
      source.read(bytes, directory.groupPosition(group));
      bytesRead += length;
      bytes.flip();
      GroupHeader header = header(group, bytes);
      boolean sound = header != null && decodes(header, live, bytes, original);
      if (sound && !(whole && hasSoundHeader(group, bytes))) {
        addChunks(group, live, original, writer, pending);
        return;
      }
      flush(writer, pending);
      if (!sound) {
        for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
          damagedChunks.set(directory.number(i));
        }
      }
      if (source.header().hasGroupIndex()) {
        copy(group, sound, bytes, directory.headerLength(group), header, writer);
      } else {
        copyWithChecksums(group, sound, bytes, header, writer);
      }
    } finally {
      buffers.give(bytes);
      buffers.give(original);
    }
  }

  /** What the header of a group says, or what the directory knows of that; null if that is lost. */
  private GroupHeader header(int group, ByteBuffer bytes) throws IOException {
    if (directory.hasChecksums()) {
      return directory.header(group);
    }
    try {
      return source.header(directory.groups(), group, bytes);
    } catch (CorruptFileException e) {
      try {
        return source.headerFrom(directory, group, bytes, context.fingerprinter());
      } catch (CorruptFrameException lost) {
        return null;
      }
    }
  }

  private void copy(
      int group,
      boolean sound,
      ByteBuffer bytes,
      int headerLength,
      GroupHeader header,
      ContainerWriter writer)
      throws IOException {
    if (!sound) {
      damaged.put(writer.position(), Crc32c.update(0, bytes));
    }
    throttle.acquire(bytes.remaining());
    writer.copy(bytes, headerLength, header, directory, group);
  }

  /** Copies a group of version 1. Its new header says of the stored bytes what the old one did. */
  private void copyWithChecksums(
      int group, boolean sound, ByteBuffer bytes, GroupHeader header, ContainerWriter writer)
      throws IOException {
    int count = header.chunkCount();
    int[] numbers = new int[count];
    int[] lengths = new int[count];
    int[] checksums = new int[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = header.number(i);
      lengths[i] = header.chunkLength(i);
      checksums[i] = header.checksum(i);
    }
    ByteBuffer stored = bytes.duplicate();
    stored.position(bytes.position() + header.length());
    int storedCrc;
    boolean headed = true;
    try {
      storedCrc = GroupHeader.parse(source.path(), bytes, source.header().marker()).storedCrc();
    } catch (CorruptFileException e) {
      // Nothing says it any more; the chunks' CRCs do. Where there are no chunks, the group must
      // not become a whole one that can't be decoded, which only a scheme that fails would leave.
      storedCrc = Crc32c.update(0, stored);
      headed = canBeDecoded(header, bytes);
    }
    int length = GroupHeader.length(numbers, lengths, count);
    ByteBuffer copied = buffers.take(length + header.storedLength());
    try {
      copied.position(length);
      copied.put(stored);
      GroupHeader.put(
          copied,
          source.header().marker(),
          numbers,
          lengths,
          checksums,
          count,
          length,
          header.originalLength(),
          header.storedLength(),
          storedCrc,
          header.stages());
      if (!headed) {
        copied.putInt(0, 0);
      }
      copied.flip();
      copy(group, sound, copied, length, header, writer);
    } finally {
      buffers.give(copied);
    }
  }

  private boolean canBeDecoded(GroupHeader header, ByteBuffer bytes) throws IOException {
    ByteBuffer original = buffers.take(header.originalLength());
    try {
      source.decode(header, bytes, original);
      return true;
    } catch (CorruptFrameException e) {
      return false;
    } finally {
      buffers.give(original);
    }
  }

  /** Decodes a group, and says whether the wanted chunks are right. */
  private boolean decodes(GroupHeader header, BitSet live, ByteBuffer bytes, ByteBuffer original)
      throws IOException {
    try {
      source.decode(header, bytes, original);
      int offset = 0;
      for (int i = 0; i < header.chunkCount(); i++) {
        original.limit(offset + header.chunkLength(i));
        original.position(offset);
        if (live == null || live.get(header.number(i))) {
          source.checkChunk(header, i, Crc32c.update(0, original));
        }
        offset += header.chunkLength(i);
      }
      return true;
    } catch (CorruptFrameException e) {
      return false;
    }
  }

  private boolean hasSoundHeader(int group, ByteBuffer bytes) throws IOException {
    try {
      source.checkHeader(directory, group, bytes);
      return true;
    } catch (CorruptFileException e) {
      return false;
    }
  }

  private void addChunks(
      int group, BitSet live, ByteBuffer original, ContainerWriter writer, GroupBuffer pending)
      throws IOException {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    int offset = 0;
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      original.limit(offset + directory.length(i));
      original.position(offset);
      offset += directory.length(i);
      if (isLive(live, i)) {
        if (!pending.hasRoomFor(directory.length(i))) {
          flush(writer, pending);
        }
        directory.fingerprint(i, fingerprint, 0);
        pending.add(directory.number(i), fingerprint, 0, original);
      }
    }
  }

  private void flush(ContainerWriter writer, GroupBuffer pending) throws IOException {
    if (!pending.isEmpty()) {
      pending.encode(writer.header().marker());
      throttle.acquire(pending.encoded().remaining());
      writer.write(pending);
      pending.clear();
    }
  }

  private void verify(ContainerDirectory written) throws IOException {
    try (ReadableFile file = ChannelFile.open(target)) {
      ContainerHeader.read(target, file);
      ContainerFooter footer = ContainerFooter.read(target, file);
      ContainerDirectory read = footer.readDirectory(target, file);
      if (!read.sameContent(written)) {
        throw new CorruptFileException(target, "directory", "as it was written", "another");
      }
      LoadedContainer copy =
          new LoadedContainer(
              target,
              footer.header(),
              file,
              footer.readGroups(target, file, null),
              context.chains());
      // By what was written: the new file's directory has no CRCs.
      for (int g = 0; g < written.groupCount(); g++) {
        verifyGroup(copy, written, g);
      }
    }
  }

  private void verifyGroup(LoadedContainer copy, ContainerDirectory written, int group)
      throws IOException {
    throttle.acquire(written.groupLength(group));
    ByteBuffer bytes = buffers.take(written.groupLength(group));
    try {
      copy.read(bytes, written.groupPosition(group));
      bytes.flip();
      Integer crc = damaged.get(written.groupPosition(group));
      if (crc != null) {
        ContainerFormat.expect(target, "CRC32C of a damaged group", crc, Crc32c.update(0, bytes));
        return;
      }
      copy.checkChunks(copy.checkHeader(written, group, bytes), bytes);
    } finally {
      buffers.give(bytes);
    }
  }
}
