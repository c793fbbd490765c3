/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The traffic over the links of {@link NetworkHosts} since this was made, by the kernel's counters.
 *
 * <p>A link carries all that its host sends and receives. Where the client writes from DataNode 0's
 * host, that is the traffic between DataNodes, heartbeats and answers of the NameNode, and this
 * JVM's requests: so don't read {@code /jmx} meanwhile. For one thread at a time.
 */
public final class LinkMeter {

  private final NetworkHosts hosts;
  private final List<LinkCounters> before;

  /** Begins to count. */
  public LinkMeter(NetworkHosts hosts) throws IOException {
    this.hosts = hosts;
    this.before = hosts.dataNodeLinks();
  }

  /** Returns the counters of the DataNodes' hosts, by index. */
  public List<LinkCounters> links() throws IOException {
    List<LinkCounters> now = hosts.dataNodeLinks();
    List<LinkCounters> since = new ArrayList<>();
    for (int i = 0; i < now.size(); i++) {
      since.add(now.get(i).since(before.get(i)));
    }
    return since;
  }

  /**
   * Returns the bytes that the hosts of DataNodes have received: all that DataNodes sent each
   * other, data and acknowledgements, and a little more.
   */
  public long receivedByDataNodes() throws IOException {
    return links().stream().mapToLong(LinkCounters::receivedBytes).sum();
  }
}
