/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.conf.UsedDirectories;
import java.io.File;
import java.io.IOException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where blocks of this DataNode may lie: the directories of {@code dfs.datanode.data.dir} when it
 * started and those that administrators added since, without those that they took out. The
 * DataNode's own configuration does not tell, since stock code takes directories out of it that
 * fail, and their blocks are there again when the disk is. Each is noted for {@code hdrf
 * uninstall}, which is to find it whatever its --conf. Thread-safe.
 */
public final class DataDirectories {

  private static final Logger LOG = LoggerFactory.getLogger(DataDirectories.class);

  private final Path home;
  private final Set<Path> directories = new LinkedHashSet<>();

  /**
   * @param home the Hadoop in which HDRF is installed; null where it is not
   */
  public DataDirectories(Configuration configuration, Path home) {
    this.home = home;
    add(DataNode.getStorageLocations(configuration));
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
  public void add(StorageLocation added) {
    add(Collections.singleton(added));
  }

  private void add(Collection<StorageLocation> added) {
    List<Path> paths = paths(added);
    synchronized (this) {
      directories.addAll(paths);
    }
    note(paths);
  }

  /** Without the lock: the Hadoop may lie on a file system that does not answer. */
  private void note(List<Path> paths) {
    if (home == null) {
      return;
    }
    try {
      UsedDirectories.record(home, paths);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn(
          "{} can't be noted in {}, where 'hdrf uninstall' looks; there give it this DataNode's"
              + " configuration with --conf",
          paths,
          home.resolve(UsedDirectories.NAME),
          e);
    }
  }

  /** Administrators took directories out. */
  public synchronized void remove(Collection<StorageLocation> removed) {
    directories.removeAll(paths(removed));
  }

  /** All, absolute and normalized. */
  public synchronized Set<Path> all() {
    return new LinkedHashSet<>(directories);
  }
}
