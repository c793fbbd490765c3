/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.ReducedBlock;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Block files as they appear on the disk. */
public final class BlockFiles {

  private BlockFiles() {}

  /** Whether a block's file begins with HDRF's magic. */
  public static boolean isReduced(File file) {
    byte[] magic = new byte[4];
    try (FileInputStream in = new FileInputStream(file)) {
      return in.read(magic) == 4 && BlockHeader.hasMagic(ByteBuffer.wrap(magic));
    } catch (FileNotFoundException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the length of a file, or of the used part of a reduced block's file. */
  public static long physicalLength(File file) throws IOException {
    if (!isReduced(file)) {
      return file.length();
    }
    Path path = file.toPath();
    try (ReducedBlock block = ReducedBlock.openUntrusted(path, ChannelFile.open(path))) {
      return block.physicalLength();
    }
  }

  /**
   * Returns the number of open descriptors of this process for files with all these parts in their
   * names.
   */
  public static long open(String... parts) throws IOException {
    long count = 0;
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          String name = Files.readSymbolicLink(descriptor).toString();
          if (Stream.of(parts).allMatch(name::contains)) {
            count++;
          }
        } catch (IOException e) {
          continue; // closed meanwhile, as the listing's own descriptor is
        }
      }
    }
    return count;
  }

  /** Whether this process has a file open, under any name. */
  public static boolean isOpen(Path file) throws IOException {
    Object inode = Files.getAttribute(file, "unix:ino");
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.anyMatch(
          descriptor -> {
            try {
              return Files.getAttribute(descriptor, "unix:ino").equals(inode);
            } catch (IOException e) {
              return false;
            }
          });
    }
  }
}
