/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LittleEndian;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * Frame schemes one after the other; with none of them, data pass unchanged. Safe for use by many
 * threads.
 *
 * <p>A stage whose output would not be shorter than its input is left out, frame by frame, and so
 * is one that {@linkplain FrameScheme#keepsLength keeps the length} where the stages behind it give
 * no shorter result with it than without; the stage mask, which is stored with the frame, tells the
 * stages that were applied. {@code docs/formats.md} ("Frame of a chain") has the bytes. The stored
 * bytes are never longer than the frame, and every prefixed length lies between bounds that follow
 * from the frame's length, the mask and the number of bytes behind it; others are refused before
 * memory is taken for them.
 */
public final class FrameChain implements Closeable {

  /** The most schemes in a chain. */
  public static final int MAX_LENGTH = 4;

  private static final int PREFIX = Integer.BYTES;

  private final FrameScheme[] schemes;
  private final FrameCodec[] codecs;
  private final boolean ownsCodecs;
  private final BufferPool buffers = BufferPool.shared();

  /**
   * Makes a chain of schemes that are open.
   *
   * @param schemes from 0 to {@link #MAX_LENGTH} schemes, the first to see the data first
   * @param codecs theirs, in the same order
   * @param ownsCodecs whether {@link #close} closes them
   */
  public FrameChain(List<FrameScheme> schemes, List<FrameCodec> codecs, boolean ownsCodecs) {
    if (schemes.size() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a chain of " + schemes.size() + " schemes; the longest has " + MAX_LENGTH);
    }
    this.schemes = schemes.toArray(new FrameScheme[0]);
    this.codecs = codecs.toArray(new FrameCodec[0]);
    this.ownsCodecs = ownsCodecs;
  }

  /**
   * Makes a chain that owns its codecs: {@link #close} closes them.
   *
   * @param schemes from 0 to {@link #MAX_LENGTH} schemes, the first to see the data first
   * @throws BadSettingException if a setting of one of them is wrong
   */
  public static FrameChain of(List<FrameScheme> schemes, Configuration configuration)
      throws IOException {
    List<FrameCodec> codecs = new ArrayList<>();
    boolean made = false;
    try {
      for (FrameScheme scheme : schemes) {
        codecs.add(scheme.newCodec(new PluginSettings(configuration, scheme.name())));
      }
      FrameChain chain = new FrameChain(schemes, codecs, true);
      made = true;
      return chain;
    } finally {
      if (!made) {
        codecs.forEach(FrameCodec::close);
      }
    }
  }

  /** The schemes' ids in order. */
  public int[] ids() {
    int[] ids = new int[schemes.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = schemes[i].id();
    }
    return ids;
  }

  /** Returns whether the chain has no scheme. */
  public boolean isEmpty() {
    return schemes.length == 0;
  }

  /**
   * The room in bytes that {@link #encode} needs for a frame.
   *
   * @param length the frame's length in bytes, from 1 to {@link FrameCodec#MAX_FRAME_LENGTH}
   */
  public int maxEncodedLength(int length) {
    long max = length;
    long longest = length;
    for (int stage = 0; stage < codecs.length; stage++) {
      int input = (int) Math.min(longest, FrameCodec.MAX_FRAME_LENGTH);
      max = Math.max(max, PREFIX + (long) codecs[stage].maxEncodedLength(input));
      if (schemes[stage].keepsLength()) {
        longest += PREFIX + FrameScheme.MAX_HEADER;
      }
    }
    return (int) Math.min(max, Integer.MAX_VALUE);
  }

  /**
   * Encodes all of {@code src}, at least one byte, and leaves both positions behind the last byte
   * read and written. Both buffers are direct.
   *
   * @param dst has at least {@link #maxEncodedLength} bytes remaining; the output is never longer
   *     than {@code src}
   * @return the stage mask; 0 means that the bytes are stored as they are
   */
  public int encode(ByteBuffer src, ByteBuffer dst) throws IOException {
    requireDirect(src, dst);
    int length = src.remaining();
    if (length == 0) {
      throw new IllegalArgumentException("an empty frame");
    }
    int end = src.limit();
    int stages = encodeFrom(0, 0, src, dst);
    src.position(end);
    return stages;
  }

  private int encodeFrom(int stage, int stages, ByteBuffer input, ByteBuffer dst)
      throws IOException {
    if (stage == codecs.length || !input.hasRemaining()) {
      // What was only prepared is no result.
      if (!isPrepared(stages)) {
        dst.put(input);
      }
      return stages;
    }
    int applied = stages | 1 << stage;
    int inputStart = input.position();
    int inputEnd = input.limit();
    int room = room(stage, input.remaining());
    if (schemes[stage].keepsLength()) {
      return encodeBothWays(stage, stages, input, room, dst);
    }
    if (stage == codecs.length - 1 && dst.remaining() >= room) {
      int dstStart = dst.position();
      if (encodeStage(stage, stages != 0, input, dst)) {
        return applied;
      }
      dst.position(dstStart);
    } else {
      ByteBuffer output = buffers.take(room);
      try {
        if (encodeStage(stage, stages != 0, input, output)) {
          output.flip();
          return encodeFrom(stage + 1, applied, output, dst);
        }
      } finally {
        buffers.give(output);
      }
    }
    input.limit(inputEnd).position(inputStart);
    return encodeFrom(stage + 1, stages, input, dst);
  }

  /**
   * Encodes with a stage that keeps the length and without it, for the shorter result: nothing else
   * tells whether it suits the data.
   */
  private int encodeBothWays(int stage, int stages, ByteBuffer input, int room, ByteBuffer dst)
      throws IOException {
    int length = input.remaining();
    int inputStart = input.position();
    int inputEnd = input.limit();
    int dstStart = dst.position();
    int without = encodeFrom(stage + 1, stages, input, dst);
    int shortest = isPrepared(without) ? length : dst.position() - dstStart;
    input.limit(inputEnd).position(inputStart);
    ByteBuffer prepared = buffers.take(room);
    ByteBuffer output = null;
    try {
      encodeStage(stage, stages != 0, input, prepared);
      prepared.flip();
      int made = prepared.remaining() - (stages != 0 ? PREFIX : 0);
      if (made < length || made > length + FrameScheme.MAX_HEADER) {
        throw new IOException(describe(stage) + " made " + made + " bytes of " + length);
      }
      output = buffers.take(prepared.remaining());
      int with = encodeFrom(stage + 1, stages | 1 << stage, prepared, output);
      output.flip();
      if (isPrepared(with) || output.remaining() >= shortest) {
        return without;
      }
      dst.position(dstStart);
      dst.put(output);
      return with;
    } finally {
      buffers.give(prepared);
      if (output != null) {
        buffers.give(output);
      }
    }
  }

  /** Returns whether nothing has made shorter what the last of some stages has prepared. */
  private boolean isPrepared(int stages) {
    return stages != 0 && schemes[last(stages)].keepsLength();
  }

  private int room(int stage, int length) throws IOException {
    long room = PREFIX + (long) codecs[stage].maxEncodedLength(length);
    if (room <= PREFIX || room > Integer.MAX_VALUE) {
      throw new IOException(
          describe(stage) + " needs " + (room - PREFIX) + " bytes to encode " + length);
    }
    return (int) room;
  }

  /** Returns whether the output is shorter than the input. */
  private boolean encodeStage(int stage, boolean prefixed, ByteBuffer input, ByteBuffer output)
      throws IOException {
    int end = input.limit();
    int length = input.remaining();
    int start = output.position();
    if (prefixed) {
      LittleEndian.putInt(output, length);
    }
    try {
      codecs[stage].encode(input, output);
    } catch (RuntimeException | Error e) {
      throw SchemeErrors.failed(e, describe(stage) + " failed on a frame of " + length + " bytes");
    }
    // By its position, as a codec can move the limit too.
    if (input.position() != end) {
      throw new IOException(
          describe(stage)
              + " left "
              + (end - input.position())
              + " of "
              + length
              + " bytes unread");
    }
    return output.position() - start < length;
  }

  /**
   * Decodes all of {@code src} into {@code dst} and leaves both positions at their limits. Both
   * buffers are direct.
   *
   * @param stages the mask that {@link #encode} returned
   * @param dst has exactly the original frame's length remaining
   * @throws CorruptFrameException if {@code stages} and {@code src} are not what {@link #encode}
   *     made of that many bytes; the content of {@code dst} is then undefined
   */
  public void decode(int stages, ByteBuffer src, ByteBuffer dst) throws IOException {
    requireDirect(src, dst);
    if (stages < 0 || stages >>> codecs.length != 0) {
      throw new CorruptFrameException(
          "stage mask " + stages + " for a chain of " + codecs.length + " schemes");
    }
    int length = dst.remaining();
    if (stages == 0) {
      if (src.remaining() != length) {
        throw new CorruptFrameException(
            src.remaining() + " bytes stored as they are for a frame of " + length);
      }
      dst.put(src);
      return;
    }
    decodeFrom(stages, src, dst, length);
  }

  private void decodeFrom(int stages, ByteBuffer input, ByteBuffer dst, int frameLength)
      throws IOException {
    int stage = last(stages);
    int rest = stages - (1 << stage);
    if (rest == 0) {
      decodeStage(stage, input, dst);
      return;
    }
    ByteBuffer inner = buffers.take(innerLength(stage, input, longest(rest, frameLength)));
    try {
      decodeStage(stage, input, inner);
      inner.flip();
      decodeFrom(rest, inner, dst, frameLength);
    } finally {
      buffers.give(inner);
    }
  }

  private void decodeStage(int stage, ByteBuffer input, ByteBuffer output) throws IOException {
    int inputEnd = input.limit();
    int outputEnd = output.limit();
    int length = output.remaining();
    try {
      codecs[stage].decode(input, output);
    } catch (RuntimeException | Error e) {
      throw SchemeErrors.decoding(e, describe(stage));
    }
    // By their positions, as a codec can move the limits too.
    int missing = outputEnd - output.position();
    int unread = inputEnd - input.position();
    if (missing != 0 || unread != 0) {
      throw new CorruptFrameException(
          describe(stage)
              + " decoded "
              + (length - missing)
              + " of "
              + length
              + " bytes and left "
              + unread
              + " bytes unread");
    }
  }

  /** Closes the codecs where they belong to this chain. They must not be in use. */
  @Override
  public void close() {
    if (ownsCodecs) {
      for (FrameCodec codec : codecs) {
        codec.close();
      }
    }
  }

  @Override
  public String toString() {
    StringBuilder names = new StringBuilder();
    for (FrameScheme scheme : schemes) {
      names.append(names.length() == 0 ? "" : ",").append(scheme.name());
    }
    return names.toString();
  }

  /**
   * The last of some stages.
   *
   * @param stages not 0
   */
  private static int last(int stages) {
    return 31 - Integer.numberOfLeadingZeros(stages);
  }

  private String describe(int stage) {
    return "scheme " + schemes[stage].name();
  }

  /**
   * The most bytes that some stages make of a frame.
   *
   * @param stages not 0
   */
  private int longest(int stages, int frameLength) {
    long longest = frameLength;
    for (int rest = stages; rest != 0; rest &= rest - 1) {
      boolean isFirst = rest == stages;
      boolean keepsLength = schemes[Integer.numberOfTrailingZeros(rest)].keepsLength();
      longest += keepsLength ? (isFirst ? 0 : PREFIX) + FrameScheme.MAX_HEADER : -1;
    }
    return (int) Math.min(longest, Integer.MAX_VALUE);
  }

  /**
   * Reads how long the input of a stage was, which precedes its output.
   *
   * @param longest the most bytes that it can have been
   */
  private int innerLength(int stage, ByteBuffer input, int longest) throws CorruptFrameException {
    int length = input.remaining() < PREFIX ? -1 : LittleEndian.getInt(input);
    int left = input.remaining();
    boolean fits =
        schemes[stage].keepsLength()
            ? left >= length && left - FrameScheme.MAX_HEADER <= length
            : left < length - PREFIX;
    if (length < 0 || length > longest || !fits) {
      throw new CorruptFrameException(
          "a stage of " + length + " bytes in " + left + " where at most " + longest + " can be");
    }
    return length;
  }

  private static void requireDirect(ByteBuffer first, ByteBuffer second) {
    if (!first.isDirect() || !second.isDirect()) {
      throw new IllegalArgumentException("a buffer is not direct");
    }
  }
}
