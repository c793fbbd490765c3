/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.protocol.Block;

/** Finds a block's {@code .meta} file where its generation stamp is not known. */
public final class MetaFiles {

  private MetaFiles() {}

  /**
   * The {@code .meta} file beside a block's file.
   *
   * @throws NoSuchFileException if there is none
   */
  public static Path of(Path blockFile) throws IOException {
    String prefix = blockFile.getFileName() + "_";
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(
            blockFile.getParent(),
            entry -> {
              String name = entry.getFileName().toString();
              return name.startsWith(prefix) && name.endsWith(Block.METADATA_EXTENSION);
            })) {
      for (Path meta : found) {
        return meta;
      }
    }
    throw new NoSuchFileException(blockFile + "_*" + Block.METADATA_EXTENSION);
  }
}
