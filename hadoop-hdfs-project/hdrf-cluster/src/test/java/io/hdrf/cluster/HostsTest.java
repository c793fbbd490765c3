/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostsTest {
  @TempDir private Path directory;

  @Test
  void commandsAreNested() {
    Host host = new Host("10.0.0.1", List.of("in", "space")).under(List.of("nice"));
    assertThat(host.commandFor(List.of("java", "-x")))
        .containsExactly("nice", "in", "space", "java", "-x");
    assertThat(Hosts.LOOPBACK.client()).isEqualTo(Host.LOOPBACK);
  }

  @Test
  void networksNeedTwoCapabilities() {
    assertThat(NetworkHosts.mayMakeNetworks("Name:\tx\nCapEff:\t000001ffffffffff\n")).isTrue();
    assertThat(NetworkHosts.mayMakeNetworks("CapEff:\t0000000000201000\n")).isTrue();
    assertThat(NetworkHosts.mayMakeNetworks("CapEff:\t0000000000200000\n")).isFalse();
    assertThat(NetworkHosts.mayMakeNetworks("CapEff:\t0000000000001000\n")).isFalse();
    assertThat(NetworkHosts.mayMakeNetworks("")).isFalse();
  }

  @Test
  void countersAreThoseOfIp() throws Exception {
    String json =
        "[{\"ifname\":\"eth0\",\"stats64\":{\"rx\":{\"bytes\":90,\"packets\":1},"
            + "\"tx\":{\"bytes\":7,\"packets\":2}}}]";
    LinkCounters counters = NetworkHosts.counters(json);
    assertThat(counters).isEqualTo(new LinkCounters(7, 90, 2, 1));
    assertThat(counters.since(new LinkCounters(1, 2, 1, 1)))
        .isEqualTo(new LinkCounters(6, 88, 1, 0));
    assertThatThrownBy(() -> NetworkHosts.counters("[{}]")).isInstanceOf(ClusterException.class);
  }

  @Test
  void aLeaseHasOneOwner() throws Exception {
    try (NetworkLease lease = NetworkLease.of(directory, 3).orElseThrow()) {
      assertThat(lease.number()).isEqualTo(3);
      assertThat(NetworkLease.of(directory, 3)).isEmpty();
      NetworkLease.of(directory, 4).orElseThrow().close();
    }
    NetworkLease.of(directory, 3).orElseThrow().close();
  }
}
