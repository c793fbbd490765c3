/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.datanode.mirror.query.ChunkQueries;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.WireFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.DNConf;
import org.junit.jupiter.api.Test;

/** Peers that ask for chunks, before any proof. */
class MirrorSaslServerTest {

  private static final String ADDRESS = "127.0.0.1:4711";

  private boolean noThreads;

  /** At the limit of processes every timer that needs a thread fails. */
  @Test
  void whoIsNotHeardForWantOfThreadsIsForgotten() throws Exception {
    Configuration conf = new Configuration(false);
    SchemeRegistry registry =
        SchemeRegistry.of(List.of(new HookedScheme("frames", 65211, Integer.MAX_VALUE)));
    SchemeChain chain = SchemeChain.parse("chain", "frames", registry);
    try (Mirroring mirroring =
        new MemoryStore(chain)
            .mirroring(
                conf,
                registry,
                chain,
                (nanos, task) -> {
                  if (noThreads) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                })) {
      MirrorSaslServer server =
          new MirrorSaslServer(
              new DNConf(new Configured(conf)), new BlockPoolTokenSecretManager(), mirroring);
      noThreads = true;
      for (int i = 0; i < ChunkQueries.MAX_STRANGERS; i++) {
        assertThatThrownBy(() -> isHeard(server)).isInstanceOf(OutOfMemoryError.class);
      }
      noThreads = false;
      assertThat(isHeard(server)).isTrue();
    }
  }

  /** Whether anything is read behind the preamble. */
  private static boolean isHeard(MirrorSaslServer server) throws IOException {
    boolean[] heard = new boolean[1];
    ByteArrayInputStream in =
        new ByteArrayInputStream(Preamble.encode(WireFormat.ASK)) {
          @Override
          public synchronized int read() {
            heard[0] |= available() == 0;
            return super.read();
          }

          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            heard[0] |= available() == 0;
            return super.read(bytes, offset, length);
          }
        };
    Peer peer =
        (Peer)
            Proxy.newProxyInstance(
                Peer.class.getClassLoader(),
                new Class<?>[] {Peer.class},
                (proxy, method, arguments) ->
                    method.getName().endsWith("AddressString") ? ADDRESS : null);
    server.receive(peer, new ByteArrayOutputStream(), in, 0, null);
    return heard[0];
  }
}
