/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which form blocks begin, by the chain that they will be stored with. */
class MeterOfABlockTest {

  private static final int ID = 65231;
  private static final BlockRef BLOCK = new BlockRef("BP-1", 42);

  private final Configuration conf = new Configuration(false);
  private Mirroring mirroring;

  private void open(String chain) throws IOException {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(new MemoryStore.Scheme(), new HookedScheme("frames", ID, Integer.MAX_VALUE)));
    mirroring =
        new MemoryStore(SchemeChain.parse("chain", chain, registry))
            .mirroring(conf, registry, SchemeChain.parse("chain", "frames", registry));
  }

  @AfterEach
  void close() {
    mirroring.close();
  }

  private PeerLink peer() {
    return new PeerLink(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
        mirroring.own(),
        () -> {
          throw new IOException("not to be asked");
        });
  }

  /** Writes so slowly that the other form is tried if it may be. */
  private static boolean turns(LinkMeter meter) {
    boolean before = meter.isReduced();
    for (int i = 0; i < 20; i++) {
      meter.wrote((int) LinkChoice.WINDOW, i * 1_000_000_000L, (i + 1) * 1_000_000_000L);
    }
    return meter.isReduced() != before;
  }

  /** Nor do packets that go as they came, by reference or encoded. */
  @Test
  void theTimeOfWhatDoesNotCountDoesNotCount() throws IOException {
    open("frames");
    LinkChoice choice =
        new LinkChoice(LinkChoice.Form.PLAIN, () -> () -> false, () -> {}, () -> {});
    LinkMeter meter = LinkMeter.begin(choice, true);
    long second = 1_000_000_000L;
    meter.wrote(1 << 20, 0, second);
    meter.passed(60 * second);
    meter.wrote(1 << 20, 60 * second, 61 * second);
    // It was held up all of the time, so it tries the other form.
    assertThat(meter.isReduced()).isTrue();
  }

  @Test
  void framesThatAreStoredGoFromTheFirstToTheLast() throws IOException {
    open("frames");
    LinkMeter first = mirroring.meter(BLOCK, peer(), true);
    assertThat(first.isReduced()).isTrue();
    assertThat(turns(first)).isFalse();
    LinkMeter middle = mirroring.meter(BLOCK, peer(), false);
    assertThat(middle.isReduced()).isFalse();
    assertThat(turns(middle)).isFalse();
    assertThat(mirroring.plainMeter(peer())).isNull();
  }

  @Test
  void blocksOfTheStoreGoPlain() throws IOException {
    open(MemoryStore.SCHEME + ",frames");
    assertThat(mirroring.plainMeter(peer())).isNull();
    LinkMeter meter = mirroring.meter(BLOCK, peer(), true);
    assertThat(meter.isReduced()).isFalse();
    meter.wrote((int) LinkChoice.WINDOW, 0, 1000);
    meter.wrote((int) LinkChoice.WINDOW, 1_000_000_000, 1_000_001_000);
    assertThat(mirroring.plainMeter(peer()).isReduced()).isFalse();
  }

  @Test
  void withoutAChoiceTheyGoReduced() throws IOException {
    conf.set("hdrf.mirror.enabled", "true");
    open(MemoryStore.SCHEME + ",frames");
    LinkMeter meter = mirroring.meter(BLOCK, peer(), true);
    assertThat(meter.isReduced()).isTrue();
    assertThat(turns(meter)).isFalse();
    assertThat(mirroring.plainMeter(peer())).isNull();
  }

  /** They come back on a connection from anywhere. */
  @Test
  void copiesGoReduced() throws IOException {
    open(MemoryStore.SCHEME + ",frames");
    PeerLink requester =
        new PeerLink(InetSocketAddress.createUnresolved("127.0.0.1", 0), mirroring.own());
    assertThat(mirroring.meter(BLOCK, requester, true).isReduced()).isTrue();
  }
}
