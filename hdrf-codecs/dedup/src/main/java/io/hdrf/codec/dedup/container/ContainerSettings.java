/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.spi.memory.MemoryBudget;
import java.util.function.Consumer;

/** The settings of a {@link ContainerStore}. Immutable. */
public final class ContainerSettings {

  /** 2026-01-01. */
  private static final long ID_EPOCH_MILLIS = 1_767_225_600_000L;

  private static final long MILLIS_PER_ID = 4;

  /** As many decoded groups of bases a frame may need, however long they are. */
  private static final int MIN_BASE_GROUPS = 2;

  /** As many it may need, however short they are: each may keep a file open. */
  private static final int MAX_BASE_GROUPS = 64;

  /** Bytes of decoded groups of bases that each frame may need: 16 of 256 KiB. */
  public static final int MIN_BASE_MEMORY = 4 << 20;

  // Written only before anybody else has the object.
  private long identity;
  private long containerSize = 256L << 20;
  private int groupSize = 128 << 10;
  private int maxChunks = ContainerFormat.MAX_CHUNKS;
  private int maxOpenFiles = 256;
  private long directoryMemory = 64L << 20;
  private long groupMemory = 8L << 20;
  private int baseMemory = MIN_BASE_MEMORY;
  private boolean sharesGroups;
  private long firstId;
  private MemoryBudget memory = MemoryBudget.unlimited();

  private ContainerSettings() {}

  private ContainerSettings(ContainerSettings other) {
    identity = other.identity;
    containerSize = other.containerSize;
    groupSize = other.groupSize;
    maxChunks = other.maxChunks;
    maxOpenFiles = other.maxOpenFiles;
    directoryMemory = other.directoryMemory;
    groupMemory = other.groupMemory;
    baseMemory = other.baseMemory;
    sharesGroups = other.sharesGroups;
    firstId = other.firstId;
    memory = other.memory;
  }

  /**
   * The default settings for a store: container files of 256 MiB, groups of 128 KiB.
   *
   * @param identity tells this store from those of other volumes and block pools, so that a file
   *     that was copied into the wrong store is not taken for its own
   */
  public static ContainerSettings of(long identity) {
    ContainerSettings settings = new ContainerSettings();
    settings.identity = identity;
    return settings;
  }

  /**
   * Sets the length at which a container is sealed, in bytes, from 1 to 2<sup>40</sup>. A file is
   * longer than this only by its directory, or if it has but one group.
   */
  public ContainerSettings containerSize(long bytes) {
    require("container size", bytes, 1, 1L << 40);
    return with(changed -> changed.containerSize = bytes);
  }

  /**
   * Sets the number of bytes of chunks that are encoded together, from 1 to {@link
   * ContainerFormat#MAX_GROUP_LENGTH}; a longer chunk is a group by itself.
   */
  public ContainerSettings groupSize(int bytes) {
    require("group size", bytes, 1, ContainerFormat.MAX_GROUP_LENGTH);
    return with(changed -> changed.groupSize = bytes);
  }

  /** The most chunks in a container, from 1 to {@link ContainerFormat#MAX_CHUNKS}. */
  public ContainerSettings maxChunks(int chunks) {
    require("chunks in a container", chunks, 1, ContainerFormat.MAX_CHUNKS);
    return with(changed -> changed.maxChunks = chunks);
  }

  /** Sets the number of sealed containers that are kept open for reading, at least 1. */
  public ContainerSettings maxOpenFiles(int files) {
    require("open files", files, 1, Integer.MAX_VALUE);
    return with(changed -> changed.maxOpenFiles = files);
  }

  /**
   * Sets the bytes of memory that the directories of sealed containers may take, at least 0. The
   * one used last is kept in any case; one has about 50 bytes a chunk.
   */
  public ContainerSettings directoryMemory(long bytes) {
    require("directory memory", bytes, 0, Long.MAX_VALUE);
    return with(changed -> changed.directoryMemory = bytes);
  }

  /** Sets the bytes of decoded groups that the store keeps, outside of the heap, at least 0. */
  public ContainerSettings groupMemory(long bytes) {
    require("group memory", bytes, 0, Long.MAX_VALUE);
    return with(changed -> changed.groupMemory = bytes);
  }

  /** Sets the bytes of decoded groups that all stores of this budget that share them keep. */
  public ContainerSettings sharedGroupMemory(long bytes) {
    return groupMemory(bytes).with(changed -> changed.sharesGroups = true);
  }

  /**
   * Sets the bytes of decoded groups of bases that a frame may need, and that its reader keeps, at
   * least 0. It may need two groups in any case, however long they are.
   */
  public ContainerSettings baseMemory(int bytes) {
    require("memory for bases", bytes, 0, Integer.MAX_VALUE);
    return with(changed -> changed.baseMemory = bytes);
  }

  /**
   * The lowest id that a new container gets; 0 if this is not set. An id grows with the clock,
   * faster than containers are filled, so that one whose file was lost does not come back for other
   * chunks: blocks may refer to it still. Ids that begin so last for 139 years.
   *
   * @param millis the time, as {@link System#currentTimeMillis}. Beyond what ids can tell it does
   *     nothing
   */
  public ContainerSettings idsSince(long millis) {
    long id = (millis - ID_EPOCH_MILLIS) / MILLIS_PER_ID;
    return with(changed -> changed.firstId = id < 0 || id > ChunkRef.MAX_CONTAINER ? 0 : id);
  }

  /** Sets the budget in which the memory for directories and decoded groups must find room. */
  public ContainerSettings memory(MemoryBudget budget) {
    return with(changed -> changed.memory = budget);
  }

  private ContainerSettings with(Consumer<ContainerSettings> change) {
    ContainerSettings changed = new ContainerSettings(this);
    change.accept(changed);
    return changed;
  }

  private static void require(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + ": from " + min + " to " + max + ", not " + value);
    }
  }

  /** Returns the identity of this store. */
  public long identity() {
    return identity;
  }

  /** Returns the length at which a container is sealed, in bytes. */
  public long containerSize() {
    return containerSize;
  }

  /** Returns the number of bytes of chunks that are encoded together. */
  public int groupSize() {
    return groupSize;
  }

  /** The most chunks in a container. */
  public int maxChunks() {
    return maxChunks;
  }

  /** Returns the number of sealed containers that are kept open. */
  public int maxOpenFiles() {
    return maxOpenFiles;
  }

  /** Returns the bytes of memory that the directories of sealed containers may take. */
  public long directoryMemory() {
    return directoryMemory;
  }

  /** Returns the bytes of decoded groups that are kept. */
  public long groupMemory() {
    return groupMemory;
  }

  /**
   * Returns whether a frame may need one more group of bases. Its reader keeps as many, so that it
   * decodes none twice.
   *
   * @param groups how many it needs already
   * @param bytes of these, decoded
   * @param more bytes of one more
   */
  boolean hasRoomForBases(int groups, long bytes, int more) {
    return groups < MIN_BASE_GROUPS || (groups < MAX_BASE_GROUPS && bytes + more <= baseMemory);
  }

  /** Returns the budget for directories and decoded groups. */
  public MemoryBudget memory() {
    return memory;
  }

  /** Returns whether other stores' decoded groups are kept in the same memory. */
  public boolean sharesGroups() {
    return sharesGroups;
  }

  /** The lowest id that a new container gets. */
  public long firstId() {
    return firstId;
  }
}
