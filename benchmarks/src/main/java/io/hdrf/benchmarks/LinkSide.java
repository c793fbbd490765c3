/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.CpuLimit;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.Host;
import io.hdrf.cluster.Hosts;
import io.hdrf.cluster.LinkCounters;
import io.hdrf.cluster.LinkMeter;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.NetworkHosts;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A cluster on a network of its own, with a client on the first DataNode's host. For one thread.
 */
final class LinkSide implements Closeable {

  private static final String DIRECTORY = "/bench/";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** So seldom that the answers take little of the DataNodes' processor time. */
  private static final Duration POLL = LocalCluster.METRICS_PERIOD;

  private final Deque<Closeable> resources = new ArrayDeque<>();
  private final NetworkHosts network;
  private final BenchmarkCluster own;
  private final LocalCluster cluster;
  private final UploadProcess client;

  /**
   * Starts everything, on links of no limited rate.
   *
   * @param dataNodeCores processor time that each DataNode gets, in seconds per second
   * @param clientCores the same for the client
   */
  LinkSide(ClusterConfig config, OptionalDouble dataNodeCores, OptionalDouble clientCores)
      throws IOException {
    try {
      List<List<String>> limits = new ArrayList<>();
      for (int i = 0; i < config.dataNodes(); i++) {
        limits.add(limit(dataNodeCores));
      }
      List<String> clientLimit = limit(clientCores);
      network = NetworkHosts.create(config.dataNodes());
      resources.push(network);
      own =
          new BenchmarkCluster(
              config,
              new Hosts() {
                @Override
                public Host nameNode() {
                  return network.nameNode();
                }

                @Override
                public Host dataNode(int index) {
                  return network.dataNode(index).under(limits.get(index));
                }

                @Override
                public Host client() {
                  return network.client().under(clientLimit);
                }
              });
      resources.push(own);
      cluster = own.cluster();
      client = new UploadProcess(cluster.hosts().client(), cluster.conf());
      resources.push(client);
    } catch (IOException | RuntimeException e) {
      try {
        close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private List<String> limit(OptionalDouble cores) throws IOException {
    if (cores.isEmpty()) {
      return List.of();
    }
    CpuLimit limit = CpuLimit.create(cores.getAsDouble());
    resources.push(limit);
    return limit.command();
  }

  /** Limits the rate of all links from now on. */
  void limitRate(long bitsPerSecond) throws IOException {
    network.limitRate(bitsPerSecond);
  }

  /**
   * Writes a file of {@code length} bytes and returns once it is reduced.
   *
   * @param name of the file; it stays until {@link #empty}
   * @param verify whether to read it again and compare it, which is not measured
   */
  Uploaded write(
      String name,
      long length,
      List<Piece> pieces,
      ClientCodec codec,
      int replication,
      boolean verify)
      throws IOException, InterruptedException {
    client.load(length, pieces);
    PageCache.sync();
    double clientBefore = client.usage().cpuSeconds();
    List<Double> nodesBefore = dataNodeSeconds();
    LinkMeter meter = new LinkMeter(network);
    long began = System.nanoTime();
    UploadProcess.Written written = client.write(codec, replication, DIRECTORY + name);
    List<LinkCounters> links = meter.links();
    double clientSeconds = client.usage().cpuSeconds() - clientBefore;
    long reduced = awaitReduced();
    List<Double> nodes = new ArrayList<>(dataNodeSeconds());
    for (int i = 0; i < nodes.size(); i++) {
      nodes.set(i, nodes.get(i) - nodesBefore.get(i));
    }
    if (verify) {
      client.verify(codec, DIRECTORY + name);
    }
    return new Uploaded(
        length,
        written.storedBytes(),
        written.seconds(),
        cluster.config().stock() ? written.seconds() : (reduced - began) / 1e9,
        links,
        nodes,
        clientSeconds);
  }

  /**
   * Waits until no block is left to reduce. What DataNodes say of themselves may be a period old,
   * so it takes two looks without one; a stock cluster is left alone for as long.
   *
   * @return when the first of these looks was made, by {@link System#nanoTime}
   */
  private long awaitReduced() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long idleSince = System.nanoTime();
    for (int idle = 0; idle < 2; ) {
      Thread.sleep(POLL.toMillis());
      if (pending() > 0) {
        idle = 0;
      } else if (idle++ == 0) {
        idleSince = System.nanoTime();
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("Blocks were still being reduced after " + PATIENCE);
      }
    }
    return idleSince;
  }

  private long pending() throws IOException {
    long pending = 0;
    if (!cluster.config().stock()) {
      for (DataNode node : cluster.dataNodes()) {
        pending += node.pendingReductions();
      }
    }
    return pending;
  }

  private List<Double> dataNodeSeconds() throws IOException {
    List<Double> seconds = new ArrayList<>();
    for (DataNode node : cluster.dataNodes()) {
      seconds.add(node.usage().cpuSeconds());
    }
    return seconds;
  }

  /** Deletes all files, and returns once their blocks are gone. */
  void empty() throws IOException {
    client.delete(DIRECTORY);
    own.awaitBlocks(0);
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    while (!resources.isEmpty()) {
      try {
        resources.pop().close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
