/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps that forget what was not used for longest. */
final class BoundedMap {

  private BoundedMap() {}

  /** A thread-safe one with at most so many entries. */
  static <K, V> Map<K, V> of(int max) {
    return Collections.synchronizedMap(
        new LinkedHashMap<K, V>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > max;
          }
        });
  }
}
