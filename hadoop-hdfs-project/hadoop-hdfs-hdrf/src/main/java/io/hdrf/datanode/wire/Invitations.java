/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The invitations of a DataNode that nobody has come to yet, by their ids. Thread-safe. */
public final class Invitations {

  private final Map<ByteBuffer, Invitation> open = new ConcurrentHashMap<>();

  /** To be called before the id is told to anybody. */
  void add(Invitation invitation) {
    open.put(ByteBuffer.wrap(invitation.id()), invitation);
  }

  /** The invitation with an id, which nobody else gets; null if there is none. */
  Invitation take(byte[] id) {
    return open.remove(ByteBuffer.wrap(id));
  }

  /** Whoever comes from now on is refused. */
  void withdraw(Invitation invitation) {
    open.remove(ByteBuffer.wrap(invitation.id()));
    invitation.close();
  }

  /** How many there are. */
  public int count() {
    return open.size();
  }
}
