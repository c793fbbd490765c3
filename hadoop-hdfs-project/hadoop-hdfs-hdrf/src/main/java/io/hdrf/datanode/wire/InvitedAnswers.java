/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.wire.AskStream;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects once more to the DataNode from which a block is copied here, because it invites to, and
 * answers its questions until the other side, at the end of the copy at the latest, ends the
 * connection. It is not interrupted before the DataNode ends, because an interrupt would close the
 * files of a store that it reads.
 */
final class InvitedAnswers implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(InvitedAnswers.class);

  private final Mirroring mirroring;
  private final PeerLink peer;
  private final byte[] invitation;
  private final String poolId;

  /**
   * @param peer can be come to
   * @param poolId of the block that is copied; chunks of no other pool can be asked for
   */
  InvitedAnswers(Mirroring mirroring, PeerLink peer, byte[] invitation, String poolId) {
    this.mirroring = mirroring;
    this.peer = peer;
    this.invitation = invitation.clone();
    this.poolId = poolId;
  }

  @Override
  public void run() {
    try (AskConnection connection = peer.coming().connect();
        AskStream stream = connection.stream()) {
      stream.come(invitation);
      new AskServer(mirroring, stream, connection.address(), Peers.name(peer.address()), poolId)
          .serve();
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} asks no more", peer.address(), e);
    }
  }
}
