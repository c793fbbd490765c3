/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts in network namespaces; skipped where they can't be made. */
class NetworkHostsTest {
  private static final long RATE = 40_000_000;
  private static final int SIZE = 20_000_000;

  @TempDir private Path directory;

  @BeforeEach
  void canMakeNetworks() throws IOException {
    Optional<String> obstacle = NetworkHosts.obstacle();
    assumeTrue(obstacle.isEmpty(), obstacle.orElse(""));
  }

  private static List<String> namesOf(NetworkHosts hosts) throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> interfaces = Files.list(Path.of("/sys/class/net"))) {
      interfaces.map(path -> path.getFileName().toString()).forEach(names::add);
    }
    SystemCommand.run(List.of("ip", "netns", "list"))
        .lines()
        .map(line -> line.split(" ", 2)[0])
        .forEach(names::add);
    names.removeIf(name -> !name.equals(hosts.name()) && !name.startsWith(hosts.name() + "-"));
    return names;
  }

  private static Process sleepOn(Host host) throws IOException {
    Process process =
        new ProcessBuilder(host.commandFor(List.of("sleep", "600"))).inheritIO().start();
    Waiting.until(
        Duration.ofSeconds(30),
        () -> process.info().command().orElse("").endsWith("sleep"),
        () -> "sleep has not started");
    return process;
  }

  @Test
  void closingKillsAndRemovesEverything() throws Exception {
    NetworkHosts hosts = NetworkHosts.create(2);
    assertThat(namesOf(hosts)).hasSize(5);
    Process process = sleepOn(hosts.dataNode(1));
    assertThatThrownBy(() -> hosts.dataNode(2)).isInstanceOf(IndexOutOfBoundsException.class);
    hosts.close();
    assertThat(process.waitFor()).isNotZero();
    assertThat(namesOf(hosts)).isEmpty();
  }

  @Test
  void whatAKilledRunLeftIsRemovedAndOtherNetworksAreNot() throws Exception {
    try (NetworkHosts other = NetworkHosts.create(1)) {
      NetworkHosts killed = NetworkHosts.create(1);
      assertThat(killed.name()).isNotEqualTo(other.name());
      Process process = sleepOn(killed.nameNode());
      killed.abandon();
      NetworkHosts.removeLeftovers();
      assertThat(process.waitFor()).isNotZero();
      assertThat(namesOf(killed)).isEmpty();
      assertThat(namesOf(other)).hasSize(4);
    }
  }

  @Test
  void countsWhatDataNodesSendEachOtherAtTheRateOfTheLinks() throws Exception {
    byte[] content = new byte[SIZE];
    new Random(1).nextBytes(content);
    Path file = directory.resolve("content");
    Files.write(file, content);
    ClusterConfig config =
        ClusterConfig.in(directory.resolve("cluster")).withStock(true).withHeaps("256m", "256m");
    try (NetworkHosts hosts = NetworkHosts.create(3)) {
      LocalCluster cluster =
          LocalCluster.create(config, HadoopRuntime.ofThisJvm(Optional.empty()), hosts);
      cluster.start();
      hosts.limitRate(RATE);
      LinkMeter meter = new LinkMeter(hosts);
      long began = System.nanoTime();
      cluster
          .submit(
              "put",
              "256m",
              "org.apache.hadoop.fs.FsShell",
              List.of("-put", file.toString(), "/file"))
          .awaitSuccess(line -> {});
      double seconds = (System.nanoTime() - began) / 1e9;
      assertThat(seconds).isGreaterThan(SIZE * 8.0 / RATE);
      // Data, checksums of 4 bytes for 512, and at most 2 % for everything else.
      long least = SIZE + SIZE / 128;
      long most = least + SIZE / 50;
      List<LinkCounters> links = meter.links();
      assertThat(links.get(0).sentBytes()).isBetween(least, most);
      assertThat(links.get(0).receivedBytes()).isLessThan(SIZE / 50);
      assertThat(links.get(1).receivedBytes() + links.get(2).receivedBytes())
          .isBetween(2 * least, 2 * most);
      assertThat(meter.receivedByDataNodes()).isBetween(2 * least, 2 * most);
      cluster.kill();
    }
  }
}
