/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.spi.scheme.ChunkFunction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The schemes of this DataNode whose chunks can be asked for. Immutable once it is filled. */
public final class ChunkOffers {

  private final Map<String, ChunkFunction> functions = new LinkedHashMap<>();

  /** Adds a scheme. */
  public void add(String scheme, ChunkFunction function) {
    functions.put(scheme, function);
  }

  /** How a scheme cuts and names chunks; null if they can't be asked for. */
  public ChunkFunction function(String scheme) {
    return functions.get(scheme);
  }

  /** The scheme with a dialect, or null. */
  String scheme(long dialect) {
    for (Map.Entry<String, ChunkFunction> entry : functions.entrySet()) {
      if (entry.getValue().dialect() == dialect) {
        return entry.getKey();
      }
    }
    return null;
  }

  public List<Long> dialects() {
    List<Long> dialects = new ArrayList<>();
    functions.values().forEach(function -> dialects.add(function.dialect()));
    return dialects;
  }
}
