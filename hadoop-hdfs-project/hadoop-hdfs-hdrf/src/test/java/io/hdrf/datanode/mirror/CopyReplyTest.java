/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the end of a connection says of the peer. */
class CopyReplyTest {

  private static final InetSocketAddress PEER = InetSocketAddress.createUnresolved("peer", 9866);

  private Mirroring mirroring;

  /** How often the peer was asked what it can do. */
  private int asked;

  @BeforeEach
  void open() throws IOException {
    SchemeRegistry registry =
        SchemeRegistry.of(List.of(new HookedScheme("frames", 65211, Integer.MAX_VALUE)));
    SchemeChain chain = SchemeChain.parse("chain", "frames", registry);
    mirroring = new MemoryStore(chain).mirroring(new Configuration(false), registry, chain);
  }

  @AfterEach
  void close() {
    mirroring.close();
  }

  private PeerLink link() {
    PeerDirectory.Probe probe =
        () -> {
          asked++;
          return mirroring.own();
        };
    return mirroring.link(PEER, probe, null);
  }

  private CopyReply reply(IOException failure) {
    InputStream in =
        new InputStream() {
          @Override
          public int read() throws IOException {
            if (failure != null) {
              throw failure;
            }
            return -1;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            return read();
          }
        };
    return new CopyReply(mirroring, in, link(), new Acknowledgements());
  }

  @Test
  void aPeerThatClosesIsAskedAgain() throws IOException {
    assertThat(reply(null).read()).isNegative();
    link();
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void aPeerThatResetsIsAskedAgain() {
    SocketException reset = new SocketException("Connection reset");
    assertThatThrownBy(() -> reply(reset).read()).isSameAs(reset);
    link();
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void aSlowPeerStaysWhatItIs() {
    SocketTimeoutException slow = new SocketTimeoutException();
    assertThatThrownBy(() -> reply(slow).read()).isSameAs(slow);
    link();
    assertThat(asked).isOne();
  }
}
