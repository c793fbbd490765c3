/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.WireFormat;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.protocol.datatransfer.TrustedChannelResolver;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections to another DataNode. */
@Timeout(60)
class MirrorSaslClientTest {

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch givenUp = new CountDownLatch(1);

  /** It says what it can do, takes blocks and questions, and answers nothing. */
  private void serve(Socket socket, Mirroring own) {
    try (socket) {
      InputStream in = socket.getInputStream();
      int kind = Preamble.read(in).kind();
      if (kind == WireFormat.PROBE) {
        socket.getOutputStream().write(own.own().encode());
        return;
      }
      if (kind == WireFormat.ASK) {
        asked.countDown();
      }
      while (in.read() >= 0) {}
      if (kind == WireFormat.ASK) {
        givenUp.countDown();
      }
    } catch (IOException e) {
      // Its connections are closed at the test's end.
    }
  }

  private void accept(ServerSocket peer, Mirroring own) {
    while (true) {
      try {
        Socket socket = peer.accept();
        Thread thread = new Thread(() -> serve(socket, own));
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  @Test
  void aPeerThatIsSilentIsNotAskedForEver() throws Exception {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(
                new MemoryStore.Scheme(), new HookedScheme("frames", 65211, Integer.MAX_VALUE)));
    MemoryStore store =
        new MemoryStore(SchemeChain.parse("chain", MemoryStore.SCHEME + ",frames", registry));
    Configuration conf = new Configuration(false);
    conf.setInt("hdrf.mirror.probe.timeout", 3000);
    conf.setBoolean("hdrf.mirror.enabled", true);
    try (Mirroring sender =
            store.mirroring(conf, registry, SchemeChain.parse("chain", "frames", registry));
        ServerSocket peer = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread accepting = new Thread(() -> accept(peer, sender));
      accepting.start();
      MirrorSaslClient client =
          new MirrorSaslClient(
              conf, null, TrustedChannelResolver.getInstance(conf), sender, 0, Socket::new);
      try (Socket socket = new Socket(peer.getInetAddress(), peer.getLocalPort())) {
        IOStreamPair streams =
            client.socketSend(
                socket,
                socket.getOutputStream(),
                socket.getInputStream(),
                () -> null,
                new Token<>(),
                new DatanodeID("127.0.0.1", "localhost", "peer", 1, 2, 3, 4),
                null);
        streams.out.write(OpenedStream.request(42, "client"));
        streams.out.flush();
        asked.await();
        givenUp.await();
        String counter = "mirrorFallback" + Fallback.ASK_FAILED.metricName();
        assertThat(sender.counters().value(counter)).isOne();
        streams.out.close();
      }
      peer.close();
      accepting.join();
    }
  }
}
