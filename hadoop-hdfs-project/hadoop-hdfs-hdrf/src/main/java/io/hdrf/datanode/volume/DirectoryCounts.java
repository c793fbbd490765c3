/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.admin.ReducedBlockCounter;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.block.StoredBlocks;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts the reduced blocks in all data directories of a DataNode, in service or not. Thread-safe.
 */
public final class DirectoryCounts {

  private final DataDirectories dataDirectories;
  private final PoolSlices slices;

  public DirectoryCounts(DataDirectories dataDirectories, PoolSlices slices) {
    this.dataDirectories = dataDirectories;
    this.slices = slices;
  }

  /** Looks at the file of every block in every data directory, whether or not it is in service. */
  public List<ReducedBlocks> reducedBlocks() {
    return count(slice -> slice.services().blocks().countReduced());
  }

  /**
   * The data directories and the pools in them that are not in service with all their blocks, none
   * of them counted: jobs, records and stores leave them out.
   */
  public List<ReducedBlocks> leftOut() {
    List<ReducedBlocks> found = new ArrayList<>();
    for (ReducedBlocks count : count(DirectoryCounts::requireLoaded)) {
      if (!count.isCounted()) {
        found.add(count);
      } else if (count.total() > 0) {
        found.add(
            ReducedBlocks.notCounted(
                count.directory(),
                "the superblock is lost, and " + count.total() + " blocks look like reduced ones"));
      }
    }
    return found;
  }

  private static StoredBlocks.Count requireLoaded(PoolSlice slice) throws IOException {
    if (!slice.isLoaded()) {
      throw new IOException("the DataNode starts, and does not know all its blocks yet");
    }
    return new StoredBlocks.Count();
  }

  /** Counts the blocks of a pool that is in service. */
  private interface OpenCounter {
    StoredBlocks.Count count(PoolSlice slice) throws IOException;
  }

  private List<ReducedBlocks> count(OpenCounter counter) {
    Map<Path, PoolSlice> open = new HashMap<>();
    Set<Path> directories = dataDirectories.all();
    slices.forEach(
        slice -> {
          Path pool = slice.directory().getParent().toAbsolutePath().normalize();
          open.put(pool, slice);
          directories.add(pool.getParent().getParent());
        });
    return ReducedBlockCounter.count(directories, pool -> count(pool, open.get(pool), counter));
  }

  private static StoredBlocks.Count count(Path pool, PoolSlice open, OpenCounter counter)
      throws IOException {
    if (open != null) {
      return counter.count(open);
    }
    if (Superblock.readKey(pool.resolve(PoolSlice.DIRECTORY)).isPresent()) {
      // Nobody keeps its blocks plain, so what the files show now need not last.
      throw new IOException(
          "the DataNode does not have it in service: it may still start, or the volume failed");
    }
    return ReducedBlockCounter.ofStopped(pool);
  }
}
