/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.store.MetadataStore;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Checks a server's answers on their way to Jedis, which allocates whatever a reply announces.
 * Parses the lengths in the replies, and throws before Jedis sees one that no store could have
 * caused. For one thread.
 */
final class ReplyGuard extends FilterInputStream {

  /** The maximum number of bytes of one string: only the answer to INFO is longer than a value. */
  static final int MAX_STRING = 16 * MetadataStore.MAX_VALUE_LENGTH;

  /** The approximate maximum heap, in bytes, for all answers to one exchange. */
  static final long MAX_EXCHANGE = 64 << 20;

  /** The maximum depth of nested lists: CLUSTER SLOTS needs four. */
  static final int MAX_DEPTH = 8;

  private static final String KINDS = "+-:$*";
  private static final int STRING = '$';
  private static final int LIST = '*';
  private static final int MAX_LINE = 4096;
  private static final int OBJECT_BYTES = 32;
  private static final int POINTER_BYTES = 8;

  private long budget;

  private long passed;

  /** The number of missing elements of each open list. */
  private final long[] open = new long[MAX_DEPTH];

  private int depth;

  /** The kind of line that is being read, or 0 between two lines. */
  private int kind;

  private int lineLength;
  private long number;
  private boolean negative;
  private boolean carriageReturn;

  /** The missing bytes of a string with its end. */
  private long stringLeft;

  ReplyGuard(InputStream in) {
    super(in);
    begin();
  }

  /** Begins a budget for the answers to the next commands. */
  void begin() {
    budget = MAX_EXCHANGE;
  }

  /** Returns the number of all bytes of answers so far. */
  long passed() {
    return passed;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = in.read(bytes, offset, length);
    passed += Math.max(0, count);
    int end = offset + Math.max(0, count);
    for (int i = offset; i < end; ) {
      if (stringLeft > 0) {
        int skipped = (int) Math.min(stringLeft, end - i);
        stringLeft -= skipped;
        i += skipped;
        if (stringLeft == 0) {
          endElement();
        }
      } else {
        line(bytes[i++]);
      }
    }
    return count;
  }

  private void line(byte next) {
    if (kind == 0) {
      if (KINDS.indexOf(next) < 0) {
        throw refused("a reply that begins with byte " + next);
      }
      kind = next;
      lineLength = 0;
      number = 0;
      negative = false;
      carriageReturn = false;
    } else if (carriageReturn != (next == '\n')) {
      // Jedis ends lines only at both bytes together; taken one by one, it would read other
      // replies.
      throw refused("a line that does not end like one");
    } else if (next == '\n') {
      charge(OBJECT_BYTES + lineLength);
      int ended = kind;
      kind = 0;
      endLine(ended);
    } else if (next == '\r') {
      carriageReturn = true;
    } else {
      if (++lineLength > MAX_LINE) {
        throw refused("a line of more than " + MAX_LINE + " bytes");
      }
      if (kind == STRING || kind == LIST) {
        digit(next);
      }
    }
  }

  private void digit(byte next) {
    if (next == '-' && lineLength == 1) {
      negative = true;
    } else if (next < '0' || next > '9') {
      throw refused("no length");
    } else {
      number = Math.min(10 * number + (next - '0'), Integer.MAX_VALUE);
    }
  }

  private void endLine(int ended) {
    if (negative && number != 1) {
      throw refused("a length below zero");
    }
    if (ended == STRING && !negative) {
      if (number > MAX_STRING) {
        throw refused("a string of " + number + " bytes");
      }
      charge(number);
      stringLeft = number + 2;
    } else if (ended == LIST && !negative && number > 0) {
      if (depth == MAX_DEPTH) {
        throw refused("lists in lists in lists");
      }
      charge(number * POINTER_BYTES);
      open[depth++] = number;
    } else {
      endElement();
    }
  }

  private void endElement() {
    while (depth > 0 && --open[depth - 1] == 0) {
      depth--;
    }
  }

  private void charge(long bytes) {
    budget -= bytes;
    if (budget < 0) {
      throw refused("more than " + MAX_EXCHANGE + " bytes");
    }
  }

  private static JedisConnectionException refused(String what) {
    return new JedisConnectionException("the server announces " + what + ", and is not believed");
  }
}
