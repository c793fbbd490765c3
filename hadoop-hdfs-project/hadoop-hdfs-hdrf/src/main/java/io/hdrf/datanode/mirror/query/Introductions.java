/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.wire.ProvedStream;
import io.hdrf.wire.Timer;
import io.hdrf.wire.WireCounters;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hdfs.net.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How DataNodes prove to each other, on connections of HDRF's own, that they are DataNodes.
 * Thread-safe.
 */
public final class Introductions {

  private static final Logger LOG = LoggerFactory.getLogger(Introductions.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The number of peers that may be about to prove themselves; each has a thread. */
  public static final int MAX_STRANGERS = 64;

  /** Learns that the other side has proved itself. */
  public interface Proved {
    /** Gives the other side more time from now on. */
    void run() throws IOException;
  }

  /** What is done on a connection. */
  public interface Conversation {
    /** Hears the other side, which has little time until {@code proved} is run. */
    void hold(Proved proved) throws IOException;
  }

  private final int timeoutMillis;
  private final WireCounters counters;
  private final Timer timer;
  private final Semaphore strangers = new Semaphore(MAX_STRANGERS);
  private final AtomicBoolean refusalLogged = new AtomicBoolean();
  private volatile BlockKeyProofs proofs;

  /**
   * @param proofs until {@link #setProofs}
   * @param timeoutMillis the time that the other side has to prove itself
   * @param timer ends the connections of those who do not
   */
  Introductions(BlockKeyProofs proofs, int timeoutMillis, WireCounters counters, Timer timer) {
    this.proofs = proofs;
    this.timeoutMillis = timeoutMillis;
    this.counters = counters;
    this.timer = timer;
  }

  void setProofs(BlockKeyProofs peerProofs) {
    proofs = peerProofs;
  }

  BlockKeyProofs proofs() {
    return proofs;
  }

  /**
   * Hears another DataNode. Until it has proved that it is one it has little time, and few like it
   * are heard at once. A time-out for each read would let it send a byte now and then for ever, and
   * decryption reads many times before it hands anything on: the connection is closed below them.
   * Closing wakes no thread that waits for the next byte; that one has a time-out.
   *
   * @param name the other side's, for messages
   * @param provedTimeoutMillis the longest pause of the other side once it has proved itself
   */
  public void hear(Peer peer, String name, int provedTimeoutMillis, Conversation conversation)
      throws IOException {
    peer.setReadTimeout(timeoutMillis);
    if (!strangers.tryAcquire()) {
      LOG.debug("Too many who have not proved themselves; {} is not heard", name);
      return;
    }
    AtomicBoolean strange = new AtomicBoolean(true);
    Runnable known =
        () -> {
          if (strange.compareAndSet(true, false)) {
            strangers.release();
          }
        };
    try {
      timer.after(
          TimeUnit.MILLISECONDS.toNanos(timeoutMillis),
          () -> {
            if (strange.get()) {
              closeQuietly(peer);
            }
          });
      conversation.hold(
          () -> {
            peer.setReadTimeout(provedTimeoutMillis);
            known.run();
          });
    } finally {
      known.run();
    }
  }

  private static void closeQuietly(Peer peer) {
    try {
      peer.close();
    } catch (IOException e) {
      LOG.debug("{} can't be closed", peer, e);
    }
  }

  /**
   * Has the other side, which has said what it wants, prove itself where there are block tokens.
   *
   * @param address of this DataNode, where the other one has connected to
   * @param peerName the other one, for messages
   * @return false if it can't; it is to be refused
   */
  public boolean isProved(ProvedStream stream, String poolId, String address, String peerName)
      throws IOException {
    return isProved(BlockKeyProofs.Purpose.ASK, stream, poolId, address, peerName);
  }

  private boolean isProved(
      BlockKeyProofs.Purpose purpose,
      ProvedStream stream,
      String poolId,
      String address,
      String peerName)
      throws IOException {
    BlockKeyProofs current = proofs;
    try {
      if (!current.areWanted(poolId)) {
        return true;
      }
    } catch (IOException e) {
      LOG.debug("{} wants something of a pool that is not served", peerName, e);
      return false;
    }
    byte[] challenge = new byte[ProvedStream.PROOF_LENGTH];
    RANDOM.nextBytes(challenge);
    stream.challenge(challenge);
    ProvedStream.Proof proof = stream.readProof();
    try {
      current.check(purpose, proof, poolId, challenge, address);
      return true;
    } catch (IOException e) {
      refused(peerName, e);
      return false;
    }
  }

  /**
   * Has the side that was connected to prove itself, too: where clients name the DataNodes of a
   * pipeline, it can be anybody.
   *
   * @param address where it was connected to, as of {@link BlockKeyProofs#address}
   */
  public boolean isProvedToTake(ProvedStream stream, String poolId, String address)
      throws IOException {
    return isProved(BlockKeyProofs.Purpose.TAKE, stream, poolId, address, address);
  }

  /**
   * Proves to the side that connected, and has proved itself, that this is a DataNode.
   *
   * @param address of this DataNode, where the other one has connected to
   */
  public void proveToTake(ProvedStream stream, String poolId, String address) throws IOException {
    BlockKeyProofs current = proofs;
    if (current.areWanted(poolId)) {
      byte[] challenge = stream.readChallenge();
      stream.prove(current.prove(BlockKeyProofs.Purpose.TAKE, poolId, challenge, address));
    }
  }

  private void refused(String peerName, IOException reason) {
    counters.proofRefused();
    if (refusalLogged.compareAndSet(false, true)) {
      LOG.warn(
          "{} asked for chunks, or is to take or give some, and did not prove that it is a DataNode: {}; it"
              + " was refused. Further such cases are only counted",
          peerName,
          reason.toString());
    }
  }

  /**
   * Proves to the other side, which was told what is wanted, that this is a DataNode.
   *
   * @param address where it was connected to, as of {@link BlockKeyProofs#address}
   * @return what it grants, or null if it refuses
   */
  public byte[] introduce(ProvedStream stream, String poolId, String address) throws IOException {
    ProvedStream.Reply reply = stream.readReply();
    if (reply.challenge() == null) {
      return reply.grant();
    }
    stream.prove(proofs.prove(poolId, reply.challenge(), address));
    return stream.readGrant();
  }
}
