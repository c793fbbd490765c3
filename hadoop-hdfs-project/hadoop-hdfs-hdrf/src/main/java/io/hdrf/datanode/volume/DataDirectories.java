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
 * The directories where blocks of this DataNode may lie: those of {@code dfs.datanode.data.dir}
 * when it started and those that administrators added since, without those that they took out. The
 * DataNode's own configuration is no source: stock code removes failed directories from it, whose
 * blocks come back with the disk. Each directory is noted for {@code hdrf uninstall}, which so
 * finds it with any --conf. Thread-safe.
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

  /** Adds a directory before it is in service; if that fails, there may still be blocks in it. */
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

  /**
   * Notes directories without the lock: the Hadoop may lie on a file system that does not answer.
   */
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

  /** Removes directories that administrators took out. */
  public synchronized void remove(Collection<StorageLocation> removed) {
    directories.removeAll(paths(removed));
  }

  /** All directories, absolute and normalized. */
  public synchronized Set<Path> all() {
    return new LinkedHashSet<>(directories);
  }
}
