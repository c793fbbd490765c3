/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.metadata.BlockRecord;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The block records of one DataNode, running or not. For one thread. */
interface RecordSource extends Closeable {

  /** The DataNode, for people. */
  String name();

  List<VolumeInfo> volumes() throws IOException;

  /** What {@link #volumes} lacks although it should be there, and why, for people. */
  List<String> leftOut() throws IOException;

  /** Whether a DataNode answers. */
  default boolean isRunning() {
    return true;
  }

  /**
   * What HDRF's own files take, in bytes, by {@link io.hdrf.admin.StoreBytes#key}: containers,
   * filters, indexes and records.
   */
  Map<String, Long> storeBytes() throws IOException;

  /** Some records behind a block id, by ascending id; null where a block has none. */
  Map<Long, BlockRecord> records(VolumeInfo volume, long after) throws IOException;

  /** Lines about a block; none if it is unknown here. */
  List<String> block(long blockId) throws IOException;

  /** How a volume's records compare with its blocks. */
  record Check(
      long blocks, long missing, long wrong, long extra, long unreadable, List<String> examples) {
    long differences() {
      return missing + wrong + extra;
    }
  }

  /**
   * Compares.
   *
   * @param repair whether what differs is written
   */
  Check check(VolumeInfo volume, boolean repair, Progress progress) throws IOException;

  /** Empties a volume's records and makes them anew; blocks that are unreadable have none then. */
  Check rebuild(VolumeInfo volume, Progress progress) throws IOException;

  /** The volumes where a scheme keeps a store of its own. */
  List<VolumeInfo> schemeStores() throws IOException;

  /** Has a volume's schemes take away what no block refers to; returns lines of name and number. */
  List<String> reclaim(VolumeInfo volume, Progress progress) throws IOException;

  /** Compares what a volume's blocks refer to with what its schemes' stores hold. */
  ReferenceReport checkReferences(VolumeInfo volume) throws IOException;

  /**
   * Begins a job on all volumes, or gives one that runs another rate.
   *
   * @param rate in bytes a second; 0 for any number
   * @param fraction which share of the blocks is verified, more than 0 and at most 1
   */
  void startJob(JobKind kind, long rate, double fraction) throws IOException;

  /** Ends a job; what it has done stays. */
  void stopJob(JobKind kind) throws IOException;

  /** How far a job is, for each volume; none where the DataNode does not run. */
  List<JobInfo> jobs(JobKind kind) throws IOException;

  /** How many reduced blocks lie on each volume, as the files themselves show. */
  List<ReducedBlocks> reducedBlocks() throws IOException;
}
