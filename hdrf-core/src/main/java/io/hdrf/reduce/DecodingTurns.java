/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.Closeable;
import java.io.InterruptedIOException;
import java.util.SortedMap;
import java.util.function.ToIntFunction;

/**
 * Limits and counts the long frames that are decoded at once in this DataNode. A scheme that works
 * on whole blocks makes one frame of each, so that the limit of blocks which bounds the memory for
 * encoding bounds that for decoding too. Readers, inflations and verifications take turns here; the
 * Reducer, which decodes what it has just encoded, does so within the turn in which it encoded, and
 * makes no reader wait. Short frames need no turn. Thread-safe.
 */
public final class DecodingTurns {

  /** The longest frame that is decoded without a turn, in bytes. */
  public static final int MAX_SHORT_FRAME = 8 << 20;

  private static final Turn NONE = () -> {};

  private final ConcurrencyLimits limits;

  /**
   * @param limitOf the limit of a scheme, at least 1
   */
  public DecodingTurns(ToIntFunction<ReductionScheme> limitOf) {
    // More than one for each processor would take memory and gain nothing.
    int processors = Runtime.getRuntime().availableProcessors();
    this.limits = new ConcurrencyLimits(s -> Math.min(limitOf.applyAsInt(s), processors));
  }

  /** The right to decode a frame, until it is closed. */
  public interface Turn extends Closeable {
    @Override
    void close();
  }

  /** Returns whether a frame of that original length, in bytes, needs a turn. */
  public static boolean isLong(int frameLength) {
    return frameLength > MAX_SHORT_FRAME;
  }

  /**
   * Waits until the chain's schemes take one more long frame. The turn is to be taken before memory
   * for the frame, and after any lock; whoever has one waits for nobody.
   *
   * @param frameLength the original length in bytes of the longest frame that is to be decoded
   * @throws InterruptedIOException if the thread is interrupted meanwhile, which it stays
   */
  public Turn take(SchemeChain chain, int frameLength) throws InterruptedIOException {
    if (!isLong(frameLength)) {
      return NONE;
    }
    try {
      limits.acquire(chain);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting to decode with " + chain);
    }
    return () -> limits.release(chain);
  }

  /** The number of long frames that each used scheme decodes now, by its name. */
  public SortedMap<String, Integer> inProcess() {
    return limits.inProcess();
  }

  /** The number of long frames that wait to be decoded, by each scheme of their chain. */
  public SortedMap<String, Integer> waiting() {
    return limits.waiting();
  }
}
