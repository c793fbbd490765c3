/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that the methods of HDRF's dataset override methods of the Hadoop at hand. The compiler
 * has checked it with another release; one that has lost a method would never call HDRF's.
 */
final class StockOverrides {

  /**
   * Those that override nothing, or need not: without {@code getVolumeList}, which came with 3.3.5,
   * nothing is reconfigured.
   */
  private static final Set<String> OWN = new HashSet<>(Arrays.asList("move", "getVolumeList"));

  private StockOverrides() {}

  /**
   * Returns the methods of a dataset, and of its parents up to {@code stock}, that override nothing
   * there.
   */
  static List<String> lacking(Class<?> dataset, Class<?> stock) {
    List<String> lacking = new ArrayList<>();
    for (Class<?> type = dataset; type != stock; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        int modifiers = method.getModifiers();
        if (!method.isSynthetic()
            && !Modifier.isPrivate(modifiers)
            && !Modifier.isStatic(modifiers)
            && !OWN.contains(method.getName())
            && !overridesOneOf(stock, method)) {
          lacking.add(method.toString());
        }
      }
    }
    return lacking;
  }

  /** By the very same types: for the JVM a method with another return type is another method. */
  private static boolean overridesOneOf(Class<?> stock, Method method) {
    return Arrays.stream(stock.getDeclaredMethods())
        .anyMatch(
            above ->
                above.getName().equals(method.getName())
                    && Arrays.equals(above.getParameterTypes(), method.getParameterTypes())
                    && above.getReturnType() == method.getReturnType()
                    && (above.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0);
  }
}
