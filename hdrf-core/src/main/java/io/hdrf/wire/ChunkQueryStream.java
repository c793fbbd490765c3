/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.Closeable;
import java.io.EOFException;
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
public final class ChunkQueryStream implements Closeable {

  /** Bytes of a challenge and of a proof. */
  public static final int PROOF_LENGTH = 32;

  /** Some questions together, or answers. */
  private static final int BUFFER_SIZE = 4 << 10;

  private final RecordReader in;
  private final RecordWriter out;

  /** The types that the next record may have; of the thread that reads. */
  private int due;

  private int alsoDue;

  /** Reads and writes behind the preamble; closes neither stream. */
  public ChunkQueryStream(InputStream in, OutputStream out) {
    this.in = new RecordReader(in, this::requireDue, ReceiveMemory.unlimited().share());
    this.out =
        new RecordWriter(
            bytes -> {
              byte[] copy = new byte[bytes.remaining()];
              bytes.get(copy);
              out.write(copy);
              out.flush();
            },
            BUFFER_SIZE);
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

  /** The content of PROOF. */
  public static final class Proof {
    private final byte[] code;
    private final byte[] identifier;

    /**
     * @param code {@link #PROOF_LENGTH} bytes
     * @param identifier of the token with which it was made
     */
    public Proof(byte[] code, byte[] identifier) {
      this.code = code.clone();
      this.identifier = identifier.clone();
    }

    public byte[] code() {
      return code.clone();
    }

    public byte[] identifier() {
      return identifier.clone();
    }
  }

  /** The answer to OPEN: a challenge, or, without one, a grant, which may be refused. */
  public static final class Reply {
    private final byte[] challenge;
    private final byte[] sessionId;

    private Reply(byte[] challenge, byte[] sessionId) {
      this.challenge = challenge;
      this.sessionId = sessionId;
    }

    /** Returns the challenge; null if no proof is wanted. */
    public byte[] challenge() {
      return challenge == null ? null : challenge.clone();
    }

    /** Returns the session's id; null if it was refused, or a proof is wanted. */
    public byte[] sessionId() {
      return sessionId == null ? null : sessionId.clone();
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

  private void send(int type, ByteBuffer body) throws IOException {
    add(type, body);
    out.flush();
  }

  private void add(int type, ByteBuffer body) throws IOException {
    body.flip();
    out.record(type, body);
  }

  private static ByteBuffer body(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  public void open(long dialect, String poolId) throws IOException {
    byte[] pool = poolId.getBytes(StandardCharsets.UTF_8);
    send(WireFormat.OPEN, body(8 + pool.length).putLong(dialect).put(pool));
  }

  public void challenge(byte[] challenge) throws IOException {
    send(WireFormat.CHALLENGE, body(challenge.length).put(challenge));
  }

  public void prove(Proof proof) throws IOException {
    send(
        WireFormat.PROOF,
        body(PROOF_LENGTH + proof.identifier.length).put(proof.code).put(proof.identifier));
  }

  /** Grants a session. */
  public void grant(byte[] sessionId) throws IOException {
    send(WireFormat.GRANT, body(sessionId.length).put(sessionId));
  }

  /** Refuses one. */
  public void refuse() throws IOException {
    send(WireFormat.GRANT, body(0));
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

  /** Sends the questions and answers that were not sent yet. */
  public void flush() throws IOException {
    out.flush();
  }

  /** Returns whether the next question, or answer, can be read without waiting. */
  public boolean hasNext() {
    return in.hasNext();
  }

  /**
   * Refuses a record that is not due before memory is taken for it: its sender may have proved
   * nothing yet.
   */
  private void requireDue(int type) throws CorruptWireException {
    if (type != due && type != alsoDue) {
      throw new CorruptWireException("a record of type " + type + " in place of " + due);
    }
  }

  /** The next record's body, if it is of one of these types; null at the end of the stream. */
  private ByteBuffer next(int type, int otherType) throws IOException {
    due = type;
    alsoDue = otherType;
    return in.next() ? in.body() : null;
  }

  private static ByteBuffer required(ByteBuffer body) throws EOFException {
    if (body == null) {
      throw new EOFException("the other side asks, or answers, no more");
    }
    return body;
  }

  private static byte[] take(ByteBuffer body, int length, String what) throws CorruptWireException {
    if (body.remaining() < length) {
      throw new CorruptWireException(what + " of " + body.remaining() + " bytes");
    }
    byte[] bytes = new byte[length];
    body.get(bytes);
    return bytes;
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

  /** Reads CHALLENGE or GRANT. */
  public Reply readReply() throws IOException {
    ByteBuffer body = required(next(WireFormat.GRANT, WireFormat.CHALLENGE));
    if (in.type() == WireFormat.CHALLENGE) {
      return new Reply(exactly(body, PROOF_LENGTH, "a challenge"), null);
    }
    return new Reply(null, grant(body));
  }

  /** Reads GRANT; null if it was refused. */
  public byte[] readGrant() throws IOException {
    return grant(required(next(WireFormat.GRANT, WireFormat.GRANT)));
  }

  private static byte[] grant(ByteBuffer body) throws CorruptWireException {
    return body.hasRemaining() ? exactly(body, WireFormat.SESSION_ID, "a session's id") : null;
  }

  private static byte[] exactly(ByteBuffer body, int length, String what)
      throws CorruptWireException {
    if (body.remaining() != length) {
      throw new CorruptWireException(what + " of " + body.remaining() + " bytes");
    }
    return take(body, length, what);
  }

  /** Reads PROOF. */
  public Proof readProof() throws IOException {
    ByteBuffer body = required(next(WireFormat.PROOF, WireFormat.PROOF));
    byte[] code = take(body, PROOF_LENGTH, "a proof");
    return new Proof(code, take(body, body.remaining(), "a token"));
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

  /** Gives back buffers; neither thread may use it any more. */
  @Override
  public void close() {
    in.close();
    out.close();
  }
}
