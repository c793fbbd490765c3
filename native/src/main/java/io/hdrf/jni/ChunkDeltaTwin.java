/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;

/**
 * {@link ChunkDelta} in Java. An object encodes one chunk; the buffers' positions and limits stay.
 */
final class ChunkDeltaTwin {

  /** The number of slots of the index that the encoder makes of a base. */
  static final int SLOTS = 1 << 15;

  private static final int VERSION = 1;

  /** Bytes that are hashed and compared at once. */
  private static final int WORD = 8;

  /** Shorter copies are not worth their numbers: the bytes are inserted. */
  private static final int MIN_COPY = 20;

  /** Of a base up to 128 KiB, one word in so many bytes is in the index. */
  private static final int MIN_STEP = 8;

  /**
   * A copy begins at most so many steps before the word that was found, which is enough for the
   * bytes between two words of the index. So once more bytes than that would have to be inserted
   * too many, it is sure that the difference becomes too long.
   */
  private static final int MAX_STEPS_BEHIND = 4;

  /** The most words in the index: at most half of the slots are taken. */
  private static final int MAX_WORDS = SLOTS / 2;

  /** A number takes at most so many bytes: it is below 2<sup>28</sup>. */
  private static final int MAX_NUMBER_LENGTH = 4;

  private final ByteBuffer base;
  private final int baseLength;
  private final ByteBuffer chunk;
  private final int length;
  private final ByteBuffer out;
  private final CharBuffer slots;
  private int bits;
  private int step;

  /** The chunk's bytes before this one are in the difference. */
  private int done;

  /** Where the last copy from the base ended. */
  private int baseDone;

  ChunkDeltaTwin(ByteBuffer base, ByteBuffer chunk, ByteBuffer difference, CharBuffer slots) {
    this.base = slice(base);
    this.baseLength = this.base.limit();
    this.chunk = slice(chunk);
    this.length = this.chunk.limit();
    this.out = difference.slice();
    this.slots = slots;
  }

  private static ByteBuffer slice(ByteBuffer buffer) {
    return buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the difference's length, or 0. */
  int encode() {
    if (baseLength < 1
        || baseLength > ChunkDelta.MAX_LENGTH
        || length < 1
        || length > ChunkDelta.MAX_LENGTH
        || out.remaining() < 1) {
      return 0;
    }
    out.put((byte) VERSION);
    if (!putNumber(length)) {
      return 0;
    }
    int most = Math.min(length, baseLength);
    int first = commonAhead(0, 0, most);
    if (first >= MIN_COPY && !copy(0, 0, first)) {
      return 0;
    }
    int last = commonBehind(length, baseLength, most - done);
    if (last < MIN_COPY) {
      last = 0;
    }
    if (!copyMiddle(length - last)) {
      return 0;
    }
    last = Math.min(last, length - done);
    if (last > 0 && !copy(length - last, baseLength - last, last)) {
      return 0;
    }
    if (done < length && !putBytes(done, length - done)) {
      return 0;
    }
    return out.position();
  }

  /** Finds copies for the bytes before {@code end}; a copy may go beyond it. */
  private boolean copyMiddle(int end) {
    if (end < done + MIN_COPY || baseLength < WORD) {
      return true;
    }
    makeIndex();
    int mostBehind = MAX_STEPS_BEHIND * step;
    int at = done;
    while (at + WORD <= end) {
      if (at - done > out.remaining() + mostBehind) {
        return false;
      }
      long word = chunk.getLong(at);
      // Where it would be if as many bytes were replaced as were inserted.
      int from = baseDone + (at - done);
      if (from > baseLength - WORD || base.getLong(from) != word) {
        int found = slots.get(slotOf(word));
        from = (found - 1) * step;
        // The second condition never holds, but for two threads that share the slots.
        if (found == 0 || from > baseLength - WORD || base.getLong(from) != word) {
          at++;
          continue;
        }
      }
      int behind = commonBehind(at, from, Math.min(mostBehind, Math.min(at - done, from)));
      int most = Math.min(length - at, baseLength - from);
      int ahead = WORD + commonAhead(at + WORD, from + WORD, most - WORD);
      if (behind + ahead < MIN_COPY) {
        at++;
        continue;
      }
      if (!copy(at - behind, from - behind, behind + ahead)) {
        return false;
      }
      at = done;
    }
    return true;
  }

  /** Of equal words the first one is kept: in a run, a copy from there is the longest. */
  private void makeIndex() {
    step = Math.max(MIN_STEP, baseLength / MAX_WORDS + 1);
    int words = (baseLength - WORD) / step + 1;
    bits = 1;
    while (1 << bits < 2 * words) {
      bits++;
    }
    for (int i = 0; i < 1 << bits; i++) {
      slots.put(i, (char) 0);
    }
    for (int i = 0; i < words; i++) {
      int slot = slotOf(base.getLong(i * step));
      if (slots.get(slot) == 0) {
        slots.put(slot, (char) (i + 1));
      }
    }
  }

  private int slotOf(long word) {
    return (int) ((word * 0x9e3779b97f4a7c15L) >>> (Long.SIZE - bits));
  }

  private int commonAhead(int at, int from, int most) {
    int n = 0;
    while (most - n >= WORD && chunk.getLong(at + n) == base.getLong(from + n)) {
      n += WORD;
    }
    while (n < most && chunk.get(at + n) == base.get(from + n)) {
      n++;
    }
    return n;
  }

  /** Of the bytes before {@code at} and {@code from}. */
  private int commonBehind(int at, int from, int most) {
    int n = 0;
    while (most - n >= WORD && chunk.getLong(at - n - WORD) == base.getLong(from - n - WORD)) {
      n += WORD;
    }
    while (n < most && chunk.get(at - n - 1) == base.get(from - n - 1)) {
      n++;
    }
    return n;
  }

  /** Inserts the bytes before {@code at}, and copies from there on. */
  private boolean copy(int at, int from, int count) {
    int skipped = from - (baseDone + (at - done));
    if (!putBytes(done, at - done) || !putNumber(count) || !putNumber(zigzag(skipped))) {
      return false;
    }
    done = at + count;
    baseDone = from + count;
    return true;
  }

  private static int zigzag(int value) {
    return (value << 1) ^ (value >> 31);
  }

  private boolean putBytes(int from, int count) {
    if (!putNumber(count) || count > out.remaining()) {
      return false;
    }
    ByteBuffer bytes = chunk.duplicate();
    bytes.limit(from + count);
    bytes.position(from);
    out.put(bytes);
    return true;
  }

  private boolean putNumber(int value) {
    int rest = value;
    do {
      if (!out.hasRemaining()) {
        return false;
      }
      out.put((byte) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
      rest >>>= 7;
    } while (rest != 0);
    return true;
  }

  /** Reads the length of the chunk that a difference makes; 0 if it is none. */
  static int takeLength(ByteBuffer in) {
    if (!in.hasRemaining() || in.get() != VERSION) {
      return 0;
    }
    int length = takeNumber(in);
    return length < 0 || length > ChunkDelta.MAX_LENGTH ? 0 : length;
  }

  /** Reads a number below 2<sup>28</sup>; returns -1 if there is none. */
  private static int takeNumber(ByteBuffer in) {
    int value = 0;
    for (int i = 0; i < MAX_NUMBER_LENGTH && in.hasRemaining(); i++) {
      byte next = in.get();
      value |= (next & 0x7f) << (7 * i);
      if (next >= 0) {
        return value;
      }
    }
    return -1;
  }

  static boolean decode(ByteBuffer base, ByteBuffer difference, ByteBuffer chunk) {
    ByteBuffer in = difference.duplicate();
    ByteBuffer out = chunk.slice();
    int length = out.remaining();
    int baseLength = base.remaining();
    if (length < 1 || baseLength > ChunkDelta.MAX_LENGTH || takeLength(in) != length) {
      return false;
    }
    ByteBuffer copied = base.slice();
    int from = 0;
    while (out.hasRemaining()) {
      int inserted = takeNumber(in);
      if (inserted < 0 || inserted > out.remaining() || inserted > in.remaining()) {
        return false;
      }
      int end = in.limit();
      in.limit(in.position() + inserted);
      out.put(in);
      in.limit(end);
      if (!out.hasRemaining()) {
        break;
      }
      int count = takeNumber(in);
      int zigzag = takeNumber(in);
      if (count < 1 || zigzag < 0 || count > out.remaining()) {
        return false;
      }
      from += inserted + ((zigzag >>> 1) ^ -(zigzag & 1));
      if (from < 0 || from > baseLength || count > baseLength - from) {
        return false;
      }
      copied.limit(from + count);
      copied.position(from);
      out.put(copied);
      from += count;
    }
    return !in.hasRemaining();
  }
}
