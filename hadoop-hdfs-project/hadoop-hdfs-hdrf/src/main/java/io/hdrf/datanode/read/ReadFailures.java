/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;

/**
 * Turns failures of decoding into exceptions that the DataNode understands. Damage of the replica
 * becomes a {@link DiskFileCorruptException}, after which the DataNode examines and reports it; a
 * disk error stays what it is; everything else (no memory, no handles, a store that is down) says
 * nothing of the data and becomes an {@link UnavailableException}, and so does damage of a file
 * that is the replica no more: the chunks of a replica that was moved or deleted may be collected
 * while it is read. No message is null: stock code would fail on that.
 */
final class ReadFailures {

  private ReadFailures() {}

  static IOException translate(ReducedBlock block, Throwable failure, ReducerCounters counters) {
    if ((failure instanceof CorruptFileException || failure instanceof CorruptFrameException)
        && isReplica(block)) {
      counters.corruptBlock();
      return new DiskFileCorruptException(String.valueOf(failure.getMessage()), failure);
    }
    if (failure instanceof IOException && DiskErrors.isReadError(failure)) {
      return (IOException) failure;
    }
    return new UnavailableException(block.name() + " can't be decoded now: " + failure, failure);
  }

  private static boolean isReplica(ReducedBlock block) {
    try {
      return block.isInPlace();
    } catch (IOException e) {
      // Better examined once too often.
      return true;
    }
  }
}
