/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

/**
 * The numbers of the stream between two DataNodes; {@code docs/formats.md} ("Stream between
 * DataNodes") has its bytes. It begins above SASL, where HDFS's own protocol would begin.
 *
 * <p>An operation of stock HDFS begins with a byte 0, so the first byte of a {@link Preamble} tells
 * the two apart. Lengths beyond the limits below are refused before memory is taken for them. What
 * the last frame of a block holds beyond the block's last packet is not used.
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

  /** Questions which chunks the other side has follow. */
  public static final int ASK = 2;

  public static final int RECORD_HEADER = 1 + 4 + 4;

  public static final int BYTES = 1;
  static final int CHAIN = 2;
  static final int PACKET = 3;
  static final int FRAME = 4;
  static final int HELLO = 5;
  static final int SESSION = 6;
  static final int REFERENCES = 7;
  static final int RELEASE = 8;
  static final int SUMMED = 10;

  /** The records of {@link ChunkQueryStream}. */
  public static final int OPEN = 16;

  public static final int CHALLENGE = 17;
  public static final int PROOF = 18;
  public static final int GRANT = 19;
  public static final int QUESTION = 20;
  public static final int ANSWER = 21;

  /** Bytes of the id of a session. */
  public static final int SESSION_ID = 16;

  /** Bytes of a {@link #REFERENCES}. */
  static final int REFERENCES_LENGTH = 4 + 2 + 2 + 4;

  /** The most bytes of an {@link #OPEN} or a {@link #PROOF}. */
  static final int MAX_OPENING = 4 << 10;

  /** Bytes of a {@link #QUESTION} or {@link #ANSWER} before its chunks. */
  public static final int BATCH_PREFIX = 4 + 2;

  /** Bytes of a {@link #QUESTION} for each chunk. */
  public static final int CHUNK_LENGTH = 4 + 32;

  /** Bytes of a {@link #PACKET} before the packet's own bytes. */
  static final int PACKET_PREFIX = 4;

  /** Bytes of a {@link #SUMMED} before the packet's own bytes. */
  static final int SUMMED_PREFIX = 4 + 8;

  /** The most of a packet's own bytes in a {@link #SUMMED}: lengths and header. */
  static final int MAX_SUMMED_HEAD = 64 << 10;

  /** Bytes of a {@link #FRAME} before the encoded bytes. */
  static final int FRAME_PREFIX = 5;

  /** The most bytes in a {@link #BYTES}. */
  static final int MAX_BYTES = 64 << 10;

  /** The most bytes in a {@link #HELLO}. */
  static final int MAX_HELLO = 4 << 10;

  /** The most bytes of a packet, with and without its data; HDFS's own limit. */
  public static final int MAX_PACKET = 16 << 20;

  /** The most bytes that a frame may decode to. */
  public static final int MAX_FRAME = 16 << 20;

  private WireFormat() {}
}
