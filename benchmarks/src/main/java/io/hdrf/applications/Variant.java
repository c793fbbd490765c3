/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.benchmarks.BenchmarkCluster;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A cluster of one kind, and what was found on it. */
final class Variant {

  private final String name;
  private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
  private final Set<String> errors = new TreeSet<>();

  /**
   * @param name as of {@link BenchmarkCluster#config}
   */
  Variant(String name) {
    this.name = name;
  }

  boolean isStock() {
    return name.equals(BenchmarkCluster.STOCK);
  }

  String name() {
    return name;
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
