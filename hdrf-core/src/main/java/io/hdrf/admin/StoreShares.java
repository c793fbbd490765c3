/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Divides the stores of schemes on a volume among the blocks that use them, by the blocks' lengths:
 * a chunk may be that of many blocks, so nothing else could be said without reading all recipes.
 * Immutable.
 */
public final class StoreShares {
  private static final String SEPARATOR = ",";

  /**
   * The bytes of a scheme's store for each logical byte of the blocks that have it in the chain.
   */
  private final Map<String, Double> perByte = new HashMap<>();

  /** The schemes with a store of which it is not known whose it is. */
  private final Set<String> unknown = new HashSet<>();

  private final long unshared;

  public StoreShares(VolumeUse use) {
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
      if (users == 0 || !use.isWhole()) {
        unknown.add(store.getKey());
      } else {
        perByte.put(store.getKey(), (double) store.getValue() / users);
        shared += store.getValue();
      }
    }
    this.unshared = use.fileBytes() - shared;
  }

  private static List<String> schemes(String chain) {
    return chain.equals(VolumeUse.PLAIN)
        ? Collections.emptyList()
        : Arrays.asList(chain.split(SEPARATOR));
  }

  /**
   * Returns what of the stores belongs to some blocks, in bytes; none if that is not known, since
   * not all blocks that use a store are counted.
   *
   * @param chain the chain that all of them are stored with, as in {@link VolumeUse#chains}
   * @param logicalBytes their lengths together
   */
  public OptionalLong of(String chain, long logicalBytes) {
    double share = 0;
    for (String scheme : schemes(chain)) {
      if (logicalBytes > 0 && unknown.contains(scheme)) {
        return OptionalLong.empty();
      }
      share += perByte.getOrDefault(scheme, 0.0) * logicalBytes;
    }
    return OptionalLong.of(Math.round(share));
  }

  /** Returns the bytes of HDRF's own files that no block needs in particular, as the records. */
  public long unshared() {
    return unshared;
  }
}
