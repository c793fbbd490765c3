/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerNames;

/** A container in a listing. Immutable. */
public final class ContainerInfo {

  private final long id;
  private final boolean sealed;
  private final long fileBytes;
  private final int chunkCount;
  private final int endNumber;
  private final long originalBytes;
  private final long sealTime;
  private final String problem;

  ContainerInfo(
      long id,
      boolean sealed,
      long fileBytes,
      int chunkCount,
      int endNumber,
      long originalBytes,
      long sealTime,
      String problem) {
    this.id = id;
    this.sealed = sealed;
    this.fileBytes = fileBytes;
    this.chunkCount = chunkCount;
    this.endNumber = endNumber;
    this.originalBytes = originalBytes;
    this.sealTime = sealTime;
    this.problem = problem;
  }

  /** The container's id. */
  public long id() {
    return id;
  }

  /** Returns whether it is sealed; otherwise chunks may still be added. */
  public boolean sealed() {
    return sealed;
  }

  /** The file's length in bytes. */
  public long fileBytes() {
    return fileBytes;
  }

  /** Returns the number of chunks; 0 if there is a {@link #problem}. */
  public int chunkCount() {
    return chunkCount;
  }

  /**
   * Returns the number behind that of its last chunk; -1 if it is unknown, or the container gets
   * more of them.
   */
  public int endNumber() {
    return endNumber;
  }

  /** Bytes of its chunks together. */
  public long originalBytes() {
    return originalBytes;
  }

  /**
   * Returns when it was sealed, or compacted last, in milliseconds since 1970-01-01 UTC; 0 if
   * never.
   */
  public long sealTime() {
    return sealTime;
  }

  /** Returns why nothing can be said about the content, or null. Names the file. */
  public String problem() {
    return problem;
  }

  @Override
  public String toString() {
    return ContainerNames.hex(id)
        + (sealed ? ", sealed, " : ", open, ")
        + fileBytes
        + " bytes, "
        + chunkCount
        + " chunks of "
        + originalBytes
        + " bytes"
        + (problem == null ? "" : ", " + problem);
  }
}
