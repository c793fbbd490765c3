/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ChannelFile;
import io.hdrf.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A container that is being written. One appender at a time writes; any number of threads read it.
 *
 * <p>What was written can be read, by those who wrote it; only what was forced can be found. So
 * nobody comes to refer to chunks that a power loss would take away, whoever wrote them, and
 * whether he still writes, has given up or has failed.
 */
final class OpenContainer {

  private final Container container;
  private final Path directory;
  private final DurableFiles files;
  private final ContainerSettings settings;
  private final ChainSource chains;
  private final Path path;
  private final ContainerWriter writer;

  /** Held while the file is changed or forced. */
  private final Object io = new Object();

  private IOException failure;
  private boolean sealed;
  private boolean closed;

  /** For the appender alone. */
  private int nextNumber;

  private volatile ContainerDirectory written;

  /** A beginning of {@link #written}. */
  private volatile ContainerDirectory forced;

  private volatile long length;
  private LoadedContainer loaded;
  private boolean retired;

  /** Creates the file; its header and its name are durable on return. */
  OpenContainer(Container container, ContainerHeader header, ContainerContext context)
      throws IOException {
    this.container = container;
    this.directory = context.directory();
    this.files = context.files();
    this.settings = context.settings();
    this.chains = context.chains();
    this.path = ContainerNames.file(directory, container.id(), ContainerNames.OPEN);
    this.writer = new ContainerWriter(files, path, header);
    this.written = writer.directory();
    this.forced = written;
    this.length = writer.length();
    boolean created = false;
    try {
      writer.force();
      files.forceDirectory(directory);
      created = true;
    } finally {
      if (!created) {
        writer.close();
        files.deleteIfExists(path);
      }
    }
  }

  Container container() {
    return container;
  }

  ContainerHeader header() {
    return writer.header();
  }

  /** What can be read. */
  ContainerDirectory written() {
    return written;
  }

  /** What can be found: it survives a power loss. */
  ContainerDirectory forced() {
    return forced;
  }

  /** The file's length in bytes. */
  long length() {
    return length;
  }

  /** Whether one more chunk, and a group of that many bytes, still belong here. */
  boolean hasRoomFor(long groupBytes) {
    return nextNumber < settings.maxChunks()
        && (nextNumber == 0 || length + groupBytes <= settings.containerSize());
  }

  /** Whether there is a number for one more chunk. */
  boolean hasNumber() {
    return nextNumber < settings.maxChunks();
  }

  int takeNumber() {
    return nextNumber++;
  }

  /** Whether no number was given out. */
  boolean hasNothing() {
    return nextNumber == 0;
  }

  boolean hasFailed() {
    synchronized (io) {
      return failure != null;
    }
  }

  /** Writes a group that was encoded. After a failure, nothing more can be written. */
  void write(GroupBuffer group) throws IOException {
    synchronized (io) {
      checkSound();
      try {
        writer.write(group);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
      written = writer.directory();
      length = writer.length();
    }
  }

  private void checkSound() throws IOException {
    if (sealed || closed) {
      throw new IOException(path + " is not open any more");
    }
    if (failure != null) {
      throw new IOException(path + " failed before: " + failure.getMessage(), failure);
    }
  }

  /**
   * Makes durable what was written before the call, so that it can be found. If the file can't be
   * forced, what is in it is written to another file; if this fails too, what was not forced before
   * is never found.
   */
  void force() throws IOException {
    synchronized (io) {
      if (sealed || forced == written) {
        return;
      }
      if (closed) {
        throw new IOException(path + " was closed before it was forced");
      }
      try {
        if (failure instanceof ForceFailure) {
          throw failure;
        }
        writer.force();
        forced = written;
      } catch (IOException e) {
        failure = new ForceFailure(path, e);
        rescue();
      }
    }
  }

  /** After it, the kernel may hold pages as clean that never reached the disk. */
  private static final class ForceFailure extends IOException {
    private static final long serialVersionUID = 1L;

    ForceFailure(Path path, IOException cause) {
      super(path + " could not be forced: " + cause.getMessage(), cause);
    }
  }

  private void rescue() throws IOException {
    LoadedContainer source =
        new LoadedContainer(path, header(), ChannelFile.open(path), this::written, chains);
    try {
      Path copy = ContainerNames.file(directory, container.id(), ContainerNames.TEMPORARY);
      ContainerRewriter rewriter =
          new ContainerRewriter(files, source, copy, settings.groupSize(), chains, Throttle.NONE);
      rewriter.rewrite(null, System.currentTimeMillis());
      if (rewriter.damagedGroups() > 0) {
        files.deleteIfExists(copy);
        throw new IOException(path + ": what was written can't be read back", failure);
      }
      files.rename(copy, sealedPath());
      files.forceDirectory(directory);
      becomeSealed();
      files.deleteIfExists(path);
    } catch (IOException e) {
      if (e != failure) {
        e.addSuppressed(failure);
      }
      throw e;
    } finally {
      source.release();
    }
  }

  /** Ends the container; what it holds is durable on return. */
  void seal() throws IOException {
    synchronized (io) {
      if (sealed) {
        return;
      }
      checkSound();
      try {
        writer.finish(System.currentTimeMillis());
      } catch (IOException e) {
        failure = e;
        throw e;
      }
      try {
        writer.force();
        forced = written;
      } catch (IOException e) {
        failure = new ForceFailure(path, e);
        throw e;
      }
      // Together, so that no reader looks for the file under the name that it had.
      synchronized (this) {
        try {
          files.rename(path, sealedPath());
        } catch (IOException e) {
          failure = e;
          throw e;
        }
        becomeSealed();
      }
      files.forceDirectory(directory);
    }
  }

  private Path sealedPath() {
    return ContainerNames.file(directory, container.id(), ContainerNames.SEALED);
  }

  private void becomeSealed() throws IOException {
    sealed = true;
    container.setOpen(null);
    writer.close();
    releaseLoaded();
  }

  /** Deletes the file, in which nothing was written. */
  void delete() throws IOException {
    synchronized (io) {
      close();
      files.deleteIfExists(path);
    }
  }

  /** Closes the file as it is. */
  void close() throws IOException {
    synchronized (io) {
      if (!sealed && !closed) {
        closed = true;
        writer.close();
        releaseLoaded();
      }
    }
  }

  private synchronized void releaseLoaded() {
    retired = true;
    dropLoaded();
  }

  private void dropLoaded() {
    if (loaded != null) {
      loaded.release();
      loaded = null;
    }
  }

  /** The container for reading, to be released by the caller; null if it is open no more. */
  synchronized LoadedContainer acquire() throws IOException {
    if (retired) {
      return null;
    }
    if (loaded == null) {
      loaded = new LoadedContainer(path, header(), ChannelFile.open(path), this::written, chains);
    }
    loaded.acquire();
    return loaded;
  }

  /** Forgets a file that was closed by an interrupt. */
  synchronized void forget(LoadedContainer gone) {
    if (loaded == gone) {
      dropLoaded();
    }
  }
}
