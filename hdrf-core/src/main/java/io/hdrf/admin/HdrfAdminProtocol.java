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
 * What administrators may ask of HDRF in a running DataNode. It is a protocol of the DataNode's own
 * IPC server, so it is authenticated as all its others are, and every call is refused to whoever is
 * none of {@link Administrators}.
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
   * lock that is held over such a wait. All others may, so only some of them run at a time.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface NeverWaits {}

  /** The key of {@code hadoop-policy.xml} with the users who may call. */
  String POLICY_KEY = "security.hdrf.admin.protocol.acl";

  /** One {@link VolumeInfo} for each pool on each volume, as text. */
  @Looks
  @NeverWaits
  String[] volumes() throws IOException;

  /**
   * Some records, by ascending block id.
   *
   * @param after begins behind this block id; {@link Long#MIN_VALUE} at the beginning
   * @param limit at most so many, 1 to {@link RecordPage#MAX_BLOCKS}
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

  /** Begins {@link TaskKind#REBUILD} for earlier commands, which are not told what comes of it. */
  @NeverWaits
  void rebuild(String storageId, String poolId) throws IOException;

  /**
   * One {@link VolumeInfo} for each pool on each volume where a scheme keeps a store of its own, as
   * text: as its store, the schemes; as its status, what {@link TaskKind#RECLAIM} does there just
   * now.
   */
  @Looks
  String[] schemeStores() throws IOException;

  /**
   * Begins a job on all volumes, or gives one that runs already another rate. Converting ends an
   * inflation, and the other way round.
   *
   * @param kind a {@link JobKind#command}
   * @param rate how many bytes a second the DataNode may take in hand; 0 for any number
   * @param fraction which share of the blocks is verified, more than 0 and at most 1
   */
  void startJob(String kind, long rate, double fraction) throws IOException;

  /** Ends a job after the blocks that are in hand. What it has done stays. */
  void stopJob(String kind) throws IOException;

  /** One {@link JobInfo} for each pool on each volume, as text. */
  @Looks
  String[] jobs(String kind) throws IOException;

  /**
   * What HDRF's own files take, for each pool on each volume; a DataNode of an earlier version does
   * not know the call.
   *
   * @return lines of {@link StoreBytes#encode}
   */
  @Looks
  default String[] storeBytes() throws IOException {
    return new String[0];
  }

  /**
   * Begins work that takes as long as it takes, and returns at once. What is under way already is
   * not begun a second time.
   *
   * @param kind a {@link TaskKind#word}
   * @param storageId and the pool: where; both are empty if it is everywhere
   * @return the id for {@link #task}
   */
  @NeverWaits
  String startTask(String kind, String storageId, String poolId) throws IOException;

  /**
   * How far work is, or what came of it.
   *
   * @return {@link AdminTasks#RUNNING} and a line, or {@link AdminTasks#DONE} and the result
   * @throws IOException why it failed; or that nothing is known of it, after a restart
   */
  @Looks
  @NeverWaits
  String[] task(String id) throws IOException;
}
