/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.security.AccessControlException;

/**
 * Visits all files below a path of HDFS with their blocks. Memory: one page of the NameNode's
 * listing ({@code dfs.ls.limit} entries) for each level of directories, however many files there
 * are. Directories that the user may not list are troubles, and those deleted meanwhile are gone.
 * Symbolic links are not followed, and snapshots are only visited where the path lies in one, both
 * as {@code hdfs fsck} does. For one thread.
 */
final class PathWalk {

  /** Receives the files. */
  interface Visitor {
    void file(HdfsLocatedFileStatus file) throws IOException;
  }

  /** The number of directories to name that may not be listed. */
  private static final int MAX_NAMED = 20;

  private final DFSClient client;
  private final Troubles troubles;
  private long directories;
  private long links;
  private long unlistable;

  PathWalk(DFSClient client, Troubles troubles) {
    this.client = client;
    this.troubles = troubles;
  }

  /** A directory that is being visited, or the file that the path names. */
  private final class Level {
    private final String path;
    private DirectoryListing page;
    private int next;

    Level(String path, DirectoryListing page) {
      this.path = path;
      this.page = page;
    }

    /** Returns the next entry, or null behind the last. */
    HdfsFileStatus next() throws IOException {
      while (page != null && next == page.getPartialListing().length) {
        page = page.hasMore() ? list(path, page.getLastName()) : null;
        next = 0;
      }
      return page == null ? null : page.getPartialListing()[next++];
    }
  }

  /** Returns a page of a directory; null where there is nothing to be seen. */
  private DirectoryListing list(String path, byte[] after) throws IOException {
    try {
      return client.listPaths(path, after, true);
    } catch (AccessControlException e) {
      unlistable++;
      if (unlistable <= MAX_NAMED) {
        troubles.add(path + " is not counted: " + Main.message(e));
      }
      return null;
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /**
   * Visits what is there.
   *
   * @param path absolute
   * @throws FileNotFoundException if it does not exist
   */
  void run(String path, Visitor visitor) throws IOException {
    DirectoryListing first = client.listPaths(path, HdfsFileStatus.EMPTY_NAME, true);
    if (first == null) {
      throw new FileNotFoundException("there is no " + path);
    }
    HdfsFileStatus[] entries = first.getPartialListing();
    boolean isFile = entries.length == 1 && entries[0].getLocalNameInBytes().length == 0;
    directories += isFile ? 0 : 1;
    Deque<Level> levels = new ArrayDeque<>();
    levels.push(new Level(path, first));
    while (!levels.isEmpty()) {
      HdfsFileStatus entry = levels.peek().next();
      if (entry == null) {
        levels.pop();
      } else if (entry.isSymlink()) {
        links++;
      } else if (entry.isDirectory()) {
        directories++;
        String below = entry.getFullName(levels.peek().path);
        levels.push(new Level(below, list(below, HdfsFileStatus.EMPTY_NAME)));
      } else {
        visitor.file((HdfsLocatedFileStatus) entry);
      }
    }
    if (unlistable > MAX_NAMED) {
      troubles.add(
          (unlistable - MAX_NAMED) + " more directories are not counted: they may not be listed");
    }
  }

  long directories() {
    return directories;
  }

  long links() {
    return links;
  }
}
