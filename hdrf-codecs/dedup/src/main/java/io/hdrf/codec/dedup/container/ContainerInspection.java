/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.ContainerScanner;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells people what a container file holds, without its store. Groups are compared with their
 * CRC32C and with the directory, and not decoded; so neither the schemes of the container are
 * needed nor its bases. Of a file that is not sealed, what lies behind the last whole group may be
 * in the making, and is no damage. For one inspection.
 */
public final class ContainerInspection {

  private final Path path;
  private final ReadableFile file;
  private final Map<String, Object> facts;

  /** The groups in their order; empty if there are to be no lists. */
  private final List<Group> groups = new ArrayList<>();

  private final boolean lists;

  private final NamedBases bases = new NamedBases();

  private int groupCount;
  private int groupsAsTheyAre;
  private long chunks;
  private long wholeBytes;
  private long groupBytes;
  private long differences;
  private long bytesAsDifferences;
  private long bytesOfDifferences;
  private long endOfGroups = ContainerHeader.LENGTH;

  /** The first that was found; null if there is none. */
  private CorruptFileException damage;

  private int damagedGroups;

  /** Null if the disk could read all. */
  private IOException unread;

  /** Whether the group that was looked at last has a sound header, and all its bytes are there. */
  private boolean allThere;

  private ContainerInspection(
      Path path, ReadableFile file, boolean lists, Map<String, Object> facts) {
    this.path = path;
    this.file = file;
    this.lists = lists;
    this.facts = facts;
  }

  /**
   * Inspects a file. The list of chunks makes its items when they are asked for.
   *
   * @return false if it neither has the name of a container nor begins like one
   * @throws CorruptFileException if anything in it is damaged; what is known is in {@code facts}
   */
  public static boolean inspect(Path path, boolean lists, Map<String, Object> facts)
      throws IOException {
    try (ChannelFile file = ChannelFile.open(path)) {
      if (!hasName(path) && !ContainerHeader.begins(file)) {
        return false;
      }
      inspect(path, file, lists, facts);
      return true;
    }
  }

  /** As above, of a file that is a container. */
  static void inspect(Path path, ReadableFile file, boolean lists, Map<String, Object> facts)
      throws IOException {
    new ContainerInspection(path, file, lists, facts).inspect();
  }

  private static boolean hasName(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(ContainerNames.SEALED) || isUnfinished(name);
  }

  /** A copy may have something behind its name. */
  private static boolean isUnfinished(String name) {
    return name.contains(ContainerNames.OPEN) || name.contains(ContainerNames.TEMPORARY);
  }

  private void inspect() throws IOException {
    String name = path.getFileName().toString();
    boolean sealed = !isUnfinished(name);
    facts.put("form", sealed ? "container" : "container that is not sealed");
    if (!sealed && file.length() <= ContainerHeader.LENGTH) {
      // Groups come after the header is on the device, so a torn one is no damage.
      try {
        describe(ContainerHeader.read(path, file));
      } catch (CorruptFileException e) {
        facts.put("storedBytes", file.length());
      }
      return;
    }
    ContainerFooter footer = sealed ? sound(() -> ContainerFooter.read(path, file)) : null;
    ContainerHeader header = sound(() -> ContainerHeader.read(path, file));
    if (header == null) {
      if (footer == null) {
        throw damage;
      }
      header = footer.header();
    }
    ContainerHeader known = header;
    long id = ContainerNames.id(name, ContainerNames.SEALED);
    if (id >= 0) {
      sound(
          () -> {
            known.check(path, id, known.identity());
            return known;
          });
    }
    describe(header);
    ContainerDirectory directory =
        footer == null ? null : sound(() -> footer.readDirectory(path, file));
    try {
      if (directory != null) {
        readGroups(header, directory);
      } else {
        readGroups(header, footer);
      }
    } catch (UnknownFormatVersionException e) {
      if (damage == null) {
        throw e;
      }
      damage.addSuppressed(e);
    }
    describeContent(footer, directory);
    if (unread != null) {
      throw damage == null
          ? unread
          : new IOException(unread.getMessage() + "; besides: " + damage.getMessage(), unread);
    }
    if (damage != null) {
      throw damage;
    }
  }

  private interface Reading<T> {
    T read() throws IOException;
  }

  /** Returns null if what is read is damaged. */
  private <T> T sound(Reading<T> reading) throws IOException {
    try {
      return reading.read();
    } catch (CorruptFileException e) {
      found(e);
      return null;
    }
  }

  private void found(CorruptFileException e) {
    damage = damage == null ? e : damage;
  }

  private void readGroups(ContainerHeader header, ContainerDirectory directory) throws IOException {
    LoadedContainer source =
        new LoadedContainer(
            path,
            header,
            file,
            () -> directory,
            ids -> {
              throw new IllegalStateException("nothing is decoded");
            });
    for (int g = 0; g < directory.groupCount(); g++) {
      int group = g;
      GroupHeader read = null;
      String state = "unreadable";
      try {
        read = sound(() -> checked(source, directory, group));
        state = read == null ? "damaged" : "sound";
        damagedGroups += read == null ? 1 : 0;
      } catch (IOException e) {
        unreadable(e);
      }
      int[] noCrcs = new int[directory.endChunk(g) - directory.firstChunk(g)];
      add(directory.groupPosition(g), read == null ? directory.header(g, noCrcs) : read, state);
    }
  }

  private GroupHeader checked(LoadedContainer source, ContainerDirectory directory, int group)
      throws IOException {
    ByteBuffer bytes = BufferPool.shared().take(directory.groupLength(group));
    try {
      file.read(bytes, directory.groupPosition(group));
      bytes.flip();
      return source.checkHeader(directory, group, bytes);
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  /**
   * Goes from group to group, and searches for the next one behind those that are not whole.
   *
   * @param footer null if nothing says where they end: what no group follows may be in the making
   */
  private void readGroups(ContainerHeader header, ContainerFooter footer) throws IOException {
    long end = footer == null ? file.length() : footer.directoryPosition();
    // Decodes nothing.
    ContainerScanner scanner = new ContainerScanner(path, file, header, null, null, end);
    CorruptFileException torn = null;
    long position = endOfGroups;
    while (position < end) {
      try {
        GroupHeader group = group(header, position);
        damaged(torn);
        torn = null;
        add(position, group, "sound");
        position = endOfGroups;
      } catch (CorruptFileException e) {
        if (allThere) {
          // Not in the making: all of it was written.
          damaged(torn);
          damaged(e);
          torn = null;
        } else {
          torn = torn == null ? e : torn;
        }
        position = scanner.search(position + 1);
      } catch (IOException e) {
        unreadable(e);
        position = scanner.search(position + 1);
      }
    }
    damaged(footer == null ? null : torn);
    if (scanner.hasUnreadable()) {
      unreadable(scanner.readError());
    }
  }

  /** What the disk can't read says nothing of the bytes, and the rest is looked at. */
  private void unreadable(IOException e) throws IOException {
    if (!DiskErrors.isReadError(e)) {
      throw e;
    }
    unread = unread == null ? e : unread;
  }

  private void damaged(CorruptFileException group) {
    if (group != null) {
      found(group);
      damagedGroups++;
    }
  }

  private GroupHeader group(ContainerHeader header, long position) throws IOException {
    allThere = false;
    ByteBuffer fixed = read(position, GroupHeader.FIXED_LENGTH);
    int length;
    try {
      length = GroupHeader.peekLength(path, fixed, header.marker());
    } finally {
      BufferPool.shared().give(fixed);
    }
    ByteBuffer bytes = read(position, length);
    GroupHeader group;
    try {
      group = GroupHeader.parse(path, bytes, header.marker());
    } finally {
      BufferPool.shared().give(bytes);
    }
    ByteBuffer stored = read(position + length, group.storedLength());
    allThere = stored.remaining() == group.storedLength();
    try {
      ContainerFormat.expect(
          path,
          "CRC32C of the stored bytes of chunk " + group.firstNumber(),
          group.storedCrc(),
          Crc32c.update(0, stored));
      return group;
    } finally {
      BufferPool.shared().give(stored);
    }
  }

  private ByteBuffer read(long position, int length) throws IOException {
    // It may get shorter meanwhile.
    long there = Math.max(0, file.length() - position);
    ByteBuffer bytes = BufferPool.shared().take((int) Math.min(length, there));
    boolean done = false;
    try {
      file.read(bytes, position);
      bytes.flip();
      done = true;
      return bytes;
    } finally {
      if (!done) {
        BufferPool.shared().give(bytes);
      }
    }
  }

  private void add(long position, GroupHeader group, String state) {
    int ofGroup = 0;
    for (int i = 0; i < group.chunkCount(); i++) {
      if (group.isDifference(i)) {
        ofGroup++;
        bytesAsDifferences += group.wholeLength(i);
        bytesOfDifferences += group.chunkLength(i);
        long base = group.baseOf(i);
        bases.add(ChunkRef.container(base), ChunkRef.number(base), 1);
      }
    }
    groupCount++;
    groupsAsTheyAre += group.stages() == 0 ? 1 : 0;
    chunks += group.chunkCount();
    wholeBytes += group.wholeLengthOf(0, group.chunkCount());
    groupBytes += (long) group.length() + group.storedLength();
    differences += ofGroup;
    endOfGroups = position + group.length() + group.storedLength();
    if (lists) {
      groups.add(new Group(position, group, ofGroup, state));
    }
  }

  private static final class Group {
    private final long position;
    private final GroupHeader header;
    private final int differences;
    private final String state;

    Group(long position, GroupHeader header, int differences, String state) {
      this.position = position;
      this.header = header;
      this.differences = differences;
      this.state = state;
    }
  }

  private static Map<String, Object> row(int number, Group group) {
    GroupHeader header = group.header;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("group", number);
    row.put("position", group.position);
    row.put("headerLength", header.length());
    row.put("storedLength", header.storedLength());
    row.put("length", header.originalLength());
    row.put("logicalLength", header.wholeLengthOf(0, header.chunkCount()));
    row.put("firstChunk", header.firstNumber());
    row.put("chunks", header.chunkCount());
    row.put("differences", group.differences);
    row.put("stages", header.stages());
    row.put("state", group.state);
    return row;
  }

  private void describe(ContainerHeader header) throws IOException {
    facts.put("version", header.version());
    facts.put("container", ContainerNames.hex(header.id()));
    facts.put("store", Long.toHexString(header.identity()));
    facts.put("schemes", header.chainIds());
    facts.put("created", Instant.ofEpochMilli(header.creationTime()).toString());
  }

  private void describeContent(ContainerFooter footer, ContainerDirectory directory)
      throws IOException {
    if (footer != null) {
      facts.put("sealed", Instant.ofEpochMilli(footer.sealTime()).toString());
    }
    facts.put("logicalBytes", wholeBytes);
    facts.put("storedBytes", file.length());
    facts.put("groups", groupCount);
    facts.put("groupsStoredAsTheyAre", groupsAsTheyAre);
    facts.put("groupBytes", groupBytes);
    if (damagedGroups > 0) {
      facts.put("damagedGroups", damagedGroups);
    }
    facts.put("bytesBehindGroups", file.length() - endOfGroups);
    facts.put("chunks", chunks);
    facts.put("chunksAsDifferences", differences);
    if (differences > 0) {
      facts.put("bytesAsDifferences", bytesAsDifferences);
      facts.put("bytesOfDifferences", bytesOfDifferences);
      bases.tell(facts);
    }
    if (lists) {
      facts.put("groupList", new Rows(groups.size(), i -> row(i, groups.get(i))));
      facts.put("chunkList", chunkList(groups, directory));
    }
  }

  /**
   * A row for each chunk.
   *
   * @param directory null if it is damaged or not there
   */
  private static Rows chunkList(List<Group> groups, ContainerDirectory directory) {
    // How many chunks there are up to the end of each group.
    int[] ends = new int[groups.size()];
    int sum = 0;
    for (int i = 0; i < ends.length; i++) {
      sum += groups.get(i).header.chunkCount();
      ends[i] = sum;
    }
    return new Rows(
        sum,
        index -> {
          int found = Arrays.binarySearch(ends, index);
          int place = found >= 0 ? found + 1 : -found - 1;
          GroupHeader group = groups.get(place).header;
          int chunk = index - (place == 0 ? 0 : ends[place - 1]);
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("chunk", group.number(chunk));
          row.put("group", place);
          row.put("length", group.wholeLength(chunk));
          row.put("keptLength", group.chunkLength(chunk));
          row.put("base", group.isDifference(chunk) ? ChunkRef.toString(group.baseOf(chunk)) : "");
          row.put("fingerprint", fingerprint(directory, group.number(chunk)));
          return row;
        });
  }

  private static String fingerprint(ContainerDirectory directory, int number) {
    int index = directory == null ? -1 : directory.indexOf(number);
    if (index < 0 || directory.lacksFingerprint(index)) {
      return "unknown";
    }
    byte[] bytes = new byte[Fingerprinter.LENGTH];
    directory.fingerprint(index, bytes, 0);
    StringBuilder hex = new StringBuilder(2 * bytes.length);
    for (byte b : bytes) {
      hex.append(Character.forDigit((b >> 4) & 0xF, 16)).append(Character.forDigit(b & 0xF, 16));
    }
    return hex.toString();
  }
}
