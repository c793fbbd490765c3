/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.hdrf.wire.ChunkQueryStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.EnumSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockKeyProofsTest {

  private static final String POOL = "BP-1";
  private static final String ADDRESS = "10.0.0.1:9866";
  private static final byte[] CHALLENGE = new byte[32];

  private BlockTokenSecretManager namenode;
  private BlockKeyProofs one;
  private BlockKeyProofs other;

  @BeforeEach
  void shareKeys() throws IOException {
    namenode = new BlockTokenSecretManager(600_000, 600_000, 0, 1, POOL, null, false);
    one = datanode(namenode);
    other = datanode(namenode);
  }

  private static BlockKeyProofs datanode(BlockTokenSecretManager namenode) throws IOException {
    BlockPoolTokenSecretManager tokens = new BlockPoolTokenSecretManager();
    BlockTokenSecretManager keys = new BlockTokenSecretManager(600_000, 600_000, POOL, null, false);
    keys.addKeys(namenode.exportKeys());
    tokens.addBlockPool(POOL, keys);
    return new BlockKeyProofs(tokens, poolId -> true);
  }

  private void assertRefused(
      ChunkQueryStream.Proof proof, String poolId, byte[] challenge, String to) {
    assertThatThrownBy(() -> other.check(proof, poolId, challenge, to))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aDataNodeProvesItself() throws IOException {
    ChunkQueryStream.Proof proof = one.prove(POOL, CHALLENGE, ADDRESS);
    assertThatCode(() -> other.check(proof, POOL, CHALLENGE, ADDRESS)).doesNotThrowAnyException();
    assertThat(one.areWanted(POOL)).isTrue();
  }

  /** The receiver of a proof can't use it elsewhere. */
  @Test
  void aProofIsForOneConnection() throws IOException {
    ChunkQueryStream.Proof proof = one.prove(POOL, CHALLENGE, ADDRESS);
    byte[] another = CHALLENGE.clone();
    another[31] = 1;
    assertRefused(proof, POOL, another, ADDRESS);
    assertRefused(proof, POOL, CHALLENGE, "10.0.0.2:9866");
    assertRefused(proof, "BP-2", CHALLENGE, ADDRESS);
    byte[] code = proof.code();
    code[0] ^= 1;
    assertRefused(new ChunkQueryStream.Proof(code, proof.identifier()), POOL, CHALLENGE, ADDRESS);
  }

  @Test
  void theKeysOfAnotherClusterAreOfNoUse() throws IOException {
    BlockKeyProofs stranger =
        datanode(new BlockTokenSecretManager(600_000, 600_000, 0, 1, POOL, null, false));
    assertRefused(stranger.prove(POOL, CHALLENGE, ADDRESS), POOL, CHALLENGE, ADDRESS);
  }

  @ParameterizedTest
  @CsvSource({
    "/10.0.0.1:9866, 10.0.0.1:9866",
    "dn1/10.0.0.1:9866, 10.0.0.1:9866",
    "/0:0:0:0:0:0:0:1:9866, 0:0:0:0:0:0:0:1:9866",
    "/[0:0:0:0:0:0:0:1]:9866, 0:0:0:0:0:0:0:1:9866",
    "dn1/[fe80:0:0:0:0:0:0:1%eth0]:9866, fe80:0:0:0:0:0:0:1%eth0:9866",
    "/fe80:0:0:0:0:0:0:1%2:9866, fe80:0:0:0:0:0:0:1%2:9866",
    "<local>, <local>",
  })
  void anAddressIsOneTextOnBothSides(String printed, String text) {
    assertThat(BlockKeyProofs.address(printed)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "fd00::1"})
  void bothSidesPrintTheSameAddress(String host) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 9866);
    assertThat(BlockKeyProofs.address(address.toString()))
        .isEqualTo(BlockKeyProofs.address(address))
        .doesNotContain("[");
  }

  /** A client has the password of a token of a block that it may read or write. */
  @Test
  void aClientsTokenIsOfNoUse() throws Exception {
    Token<BlockTokenIdentifier> token =
        namenode.generateToken(
            new ExtendedBlock(POOL, 1L << 30),
            EnumSet.allOf(AccessMode.class),
            new StorageType[0],
            new String[0]);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(token.getPassword(), "HmacSHA256"));
    mac.update(
        ("HDRF asks for chunks, 1\0" + POOL + "\0" + ADDRESS + "\0")
            .getBytes(java.nio.charset.StandardCharsets.UTF_8));
    ChunkQueryStream.Proof proof =
        new ChunkQueryStream.Proof(mac.doFinal(CHALLENGE), token.getIdentifier());
    assertThatThrownBy(() -> other.check(proof, POOL, CHALLENGE, ADDRESS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("doesn't apply to block");
  }

  @Test
  void anythingElseIsRefused() {
    for (int length : new int[] {0, 1, 10, 200}) {
      assertRefused(
          new ChunkQueryStream.Proof(new byte[32], new byte[length]), POOL, CHALLENGE, ADDRESS);
    }
  }

  /**
   * Returns an identifier whose lengths and counts are right except for one, after which nothing
   * follows.
   */
  private static byte[] announcing(int place, int announced) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    WritableUtils.writeVLong(out, -1000);
    WritableUtils.writeVInt(out, 1);
    byte[][] parts = {
      "user".getBytes(UTF_8),
      POOL.getBytes(UTF_8),
      {},
      "COPY".getBytes(UTF_8),
      {},
      "DISK".getBytes(UTF_8),
      {},
      "id".getBytes(UTF_8),
      {},
    };
    for (int i = 0; i <= place; i++) {
      if (i == 2) {
        WritableUtils.writeVLong(out, 0);
      }
      int honest = parts[i].length == 0 ? 1 : parts[i].length;
      int length = i == place ? announced : honest;
      if (i == 0 || i == 1 || i == 7) {
        out.writeInt(length);
      } else {
        WritableUtils.writeVInt(out, length);
      }
      out.write(i == place ? new byte[0] : parts[i]);
    }
    return Arrays.copyOf(out.getData(), out.getLength());
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Strangers may send it; a DataNode out of memory serves nobody. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
  void whatATokenAnnouncesTakesNoMemory(int place) throws IOException {
    for (int announced : new int[] {200, 64 << 20, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
      ChunkQueryStream.Proof proof =
          new ChunkQueryStream.Proof(new byte[32], announcing(place, announced));
      long before = allocated();
      assertRefused(proof, POOL, CHALLENGE, ADDRESS);
      assertThat(allocated() - before).isLessThan(16 << 20);
    }
  }
}
