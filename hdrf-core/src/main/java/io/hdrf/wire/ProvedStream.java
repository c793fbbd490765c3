/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A connection to another DataNode on which the one that connected has to prove, where there are
 * block tokens, that it is a DataNode: it names what it wants, is given a challenge, answers that,
 * and is granted or refused. One thread may read while another writes.
 */
public abstract class ProvedStream implements Closeable {

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
  ProvedStream(InputStream in, OutputStream out) {
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
    private final byte[] grant;

    private Reply(byte[] challenge, byte[] grant) {
      this.challenge = challenge;
      this.grant = grant;
    }

    /** Returns the challenge; null if no proof is wanted. */
    public byte[] challenge() {
      return challenge == null ? null : challenge.clone();
    }

    /** Returns what is granted; null if it was refused, or a proof is wanted. */
    public byte[] grant() {
      return grant == null ? null : grant.clone();
    }
  }

  final void send(int type, ByteBuffer body) throws IOException {
    add(type, body);
    out.flush();
  }

  /** Adds a record to what {@link #flush} sends. */
  final void add(int type, ByteBuffer body) throws IOException {
    body.flip();
    record(type, body);
  }

  /** Adds a record with the bytes from position to limit to what {@link #flush} sends. */
  final void record(int type, ByteBuffer body) throws IOException {
    out.record(type, body);
  }

  static ByteBuffer body(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  public final void challenge(byte[] challenge) throws IOException {
    send(WireFormat.CHALLENGE, body(challenge.length).put(challenge));
  }

  public final void prove(Proof proof) throws IOException {
    send(
        WireFormat.PROOF,
        body(PROOF_LENGTH + proof.identifier.length).put(proof.code).put(proof.identifier));
  }

  /**
   * Grants what is wanted.
   *
   * @param id {@link WireFormat#SESSION_ID} bytes
   */
  public final void grant(byte[] id) throws IOException {
    send(WireFormat.GRANT, body(id.length).put(id));
  }

  /** Refuses it. */
  public final void refuse() throws IOException {
    send(WireFormat.GRANT, body(0));
  }

  /** Sends the questions and answers that were not sent yet. */
  public final void flush() throws IOException {
    out.flush();
  }

  /** Returns whether the next question, or answer, can be read without waiting. */
  public final boolean hasNext() {
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
  final ByteBuffer next(int type, int otherType) throws IOException {
    due = type;
    alsoDue = otherType;
    return in.next() ? in.body() : null;
  }

  static ByteBuffer required(ByteBuffer body) throws EOFException {
    if (body == null) {
      throw new EOFException("the other side asks, or answers, no more");
    }
    return body;
  }

  static byte[] take(ByteBuffer body, int length, String what) throws CorruptWireException {
    if (body.remaining() < length) {
      throw new CorruptWireException(what + " of " + body.remaining() + " bytes");
    }
    byte[] bytes = new byte[length];
    body.get(bytes);
    return bytes;
  }

  /** The type of the record that was read last. */
  final int type() {
    return in.type();
  }

  /** Reads CHALLENGE or GRANT. */
  public final Reply readReply() throws IOException {
    ByteBuffer body = required(next(WireFormat.GRANT, WireFormat.CHALLENGE));
    if (in.type() == WireFormat.CHALLENGE) {
      return new Reply(exactly(body, PROOF_LENGTH, "a challenge"), null);
    }
    return new Reply(null, grant(body));
  }

  /** Reads GRANT; null if it was refused. */
  public final byte[] readGrant() throws IOException {
    return grant(required(next(WireFormat.GRANT, WireFormat.GRANT)));
  }

  private static byte[] grant(ByteBuffer body) throws CorruptWireException {
    return body.hasRemaining() ? exactly(body, WireFormat.SESSION_ID, "a session's id") : null;
  }

  static byte[] exactly(ByteBuffer body, int length, String what) throws CorruptWireException {
    if (body.remaining() != length) {
      throw new CorruptWireException(what + " of " + body.remaining() + " bytes");
    }
    return take(body, length, what);
  }

  /** Reads CHALLENGE. */
  public final byte[] readChallenge() throws IOException {
    return exactly(
        required(next(WireFormat.CHALLENGE, WireFormat.CHALLENGE)), PROOF_LENGTH, "a challenge");
  }

  /** Reads PROOF. */
  public final Proof readProof() throws IOException {
    ByteBuffer body = required(next(WireFormat.PROOF, WireFormat.PROOF));
    byte[] code = take(body, PROOF_LENGTH, "a proof");
    return new Proof(code, take(body, body.remaining(), "a token"));
  }

  /** Gives back buffers; neither thread may use it any more. */
  @Override
  public final void close() {
    in.close();
    out.close();
  }
}
