/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Differences;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
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
 * again, together where they are neighbours. A group with a wanted chunk that is damaged is made
 * anew if there are {@link Replacements} for all such chunks of it. Otherwise it is copied whole,
 * byte by byte: it does not become better, but no worse either. A chunk that is kept as a
 * difference stays one, with its base, unless it is replaced: then it is whole. The new file has
 * the version that is written today; groups of version 1 get headers with the CRCs that the
 * directory has.
 */
final class ContainerRewriter {

  private final BufferPool buffers = BufferPool.shared();
  private final ContainerContext context;
  private final LoadedContainer source;
  private final ContainerDirectory directory;
  private final Path target;
  private final Replacements replacements;
  private final Throttle throttle;

  /** CRC32C of damaged groups that were copied, by the position where they are now. */
  private final Map<Long, Integer> damaged = new HashMap<>();

  private final BitSet damagedChunks = new BitSet();
  private final BitSet replaced = new BitSet();

  /** Of the chunk at hand. */
  private final byte[] fingerprint = new byte[Fingerprinter.LENGTH];

  private long bytesRead;
  private long bytesWritten;

  /**
   * The caller holds the container's maintenance lock, or is alone with it.
   *
   * @param directory of the container
   * @param replacements of its damaged chunks
   */
  ContainerRewriter(
      ContainerContext context,
      LoadedContainer source,
      ContainerDirectory directory,
      Replacements replacements,
      Throttle throttle) {
    this.context = context;
    this.source = source;
    this.directory = directory;
    this.target = context.file(source.id(), ContainerNames.TEMPORARY);
    this.replacements = replacements;
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

  /** Numbers of the chunks that were replaced. */
  BitSet replaced() {
    return replaced;
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
      GroupHeader header = null;
      boolean sound = false;
      IOException readError = null;
      try {
        source.read(bytes, directory.groupPosition(group));
        bytesRead += length;
        bytes.flip();
        header = header(group, bytes);
        sound = header != null && decodes(header, live, bytes, original);
      } catch (IOException e) {
        if (replacements.isEmpty() || !DiskErrors.isReadError(e)) {
          throw e;
        }
        readError = e;
      }
      // Chunks that are not what their fingerprints say have right CRCs.
      if ((!sound || hasReplacements(group, live))
          && addReplaced(group, live, header, bytes, original, writer, pending)) {
        return;
      }
      if (sound && !(whole && hasSoundHeader(group, bytes))) {
        addChunks(group, live, original, writer, pending);
        return;
      }
      if (readError != null) {
        // There are no bytes that could be copied.
        throw readError;
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
    int length = GroupHeader.length(numbers, lengths, count, Differences.NONE);
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
          Differences.NONE,
          length,
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

  private boolean hasReplacements(int group, BitSet live) {
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      if (isLive(live, i) && replacements.has(directory.number(i))) {
        return true;
      }
    }
    return false;
  }

  private void addChunks(
      int group, BitSet live, ByteBuffer original, ContainerWriter writer, GroupBuffer pending)
      throws IOException {
    int offset = 0;
    for (int i = directory.firstChunk(group); i < directory.endChunk(group); i++) {
      original.limit(offset + directory.keptLength(i));
      original.position(offset);
      offset += directory.keptLength(i);
      if (isLive(live, i)) {
        add(i, directory.isDifference(i), original, writer, pending);
      }
    }
  }

  /**
   * Adds the wanted chunks of a damaged group, each as it lies there or as it was found elsewhere.
   *
   * @param header null if nothing of the group can be read
   * @return false, and nothing is added, if any of them is neither here nor there
   */
  private boolean addReplaced(
      int group,
      BitSet live,
      GroupHeader header,
      ByteBuffer bytes,
      ByteBuffer original,
      ContainerWriter writer,
      GroupBuffer pending)
      throws IOException {
    if (replacements.isEmpty()) {
      return false;
    }
    int first = directory.firstChunk(group);
    ByteBuffer[] chunks = new ByteBuffer[directory.endChunk(group) - first];
    BitSet others = new BitSet();
    boolean decoded = header != null && decodesAgain(group, header, bytes, original);
    int offset = 0;
    for (int i = 0; i < chunks.length; i++) {
      int length = directory.keptLength(first + i);
      if (isLive(live, first + i)) {
        chunks[i] =
            decoded || readsAlone(group, header, first + i, offset, original)
                ? soundChunk(first + i, original, offset)
                : null;
        if (chunks[i] == null) {
          chunks[i] = replacements.get(directory.number(first + i));
          others.set(directory.number(first + i));
        }
        if (chunks[i] == null) {
          return false;
        }
      }
      offset += length;
    }
    for (int i = 0; i < chunks.length; i++) {
      if (chunks[i] != null) {
        boolean kept = !others.get(directory.number(first + i));
        add(first + i, kept && directory.isDifference(first + i), chunks[i], writer, pending);
      }
    }
    replaced.or(others);
    return true;
  }

  /** Decodes a damaged group as far as can be; some of its chunks may be sound. */
  private boolean decodesAgain(int group, GroupHeader header, ByteBuffer bytes, ByteBuffer original)
      throws IOException {
    original.clear();
    original.limit(directory.originalLength(group));
    try {
      source.decode(header, bytes, original);
      return true;
    } catch (CorruptFrameException e) {
      return false;
    }
  }

  /**
   * Reads a chunk of a group that the disk can't read whole.
   *
   * @param offset where it lies among the group's chunks, and where it is put in {@code original}
   */
  private boolean readsAlone(
      int group, GroupHeader header, int index, int offset, ByteBuffer original)
      throws IOException {
    if (header != null || directory.stages(group) != 0) {
      return false;
    }
    ByteBuffer chunk = original.duplicate();
    chunk.limit(offset + directory.keptLength(index));
    chunk.position(offset);
    try {
      long start = directory.groupPosition(group) + directory.headerLength(group);
      source.read(chunk, start + offset);
      return true;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      return false;
    }
  }

  /**
   * A decoded chunk, or null if it is not what its fingerprint says. A difference, whose base may
   * be out of reach, has to have its CRC32C; one that was found elsewhere is taken from there, as
   * right bytes may make another chunk.
   */
  private ByteBuffer soundChunk(int index, ByteBuffer original, int offset) {
    ByteBuffer chunk = original.duplicate();
    chunk.limit(offset + directory.keptLength(index));
    chunk.position(offset);
    boolean sound =
        directory.isDifference(index)
            ? !replacements.has(directory.number(index))
                && Crc32c.update(0, chunk.duplicate()) == directory.differenceChecksum(index)
            : hasFingerprint(directory, index, chunk);
    return sound ? chunk : null;
  }

  private boolean hasFingerprint(ContainerDirectory of, int index, ByteBuffer chunk) {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    context.fingerprinter().fingerprint(chunk.duplicate(), fingerprint, 0);
    return of.hasFingerprint(index, fingerprint, 0);
  }

  /**
   * Adds a chunk.
   *
   * @param difference whether the bytes are its difference
   */
  private void add(
      int index, boolean difference, ByteBuffer bytes, ContainerWriter writer, GroupBuffer pending)
      throws IOException {
    int length = directory.length(index);
    if (!pending.hasRoomFor(bytes.remaining(), length)) {
      flush(writer, pending);
    }
    directory.fingerprint(index, fingerprint, 0);
    int number = directory.number(index);
    if (difference) {
      pending.addDifference(number, fingerprint, 0, bytes, length, directory.baseOf(index));
    } else {
      pending.add(number, fingerprint, 0, bytes);
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
      GroupHeader header = copy.checkHeader(written, group, bytes);
      copy.checkChunks(header, bytes);
      verifyReplaced(copy, written, group, header, bytes);
    } finally {
      buffers.give(bytes);
    }
  }

  /** The CRC32C of a replaced chunk is that of bytes from elsewhere: only its fingerprint tells. */
  private void verifyReplaced(
      LoadedContainer copy,
      ContainerDirectory written,
      int group,
      GroupHeader header,
      ByteBuffer bytes)
      throws IOException {
    int first = replaced.nextSetBit(written.number(written.firstChunk(group)));
    if (first < 0 || first > written.number(written.endChunk(group) - 1)) {
      return;
    }
    ByteBuffer original = buffers.take(written.originalLength(group));
    try {
      copy.decode(header, bytes, original);
      int offset = 0;
      for (int i = written.firstChunk(group); i < written.endChunk(group); i++) {
        original.limit(offset + written.keptLength(i));
        original.position(offset);
        offset += written.keptLength(i);
        if (replaced.get(written.number(i)) && !hasFingerprint(written, i, original)) {
          throw new CorruptFileException(
              target, "fingerprint of chunk " + written.number(i), "the directory's", "another");
        }
      }
    } finally {
      buffers.give(original);
    }
  }
}
