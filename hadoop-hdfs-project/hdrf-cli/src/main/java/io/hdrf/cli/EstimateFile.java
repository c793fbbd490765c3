/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.ReadableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * A file to estimate.
 *
 * @param length in bytes, as it was when the file was found
 * @param blockSize in bytes
 */
record EstimateFile(String name, long length, long blockSize, Opener opener) {
  private static final String RAW = "/.reserved/raw";
  private static final Pattern REMOTE = Pattern.compile("(?!file:)[a-zA-Z][a-zA-Z0-9+.-]*:/.*");

  /** Opens a file for one thread, to be closed by the caller. */
  interface Opener {
    ReadableFile open() throws IOException;
  }

  /** A failure of the file itself, not of its processing. */
  static final class UnreadableException extends IOException {
    private static final long serialVersionUID = 1;

    UnreadableException(String name, IOException cause) {
      super(
          String.valueOf(cause.getMessage()).contains(name)
              ? cause.getMessage()
              : name + ": " + Main.message(cause),
          cause);
    }
  }

  /**
   * Finds the files of a path; a directory stands for all files below it, without following links.
   *
   * @param path of a local file or directory, or a URI that Hadoop can read
   * @param conf for URIs
   *     <p>In an encryption zone DataNodes see ciphertext: this reads it there, as far as the user
   *     may.
   * @param leftOut receives files that can't be estimated
   * @param blockSize in bytes; 0 for that of each file in HDFS, and {@code localBlockSize}
   * @throws IllegalArgumentException if there is no such file or directory
   */
  static List<EstimateFile> find(
      String path,
      Configuration conf,
      long blockSize,
      long localBlockSize,
      Consumer<String> leftOut)
      throws IOException {
    if (REMOTE.matcher(path).matches()) {
      return remote(new Path(path), conf, blockSize, leftOut);
    }
    String local = path.startsWith("file:") ? URI.create(path).getPath() : path;
    return local(java.nio.file.Path.of(local), blockSize > 0 ? blockSize : localBlockSize);
  }

  private static List<EstimateFile> local(java.nio.file.Path path, long blockSize)
      throws IOException {
    if (!Files.exists(path)) {
      throw new IllegalArgumentException("No file or directory " + path);
    }
    List<EstimateFile> files = new ArrayList<>();
    try (Stream<java.nio.file.Path> found = Files.walk(path.toRealPath())) {
      for (java.nio.file.Path file : found.sorted().toList()) {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          files.add(
              new EstimateFile(
                  file.toString(), Files.size(file), blockSize, () -> ChannelFile.open(file)));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return files;
  }

  private static List<EstimateFile> remote(
      Path path, Configuration conf, long blockSize, Consumer<String> leftOut) throws IOException {
    FileSystem fileSystem = path.getFileSystem(conf);
    if (!fileSystem.exists(path)) {
      throw new IllegalArgumentException("No file or directory " + path);
    }
    List<FileStatus> found = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> all = fileSystem.listFiles(path, true);
    while (all.hasNext()) {
      found.add(all.next());
    }
    Collections.sort(found);
    List<EstimateFile> files = new ArrayList<>();
    for (FileStatus file : found) {
      Path stored = file.getPath();
      if (file.isErasureCoded()) {
        leftOut.accept(
            stored + ": left out: DataNodes have cells and parity of erasure-coded files");
        continue;
      }
      if (file.isEncrypted()) {
        stored = raw(stored);
        try {
          fileSystem.getFileStatus(stored);
        } catch (IOException e) {
          leftOut.accept(
              file.getPath()
                  + ": left out: it is encrypted, and what DataNodes store of it can't be read: "
                  + Main.message(e));
          continue;
        }
      }
      Path opened = stored;
      files.add(
          new EstimateFile(
              file.getPath().toString(),
              file.getLen(),
              blockSize > 0 ? blockSize : Math.max(file.getBlockSize(), 1),
              () -> new Remote(fileSystem.open(opened), file.getLen())));
    }
    return files;
  }

  /** Returns the name by which HDFS gives the superuser a file's bytes as they are stored. */
  private static Path raw(Path path) {
    return new Path(
        path.toUri().getScheme(), path.toUri().getAuthority(), RAW + path.toUri().getPath());
  }

  /** A file of a Hadoop file system. */
  private record Remote(FSDataInputStream in, long length) implements ReadableFile {
    private static final int BUFFER = 1 << 17;

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      if (in.getPos() != position) {
        in.seek(position);
      }
      byte[] buffer = new byte[Math.min(BUFFER, dst.remaining())];
      int total = 0;
      while (dst.hasRemaining()) {
        int count = in.read(buffer, 0, Math.min(buffer.length, dst.remaining()));
        if (count < 0) {
          break;
        }
        dst.put(buffer, 0, count);
        total += count;
      }
      return total;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
