/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.jni.Chunker;
import io.hdrf.scheme.BlockSource;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Gives a block's pieces, and has the next one read, cut and fingerprinted meanwhile by a thread of
 * its own, so that two processors can work on one block. That thread is started by the first block
 * that is longer than a piece, on the caller's nice value, and ends when it had nothing to do for a
 * while. For one thread; {@link #begin}, any number of {@link #next}, {@link #end}.
 */
final class CutAhead implements Closeable {

  private static final long KEEP_SECONDS = 10;

  private final ThreadPoolExecutor helper;
  private BlockSource source;
  private CutBuffer current;
  private CutBuffer following;
  private Future<?> filling;

  /**
   * @param pieceSize in bytes, see {@link CutBuffer}
   */
  CutAhead(Chunker chunker, Fingerprinter fingerprinter, int pieceSize) {
    this.current = new CutBuffer(chunker, fingerprinter, pieceSize);
    this.following = new CutBuffer(chunker, fingerprinter, pieceSize);
    this.helper =
        new ThreadPoolExecutor(
            1,
            1,
            KEEP_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, Thread.currentThread().getName() + "-cut");
              thread.setDaemon(true);
              return thread;
            });
    helper.allowCoreThreadTimeOut(true);
  }

  /**
   * Begins a block.
   *
   * @param block is read by one thread at a time, not always the caller's, until {@link #end}
   * @return its first piece
   */
  CutBuffer begin(BlockSource block) throws IOException {
    source = block;
    current.fill(block, null);
    fillFollowing();
    return current;
  }

  /**
   * The piece behind the one returned last, which was not the block's last one and is overwritten
   * from now on.
   */
  CutBuffer next() throws IOException {
    await();
    CutBuffer done = current;
    current = following;
    following = done;
    fillFollowing();
    return current;
  }

  private void fillFollowing() {
    if (!current.isLast()) {
      CutBuffer target = following;
      CutBuffer before = current;
      filling =
          helper.submit(
              () -> {
                target.fill(source, before);
                return null;
              });
    }
  }

  /** Throws what the other thread has thrown. */
  private void await() throws IOException {
    Future<?> awaited = filling;
    filling = null;
    Throwable failure = failure(awaited);
    if (failure instanceof IOException) {
      throw (IOException) failure;
    }
    if (failure instanceof RuntimeException) {
      throw (RuntimeException) failure;
    }
    if (failure instanceof Error) {
      throw (Error) failure;
    }
  }

  /**
   * Waits in spite of interrupts, since the source is in use as long as this; the next operation on
   * a file notices them.
   */
  private static Throwable failure(Future<?> awaited) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          awaited.get();
          return null;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          return e.getCause();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends a block, wherever it was given up: its source is not read any more. */
  void end() {
    if (filling != null) {
      // Nobody waits for this piece, so its failure is nobody's.
      failure(filling);
      filling = null;
    }
    source = null;
  }

  @Override
  public void close() {
    end();
    helper.shutdown();
    current.close();
    following.close();
  }
}
