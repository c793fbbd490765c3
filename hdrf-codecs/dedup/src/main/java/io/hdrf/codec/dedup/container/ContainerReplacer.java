/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;

/** Puts a rewritten container in the place of its file. Safe for use by many threads. */
final class ContainerReplacer {

  private final ContainerContext context;

  ContainerReplacer(ContainerContext context) {
    this.context = context;
  }

  /**
   * Writes a container anew and puts it in place of its file. The caller holds its maintenance
   * lock, or is alone with it.
   *
   * @param live numbers of the chunks to keep, or null for all
   * @return what has written it
   */
  ContainerRewriter replace(long id, LoadedContainer source, BitSet live, Throttle throttle)
      throws IOException {
    Path copy = context.file(id, ContainerNames.TEMPORARY);
    context.files().deleteIfExists(copy);
    ContainerRewriter rewriter =
        new ContainerRewriter(
            context.files(),
            source,
            copy,
            context.settings().groupSize(),
            context.chains(),
            throttle);
    rewriter.rewrite(live, System.currentTimeMillis());
    context.files().rename(copy, context.file(id, ContainerNames.SEALED));
    context.files().forceDirectory(context.directory());
    return rewriter;
  }
}
