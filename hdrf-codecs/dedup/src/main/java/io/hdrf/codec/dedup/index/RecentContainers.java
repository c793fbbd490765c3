/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ContainerStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The containers in which a thread found chunks last. The neighbours of a chunk that was seen again
 * are likely to be seen again, too. For one thread.
 */
final class RecentContainers {

  /** The number of containers remembered from one batch to the next. */
  private static final int MAX_REMEMBERED = 16;

  /** The most containers that are searched because chunks of the batch were found there. */
  private static final int MAX_CURRENT = 64;

  /** The latest containers, and of these the ones with the most hits, come first. */
  private static final Comparator<Host> ORDER =
      Comparator.<Host>comparingLong(host -> -host.lastBatch).thenComparingInt(host -> -host.found);

  private static final class Host {
    final long container;
    long lastBatch;

    /** The number of chunks of {@link #lastBatch} that were found there. */
    int found;

    boolean searched;

    Host(long container) {
      this.container = container;
    }
  }

  private final ContainerStore containers;
  private final Map<Long, Host> hosts = new HashMap<>();
  private Host last = new Host(-1);
  private long batch;
  private int searchedCurrent;

  RecentContainers(ContainerStore containers) {
    this.containers = containers;
  }

  /** Begins a new batch of chunks. */
  void nextBatch() {
    if (hosts.size() > MAX_REMEMBERED) {
      List<Host> all = inOrder();
      all.subList(MAX_REMEMBERED, all.size()).forEach(host -> hosts.remove(host.container));
      last = new Host(-1);
    }
    batch++;
    searchedCurrent = 0;
    for (Host host : hosts.values()) {
      host.searched = false;
    }
  }

  /** A chunk of this batch was found in a container. */
  void found(long container) {
    if (last.container != container) {
      last = hosts.computeIfAbsent(container, Host::new);
    }
    if (last.lastBatch != batch) {
      last.lastBatch = batch;
      last.found = 0;
    }
    last.found++;
  }

  /**
   * The containers in which to look for this batch's other chunks, the newest first: of a chunk
   * that was stored again, the latest copy is the one that lies near its neighbours. The most
   * promising are chosen. None is named twice for one batch, and those of earlier batches only
   * while they are in memory.
   */
  List<Long> toSearch() {
    List<Long> chosen = new ArrayList<>();
    for (Host host : inOrder()) {
      if (!host.searched && isPromising(host)) {
        host.searched = true;
        chosen.add(host.container);
      }
    }
    chosen.sort(Comparator.reverseOrder());
    return chosen;
  }

  private boolean isPromising(Host host) {
    if (host.lastBatch != batch) {
      return containers.isLoaded(host.container);
    }
    searchedCurrent++;
    return searchedCurrent <= MAX_CURRENT;
  }

  private List<Host> inOrder() {
    List<Host> all = new ArrayList<>(hosts.values());
    all.sort(ORDER);
    return all;
  }
}
