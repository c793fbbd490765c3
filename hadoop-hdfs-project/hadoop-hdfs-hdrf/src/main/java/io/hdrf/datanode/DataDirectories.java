/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;

/**
 * Where blocks of this DataNode may lie: the directories of {@code dfs.datanode.data.dir} when it
 * started and those that administrators added since, without those that they took out. The
 * DataNode's own configuration does not tell, since stock code takes directories out of it that
 * fail, and their blocks are there again when the disk is. Thread-safe.
 */
final class DataDirectories {

  private final Set<Path> directories = new LinkedHashSet<>();

  DataDirectories(Configuration configuration) {
    directories.addAll(paths(DataNode.getStorageLocations(configuration)));
  }

  private static List<Path> paths(Collection<StorageLocation> locations) {
    List<Path> paths = new ArrayList<>();
    for (StorageLocation location : locations) {
      if (location.getStorageType() != StorageType.PROVIDED) {
        paths.add(new File(location.getUri()).toPath().toAbsolutePath().normalize());
      }
    }
    return paths;
  }

  /** A directory is about to be added; if it can't be, there may be blocks in it all the same. */
  synchronized void add(StorageLocation added) {
    directories.addAll(paths(Collections.singleton(added)));
  }

  /** Administrators took directories out. */
  synchronized void remove(Collection<StorageLocation> removed) {
    directories.removeAll(paths(removed));
  }

  /** All, absolute and normalized. */
  synchronized Set<Path> all() {
    return new LinkedHashSet<>(directories);
  }
}
