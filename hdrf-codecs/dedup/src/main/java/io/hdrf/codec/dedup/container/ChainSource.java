/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;

/** Gives the chains that containers were written with. Safe for use by many threads. */
@FunctionalInterface
public interface ChainSource {

  /**
   * The chain of these schemes; the source keeps it and closes it, after the store was closed.
   *
   * @param ids the schemes' ids in order, 0 to 4 of them
   * @throws IOException if one of them is not installed; what it encoded can't be read
   */
  FrameChain chain(int... ids) throws IOException;
}
