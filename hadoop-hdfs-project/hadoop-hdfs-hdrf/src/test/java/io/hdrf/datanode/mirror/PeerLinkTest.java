/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.WireFormat;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The choice of peers that get blocks as frames. */
class PeerLinkTest {

  private static final int FRAMES = 65211;
  private static final int OTHER = 65212;

  private Mirroring mirroring;
  private int peers;

  @BeforeEach
  void open() throws Exception {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(
                new MemoryStore.Scheme(), new HookedScheme("frames", FRAMES, Integer.MAX_VALUE)));
    SchemeChain chain = SchemeChain.parse("chain", "frames", registry);
    mirroring = new MemoryStore(chain).mirroring(new Configuration(false), registry, chain);
  }

  @AfterEach
  void close() {
    mirroring.close();
  }

  private PeerLink link(PeerDirectory.Probe probe) {
    peers++;
    return mirroring.link(
        InetSocketAddress.createUnresolved("peer" + peers, 9866), probe, () -> null);
  }

  private void assertPlain(Fallback reason, PeerDirectory.Probe probe) {
    assertThat(link(probe)).isNull();
    for (Fallback each : Fallback.values()) {
      assertThat(mirroring.counters().value("mirrorFallback" + each.metricName()))
          .as(each.name())
          .isEqualTo(each == reason ? 1 : 0);
    }
  }

  @Test
  void aPeerWithTheSchemeGetsFrames() {
    Capabilities capable = new Capabilities(WireFormat.VERSION, List.of(OTHER, FRAMES));
    assertThat(link(() -> capable)).isNotNull();
    assertThat(link(() -> new Capabilities(WireFormat.VERSION + 1, List.of(FRAMES)))).isNotNull();
  }

  @Test
  void aPeerWithoutTheSchemesJarGetsPlainBlocks() {
    assertPlain(
        Fallback.PEER_LACKS_SCHEME, () -> new Capabilities(WireFormat.VERSION, List.of(OTHER)));
  }

  /** The peer would not be to blame. */
  @Test
  void whatDoesNotOpenHereIsSentToNobody() throws Exception {
    mirroring.close();
    HookedScheme broken =
        new HookedScheme("broken", FRAMES, Integer.MAX_VALUE) {
          @Override
          public FrameCodec newCodec(PluginSettings settings) {
            throw new AssertionError("no native library");
          }
        };
    SchemeRegistry registry = SchemeRegistry.of(List.of(broken));
    SchemeChain chain = SchemeChain.parse("chain", "broken", registry);
    mirroring = new MemoryStore(chain).mirroring(new Configuration(false), registry, chain);
    assertPlain(
        Fallback.PEER_LACKS_SCHEME, () -> new Capabilities(WireFormat.VERSION, List.of(FRAMES)));
  }

  @Test
  void aPeerThatSpeaksAnEarlierVersionGetsPlainBlocks() {
    assertPlain(
        Fallback.PEER_IS_STOCK, () -> new Capabilities(WireFormat.VERSION - 1, List.of(FRAMES)));
  }

  @Test
  void aStockPeerGetsPlainBlocks() {
    assertPlain(
        Fallback.PEER_IS_STOCK,
        () -> {
          throw new EOFException();
        });
  }

  @Test
  void aPeerThatDoesNotAnswerGetsPlainBlocks() {
    assertPlain(
        Fallback.PEER_UNKNOWN,
        () -> {
          throw new SocketTimeoutException();
        });
  }
}
