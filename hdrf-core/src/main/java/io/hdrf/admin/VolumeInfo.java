/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;

/** A pool on a volume and the state of its metadata store. Immutable. */
public final class VolumeInfo {
  private static final String SEPARATOR = "\t";
  private static final int FIELDS = 6;

  private final String storageId;
  private final String poolId;
  private final String directory;
  private final String store;
  private final String status;
  private final int pending;

  /**
   * @param directory the volume's directory
   * @param store the kind of its store
   * @param status a word or a line for people
   * @param pending the number of changed blocks that wait for their records
   */
  public VolumeInfo(
      String storageId, String poolId, String directory, String store, String status, int pending) {
    this.storageId = storageId;
    this.poolId = poolId;
    this.directory = directory;
    this.store = store;
    this.status = status;
    this.pending = pending;
  }

  /** Returns this as text on one line. */
  public String encode() {
    return String.join(
        SEPARATOR,
        storageId,
        poolId,
        directory,
        store,
        status.replaceAll("[\t\n\r]", " "),
        Integer.toString(pending));
  }

  /** Reads {@link #encode}'s text. */
  public static VolumeInfo decode(String text) throws IOException {
    String[] fields = text.split(SEPARATOR, -1);
    try {
      if (fields.length >= FIELDS) {
        return new VolumeInfo(
            fields[0], fields[1], fields[2], fields[3], fields[4], Integer.parseInt(fields[5]));
      }
    } catch (NumberFormatException e) {
      throw new IOException("no description of a volume: " + text, e);
    }
    throw new IOException("no description of a volume: " + text);
  }

  public String storageId() {
    return storageId;
  }

  public String poolId() {
    return poolId;
  }

  public String directory() {
    return directory;
  }

  public String store() {
    return store;
  }

  public String status() {
    return status;
  }

  public int pending() {
    return pending;
  }
}
