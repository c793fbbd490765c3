/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.DecodingTurns;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.DurableFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Long frames, such as schemes make that work on whole blocks, decoded into temporary files of
 * their volumes. So a frame is decoded once for many positional reads, and a reader, however slow,
 * holds a descriptor and a piece of the frame instead of all of it. Memory for whole frames is
 * taken for one {@linkplain DecodingTurns turn} each.
 *
 * <p>Files are kept up to a limit in bytes, the least recently used leaving first. Readers keep
 * what they have opened. Keys are those of {@link FrameCache}: what was decoded for a block that
 * was replaced is not found again. Thread-safe.
 */
public final class DecodedFiles implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(DecodedFiles.class);

  /** Gives names for temporary files on a block's volume. */
  public interface Place {
    /** None: what is decoded is not written. */
    Place NONE = length -> null;

    /**
     * A new name.
     *
     * @param length of the file, in bytes
     * @return null if the volume has no room for it
     */
    Path newFile(long length) throws IOException;
  }

  private final long capacity;
  private final DurableFiles files;
  private final DecodingTurns turns;
  private final BufferPool buffers;
  private final ReducerCounters counters;

  private final Map<ByteBuffer, DecodedFile> kept = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<ByteBuffer> beingDecoded = new HashSet<>();
  private long size;

  /**
   * @param capacity the bytes of files to keep; with 0 each is deleted once its reader has it open
   */
  public DecodedFiles(
      long capacity,
      DurableFiles files,
      DecodingTurns turns,
      BufferPool buffers,
      ReducerCounters counters) {
    this.capacity = capacity;
    this.files = files;
    this.turns = turns;
    this.buffers = buffers;
    this.counters = counters;
  }

  /**
   * Opens a decoded frame; decodes it where no file has it. Of many readers of a frame, one does.
   *
   * @return null if there is no room for a file: {@link #decode} it then
   */
  DecodedFile.Opened open(ReducedBlock block, ChainCodec codec, int frame, Place place)
      throws IOException {
    ByteBuffer key = FrameCache.key(block, frame);
    while (true) {
      DecodedFile found = findOrClaim(key);
      if (found == null) {
        break;
      }
      try {
        DecodedFile.Opened opened = found.open();
        counters.decodedFileHit();
        return opened;
      } catch (NoSuchFileException e) {
        // It left meanwhile, alone or with its volume.
        forget(key, found);
      }
    }
    try {
      Path path = place.newFile(block.frames().originalLength(frame));
      return path == null ? null : decodeInto(key, path, block, codec, frame);
    } finally {
      unclaim(key);
    }
  }

  /** The file, or null where the caller is to decode the frame, and to {@link #unclaim} it. */
  private synchronized DecodedFile findOrClaim(ByteBuffer key) throws InterruptedIOException {
    while (true) {
      DecodedFile found = kept.get(key);
      if (found != null || beingDecoded.add(key)) {
        return found;
      }
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while another thread decodes");
      }
    }
  }

  private synchronized void unclaim(ByteBuffer key) {
    beingDecoded.remove(key);
    notifyAll();
  }

  private DecodedFile.Opened decodeInto(
      ByteBuffer key, Path path, ReducedBlock block, ChainCodec codec, int frame)
      throws IOException {
    DecodedFile[] written = new DecodedFile[1];
    decode(block, codec, frame, decoded -> written[0] = write(path, decoded));
    if (written[0] == null) {
      return null;
    }
    DecodedFile.Opened opened = null;
    try {
      opened = written[0].open();
    } finally {
      if (opened == null) {
        delete(written[0]);
      }
    }
    keep(key, written[0]);
    return opened;
  }

  /** Returns null if the file can't be written, as on a full disk. */
  private DecodedFile write(Path path, ByteBuffer decoded) throws IOException {
    try {
      return DecodedFile.write(files, path, decoded);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      LOG.warn("{} can't be written: reads of this block are slow until it can", path, e);
      return null;
    }
  }

  /** Does something with a decoded frame. */
  interface Consumer {
    /**
     * Does it.
     *
     * @param decoded position 0 to limit; not kept after the call
     */
    void accept(ByteBuffer decoded) throws IOException;
  }

  /** Decodes a frame in memory, when its turn has come. */
  void decode(ReducedBlock block, ChainCodec codec, int frame, Consumer consumer)
      throws IOException {
    int length = block.frames().originalLength(frame);
    ByteBuffer stored = null;
    ByteBuffer decoded = null;
    try (DecodingTurns.Turn turn = turns.take(codec.chain(), length)) {
      try {
        stored = buffers.take(block.frames().storedLength(frame));
        decoded = buffers.take(length);
        long start = System.nanoTime();
        block.readFrame(frame, codec, stored, decoded);
        decoded.flip();
        counters.decoded(length, System.nanoTime() - start);
        consumer.accept(decoded);
      } finally {
        // Within the turn: whoever gets the next one finds them.
        give(stored);
        give(decoded);
      }
    }
  }

  private void give(ByteBuffer buffer) {
    if (buffer != null) {
      buffers.give(buffer);
    }
  }

  private void keep(ByteBuffer key, DecodedFile file) {
    List<DecodedFile> leaving = new ArrayList<>();
    synchronized (this) {
      DecodedFile replaced = kept.put(key, file);
      size += file.length();
      if (replaced != null) {
        size -= replaced.length();
        leaving.add(replaced);
      }
      Iterator<DecodedFile> eldest = kept.values().iterator();
      while (size > capacity) {
        DecodedFile next = eldest.next();
        eldest.remove();
        size -= next.length();
        leaving.add(next);
      }
    }
    leaving.forEach(this::delete);
  }

  private void delete(DecodedFile file) {
    try {
      files.deleteIfExists(file.path());
    } catch (IOException e) {
      LOG.warn("{} can't be deleted; the next start of the DataNode will", file.path(), e);
    }
  }

  /** Deletes the frame's file, if it is this one. */
  void drop(ReducedBlock block, int frame, DecodedFile file) {
    forget(FrameCache.key(block, frame), file);
    delete(file);
  }

  private synchronized void forget(ByteBuffer key, DecodedFile file) {
    if (kept.remove(key, file)) {
      size -= file.length();
    }
  }

  /**
   * Deletes the files of a block, in whichever pool it is: it was deleted or replaced. Not to be
   * called under a lock.
   */
  public void dropBlock(long blockId) {
    removeIf((key, file) -> FrameCache.isOf(key, blockId));
  }

  private void removeIf(BiPredicate<ByteBuffer, DecodedFile> which) {
    List<DecodedFile> leaving = new ArrayList<>();
    synchronized (this) {
      Iterator<Map.Entry<ByteBuffer, DecodedFile>> all = kept.entrySet().iterator();
      while (all.hasNext()) {
        Map.Entry<ByteBuffer, DecodedFile> next = all.next();
        if (which.test(next.getKey(), next.getValue())) {
          all.remove();
          size -= next.getValue().length();
          leaving.add(next.getValue());
        }
      }
    }
    leaving.forEach(this::delete);
  }

  /** Bytes of the files that are kept now. */
  public synchronized long size() {
    return size;
  }

  /** Deletes all files. */
  @Override
  public void close() {
    removeIf((key, file) -> true);
  }
}
