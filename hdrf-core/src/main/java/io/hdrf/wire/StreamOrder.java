/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

/**
 * The order of records. HDFS's own code reads the decoded records, and HDRF attributes the same
 * bytes to a block; both must see the same request, and the same packets behind it, whatever a peer
 * sends:
 *
 * <ol>
 *   <li>The opening, a request or the answer to one, comes as {@link WireFormat#BYTES}, and ends
 *       with the end of a record. Its end must be searched in the bytes that HDFS's code was given,
 *       see {@link #handedOut}. Only a {@link WireFormat#HELLO} may precede it.
 *   <li>If packets follow it, nothing but these follows, up to the last packet of the block.
 *   <li>Behind that, or if no packets follow, there are only bytes.
 * </ol>
 *
 * For one thread.
 */
public final class StreamOrder {

  private enum Phase {
    OPENING,
    PACKETS,
    LAST_PACKET,
    BYTES
  }

  private Phase phase = Phase.OPENING;

  /**
   * Checks that a record may come now, of which only the type is known.
   *
   * @throws CorruptWireException if it is out of place
   */
  public void record(int type) throws CorruptWireException {
    if (!mayCome(type)) {
      throw new CorruptWireException("a record of type " + type + " in the phase " + phase);
    }
  }

  private boolean mayCome(int type) {
    boolean isPacket = type == WireFormat.PACKET || type == WireFormat.SUMMED;
    switch (phase) {
      case OPENING:
        return type == WireFormat.HELLO || type == WireFormat.BYTES;
      case PACKETS:
        return type != WireFormat.HELLO && type != WireFormat.BYTES;
      case LAST_PACKET:
        return type != WireFormat.HELLO && !isPacket;
      default:
        return type == WireFormat.BYTES;
    }
  }

  /**
   * Returns whether the opening's end was not found yet, so that its bytes are to be searched for
   * it.
   */
  public boolean isOpening() {
    return phase == Phase.OPENING;
  }

  /**
   * Bytes were handed out, with which the opening is complete.
   *
   * @param packetsFollow whether it has packets of one block follow
   * @param behind how many bytes behind its end were handed out, or wait to be
   * @throws CorruptWireException if packets follow, and other bytes come before them
   */
  public void handedOut(boolean packetsFollow, int behind) throws CorruptWireException {
    if (packetsFollow && behind > 0) {
      throw new CorruptWireException(behind + " bytes between a request and its packets");
    }
    phase = packetsFollow ? Phase.PACKETS : Phase.BYTES;
  }

  /** The block's last packet begins. */
  public void lastPacket() {
    phase = Phase.LAST_PACKET;
  }
}
