/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.util.AbstractList;
import java.util.Map;
import java.util.function.IntFunction;

/** A list of facts that makes a row when it is asked for: there may be many. */
public final class Rows extends AbstractList<Map<String, Object>> {

  private final int size;
  private final IntFunction<Map<String, Object>> row;

  /**
   * @param row makes a new one, from 0 to {@code size - 1}
   */
  public Rows(int size, IntFunction<Map<String, Object>> row) {
    this.size = size;
    this.row = row;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Map<String, Object> get(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("row " + index + " of " + size);
    }
    return row.apply(index);
  }
}
