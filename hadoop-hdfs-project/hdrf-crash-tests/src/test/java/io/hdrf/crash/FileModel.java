/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.util.Arrays;
import org.apache.hadoop.fs.Path;

/**
 * What a file must hold, may hold and can't hold. Each byte is in one of three states, which follow
 * one another from the file's beginning: acknowledged (it must be there), maybe (it was handed
 * over, or a truncation of it was asked for, and nobody knows how that ended), unset. For one
 * thread at a time.
 */
final class FileModel {

  private static final int CHUNK = 512;

  private final Path path;
  private final int replication;
  private byte[] content = new byte[0];

  /** Acknowledged by hflush, hsync or close. */
  private int flushed;

  /** Acknowledged by hsync or close. */
  private int synced;

  private boolean open;
  private boolean existenceKnown;
  private boolean settled;
  private boolean truncating;

  /** A file that does not exist yet. */
  FileModel(Path path, int replication) {
    this.path = path;
    this.replication = replication;
  }

  Path path() {
    return path;
  }

  int replication() {
    return replication;
  }

  /** Up to here a byte may be. */
  int maximum() {
    return content.length;
  }

  /** Whether the outcome of everything that was done to the file is known, and it is closed. */
  boolean isSettled() {
    return settled;
  }

  /** Whether the file must exist. */
  boolean isExistenceKnown() {
    return existenceKnown;
  }

  /** It exists, and is open for writing. */
  void opened() {
    existenceKnown = true;
    open = true;
    settled = false;
  }

  /** Something is about to be done to the file that may fail. */
  void touched() {
    settled = false;
  }

  /** To be called before the write. */
  void writing(byte[] data) {
    int length = content.length;
    content = Arrays.copyOf(content, length + data.length);
    System.arraycopy(data, 0, content, length, data.length);
  }

  void flushed() {
    flushed = content.length;
  }

  void synced() {
    flushed = content.length;
    synced = content.length;
  }

  void closed() {
    synced();
    open = false;
    truncating = false;
    settled = true;
  }

  /** To be called before the truncation. */
  void truncating(int length) {
    settled = false;
    truncating = true;
    flushed = Math.min(flushed, length);
    synced = Math.min(synced, length);
  }

  void truncated(int length) {
    content = Arrays.copyOf(content, length);
    closed();
  }

  /** Whether nobody knows how a truncation ended. */
  boolean isTruncationCutOff() {
    return truncating;
  }

  /** To be called before the deletion. */
  void deleting() {
    settled = false;
    existenceKnown = false;
  }

  /**
   * How many bytes must be there.
   *
   * @param killed how many DataNodes were killed since the file was settled. Where all replicas
   *     were being written when their DataNodes were killed, HDFS keeps what was synced; and of
   *     that, not the last chunk where it was being extended, because a restarted DataNode drops a
   *     chunk whose checksum was not yet rewritten.
   */
  int acknowledged(int killed) {
    if (!open || killed < replication) {
      return flushed;
    }
    return synced / CHUNK * CHUNK;
  }

  /** What is wrong with {@code actual}, which was read from the file's offset, or null. */
  String difference(int offset, byte[] actual) {
    if (offset + actual.length > content.length) {
      return "it has more than the " + content.length + " bytes that were written";
    }
    int at = Arrays.mismatch(content, offset, offset + actual.length, actual, 0, actual.length);
    return at < 0 ? null : "wrong byte at " + (offset + at);
  }

  /** The file is closed, has this length and was checked. */
  void settle(int length) {
    content = Arrays.copyOf(content, length);
    existenceKnown = true;
    closed();
  }
}
