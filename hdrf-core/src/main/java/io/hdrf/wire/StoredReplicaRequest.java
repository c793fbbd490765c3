/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

/**
 * How a client asks the DataNode of its host for the descriptors of a reduced replica: by stock
 * HDFS's request for short-circuit reads, with {@link #LENGTH} as the block's length. A stock
 * DataNode ignores the length there and passes descriptors of a plain replica.
 */
public final class StoredReplicaRequest {

  /** In the place of the block's length; the last byte is the version of this request. */
  public static final long LENGTH = 0x4844_5246_5245_4401L;

  /**
   * The position at which the descriptor of a reduced replica's file is passed. It tells that the
   * DataNode knows the file as reduced; one of a plain replica, which may imitate a reduced block,
   * is at 0.
   */
  public static final long POSITION = Integer.BYTES;

  /**
   * The message of the answer where the DataNode declines descriptors of reduced blocks, and would
   * have the client's own reader ask it for none for a while, after two warnings in the client's
   * log. The client tells that reader without them.
   */
  public static final String READ_BY_TCP = "HDRF: reduced blocks of this DataNode are read by TCP";

  private StoredReplicaRequest() {}
}
