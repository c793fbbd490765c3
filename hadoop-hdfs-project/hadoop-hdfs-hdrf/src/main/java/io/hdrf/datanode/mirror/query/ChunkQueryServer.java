/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.wire.ChunkBatch;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.RetainedChunks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.BitSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers another DataNode that asks for chunks. What it says is here it has read, compared with
 * its fingerprint, and holds in memory until the stream that names the session has used it. For one
 * connection and thread.
 */
public final class ChunkQueryServer {

  /** Learns that the other side may ask. */
  public interface Proved {
    void run() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(ChunkQueryServer.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * The number of answers that may wait to be sent together, as long as more questions are there.
   */
  private static final int MAX_TOGETHER = 4;

  private final ChunkQueries queries;
  private final ChunkQueryStream stream;
  private final String address;
  private final String peerName;
  private final Proved onProved;

  /**
   * @param stream behind the preamble; not closed
   * @param address of this DataNode, where the other one has connected to
   * @param peerName the other one, for messages
   * @param onProved is run when the other one may ask, before its first question is read
   */
  public ChunkQueryServer(
      ChunkQueries queries,
      ChunkQueryStream stream,
      String address,
      String peerName,
      Proved onProved) {
    this.onProved = onProved;
    this.queries = queries;
    this.stream = stream;
    this.address = address;
    this.peerName = peerName;
  }

  /**
   * Answers until there are no more questions.
   *
   * @throws IOException if the connection breaks, or what comes is damaged
   */
  public void serve() throws IOException {
    ChunkQueryStream.Opening opening = stream.readOpening();
    if (!isProved(opening)) {
      stream.refuse();
      return;
    }
    String scheme = queries.scheme(opening.dialect());
    if (scheme == null || !queries.areEnabled()) {
      LOG.debug("{} asks for chunks in a way that is not known here", peerName);
      stream.refuse();
      return;
    }
    RetainedChunks held = queries.sessions().open(opening.poolId());
    if (held == null) {
      LOG.debug("Too many sessions; {} gets none", peerName);
      stream.refuse();
      return;
    }
    try (ChunkLookup lookup = queries.chunks(opening.poolId(), scheme)) {
      stream.grant(held.id());
      ChunkFunction function = queries.function(scheme);
      int waiting = 0;
      onProved.run();
      for (ChunkBatch batch = stream.readQuestion(); batch != null; batch = stream.readQuestion()) {
        // Throws once the pool is served no more.
        queries.proofs().areWanted(opening.poolId());
        stream.answer(batch, find(batch, lookup, function, held));
        waiting++;
        if (waiting == MAX_TOGETHER || !stream.hasNext()) {
          stream.flush();
          waiting = 0;
        }
      }
    } finally {
      held.finish();
    }
  }

  private boolean isProved(ChunkQueryStream.Opening opening) throws IOException {
    BlockKeyProofs proofs = queries.proofs();
    try {
      if (!proofs.areWanted(opening.poolId())) {
        return true;
      }
    } catch (IOException e) {
      LOG.debug("{} asks for chunks of a pool that is not served", peerName, e);
      return false;
    }
    byte[] challenge = new byte[ChunkQueryStream.PROOF_LENGTH];
    RANDOM.nextBytes(challenge);
    stream.challenge(challenge);
    ChunkQueryStream.Proof proof = stream.readProof();
    try {
      proofs.check(proof, opening.poolId(), challenge, address);
      return true;
    } catch (IOException e) {
      queries.proofRefused(peerName, e);
      return false;
    }
  }

  private BitSet find(
      ChunkBatch batch, ChunkLookup lookup, ChunkFunction function, RetainedChunks held)
      throws IOException {
    BitSet found = new BitSet();
    ByteBuffer bytes = held.take(batch);
    if (bytes == null) {
      queries.counters().noRoomToHold();
      return found;
    }
    boolean kept = false;
    try {
      lookup.find(batch.fingerprints(), batch.ends(), batch.count(), found, bytes);
      dropWrong(batch, found, function, bytes);
      queries.counters().answered(found.cardinality(), batch.count() - found.cardinality());
      if (!found.isEmpty()) {
        kept = true;
        if (!held.hold(batch, found, bytes)) {
          found.clear();
        }
      }
    } catch (IOException e) {
      LOG.debug("The stores can't be asked for chunks", e);
      found.clear();
    } finally {
      if (!kept) {
        held.giveBack(batch, bytes);
      }
    }
    return found;
  }

  private void dropWrong(ChunkBatch batch, BitSet found, ChunkFunction function, ByteBuffer bytes) {
    if (found.isEmpty()) {
      return;
    }
    byte[] actual = new byte[batch.fingerprints().length];
    function.fingerprints(bytes, batch.ends(), batch.count(), actual);
    long wrong = 0;
    for (int i = found.nextSetBit(0); i >= 0; i = found.nextSetBit(i + 1)) {
      int at = i * ChunkFunction.FINGERPRINT_LENGTH;
      int end = at + ChunkFunction.FINGERPRINT_LENGTH;
      if (!Arrays.equals(
          Arrays.copyOfRange(actual, at, end), Arrays.copyOfRange(batch.fingerprints(), at, end))) {
        found.clear(i);
        wrong++;
      }
    }
    if (wrong > 0) {
      queries.counters().wrongChunks(wrong);
    }
  }
}
