/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.jni.NativeLibrary;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Loads RocksDB's shared library from the plug-in jar. RocksDB could load it itself, but then every
 * killed process leaves a file of 15 MB behind; this class removes the file at once. {@link
 * NativeLibrary#DIRECTORY} sets the file's directory. For any number of threads.
 */
final class RocksLibrary {

  private static boolean loaded;

  private RocksLibrary() {}

  /**
   * @throws IOException if there is no library for this platform, or it can't be loaded
   */
  static synchronized void load() throws IOException {
    if (loaded) {
      return;
    }
    String name = Environment.getJniLibraryFileName("rocksdb");
    Path parent =
        Paths.get(
            System.getProperty(NativeLibrary.DIRECTORY, System.getProperty("java.io.tmpdir", ".")));
    // Readable and writable by this user alone, so that nobody else can put code into it.
    Path directory = Files.createTempDirectory(parent, "hdrf-rocksdb-").toAbsolutePath();
    // The name that RocksDB.loadLibrary looks for, not the resource's.
    Path file = directory.resolve(Environment.getJniLibraryFileName("rocksdbjni"));
    try {
      try (InputStream library = RocksLibrary.class.getClassLoader().getResourceAsStream(name)) {
        if (library == null) {
          throw new FileNotFoundException("there is no RocksDB for this platform: no " + name);
        }
        Files.copy(library, file);
      }
      RocksDB.loadLibrary(Collections.singletonList(directory.toString()));
      loaded = true;
    } catch (LinkageError e) {
      throw new IOException(
          "RocksDB's native library can't be loaded: "
              + e.getMessage()
              + "; if the directory for temporary files is mounted noexec, set -D"
              + NativeLibrary.DIRECTORY
              + "=DIR",
          e);
    } finally {
      // The mapping stays after the file is deleted.
      Files.deleteIfExists(file);
      Files.deleteIfExists(directory);
    }
  }
}
