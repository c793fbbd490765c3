/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.CheckResult;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The block records of one DataNode, running or not. For one thread. */
interface RecordSource extends Closeable {

  /** Returns the DataNode's name, for people. */
  String name();

  List<VolumeInfo> volumes() throws IOException;

  /**
   * Returns what {@link #volumes} lacks although it should be there, with the reasons, for people.
   */
  List<String> leftOut() throws IOException;

  /** Returns whether a DataNode answers. */
  default boolean isRunning() {
    return true;
  }

  /**
   * Returns the size of HDRF's own files in bytes, by {@link io.hdrf.admin.StoreBytes#key}:
   * containers, filters, indexes and records.
   *
   * @param gaps receives the volumes that the result lacks, with the reasons, for people
   */
  Map<String, Long> storeBytes(Consumer<String> gaps) throws IOException;

  /** Returns some records after a block id, by ascending id; null where a block has none. */
  Map<Long, BlockRecord> records(VolumeInfo volume, long after) throws IOException;

  /** Returns lines about a block; none if it is unknown here. */
  List<String> block(long blockId) throws IOException;

  /**
   * Compares records with blocks.
   *
   * @param repair whether to write the records that differ
   */
  CheckResult check(VolumeInfo volume, boolean repair, Progress progress) throws IOException;

  /** Empties a volume's records and makes them again; unreadable blocks have none afterwards. */
  CheckResult rebuild(VolumeInfo volume, Progress progress) throws IOException;

  /** Returns the volumes where a scheme keeps its own store. */
  List<VolumeInfo> schemeStores() throws IOException;

  /** Reclaims what no block of a volume refers to; returns lines of name and number. */
  List<String> reclaim(VolumeInfo volume, Progress progress) throws IOException;

  /** Compares the references of a volume's blocks with the contents of its schemes' stores. */
  ReferenceReport checkReferences(VolumeInfo volume) throws IOException;

  /**
   * Begins a job on all volumes, or changes the rate of a running one.
   *
   * @param rate in bytes a second; 0 for no limit
   * @param fraction the share of the blocks to verify, more than 0 and at most 1
   */
  void startJob(JobKind kind, long rate, double fraction) throws IOException;

  /** Ends a job; finished work stays. */
  void stopJob(JobKind kind) throws IOException;

  /** Returns the progress of a job for each volume; none where the DataNode does not run. */
  List<JobInfo> jobs(JobKind kind) throws IOException;

  /** Returns the number of reduced blocks on each volume, counted in the files themselves. */
  List<ReducedBlocks> reducedBlocks() throws IOException;
}
