/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import java.util.Map;

/**
 * What running an application came to.
 *
 * @param seconds elapsed until it ended
 * @param addedBytes what all DataNodes hold more than before, once all is reduced
 * @param digests of its outputs
 * @param failure null if it ran to its end
 */
record Outcome(double seconds, long addedBytes, Map<String, String> digests, String failure) {

  boolean sameAs(Outcome stock) {
    return failure == null && stock.failure == null && digests.equals(stock.digests);
  }
}
