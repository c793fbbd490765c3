/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The directory with a file for each filter. For one thread at a time. */
final class FilterDirectory {

  private static final String PREFIX = "filter-";
  private static final String SUFFIX = ".hbf";
  private static final String TEMPORARY = ".tmp";

  private final Path directory;
  private final DurableFiles files;

  FilterDirectory(Path directory, DurableFiles files) throws IOException {
    this.directory = directory;
    this.files = files;
    files.createDirectories(directory);
  }

  /** The filter files; files that were not finished are deleted. */
  List<Path> list() throws IOException {
    List<Path> found = new ArrayList<>();
    List<Path> unfinished = new ArrayList<>();
    try (DirectoryStream<Path> names = Files.newDirectoryStream(directory, PREFIX + "*")) {
      for (Path path : names) {
        String name = String.valueOf(path.getFileName());
        if (name.endsWith(SUFFIX)) {
          found.add(path);
        } else if (name.endsWith(TEMPORARY)) {
          unfinished.add(path);
        }
      }
    }
    for (Path path : unfinished) {
      files.deleteIfExists(path);
    }
    found.sort(null);
    return found;
  }

  Path path(int segment) {
    return directory.resolve(String.format("%s%08x%s", PREFIX, segment, SUFFIX));
  }

  /** Reads all but the rows. */
  static FilterFile readHeader(Path path) throws IOException {
    try (ChannelFile file = ChannelFile.open(path)) {
      return FilterFile.readHeader(path, file);
    }
  }

  /** Reads the rows of a filter. */
  ColumnBits readRows(int segment) throws IOException {
    Path path = path(segment);
    try (ChannelFile file = ChannelFile.open(path)) {
      return FilterFile.readHeader(path, file).readRows(path, file);
    }
  }

  /** Rewrites a filter's file; its name is durable after {@link #force}. */
  void write(FilterFile content, FilterFile.Rows rows) throws IOException {
    Path path = path(content.segments()[0]);
    Path temporary = directory.resolve(path.getFileName() + TEMPORARY);
    files.deleteIfExists(temporary);
    try (DurableFile file = files.create(temporary)) {
      content.write(file, rows);
      file.force();
    }
    files.rename(temporary, path);
  }

  void delete(int segment) throws IOException {
    files.deleteIfExists(path(segment));
  }

  void delete(Path path) throws IOException {
    files.deleteIfExists(path);
  }

  /** Makes the names durable. */
  void force() throws IOException {
    files.forceDirectory(directory);
  }
}
