/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.util.Arrays;
import org.apache.hadoop.fs.Path;

/**
 * The bytes that a file must hold, may hold and can't hold. Each byte is in one of three states,
 * which follow one another from the file's beginning: acknowledged (it must be there), maybe (it
 * was written, or a truncation of it was requested, and the outcome is unknown), unset. For one
 * thread at a time.
 */
final class FileModel {

  private static final int CHUNK = 512;

  private final Path path;
  private final int replication;
  private byte[] content = new byte[0];

  /** The length acknowledged by hflush, hsync or close. */
  private int flushed;

  /** The length acknowledged by hsync or close. */
  private int synced;

  private boolean open;
  private boolean existenceKnown;
  private boolean settled;
  private boolean truncating;

  /** Makes the model of a file that does not exist yet. */
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

  /** Returns the greatest length that the file may have. */
  int maximum() {
    return content.length;
  }

  /**
   * Returns whether the outcome of every operation on the file is known, and the file is closed.
   */
  boolean isSettled() {
    return settled;
  }

  /** Returns whether the file must exist. */
  boolean isExistenceKnown() {
    return existenceKnown;
  }

  /** Records that the file exists, and is open for writing. */
  void opened() {
    existenceKnown = true;
    open = true;
    settled = false;
  }

  /** Records that an operation on the file begins that may fail. */
  void touched() {
    settled = false;
  }

  /** Records a write; call it before. */
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

  /** Records a truncation; call it before. */
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

  /** Returns whether the outcome of a truncation is unknown. */
  boolean isTruncationCutOff() {
    return truncating;
  }

  /** Records a deletion; call it before. */
  void deleting() {
    settled = false;
    existenceKnown = false;
  }

  /**
   * Returns the number of bytes that must be there.
   *
   * @param killed the number of DataNodes killed since the file was settled. Where all replicas
   *     were being written when their DataNodes were killed, HDFS keeps the synced bytes, but not
   *     their last chunk where it was being extended, because a restarted DataNode drops a chunk
   *     whose checksum was not yet rewritten.
   */
  int acknowledged(int killed) {
    if (!open || killed < replication) {
      return flushed;
    }
    return synced / CHUNK * CHUNK;
  }

  /** Returns what is wrong with {@code actual}, which was read from the file's offset, or null. */
  String difference(int offset, byte[] actual) {
    if (offset + actual.length > content.length) {
      return "it has more than the " + content.length + " bytes that were written";
    }
    int at = Arrays.mismatch(content, offset, offset + actual.length, actual, 0, actual.length);
    return at < 0 ? null : "wrong byte at " + (offset + at);
  }

  /** Records that the file is closed, has this length and was checked. */
  void settle(int length) {
    content = Arrays.copyOf(content, length);
    existenceKnown = true;
    closed();
  }
}
