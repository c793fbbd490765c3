/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.heal;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ChunkSelection;
import io.hdrf.codec.dedup.container.CompactionResult;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Replacements;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import java.io.IOException;
import java.util.BitSet;

/**
 * Has chunks dropped that are dead, as far as nobody needs them by then: they are condemned in a
 * collector's cycle, and their entries removed from the index. For one container and one thread.
 */
public final class CondemnedChunks implements ChunkSelection {

  private final ChunkPins.Cycle cycle;
  private final FingerprintIndex index;
  private final long container;
  private final BitSet dead;
  private final boolean mayLoseOthers;

  /**
   * @param dead numbers of the chunks to drop
   * @param mayLoseOthers whether chunks that are not found in the container may go, too, if nobody
   *     needs them
   */
  public CondemnedChunks(
      ChunkPins.Cycle cycle,
      FingerprintIndex index,
      long container,
      BitSet dead,
      boolean mayLoseOthers) {
    this.cycle = cycle;
    this.index = index;
    this.container = container;
    this.dead = dead;
    this.mayLoseOthers = mayLoseOthers;
  }

  @Override
  public BitSet keep(ContainerDirectory content, boolean whole) throws IOException {
    if (!whole && !mayLoseOthers) {
      throw new IOException("not all of it can be read any more");
    }
    BitSet live = content.numbers();
    BitSet wanted = (BitSet) dead.clone();
    wanted.and(live);
    BitSet dropped = cycle.condemn(container, wanted, live, whole);
    index.remove(container, dropped);
    live.andNot(dropped);
    return live;
  }

  /**
   * Rewrites the container without them. Where that fails, the condemnation is taken back.
   *
   * @param found chunks to put in the place of those that are there
   * @throws IOException if the container stays as it is
   */
  public CompactionResult drop(ContainerStore containers, Replacements found, Throttle throttle)
      throws IOException {
    boolean done = false;
    try {
      CompactionResult result = containers.compact(container, this, found, throttle);
      done = true;
      return result;
    } finally {
      if (!done) {
        cycle.spare(container);
      }
    }
  }
}
