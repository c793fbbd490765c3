/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

/** How a {@link ContainerStore} works. Immutable. */
public final class ContainerSettings {

  /** Container files of 256 MiB, groups of 128 KiB. */
  private static final ContainerSettings DEFAULTS =
      new ContainerSettings(
          0, 256L << 20, 128 << 10, ContainerFormat.MAX_CHUNKS, 256, 64L << 20, 8L << 20);

  private final long identity;
  private final long containerSize;
  private final int groupSize;
  private final int maxChunks;
  private final int maxOpenFiles;
  private final long directoryMemory;
  private final long groupMemory;

  private ContainerSettings(
      long identity,
      long containerSize,
      int groupSize,
      int maxChunks,
      int maxOpenFiles,
      long directoryMemory,
      long groupMemory) {
    this.identity = identity;
    this.containerSize = containerSize;
    this.groupSize = groupSize;
    this.maxChunks = maxChunks;
    this.maxOpenFiles = maxOpenFiles;
    this.directoryMemory = directoryMemory;
    this.groupMemory = groupMemory;
  }

  /**
   * The default settings for a store.
   *
   * @param identity tells this store from those of other volumes and block pools, so that a file
   *     that was copied into the wrong store is not taken for its own
   */
  public static ContainerSettings of(long identity) {
    return DEFAULTS.with(
        identity,
        DEFAULTS.containerSize,
        DEFAULTS.groupSize,
        DEFAULTS.maxChunks,
        DEFAULTS.maxOpenFiles,
        DEFAULTS.directoryMemory,
        DEFAULTS.groupMemory);
  }

  private ContainerSettings with(
      long newIdentity,
      long newContainerSize,
      int newGroupSize,
      int newMaxChunks,
      int newMaxOpenFiles,
      long newDirectoryMemory,
      long newGroupMemory) {
    return new ContainerSettings(
        newIdentity,
        newContainerSize,
        newGroupSize,
        newMaxChunks,
        newMaxOpenFiles,
        newDirectoryMemory,
        newGroupMemory);
  }

  /**
   * At which length a container is sealed, in bytes, from 1 to 2<sup>40</sup>. A file is longer
   * than this only by its directory, or if it has but one group.
   */
  public ContainerSettings containerSize(long bytes) {
    require("container size", bytes, 1, 1L << 40);
    return with(identity, bytes, groupSize, maxChunks, maxOpenFiles, directoryMemory, groupMemory);
  }

  /**
   * How many bytes of chunks are encoded together, from 1 to {@link
   * ContainerFormat#MAX_GROUP_LENGTH}; a longer chunk is a group by itself.
   */
  public ContainerSettings groupSize(int bytes) {
    require("group size", bytes, 1, ContainerFormat.MAX_GROUP_LENGTH);
    return with(
        identity, containerSize, bytes, maxChunks, maxOpenFiles, directoryMemory, groupMemory);
  }

  /** The most chunks in a container, from 1 to {@link ContainerFormat#MAX_CHUNKS}. */
  public ContainerSettings maxChunks(int chunks) {
    require("chunks in a container", chunks, 1, ContainerFormat.MAX_CHUNKS);
    return with(
        identity, containerSize, groupSize, chunks, maxOpenFiles, directoryMemory, groupMemory);
  }

  /** How many sealed containers are kept open for reading, at least 1. */
  public ContainerSettings maxOpenFiles(int files) {
    require("open files", files, 1, Integer.MAX_VALUE);
    return with(identity, containerSize, groupSize, maxChunks, files, directoryMemory, groupMemory);
  }

  /**
   * How many bytes of memory the directories of sealed containers may take, at least 0. The one
   * used last is kept in any case; one has about 50 bytes a chunk.
   */
  public ContainerSettings directoryMemory(long bytes) {
    require("directory memory", bytes, 0, Long.MAX_VALUE);
    return with(identity, containerSize, groupSize, maxChunks, maxOpenFiles, bytes, groupMemory);
  }

  /** How many bytes of decoded groups are kept, outside of the heap, at least 0. */
  public ContainerSettings groupMemory(long bytes) {
    require("group memory", bytes, 0, Long.MAX_VALUE);
    return with(
        identity, containerSize, groupSize, maxChunks, maxOpenFiles, directoryMemory, bytes);
  }

  private static void require(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + ": from " + min + " to " + max + ", not " + value);
    }
  }

  /** What tells this store from others. */
  public long identity() {
    return identity;
  }

  /** At which length a container is sealed, in bytes. */
  public long containerSize() {
    return containerSize;
  }

  /** How many bytes of chunks are encoded together. */
  public int groupSize() {
    return groupSize;
  }

  /** The most chunks in a container. */
  public int maxChunks() {
    return maxChunks;
  }

  /** How many sealed containers are kept open. */
  public int maxOpenFiles() {
    return maxOpenFiles;
  }

  /** How many bytes of memory the directories of sealed containers may take. */
  public long directoryMemory() {
    return directoryMemory;
  }

  /** How many bytes of decoded groups are kept. */
  public long groupMemory() {
    return groupMemory;
  }
}
