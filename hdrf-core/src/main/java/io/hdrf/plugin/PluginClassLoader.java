/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.plugin;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads the classes of one plug-in jar. The classes of the SPI come from HDRF's own class loader,
 * the Java platform from its loader, and everything else from the jar alone: Hadoop's class path
 * has its own, often older, versions of the libraries that plug-ins bring.
 *
 * <p>There is one loader for each jar in a JVM, for all DataNodes in it, because a native library
 * binds to one loader. A jar that was replaced gets a new one.
 */
final class PluginClassLoader extends URLClassLoader {

  static {
    registerAsParallelCapable();
  }

  /** Packages, and all packages below them, that plug-ins share with HDRF. */
  private static final String[] SHARED = {
    "io.hdrf.spi.", "io.hdrf.jni.", "org.slf4j.", "org.apache.hadoop."
  };

  private static final ConcurrentHashMap<Key, PluginClassLoader> LOADERS =
      new ConcurrentHashMap<>();

  private final ClassLoader shared;

  private PluginClassLoader(URL jar, ClassLoader shared) {
    // The system loader's parent is the platform's loader; Java 8 has no other way to get at it.
    super(new URL[] {jar}, ClassLoader.getSystemClassLoader().getParent());
    this.shared = shared;
  }

  /** Returns the JVM's loader for a jar. */
  static PluginClassLoader of(Path jar) throws IOException {
    Path file = jar.toRealPath();
    URL url = file.toUri().toURL();
    return LOADERS.computeIfAbsent(
        new Key(file, Files.size(file), Files.getLastModifiedTime(file)),
        key -> new PluginClassLoader(url, PluginClassLoader.class.getClassLoader()));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    for (String prefix : SHARED) {
      if (name.startsWith(prefix)) {
        return shared.loadClass(name);
      }
    }
    return super.loadClass(name, resolve);
  }

  private static final class Key {
    private final Path file;
    private final long size;
    private final FileTime modified;

    Key(Path file, long size, FileTime modified) {
      this.file = file;
      this.size = size;
      this.modified = modified;
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Key)) {
        return false;
      }
      Key key = (Key) other;
      return file.equals(key.file) && size == key.size && modified.equals(key.modified);
    }

    @Override
    public int hashCode() {
      return Objects.hash(file, size, modified);
    }
  }
}
