/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.VolumeUse;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Divides the stores of schemes on a volume among the blocks that use them, by the blocks' lengths:
 * a chunk may be that of many blocks, so nothing else could be said without reading all recipes.
 */
final class StoreShares {
  private static final String SEPARATOR = ",";

  /**
   * The bytes of a scheme's store for each logical byte of the blocks that have it in the chain.
   */
  private final Map<String, Double> perByte = new HashMap<>();

  private final long unshared;

  StoreShares(VolumeUse use) {
    Map<String, Long> logical = new HashMap<>();
    use.chains()
        .forEach(
            (chain, sum) ->
                schemes(chain).forEach(s -> logical.merge(s, sum.logicalBytes(), Long::sum)));
    Map<String, Long> stores = new HashMap<>();
    use.files()
        .forEach((name, bytes) -> stores.merge(name.replaceFirst("/.*", ""), bytes, Long::sum));
    long shared = 0;
    for (Map.Entry<String, Long> store : stores.entrySet()) {
      long users = logical.getOrDefault(store.getKey(), 0L);
      if (users > 0) {
        perByte.put(store.getKey(), (double) store.getValue() / users);
        shared += store.getValue();
      }
    }
    this.unshared = use.fileBytes() - shared;
  }

  private static List<String> schemes(String chain) {
    return chain.equals(VolumeUse.PLAIN) ? List.of() : Arrays.asList(chain.split(SEPARATOR));
  }

  /**
   * Returns what some blocks take.
   *
   * @param chain the chain that all of them are stored with
   */
  Space of(String chain, BlockSum sum) {
    double share = 0;
    for (String scheme : schemes(chain)) {
      share += perByte.getOrDefault(scheme, 0.0) * sum.logicalBytes();
    }
    return new Space(sum, Math.round(share));
  }

  /** Returns the bytes of HDRF's own files that no block needs in particular, as the records. */
  long unshared() {
    return unshared;
  }
}
