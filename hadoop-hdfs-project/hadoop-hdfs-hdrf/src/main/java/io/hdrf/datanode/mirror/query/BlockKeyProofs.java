/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.wire.ChunkQueryStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.EnumSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.token.Token;

/**
 * Proofs by which one DataNode shows another that it is one, so that no client can read chunks of
 * others by naming them. A proof answers a challenge for one connection to one address: its
 * receiver, which a client may have named as a DataNode of its pipeline, can't use it elsewhere.
 * Thread-safe.
 *
 * <p>Proofs are made with the keys of block tokens, which only NameNodes and DataNodes have. The
 * prover makes itself a token for a block that no file can have; only its identifier travels. The
 * proof is an HMAC-SHA256, keyed with the token's password, of the challenge, the pool and the
 * address: the other side finds the password by its own keys.
 */
public final class BlockKeyProofs {

  /** Nobody is answered, since it is not known yet whether there are block tokens. */
  static final BlockKeyProofs UNKNOWN =
      new BlockKeyProofs(
          null,
          poolId -> {
            throw new IOException("this DataNode has not started yet");
          });

  /** HDFS reserves the ids below 2<sup>30</sup>. */
  private static final long NO_BLOCK = 0;

  private static final String ALGORITHM = "HmacSHA256";
  private static final String PURPOSE = "HDRF asks for chunks, 1";

  private final BlockPoolTokenSecretManager tokens;
  private final Registrations registrations;

  /** The information from the NameNodes. */
  public interface Registrations {
    /**
     * Returns whether block tokens are in use in a pool.
     *
     * @throws IOException if this DataNode is not registered for the pool
     */
    boolean useTokens(String poolId) throws IOException;
  }

  public BlockKeyProofs(BlockPoolTokenSecretManager tokens, Registrations registrations) {
    this.tokens = tokens;
    this.registrations = registrations;
  }

  /**
   * Returns whether this DataNode answers only DataNodes that have proved themselves; without block
   * tokens, every client can read every block anyway.
   *
   * @throws IOException if it does not serve the pool, or has not registered with its NameNode yet,
   *     so that nobody is to be answered
   */
  public boolean areWanted(String poolId) throws IOException {
    return registrations.useTokens(poolId);
  }

  /**
   * Makes a proof.
   *
   * @param challenge what the other side sent
   * @param address where the other side was connected to, as of {@link #address}
   * @throws IOException if there are no block tokens in the pool, or it is not served
   */
  public ChunkQueryStream.Proof prove(String poolId, byte[] challenge, String address)
      throws IOException {
    if (!areWanted(poolId)) {
      throw new IOException("there are no block tokens to prove anything with");
    }
    Token<BlockTokenIdentifier> token =
        tokens.generateToken(
            new ExtendedBlock(poolId, NO_BLOCK),
            EnumSet.of(AccessMode.COPY),
            new StorageType[0],
            new String[0]);
    return new ChunkQueryStream.Proof(
        code(token.getPassword(), poolId, challenge, address), token.getIdentifier());
  }

  /**
   * Checks a proof.
   *
   * @param challenge what this side sent
   * @param address as for {@link #prove}
   * @throws IOException if it is none
   */
  public void check(ChunkQueryStream.Proof proof, String poolId, byte[] challenge, String address)
      throws IOException {
    byte[] expected;
    requireAnnounced(proof.identifier());
    try {
      BlockTokenIdentifier identifier = new BlockTokenIdentifier();
      identifier.readFields(new DataInputStream(new ByteArrayInputStream(proof.identifier())));
      tokens.checkAccess(
          identifier, null, new ExtendedBlock(poolId, NO_BLOCK), AccessMode.COPY, null, null);
      expected = code(tokens.retrievePassword(identifier), poolId, challenge, address);
    } catch (RuntimeException e) {
      throw new IOException("no token of this pool", e);
    }
    if (!MessageDigest.isEqual(expected, proof.code())) {
      throw new IOException("it was not made with the keys of block tokens, for this connection");
    }
  }

  /**
   * Stock code takes memory for what an identifier announces, before it finds that less is there.
   *
   * @throws IOException if it announces more than there is
   */
  private static void requireAnnounced(byte[] identifier) throws IOException {
    if (identifier.length > 0 && identifier[0] > 0) {
      // Protocol buffers begin so; their parser compares their lengths.
      return;
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(identifier));
    try {
      WritableUtils.readVLong(in); // Expiry
      WritableUtils.readVInt(in); // Key
      skip(in, in.readInt()); // User
      skip(in, in.readInt()); // Pool
      WritableUtils.readVLong(in); // Block
      for (int modes = announced(in, WritableUtils.readVInt(in)); modes > 0; modes--) {
        skip(in, WritableUtils.readVInt(in));
      }
      for (int types = announced(in, WritableUtils.readVInt(in)); types > 0; types--) {
        skip(in, WritableUtils.readVInt(in));
      }
      for (int ids = announced(in, WritableUtils.readVInt(in)); ids > 0; ids--) {
        skip(in, in.readInt());
      }
      announced(in, WritableUtils.readVInt(in)); // Secret
    } catch (EOFException e) {
      // Nothing behind that can be announced.
    }
  }

  private static int announced(DataInputStream in, int count) throws IOException {
    if (count > in.available()) {
      throw new IOException("a token that announces more than there is");
    }
    return count;
  }

  private static void skip(DataInputStream in, int length) throws IOException {
    in.skipBytes(announced(in, length));
  }

  private static byte[] code(byte[] password, String poolId, byte[] challenge, String address)
      throws IOException {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(password, ALGORITHM));
      for (String part : new String[] {PURPOSE, poolId, address}) {
        mac.update(part.getBytes(StandardCharsets.UTF_8));
        mac.update((byte) 0);
      }
      return mac.doFinal(challenge);
    } catch (GeneralSecurityException e) {
      throw new IOException("the proof can't be computed", e);
    }
  }

  /** An address and port as both sides write them. */
  public static String address(InetSocketAddress address) {
    return address(address.getAddress().getHostAddress() + ":" + address.getPort());
  }

  /**
   * Returns the address and port of {@code host/address:port}, without the brackets that some
   * versions of Java print around an address of IPv6. A zone stays: one link-local address may be
   * that of another host on each link.
   */
  public static String address(String address) {
    return address.substring(address.indexOf('/') + 1).replaceFirst("^\\[(.*)\\](:\\d+)$", "$1$2");
  }
}
