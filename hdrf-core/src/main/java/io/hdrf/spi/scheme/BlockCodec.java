/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Map;
import java.util.function.Consumer;

/** A {@link BlockScheme} opened on one volume and block pool. Safe for use by many threads. */
public interface BlockCodec extends Closeable {

  /**
   * Reads a block to its end and emits frames whose original lengths add up to the block's length
   * ('direct stream mode'). At most {@link ReductionScheme#maxConcurrentBlocks()} calls are under
   * way at once.
   *
   * @param length the block's length in bytes, at least 1
   * @param source gives so many bytes
   * @param tail the schemes that follow in the chain, for a scheme that applies them by itself
   * @throws BlockDeclinedException if this block is better left as it is
   */
  void encode(long length, BlockSource source, FrameChain tail, FrameSink sink) throws IOException;

  /**
   * Decodes one frame, in any order. At most {@link ReductionScheme#maxConcurrentBlocks()} calls
   * are under way at once. {@code payload} holds what {@link #encode} emitted, {@code frame} has
   * exactly the frame's original length remaining. Both buffers are direct; both positions are left
   * at their limits.
   *
   * @throws CorruptFrameException if the payload, or what the store holds for it, is damaged
   */
  void decode(ByteBuffer payload, ByteBuffer frame) throws IOException;

  /**
   * For the frames that a sequential read is about to decode.
   *
   * @return null if payloads have all that is needed
   */
  default Prefetch newPrefetch() {
    return null;
  }

  /**
   * Looks again, and as closely as can be, at what the scheme's store holds for a payload that
   * {@link #encode} emitted: its block's verification failed. Payloads emitted from now on do not
   * refer to what is damaged.
   *
   * @param payload direct, as it was emitted
   * @return whether anything is damaged: then encoding the block again may succeed
   */
  default boolean findDamage(ByteBuffer payload) throws IOException {
    return false;
  }

  /**
   * Makes durable everything in the scheme's store that frames emitted so far refer to. Called
   * after {@link #encode} and before the block's file is put in place.
   */
  default void force() throws IOException {}

  /**
   * Taken before {@link #encode} and closed when the block's file is in place or given up: until
   * then nothing is taken away that the frames emitted meanwhile refer to.
   */
  default Pin pin() {
    return Pin.NONE;
  }

  /**
   * Takes away what no block refers to any more, now rather than some time later. May take long;
   * blocks are encoded and decoded meanwhile.
   *
   * @param progress receives a line about the present step now and then; where it can be counted,
   *     the text of a {@link io.hdrf.spi.TaskProgress}
   * @return what was done, by name, in the order to be printed
   */
  default Map<String, Long> reclaim(Consumer<String> progress) throws IOException {
    return Collections.emptyMap();
  }

  /**
   * Compares what the stored blocks refer to with what the scheme's store holds. May take long.
   *
   * @param problems receives a line for each difference; of many differences, for some
   * @return what was looked at, by name, in the order to be printed; {@code missing} counts
   *     references to what is not there, or known to be damaged
   */
  default Map<String, Long> check(Consumer<String> problems) throws IOException {
    return Collections.emptyMap();
  }

  /**
   * Called when the volume leaves while others may still use it: {@link #reclaim}, {@link #check}
   * and work in the background are to end soon, with an error if there is a caller. All else goes
   * on until {@link #close}, which follows when nobody uses it any more.
   */
  default void leave() {}

  /**
   * Looks for chunks by the names that {@link BlockScheme#chunkFunction} gives them.
   *
   * @return null if the scheme has no such names
   */
  default ChunkLookup newChunkLookup() {
    return null;
  }

  /**
   * Figures for operators by name, such as {@code chunksFound}; sums since the codec was opened.
   * Those of several stores are added up; of names that end in {@code At}, which are times, the
   * least counts.
   */
  default Map<String, Long> metrics() {
    return Collections.emptyMap();
  }

  @Override
  default void close() throws IOException {}
}
