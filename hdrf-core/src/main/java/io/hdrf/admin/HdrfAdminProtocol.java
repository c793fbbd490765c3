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

  /** A call that changes nothing and takes no time worth a word. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Looks {}

  /** The key of {@code hadoop-policy.xml} with the users who may call. */
  String POLICY_KEY = "security.hdrf.admin.protocol.acl";

  /** One {@link VolumeInfo} for each pool on each volume, as text. */
  @Looks
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

  /**
   * Compares the records of a pool on a volume with its blocks; ends when that is done.
   *
   * @param repair whether what differs is written
   * @return blocks, missing, wrong, extra and unreadable as decimal numbers, then a line for each
   *     of the first differences
   */
  String[] check(String storageId, String poolId, boolean repair) throws IOException;

  /**
   * Has the records of a pool on a volume made anew, in the background; {@link #volumes} tells how
   * far that is.
   */
  void rebuild(String storageId, String poolId) throws IOException;

  /**
   * One {@link VolumeInfo} for each pool on each volume where a scheme keeps a store of its own, as
   * text: as its store, the schemes; as its status, what {@link #reclaim} does there just now.
   */
  @Looks
  String[] schemeStores() throws IOException;

  /**
   * Takes away what no block refers to any more; ends when that is done.
   *
   * @return what was done: name, tab and decimal number each
   */
  String[] reclaim(String storageId, String poolId) throws IOException;

  /**
   * Compares what blocks refer to with what the schemes' stores hold; ends when that is done.
   *
   * @return lines of name, tab and decimal number, of which {@code missing} is to be 0, and lines
   *     without a tab for people
   */
  String[] checkReferences(String storageId, String poolId) throws IOException;

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
   * Looks at every block's file; ends when that is done.
   *
   * @return one {@link ReducedBlocks} for each pool in each directory that is configured, as text;
   *     directories that can't be looked at and pools that are not in service are there as not
   *     counted
   */
  @Looks
  String[] reducedBlocks() throws IOException;
}
