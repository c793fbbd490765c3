/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;

/**
 * Requests of administrators to HDRF in a running DataNode. The protocol is on the DataNode's own
 * IPC server, so its authentication is that of the server's other protocols; only {@link
 * Administrators} may call.
 *
 * <p>It travels by {@link org.apache.hadoop.ipc.HdrfRpc}, which is the same on Hadoop 3.1 and 3.3.
 * Arguments and results are numbers, strings and bytes, and no two calls have the same name.
 */
@ProtocolInfo(protocolName = "io.hdrf.admin.HdrfAdminProtocol", protocolVersion = 1)
@KerberosInfo(serverPrincipal = "dfs.datanode.kerberos.principal")
public interface HdrfAdminProtocol {

  /** A call that changes nothing. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Looks {}

  /**
   * A call that is answered from memory: it waits for no disk, no store and no thread, nor for a
   * lock that is held over such a wait. All others may wait, so only a limited number of them runs
   * at a time.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface NeverWaits {}

  /** The key of {@code hadoop-policy.xml} with the users who may call. */
  String POLICY_KEY = "security.hdrf.admin.protocol.acl";

  /** Returns one {@link VolumeInfo} for each pool on each volume, as text. */
  @Looks
  @NeverWaits
  String[] volumes() throws IOException;

  /**
   * Returns some records, by ascending block id.
   *
   * @param after the last block id before the page; {@link Long#MIN_VALUE} for the first page
   * @param limit the most blocks to return, 1 to {@link RecordPage#MAX_BLOCKS}
   * @return a {@link RecordPage}
   */
  @Looks
  byte[] records(String storageId, String poolId, long after, int limit) throws IOException;

  /**
   * Looks at a block's file and its record on every volume.
   *
   * @return lines for people; none if the DataNode knows nothing of the block
   */
  @Looks
  String[] block(long blockId) throws IOException;

  /**
   * Returns one {@link VolumeInfo} for each pool on each volume where a scheme keeps its own store,
   * as text: the schemes as its store, and the current state of {@link TaskKind#RECLAIM} there as
   * its status.
   */
  @Looks
  String[] schemeStores() throws IOException;

  /**
   * Begins a job on all volumes, or changes the rate of one that already runs. A conversion ends an
   * inflation, and the other way round.
   *
   * @param kind a {@link JobKind#command}
   * @param rate the most bytes a second that the DataNode may process; 0 for no limit
   * @param fraction the share of the blocks to verify, more than 0 and at most 1
   */
  void startJob(String kind, long rate, double fraction) throws IOException;

  /** Ends a job after the blocks in progress. Finished work stays. */
  void stopJob(String kind) throws IOException;

  /** Returns one {@link JobInfo} for each pool on each volume, as text. */
  @Looks
  String[] jobs(String kind) throws IOException;

  /**
   * Returns how replicas are stored, of any volume.
   *
   * @param blockIds {@link BlockIds}
   * @return a {@link RecordPage}; without those that are not here, and with no record for those
   *     that can't be read
   */
  @Looks
  byte[] replicas(String poolId, byte[] blockIds) throws IOException;

  /**
   * Returns the figures that Hadoop's metrics have of HDRF. May wait for a scheme's.
   *
   * @return lines of name, tab and decimal number
   */
  @Looks
  String[] metrics() throws IOException;

  /**
   * Starts a task without a time limit, and returns at once. If the same task already runs, no
   * second one starts.
   *
   * @param kind a {@link TaskKind#word}
   * @param storageId the volume; it and the pool are empty for all volumes and pools
   * @return the id for {@link #task}
   */
  @NeverWaits
  String startTask(String kind, String storageId, String poolId) throws IOException;

  /**
   * Returns a task's progress or its result.
   *
   * @return {@link AdminTasks#RUNNING} and a line about the progress, or {@link AdminTasks#DONE}
   *     and the result
   * @throws IOException if the task failed, with the reason; or is not known, as after a restart
   */
  @Looks
  @NeverWaits
  String[] task(String id) throws IOException;
}
