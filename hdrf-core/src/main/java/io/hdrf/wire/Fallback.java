/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

/** The reasons why something went the stock way. */
public enum Fallback {
  /** The peer speaks plain HDFS, or another version. */
  PEER_IS_STOCK("PeerIsStock"),

  /** The peer did not answer the probe. */
  PEER_UNKNOWN("PeerUnknown"),

  /** The peer lacks a scheme. */
  PEER_LACKS_SCHEME("PeerLacksScheme"),

  /** A scheme failed to encode a packet, which was sent as it is. */
  ENCODER_FAILED("EncoderFailed"),

  /** A block's frames are of another chain than it is to be stored with. */
  OTHER_CHAIN("OtherChain"),

  /** A block's frames have a gap or an overlap, as after a recovery or a resent packet. */
  BROKEN_SEQUENCE("BrokenSequence"),

  /** A block's frames save nothing, or are too short. */
  NOT_WORTH_KEEPING("NotWorthKeeping"),

  /** Keeping a block's frames failed. */
  SPOOL_FAILED("SpoolFailed"),

  /** A block's frames were dropped: too many waited to be stored, or these too long. */
  SPOOL_DROPPED("SpoolDropped"),

  /** A block went without references: the peer does not believe that this is a DataNode. */
  ASK_REFUSED("AskRefused"),

  /** A block went without references: the peer could not be asked for its chunks. */
  ASK_FAILED("AskFailed"),

  /** A block went without references from some place on: the connection to ask on broke. */
  ASK_BROKEN("AskBroken"),

  /**
   * A block went without references, since another one with references broke a short while before.
   */
  REFERENCES_BROKE("ReferencesBroke"),

  /** A connection ended, because there was too little memory to receive what came. */
  NO_RECEIVE_MEMORY("NoReceiveMemory"),

  /** A packet went without references: the peer did not answer in time. */
  ASK_TIMED_OUT("AskTimedOut");

  private final String metricName;

  Fallback(String metricName) {
    this.metricName = metricName;
  }

  /** The reason as part of a metric's name. */
  public String metricName() {
    return metricName;
  }
}
