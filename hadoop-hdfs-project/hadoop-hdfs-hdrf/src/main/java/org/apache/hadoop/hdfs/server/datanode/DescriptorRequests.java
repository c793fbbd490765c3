/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import io.hdrf.wire.StoredReplicaRequest;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode.ShortCircuitFdsUnsupportedException;
import org.apache.hadoop.hdfs.server.datanode.DataNode.ShortCircuitFdsVersionException;

/**
 * Requests of short-circuit readers for the descriptor of a replica's file. The DataNode opens the
 * replica by the same method as for every other read, so the request is told by the DataNode's own
 * method on the stack.
 */
public final class DescriptorRequests {

  private static final String METHOD = "requestShortCircuitFdsForRead";

  private DescriptorRequests() {}

  /**
   * Refuses to start where requests could not be told from other reads.
   *
   * @throws IOException says why not
   */
  public static void requireRecognizable() throws IOException {
    if (Arrays.stream(DataNode.class.getDeclaredMethods())
        .noneMatch(method -> method.getName().equals(METHOD))) {
      throw new IOException(
          "This Hadoop's DataNode has no method "
              + METHOD
              + ": short-circuit readers would be passed descriptors of reduced blocks");
    }
    if (new Throwable().getStackTrace().length == 0) {
      throw new IOException(
          "HDRF needs stack traces to tell short-circuit readers; start the DataNode without"
              + " -XX:-StackTraceInThrowable");
    }
  }

  /** Whether this thread opens a replica to pass its descriptor to a short-circuit reader. */
  public static boolean isCurrent() {
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      if (frame.getMethodName().equals(METHOD)
          && frame.getClassName().equals(DataNode.class.getName())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a client with HDRF's own reader sends the request that this thread serves. */
  public static boolean isForStoredReplica(ExtendedBlock block) {
    return block.getNumBytes() == StoredReplicaRequest.LENGTH && isCurrent();
  }

  /** Tells such a client to go on as without HDRF, in a way that the DataNode does not log. */
  public static IOException notPassed(ExtendedBlock block) {
    return new ShortCircuitFdsVersionException(block + " can't be decoded by its reader");
  }

  /** The same, where the client's own reader is to ask for no descriptors for a while. */
  public static IOException readByTcp() {
    return new ShortCircuitFdsVersionException(StoredReplicaRequest.READ_BY_TCP);
  }

  /**
   * The exception that makes the DataNode decline a request of a stock client, so that the reader
   * goes on by TCP.
   *
   * @param blockAlone whether the client is to go on asking for other blocks' descriptors;
   *     otherwise it asks this DataNode for none for {@code
   *     dfs.domain.socket.disable.interval.seconds}
   */
  public static IOException declined(ExtendedBlock block, boolean blockAlone) {
    String message =
        block + " is stored reduced, and reduced blocks are read by TCP; see HDRF's operations.md";
    return blockAlone
        ? new ShortCircuitFdsVersionException(message)
        : new ShortCircuitFdsUnsupportedException(message);
  }
}
