/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** What directories hold, in a form that can be compared between clusters. */
final class Digests {

  private static final int BUFFER = 1 << 20;

  private Digests() {}

  /**
   * For each file below a path, by its name relative to it: its length, the SHA-256 of its bytes,
   * and what {@code hdfs dfs -checksum} says of it.
   */
  static Map<String, String> of(FileSystem fs, Path root) throws IOException {
    Map<String, String> digests = new TreeMap<>();
    String base = fs.makeQualified(root).toString();
    RemoteIterator<LocatedFileStatus> files = fs.listFiles(root, true);
    while (files.hasNext()) {
      LocatedFileStatus file = files.next();
      digests.put(
          file.getPath().toString().substring(base.length()),
          file.getLen()
              + " "
              + sha256(fs, file.getPath())
              + " "
              + fs.getFileChecksum(file.getPath()));
    }
    return digests;
  }

  private static String sha256(FileSystem fs, Path file) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = fs.open(file)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
