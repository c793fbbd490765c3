/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.GroupsAhead;
import io.hdrf.spi.scheme.Prefetch;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Has the chunks of frames that will be decoded soon read ahead. For one thread. */
final class RecipesAhead implements Prefetch {

  private final GroupsAhead groups;

  /**
   * @param maxGap bytes between two groups that are read for nothing
   */
  RecipesAhead(ContainerStore containers, int maxGap) {
    groups = containers.newGroupsAhead(maxGap);
  }

  @Override
  public void add(ByteBuffer payload) throws IOException {
    Recipe.parse(payload, groups::add);
  }

  @Override
  public void start() {
    groups.start();
  }
}
