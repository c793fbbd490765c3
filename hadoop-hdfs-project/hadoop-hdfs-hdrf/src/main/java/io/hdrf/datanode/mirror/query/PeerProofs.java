/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.wire.query.ChunkQueryStream;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * How one DataNode proves to another that it is one, so that no client can read chunks of others by
 * naming them. A proof answers a challenge for one connection to one address: whoever gets it, such
 * as somebody whom a client names as a DataNode of its pipeline, can't use it elsewhere.
 * Thread-safe.
 */
public interface PeerProofs {

  /** No proof is asked for: without block tokens, every client can read every block anyway. */
  PeerProofs NONE =
      new PeerProofs() {
        @Override
        public boolean areWanted(String poolId) {
          return false;
        }

        @Override
        public ChunkQueryStream.Proof prove(String poolId, byte[] challenge, String address)
            throws IOException {
          throw new IOException("there are no block tokens to prove anything with");
        }

        @Override
        public void check(
            ChunkQueryStream.Proof proof, String poolId, byte[] challenge, String address) {}
      };

  /** Nobody is answered, since it is not known yet whether there are block tokens. */
  PeerProofs UNKNOWN =
      new PeerProofs() {
        @Override
        public boolean areWanted(String poolId) throws IOException {
          throw new IOException("this DataNode has not started yet");
        }

        @Override
        public ChunkQueryStream.Proof prove(String poolId, byte[] challenge, String address)
            throws IOException {
          throw new IOException("this DataNode has not started yet");
        }

        @Override
        public void check(
            ChunkQueryStream.Proof proof, String poolId, byte[] challenge, String address)
            throws IOException {
          throw new IOException("this DataNode has not started yet");
        }
      };

  /**
   * Whether this DataNode answers only who has proved itself.
   *
   * @throws IOException if it does not serve the pool, or has not registered with its NameNode yet,
   *     so that nobody is to be answered
   */
  boolean areWanted(String poolId) throws IOException;

  /**
   * Makes a proof.
   *
   * @param challenge what the other side sent
   * @param address where the other side was connected to, as of {@link #address}
   */
  ChunkQueryStream.Proof prove(String poolId, byte[] challenge, String address) throws IOException;

  /**
   * Checks a proof.
   *
   * @param challenge what this side sent
   * @param address as for {@link #prove}
   * @throws IOException if it is none
   */
  void check(ChunkQueryStream.Proof proof, String poolId, byte[] challenge, String address)
      throws IOException;

  /** An address and port as both sides write them. */
  static String address(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  /** As the other, of {@code host/address:port}. */
  static String address(String address) {
    return address.substring(address.indexOf('/') + 1);
  }
}
