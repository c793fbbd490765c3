/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.datanode.replica.Replicas;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException;

/** The outcome of one block of a job. Immutable. */
final class JobOutcome {

  /** Kinds of outcomes. */
  enum Kind {
    DONE,
    /** The block is as it is to be, or gone. */
    NOTHING_TO_DO,
    /** It stays as it is. */
    LEFT,
    /** It may be tried again. */
    LATER,
    /** An upgrade is open: no block may be reduced now. */
    UPGRADE,
    DAMAGED
  }

  static final JobOutcome NOTHING_TO_DO = new JobOutcome(Kind.NOTHING_TO_DO, "", "", 0);

  static final JobOutcome UPGRADE = new JobOutcome(Kind.UPGRADE, "", "", 0);

  private final Kind kind;
  private final String reason;
  private final String detail;
  private final long saved;

  private JobOutcome(Kind kind, String reason, String detail, long saved) {
    this.kind = kind;
    this.reason = reason;
    this.detail = detail;
    this.saved = saved;
  }

  /**
   * The block was done.
   *
   * @param saved how many bytes of it need not be stored any more
   */
  static JobOutcome done(long saved) {
    return new JobOutcome(Kind.DONE, "", "", saved);
  }

  static JobOutcome left(String reason) {
    return new JobOutcome(Kind.LEFT, reason, "", 0);
  }

  static JobOutcome later(String reason, String detail) {
    return new JobOutcome(Kind.LATER, reason, detail, 0);
  }

  static JobOutcome damaged(String detail) {
    return new JobOutcome(Kind.DAMAGED, "Damaged", detail, 0);
  }

  /** Returns the outcome that an exception stands for. */
  static JobOutcome of(Throwable failure) {
    String detail = String.valueOf(failure.getMessage());
    if (isDamage(failure)) {
      return damaged(detail);
    }
    if (failure instanceof DiskOutOfSpaceException || DiskErrors.isNoSpace(failure)) {
      return later("NoSpace", detail);
    }
    if (failure instanceof UnavailableException) {
      return later("Unavailable", detail);
    }
    if (failure instanceof Replicas.ReplicaChangedException
        || failure instanceof FileNotFoundException
        || failure instanceof NoSuchFileException) {
      return later("Changed", detail);
    }
    return later("Failed", failure.toString());
  }

  /** Returns whether an exception says that a block is damaged. */
  static boolean isDamage(Throwable failure) {
    return failure instanceof DiskFileCorruptException
        || failure instanceof CorruptFileException
        || failure instanceof CorruptFrameException;
  }

  /** Returns whether an exception may come from a disk that fails. */
  static boolean isDiskError(IOException failure) {
    return of(failure).reason.equals("Failed");
  }

  Kind kind() {
    return kind;
  }

  /** The reason why the block was not done, in a word; empty where it was. */
  String reason() {
    return reason;
  }

  /** The same for people; may be empty. */
  String detail() {
    return detail;
  }

  /** The number of bytes saved. */
  long saved() {
    return saved;
  }
}
