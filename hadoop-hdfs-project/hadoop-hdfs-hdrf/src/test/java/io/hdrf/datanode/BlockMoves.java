/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.security.token.Token;

/** Moves blocks from DataNode to DataNode as the balancer does. */
final class BlockMoves {

  private BlockMoves() {}

  /** Moves a block in a cluster without block tokens. */
  static Status replace(ExtendedBlock block, DatanodeInfo source, int targetPort)
      throws IOException {
    return replace(block, BlockTokenSecretManager.DUMMY_TOKEN, source, targetPort);
  }

  /**
   * Makes a DataNode copy a block from another one, which loses it once the NameNode knows.
   *
   * @param token to copy and to replace it
   * @param targetPort where the DataNode listens for data
   */
  static Status replace(
      ExtendedBlock block, Token<BlockTokenIdentifier> token, DatanodeInfo source, int targetPort)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), targetPort)) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      new Sender(out)
          .replaceBlock(block, StorageType.DISK, token, source.getDatanodeUuid(), source, null);
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      Status status;
      do {
        status = BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(in)).getStatus();
      } while (status == Status.IN_PROGRESS);
      return status;
    }
  }
}
