/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/**
 * The connection on which one DataNode asks another which chunks it has, behind a preamble of the
 * kind {@link WireFormat#ASK}; {@code docs/formats.md} ("Questions") has its records. One thread
 * may read while another writes.
 */
public final class ChunkQueryStream extends ProvedStream {

  /** Reads and writes behind the preamble; closes neither stream. */
  public ChunkQueryStream(InputStream in, OutputStream out) {
    super(in, out);
  }

  /** The content of OPEN. */
  public static final class Opening {
    private final long dialect;
    private final String poolId;

    Opening(long dialect, String poolId) {
      this.dialect = dialect;
      this.poolId = poolId;
    }

    public long dialect() {
      return dialect;
    }

    public String poolId() {
      return poolId;
    }
  }

  /** The content of ANSWER. */
  public static final class Answer {
    private final int batch;
    private final int count;
    private final BitSet held;

    private Answer(int batch, int count, BitSet held) {
      this.batch = batch;
      this.count = count;
      this.held = held;
    }

    public int batch() {
      return batch;
    }

    /** Returns the number of chunks that it is about. */
    public int count() {
      return count;
    }

    /** Returns the chunks that are held; not a copy. */
    public BitSet held() {
      return held;
    }
  }

  public void open(long dialect, String poolId) throws IOException {
    byte[] pool = poolId.getBytes(StandardCharsets.UTF_8);
    send(WireFormat.OPEN, body(8 + pool.length).putLong(dialect).put(pool));
  }

  /** Adds a question to what {@link #flush} sends. */
  public void ask(ChunkBatch batch) throws IOException {
    ByteBuffer body = body(WireFormat.BATCH_PREFIX + batch.count() * WireFormat.CHUNK_LENGTH);
    body.putInt(batch.number()).putShort((short) batch.count());
    for (int i = 0; i < batch.count(); i++) {
      body.putInt(batch.ends()[i] - batch.start(i));
      body.put(
          batch.fingerprints(),
          i * ChunkFunction.FINGERPRINT_LENGTH,
          ChunkFunction.FINGERPRINT_LENGTH);
    }
    add(WireFormat.QUESTION, body);
  }

  /** Adds an answer to what {@link #flush} sends. */
  public void answer(ChunkBatch batch, BitSet held) throws IOException {
    ByteBuffer body = body(WireFormat.BATCH_PREFIX + (batch.count() + 7) / 8);
    body.putInt(batch.number()).putShort((short) batch.count());
    byte[] bits = held.toByteArray();
    body.put(bits).put(new byte[body.remaining()]);
    add(WireFormat.ANSWER, body);
  }

  /**
   * Reads OPEN.
   *
   * @throws CorruptWireException if it is damaged, or something else
   */
  public Opening readOpening() throws IOException {
    ByteBuffer body = required(next(WireFormat.OPEN, WireFormat.OPEN));
    byte[] dialect = take(body, 8, "an opening");
    byte[] pool = take(body, body.remaining(), "a block pool's id");
    return new Opening(
        ByteBuffer.wrap(dialect).order(ByteOrder.LITTLE_ENDIAN).getLong(),
        new String(pool, StandardCharsets.UTF_8));
  }

  /** Reads QUESTION; null at the end of the stream. */
  public ChunkBatch readQuestion() throws IOException {
    ByteBuffer body = next(WireFormat.QUESTION, WireFormat.QUESTION);
    if (body == null) {
      return null;
    }
    int number = batchNumber(body);
    int count = body.getShort() & 0xFFFF;
    if (count == 0
        || count > ChunkLookup.MAX_CHUNKS
        || body.remaining() != count * WireFormat.CHUNK_LENGTH) {
      throw new CorruptWireException(
          "a question for " + count + " chunks in " + body.remaining() + " bytes");
    }
    int[] ends = new int[count];
    byte[] fingerprints = new byte[count * ChunkFunction.FINGERPRINT_LENGTH];
    long end = 0;
    for (int i = 0; i < count; i++) {
      int length = body.getInt();
      end += length;
      if (length < 1 || end > Integer.MAX_VALUE) {
        throw new CorruptWireException("a question for a chunk of " + length + " bytes");
      }
      ends[i] = (int) end;
      body.get(
          fingerprints, i * ChunkFunction.FINGERPRINT_LENGTH, ChunkFunction.FINGERPRINT_LENGTH);
    }
    return new ChunkBatch(number, ends, fingerprints);
  }

  /** Reads ANSWER; null at the end of the stream. */
  public Answer readAnswer() throws IOException {
    ByteBuffer body = next(WireFormat.ANSWER, WireFormat.ANSWER);
    if (body == null) {
      return null;
    }
    int number = batchNumber(body);
    int count = body.getShort() & 0xFFFF;
    BitSet held = BitSet.valueOf(exactly(body, (count + 7) / 8, "an answer"));
    if (held.length() > count) {
      throw new CorruptWireException("an answer for more than " + count + " chunks");
    }
    return new Answer(number, count, held);
  }

  private static int batchNumber(ByteBuffer body) throws CorruptWireException {
    if (body.remaining() < WireFormat.BATCH_PREFIX) {
      throw new CorruptWireException("a batch of " + body.remaining() + " bytes");
    }
    int number = body.getInt();
    if (number < 0) {
      throw new CorruptWireException("a batch with the number " + number);
    }
    return number;
  }
}
