/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.LocalCluster;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A client of a {@link LocalCluster}. For one thread at a time. */
final class Hdfs implements Closeable {
  private static final int BUFFER = 1 << 20;

  private final FileSystem fileSystem;

  Hdfs(LocalCluster cluster) throws IOException {
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("core-site.xml").toUri()));
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    fileSystem = FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  /** Stores a local file. */
  void put(java.nio.file.Path source, String target, LongConsumer bytes) throws IOException {
    try (InputStream in = Files.newInputStream(source);
        OutputStream out = fileSystem.create(new Path(target), true)) {
      byte[] buffer = new byte[BUFFER];
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
        bytes.accept(count);
      }
    }
  }

  /** Returns the SHA-256 of a file's bytes, in hexadecimal. */
  String sha256(String file, LongConsumer bytes) throws IOException {
    try (InputStream in = fileSystem.open(new Path(file))) {
      return sha256(in, bytes);
    }
  }

  /** Returns the SHA-256 of a stream's content, in hexadecimal. */
  static String sha256(InputStream in, LongConsumer bytes) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
    byte[] buffer = new byte[BUFFER];
    for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
      digest.update(buffer, 0, count);
      bytes.accept(count);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Copies the files of a job's output, except those that begin with {@code _}, one after another.
   */
  void getOutput(String directory, java.nio.file.Path target) throws IOException {
    FileStatus[] parts =
        fileSystem.listStatus(new Path(directory), path -> !path.getName().startsWith("_"));
    Arrays.sort(parts);
    try (OutputStream out = Files.newOutputStream(target)) {
      for (FileStatus part : parts) {
        try (InputStream in = fileSystem.open(part.getPath())) {
          in.transferTo(out);
        }
      }
    }
  }

  void delete(String path) throws IOException {
    fileSystem.delete(new Path(path), true);
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
  }
}
