/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.jni.Crc32c;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The stream between two DataNodes, version 1. It begins above SASL, where HDFS's own protocol
 * would begin; everything is little endian.
 *
 * <p><b>Preamble</b>, sent first by the side that connects: the bytes {@code H D R F}, the version
 * (u8), what follows (u8, {@link #PROBE} or {@link #STREAM}), and the low 16 bits of the CRC32C of
 * the six bytes before (u16). An operation of stock HDFS begins with a byte 0, so the first byte
 * tells the two apart.
 *
 * <p><b>Probe</b>: nothing follows; the other side answers with {@link Capabilities} and closes.
 *
 * <p><b>Stream</b>: records follow, in the direction that carries packets (towards the server, and
 * back from it once a block is copied from it); the other direction carries HDFS's own bytes. A
 * record is its type (u8), the length of its body (u32), the CRC32C of type, length and body (u32),
 * and the body:
 *
 * <table>
 *   <caption>Records</caption>
 *   <tr><td>1</td><td>{@link #BYTES}</td><td>bytes of HDFS's protocol as they are</td></tr>
 *   <tr><td>2</td><td>{@link #CHAIN}</td><td>the frames that follow are encoded by the schemes with
 *       these ids (1 to 4 ids of u16)</td></tr>
 *   <tr><td>3</td><td>{@link #PACKET}</td><td>the length of a packet's data (u32), and the packet's
 *       bytes before its data: lengths, header, checksums. The data are the next bytes of the
 *       decoded frames; frames follow as far as those before do not suffice</td></tr>
 *   <tr><td>4</td><td>{@link #FRAME}</td><td>how many bytes the frame decodes to (u32), which
 *       schemes of the chain were applied (u8, as in a stored block), and the frame's encoded
 *       bytes, as many or fewer</td></tr>
 *   <tr><td>5</td><td>{@link #HELLO}</td><td>the {@link Capabilities} of the side that connected,
 *       first of all records</td></tr>
 * </table>
 *
 * What the last frame of a block holds beyond the block's last packet is not used. Lengths beyond
 * the limits below are refused before memory is taken for them.
 */
public final class WireFormat {

  /** The version that this HDRF speaks. */
  public static final int VERSION = 1;

  /** The first byte of a preamble. */
  public static final byte FIRST_BYTE = 'H';

  /** Asks what the other side can do. */
  public static final int PROBE = 0;

  /** Records follow. */
  public static final int STREAM = 1;

  static final int PREAMBLE_LENGTH = 8;

  static final int RECORD_HEADER = 1 + 4 + 4;

  static final int BYTES = 1;
  static final int CHAIN = 2;
  static final int PACKET = 3;
  static final int FRAME = 4;
  static final int HELLO = 5;

  /** What a {@link #PACKET} holds before the packet's own bytes. */
  static final int PACKET_PREFIX = 4;

  /** What a {@link #FRAME} holds before the encoded bytes. */
  static final int FRAME_PREFIX = 5;

  /** The most bytes in a {@link #BYTES}. */
  static final int MAX_BYTES = 64 << 10;

  /** The most bytes in a {@link #HELLO}. */
  static final int MAX_HELLO = 128 << 10;

  /** The most bytes of a packet, with and without its data; HDFS's own limit. */
  static final int MAX_PACKET = 16 << 20;

  /** The most bytes that a frame may decode to. */
  public static final int MAX_FRAME = 16 << 20;

  private static final byte[] MAGIC = {FIRST_BYTE, 'D', 'R', 'F'};

  private WireFormat() {}

  /**
   * The preamble's bytes.
   *
   * @param what {@link #PROBE} or {@link #STREAM}
   */
  public static byte[] preamble(int what) {
    ByteBuffer bytes = ByteBuffer.allocate(PREAMBLE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(MAGIC).put((byte) VERSION).put((byte) what);
    bytes.putShort(crc(bytes.array()));
    return bytes.array();
  }

  private static short crc(byte[] preamble) {
    return (short) Crc32c.update(0, ByteBuffer.wrap(preamble, 0, PREAMBLE_LENGTH - 2));
  }

  /**
   * Whether bytes can be the beginning of a preamble, so that it is safe to wait for the next.
   *
   * @param count how many bytes there are, from 1 to the length of a preamble
   */
  static boolean mayBePreamble(byte[] bytes, int count) {
    for (int i = 0; i < Math.min(count, MAGIC.length); i++) {
      if (bytes[i] != MAGIC[i]) {
        return false;
      }
    }
    return count < PREAMBLE_LENGTH
        || ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(PREAMBLE_LENGTH - 2)
            == crc(bytes);
  }
}
