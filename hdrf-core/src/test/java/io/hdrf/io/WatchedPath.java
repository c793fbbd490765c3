/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/**
 * A path of the default file system that reports to a {@link WatchedFileSystem.Watch} all opens and
 * reads by it and by all paths made from it. Immutable.
 */
public final class WatchedPath implements Path {

  private final WatchedFileSystem system;
  private final Path real;

  WatchedPath(WatchedFileSystem system, Path real) {
    this.system = system;
    this.real = real;
  }

  /** Returns the path itself, without wrappers. */
  public static Path real(Path path) {
    return path instanceof WatchedPath ? ((WatchedPath) path).real : path;
  }

  private Path wrap(Path path) {
    return path == null ? null : new WatchedPath(system, path);
  }

  @Override
  public FileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return real.isAbsolute();
  }

  @Override
  public Path getRoot() {
    return wrap(real.getRoot());
  }

  @Override
  public Path getFileName() {
    return wrap(real.getFileName());
  }

  @Override
  public Path getParent() {
    return wrap(real.getParent());
  }

  @Override
  public int getNameCount() {
    return real.getNameCount();
  }

  @Override
  public Path getName(int index) {
    return wrap(real.getName(index));
  }

  @Override
  public Path subpath(int beginIndex, int endIndex) {
    return wrap(real.subpath(beginIndex, endIndex));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof WatchedPath && real.startsWith(real(other));
  }

  @Override
  public boolean endsWith(Path other) {
    return other instanceof WatchedPath && real.endsWith(real(other));
  }

  @Override
  public Path normalize() {
    return wrap(real.normalize());
  }

  @Override
  public Path resolve(Path other) {
    return wrap(real.resolve(real(other)));
  }

  @Override
  public Path resolve(String other) {
    return wrap(real.resolve(other));
  }

  @Override
  public Path relativize(Path other) {
    return wrap(real.relativize(real(other)));
  }

  @Override
  public URI toUri() {
    return real.toUri();
  }

  @Override
  public File toFile() {
    return real.toFile();
  }

  @Override
  public Path toAbsolutePath() {
    return wrap(real.toAbsolutePath());
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    return wrap(real.toRealPath(options));
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compareTo(Path other) {
    return real.compareTo(real(other));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WatchedPath && real.equals(((WatchedPath) other).real);
  }

  @Override
  public int hashCode() {
    return real.hashCode();
  }

  @Override
  public String toString() {
    return real.toString();
  }
}
