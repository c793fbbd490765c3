/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container whose file has no directory yet: it is being written, or was when the process ended,
 * or could not be ended. Its directory is in memory. One appender at a time writes; any number of
 * threads read it.
 *
 * <p>The writer can read what was written; only what was forced can be found. So no block comes to
 * refer to chunks that a power loss would take away, whether their writer still writes, has given
 * up or has failed.
 */
final class OpenContainer {

  private static final Logger LOG = LoggerFactory.getLogger(OpenContainer.class);

  private final Container container;
  private final ContainerContext context;
  private final Path path;
  private final ContainerHeader header;

  /** Whether there may be chunks in the file that can't be read now, and would be lost with it. */
  private final boolean damaged;

  /** The disk's error where it could not read all that is {@link #damaged}; otherwise null. */
  private final IOException readError;

  /** Held while the file is changed or forced. */
  private final Object io = new Object();

  /** Null when nothing is to be appended any more. */
  private ContainerWriter writer;

  /** The reason why nothing is to be appended any more, or null. */
  private Throwable failure;

  /**
   * The reason why a force failed; stays for ever. After it, the kernel may hold pages as clean
   * that never reached the disk.
   */
  private Throwable forceFailure;

  /** Whether something was dropped that could not be forced. */
  private boolean lost;

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
    this.context = context;
    this.path = context.file(container.id(), ContainerNames.OPEN);
    this.header = header;
    this.damaged = false;
    this.readError = null;
    this.writer = new ContainerWriter(context.files(), path, header);
    this.written = writer.directory();
    this.forced = written;
    this.length = writer.length();
    boolean created = false;
    try {
      writer.force();
      context.files().forceDirectory(context.directory());
      created = true;
    } finally {
      if (!created) {
        writer.close();
        context.files().deleteIfExists(path);
      }
    }
  }

  /**
   * Takes a file that was found at start. Nothing can be appended.
   *
   * @param found what was found in it
   * @param damaged whether something else lies between groups, or behind them, that may have been
   *     groups
   * @param readError the disk's error if it could not read all of that, so that another look may
   *     find more; otherwise null
   * @param notForced why it could not be made durable, or null if it is
   */
  OpenContainer(
      Container container,
      ContainerHeader header,
      ContainerContext context,
      ContainerDirectory found,
      boolean damaged,
      IOException readError,
      IOException notForced) {
    this.container = container;
    this.context = context;
    this.path = context.file(container.id(), ContainerNames.OPEN);
    this.header = header;
    this.damaged = damaged;
    this.readError = readError;
    this.written = found;
    this.forced = notForced == null ? found : new DirectoryBuilder(1, 1).build();
    this.forceFailure = notForced;
    this.length = ContainerWriter.end(found);
    this.nextNumber = context.settings().maxChunks();
    this.failure = notForced == null ? new IOException(path + " was found at start") : forceFailure;
  }

  Container container() {
    return container;
  }

  ContainerHeader header() {
    return header;
  }

  /** Returns the directory of the chunks that can be read. */
  ContainerDirectory written() {
    return written;
  }

  /** Returns the directory of the chunks that can be found: they survive a power loss. */
  ContainerDirectory forced() {
    return forced;
  }

  /** Returns whether sealing it would take away what may be read another time. */
  boolean isDamaged() {
    return damaged;
  }

  /** Returns whether another look at the file may find more, as when the disk is sound again. */
  boolean mayReadMore() {
    return readError != null;
  }

  /** The file's length in bytes. */
  long length() {
    return length;
  }

  /** Returns whether one more chunk, and a group of that many bytes, still belong here. */
  boolean hasRoomFor(long groupBytes) {
    return nextNumber < context.settings().maxChunks()
        && (nextNumber == 0 || length + groupBytes <= context.settings().containerSize());
  }

  /** Returns whether there is a number for one more chunk. */
  boolean hasNumber() {
    return nextNumber < context.settings().maxChunks();
  }

  int takeNumber() {
    return nextNumber++;
  }

  /** Returns whether no number was given out. */
  boolean hasNothing() {
    return nextNumber == 0;
  }

  boolean hasFailed() {
    synchronized (io) {
      return failure != null;
    }
  }

  /**
   * Writes a group that was encoded. After any failure, also for want of memory, nothing more can
   * be written: it is not known how much of it was done.
   */
  void write(GroupBuffer group) throws IOException {
    synchronized (io) {
      checkSound();
      try {
        writer.write(group);
        written = writer.directory();
        length = writer.length();
      } catch (Throwable e) {
        failure = e;
        throw e;
      }
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

  /** Works on the file while the caller holds the lock. */
  private interface Work {
    void run(DurableFile file) throws IOException;
  }

  private void onFile(Work work) throws IOException {
    if (closed) {
      throw new IOException(path + " was closed");
    }
    if (writer != null) {
      work.run(writer.file());
      return;
    }
    try (DurableFile file = context.files().open(path)) {
      work.run(file);
    }
  }

  /**
   * Makes durable what was written before the call, so that it can be found. If the file can't be
   * forced, its content is written to another file; if this fails too, what was not forced before
   * is lost, and never found.
   */
  void force() throws IOException {
    synchronized (io) {
      if (lost) {
        throw notForced();
      }
      if (sealed || forced == written) {
        return;
      }
      if (forceFailure == null) {
        onFile(this::force);
      }
      if (forceFailure != null) {
        copy();
      }
    }
  }

  private void force(DurableFile file) {
    try {
      file.force();
      forced = written;
    } catch (IOException e) {
      forceFailed(e);
    } catch (RuntimeException | Error e) {
      forceFailed(e);
      throw e;
    }
  }

  /** Allocates nothing: forgotten for want of memory, it would be tried again, and succeed. */
  private void forceFailed(Throwable cause) {
    forceFailure = cause;
    failure = cause;
  }

  private IOException notForced() {
    return new IOException(
        path + " could not be forced: " + forceFailure.getMessage(), forceFailure);
  }

  /** Writes the file's content to another one, which replaces it as a sealed container. */
  private void copy() throws IOException {
    LoadedContainer source =
        new LoadedContainer(path, header, ChannelFile.open(path), this::written, context.chains());
    try {
      ContainerRewriter rewriter =
          new ContainerRewriter(context, source, written, Replacements.NONE, Throttle.NONE);
      rewriter.rewrite(null);
      if (rewriter.damagedGroups() > 0) {
        rewriter.discard();
        throw new IOException(path + ": what was written can't be read back");
      }
      rewriter.replace();
      becomeSealed();
    } catch (IOException e) {
      if (forceFailure != null) {
        e.addSuppressed(notForced());
      }
      throw e;
    } finally {
      source.release();
    }
    context.files().deleteIfExists(path);
  }

  /**
   * Ends the container; its content is durable on return. Directory and footer are written behind
   * the groups, over anything that a torn write left there. A second call tries again what failed.
   */
  void seal() throws IOException {
    synchronized (io) {
      if (sealed) {
        return;
      }
      try {
        if (damaged || forceFailure != null) {
          copy();
        } else {
          sealInPlace();
        }
      } catch (Throwable e) {
        if (failure == null) {
          failure = e;
        }
        throw e;
      }
    }
  }

  private void sealInPlace() throws IOException {
    onFile(
        file -> {
          ContainerWriter.finish(file, header, written, System.currentTimeMillis());
          force(file);
        });
    if (forceFailure != null) {
      throw notForced();
    }
    // Together, so that no reader looks for the file under the name that it had.
    synchronized (this) {
      context.files().rename(path, context.file(container.id(), ContainerNames.SEALED));
      becomeSealed();
    }
    context.files().forceDirectory(context.directory());
  }

  /**
   * Ends a container after a failure, or one that was found at start. What can't be made durable is
   * dropped; if no directory can be written, the file is read without one, and {@link #seal} may be
   * called again. Takes no space that it does not find.
   *
   * @return false if there is nothing in it: it was deleted
   */
  boolean end() throws IOException {
    synchronized (io) {
      if (sealed) {
        return true;
      }
      try {
        force();
      } catch (IOException e) {
        if (writer == null) {
          throw e;
        }
        failure.addSuppressed(e);
        drop();
      }
      if (sealed) {
        return true;
      }
      if (writer != null && forced.chunkCount() == 0) {
        delete();
        return false;
      }
      seal();
      return true;
    }
  }

  /** The truncation removes from the cache what is not on the disk, so that no restart finds it. */
  private void drop() {
    lost = true;
    written = forced;
    length = ContainerWriter.end(forced);
    try {
      writer.file().setLength(length);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Closes the file for writing; it is opened again for what has to be done. */
  void stopWriting() throws IOException {
    synchronized (io) {
      ContainerWriter last = writer;
      writer = null;
      if (last != null) {
        last.close();
      }
    }
  }

  private void becomeSealed() {
    sealed = true;
    container.setOpen(null);
    try {
      stopWriting();
    } catch (IOException e) {
      LOG.warn("{} can't be closed; all of it was forced before: {}", path, e.toString());
    } finally {
      releaseLoaded();
    }
  }

  /** Deletes the file, in which nothing was written that anybody knows of. */
  void delete() throws IOException {
    synchronized (io) {
      close();
      context.files().deleteIfExists(path);
    }
  }

  /** Closes the file as it is. */
  void close() throws IOException {
    synchronized (io) {
      if (!sealed && !closed) {
        closed = true;
        stopWriting();
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
      loaded =
          new LoadedContainer(
              path,
              header,
              ChannelFile.open(path),
              this::written,
              context.chains(),
              LoadedDirectory.Origin.WRITTEN,
              readError);
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
