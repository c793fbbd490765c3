/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the traffic of one DataNode with others in reduced form. Thread-safe. */
public final class WireCounters {

  /** In a large cluster every DataNode meets every other; more than these are counted as one. */
  private static final int MAX_PEERS = 200;

  private static final String OTHERS = "others";

  private final Map<String, LongAdder> values = new ConcurrentHashMap<>();
  private final Set<String> peers = ConcurrentHashMap.newKeySet();

  /**
   * Counts what a stream has sent.
   *
   * @param operation of the stream, as HDFS names it, such as {@code WRITE_BLOCK}
   * @param peer the other side's address
   * @param plain bytes as HDFS would have sent them
   * @param wire bytes that went over the wire, above SASL
   */
  public void sent(String operation, String peer, long plain, long wire) {
    traffic("Sent", operation, peer, plain, wire);
  }

  /** As {@link #sent}, for a stream's received bytes. */
  public void received(String operation, String peer, long plain, long wire) {
    traffic("Received", operation, peer, plain, wire);
  }

  private void traffic(String way, String operation, String peer, long plain, long wire) {
    add("mirrorBytesPlain" + way, plain);
    add("mirrorBytesWire" + way, wire);
    add("mirrorBytesPlain" + way + "-" + operation, plain);
    add("mirrorBytesWire" + way + "-" + operation, wire);
    String counted = peers.contains(peer) || peers.size() < MAX_PEERS ? peer : OTHERS;
    peers.add(counted);
    add("mirrorBytesPlain" + way + "-" + counted, plain);
    add("mirrorBytesWire" + way + "-" + counted, wire);
  }

  /** Counts a frame that was encoded for the wire here. */
  public void encoded() {
    add("mirrorFramesEncoded", 1);
  }

  /** Counts a frame from another DataNode that had to be decoded. */
  public void decoded() {
    add("mirrorFramesDecoded", 1);
  }

  /** Counts data that went as they are although the peer would have taken frames. */
  public void sentPlain(long bytes) {
    add("mirrorBytesByChoicePlain", bytes);
  }

  /** Counts a block that went plain because the operator's filter excludes it. */
  public void excluded() {
    add("mirrorBlocksExcluded", 1);
  }

  /** Counts a trial whether blocks go to a peer faster in the other form, plain or reduced. */
  public void formTried() {
    add("mirrorFormTrials", 1);
  }

  /** Counts a change of the form in which blocks go to a peer. */
  public void formChanged() {
    add("mirrorFormChanges", 1);
  }

  /** Counts frames that were passed on as they had come. */
  public void forwarded(long frames) {
    add("mirrorFramesForwarded", frames);
  }

  /** Counts bytes of checksums that were not sent, since the peer makes them itself. */
  public void checksumsLeftOut(long bytes) {
    add("mirrorChecksumBytesLeftOut", bytes);
  }

  /** Counts frames that were sent as they are stored. */
  public void sentAsStored(long frames) {
    add("mirrorFramesSentAsStored", frames);
  }

  /**
   * Counts a packet whose chunks were asked for.
   *
   * @param referred how many chunks went by reference
   * @param byValue how many did not
   * @param bytes how many bytes the references stand for
   */
  public void asked(long referred, long byValue, long bytes) {
    add("mirrorAsks", 1);
    add("mirrorChunksByReference", referred);
    add("mirrorChunksByValue", byValue);
    add("mirrorBytesByReference", bytes);
  }

  /** Counts the bytes that were sent and received on a connection to ask on. */
  public void askTraffic(long bytes) {
    add("mirrorBytesAsking", bytes);
  }

  /**
   * Counts a question that was answered.
   *
   * @param held how many chunks are held for the peer
   * @param absent how many are not
   */
  public void answered(long held, long absent) {
    add("mirrorAnswers", 1);
    add("mirrorChunksHeld", held);
    add("mirrorChunksAbsent", absent);
  }

  /** Counts a question that was answered with no since there is no memory to hold chunks. */
  public void noRoomToHold() {
    add("mirrorAnswersWithoutRoom", 1);
  }

  /** Counts chunks of the store that were not what their names say. */
  public void wrongChunks(long chunks) {
    add("mirrorChunksWrong", chunks);
  }

  /** Counts a request for chunks without a proof that it is from a DataNode. */
  public void proofRefused() {
    add("mirrorProofsRefused", 1);
  }

  /** Counts a connection or block that went the stock way, or a spool that was given up. */
  public void fallback(Fallback reason) {
    add("mirrorFallback" + reason.metricName(), 1);
  }

  private void add(String name, long value) {
    values.computeIfAbsent(name, key -> new LongAdder()).add(value);
  }

  /** The value of a counter by the name under which it is published; 0 if it was never counted. */
  public long value(String name) {
    LongAdder value = values.get(name);
    return value == null ? 0 : value.sum();
  }

  /** All counters that are not 0, by name. */
  public Map<String, Long> values() {
    Map<String, Long> sums = new LinkedHashMap<>();
    for (Fallback reason : Fallback.values()) {
      sums.put("mirrorFallback" + reason.metricName(), 0L);
    }
    for (String name :
        new String[] {
          "mirrorFramesEncoded",
          "mirrorFramesDecoded",
          "mirrorFramesForwarded",
          "mirrorBytesByChoicePlain",
          "mirrorBlocksExcluded",
          "mirrorFormTrials",
          "mirrorFormChanges",
          "mirrorFramesSentAsStored",
          "mirrorChecksumBytesLeftOut",
          "mirrorAsks",
          "mirrorChunksByReference",
          "mirrorChunksByValue",
          "mirrorBytesByReference",
          "mirrorBytesAsking",
          "mirrorAnswers",
          "mirrorChunksHeld",
          "mirrorChunksAbsent",
          "mirrorAnswersWithoutRoom",
          "mirrorChunksWrong",
          "mirrorProofsRefused",
          "mirrorBytesPlainSent",
          "mirrorBytesWireSent",
          "mirrorBytesPlainReceived",
          "mirrorBytesWireReceived"
        }) {
      sums.put(name, 0L);
    }
    values.forEach((name, value) -> sums.put(name, value.sum()));
    return sums;
  }
}
