/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.SkipReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A block's file and its record side by side, described in words. */
public final class BlockDescription {

  private BlockDescription() {}

  /** A look at a block. */
  public interface Look {

    /** Returns the findings, or null where there is nothing. */
    BlockRecord get() throws IOException;
  }

  /**
   * Returns the lines for one volume; a failed look becomes a line.
   *
   * @param directory the pool's directory on the volume
   * @param fileLook looks at the block's file
   * @param recordLook looks up its record
   * @return no lines where there is neither file nor record
   */
  public static List<String> lines(
      String directory, String storageId, String poolId, Look fileLook, Look recordLook) {
    BlockRecord file = null;
    BlockRecord record = null;
    String fileProblem = null;
    String recordProblem = null;
    try {
      file = fileLook.get();
    } catch (IOException e) {
      fileProblem = e.getMessage();
    }
    try {
      record = recordLook.get();
    } catch (IOException e) {
      recordProblem = e.getMessage();
    }
    List<String> lines = new ArrayList<>();
    boolean problem = fileProblem != null || recordProblem != null;
    if (file == null && record == null && !problem) {
      return lines;
    }
    boolean same = record == null ? file == null : file != null && record.agreesWith(file);
    lines.add("volume    " + directory + " (" + storageId + ")");
    lines.add("pool      " + poolId);
    lines.add("file      " + text(file, fileProblem, "not here"));
    lines.add("record    " + text(record, recordProblem, "none"));
    lines.add("agree     " + (same && !problem ? "yes" : "no"));
    return lines;
  }

  private static String text(BlockRecord record, String problem, String none) {
    if (problem != null) {
      return "can't be read: " + problem;
    }
    return record == null ? none : text(record);
  }

  private static String text(BlockRecord record) {
    SkipReason reason = SkipReason.ofCode(record.reason());
    return (record.isReduced() ? "reduced" : "plain")
        + (reason == null ? "" : " (" + reason.metricName() + ")")
        + ", "
        + record.logicalLength()
        + " bytes in "
        + record.physicalLength()
        + (record.isReduced() ? ", schemes " + Arrays.toString(record.chain()) : "")
        + ", in "
        + record.location();
  }
}
