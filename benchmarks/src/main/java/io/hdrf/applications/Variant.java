/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.cluster.ClusterConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A cluster of one kind, and what was found on it. */
final class Variant {

  private final String chain;
  private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
  private final Set<String> errors = new TreeSet<>();

  /**
   * @param chain null for stock HDFS
   */
  Variant(String chain) {
    this.chain = chain;
  }

  boolean isStock() {
    return chain == null;
  }

  String name() {
    return isStock() ? "stock" : chain;
  }

  ClusterConfig configure(ClusterConfig config) {
    return isStock() ? config.withStock(true) : config.withSchemes(chain);
  }

  Map<String, Outcome> outcomes() {
    return outcomes;
  }

  /** Kinds of errors in the logs. */
  Set<String> errors() {
    return errors;
  }

  /** Errors that stock HDFS did not have. */
  Set<String> errorsBeyond(Variant stock) {
    Set<String> more = new TreeSet<>(errors);
    more.removeAll(stock.errors);
    return more;
  }
}
