/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
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
  private static final Set<String> OWN =
      new HashSet<>(Arrays.asList("service", "move", "getVolumeList"));

  private StockOverrides() {}

  /**
   * @throws IOException names the methods that override nothing
   */
  static void require(Class<? extends HdrfDataset> dataset) throws IOException {
    List<String> lost = new ArrayList<>();
    for (Class<?> type = dataset; type != FsDatasetImpl.class; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        int modifiers = method.getModifiers();
        if (!method.isSynthetic()
            && !Modifier.isPrivate(modifiers)
            && !Modifier.isStatic(modifiers)
            && !OWN.contains(method.getName())
            && !isStock(method)) {
          lost.add(method.toString());
        }
      }
    }
    if (!lost.isEmpty()) {
      throw new IOException("This Hadoop's dataset lacks methods that HDRF overrides: " + lost);
    }
  }

  private static boolean isStock(Method method) {
    return Arrays.stream(FsDatasetImpl.class.getDeclaredMethods())
        .anyMatch(
            stock ->
                stock.getName().equals(method.getName())
                    && Arrays.equals(stock.getParameterTypes(), method.getParameterTypes())
                    && stock.getReturnType().isAssignableFrom(method.getReturnType())
                    && (stock.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0);
  }
}
