/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.LocalCluster;
import java.io.IOException;
import java.util.function.LongConsumer;

final class Reduction {
  private Reduction() {}

  static void awaitDrained(LocalCluster cluster, LongConsumer queued) throws IOException {
    if (!cluster.config().stock()) {
      throw new IOException("not yet: the overlay's metrics");
    }
  }
}
