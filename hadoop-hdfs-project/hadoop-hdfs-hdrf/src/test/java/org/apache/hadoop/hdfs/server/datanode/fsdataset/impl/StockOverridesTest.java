/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class StockOverridesTest {

  static class Stock {
    Collection<String> copies() {
      return List.of();
    }

    Collection<String> lists() {
      return List.of();
    }
  }

  static class Mine extends Stock {
    @Override
    Collection<String> copies() {
      return Collections.emptyList();
    }

    @Override
    List<String> lists() {
      return Collections.emptyList();
    }

    void added() {}
  }

  /**
   * Compiled with a Hadoop where {@code lists} returns the same, it would override nothing here.
   */
  @Test
  void whatOverridesNothingIsFound() {
    assertThat(StockOverrides.lacking(Mine.class, Stock.class))
        .hasSize(2)
        .anyMatch(method -> method.contains("lists()"))
        .anyMatch(method -> method.contains("added()"));
  }
}
