/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** Turns a stream of records back into the bytes of HDFS's protocol. For one thread. */
public final class WireInput implements Closeable {

  /** Receives the records, before the bytes that they stand for are handed out. */
  public interface Listener {
    /** Receives the capabilities of the side that connected. */
    void hello(Capabilities peer);

    /**
     * A record comes, before anything is done with it.
     *
     * @param type one of {@link WireFormat}'s
     * @throws CorruptWireException if it is out of place
     */
    default void record(int type) throws IOException {}

    /** Bytes of HDFS's protocol. */
    default void bytes(ByteBuffer bytes) throws IOException {}

    /**
     * Bytes that belong to no packet are being handed out.
     *
     * @param left how many more are there without another record
     * @throws CorruptWireException if they are out of place; they are not handed out then
     */
    default void handedOut(byte[] bytes, int offset, int length, int left) throws IOException {}

    /**
     * A packet begins, and the one before has ended.
     *
     * @param head what precedes its data; with zeros for checksums that are made here
     * @param summed whether they are, and {@link #checksums} follow
     */
    void packet(int dataLength, ByteBuffer head, boolean summed) throws IOException;

    /**
     * A frame, which decoded without error.
     *
     * @param stored its encoded bytes; not to be used after the call
     * @param decoded what it decoded to; as for {@code stored}, and not to be consumed
     */
    void frame(
        int[] chainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded)
        throws IOException;

    /**
     * The checksums of the present packet, of which the stream had only a digest. They precede the
     * packet's data, all of which have come by now.
     *
     * @param checksums not to be used after the call
     */
    default void checksums(ByteBuffer checksums, long digest) {}

    /** The stream names the session that it will refer to, which may be none of this side. */
    default void session() {}

    /** Data of the packet came as references. */
    default void references(int originalLength) {}
  }

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final RecordReader records;
  private final WireChains chains;
  private final Listener listener;
  private final Function<byte[], RetainedChunks> sessions;
  private boolean joined;

  /** Null before SESSION, and if the session has ended: RELEASE is ignored then. */
  private RetainedChunks held;

  private int[] chainIds;
  private FrameChain chain;
  private boolean begun;

  private final ReceiveMemory.Share memory;

  /** The reason why the stream can't be read any further. */
  private Throwable damage;

  /** Bytes to hand out before anything else. */
  private ByteBuffer waiting = NOTHING;

  /** Whether these belong to no packet. */
  private boolean bytesWait;

  /** The number of bytes of the present packet's data that are still to be handed out. */
  private int dataLeft;

  /** The rest of the frame decoded last. */
  private ByteBuffer decoded = NOTHING;

  private ByteBuffer frameBuffer;

  /** The packet whose checksums are made here; taken with the first. */
  private ChecksummedPacket summed;

  /** Whether data of that packet are still to come, before which none of it is handed out. */
  private boolean summing;

  /** Makes an input without sessions. */
  public WireInput(InputStream in, WireChains chains, Listener listener) {
    this(in, chains, listener, id -> null);
  }

  /** Makes an input that takes any memory. */
  public WireInput(
      InputStream in,
      WireChains chains,
      Listener listener,
      Function<byte[], RetainedChunks> sessions) {
    this(in, chains, listener, sessions, ReceiveMemory.unlimited().share());
  }

  /**
   * @param sessions joins the session with an id, as {@link ChunkQuerySessions#join}
   * @param memory the stream's own, for what comes; before the first packet a few KiB, besides what
   *     the other side has sent of a record
   */
  public WireInput(
      InputStream in,
      WireChains chains,
      Listener listener,
      Function<byte[], RetainedChunks> sessions,
      ReceiveMemory.Share memory) {
    this.memory = memory;
    this.records = new RecordReader(in, listener::record, memory);
    this.chains = chains;
    this.listener = listener;
    this.sessions = sessions;
  }

  /**
   * Reads at least one byte, and never bytes of two packets at once: the next packet begins only
   * after all bytes of the present one were read. A listener that keeps a packet's frames relies on
   * it.
   *
   * @return the number of bytes read, or -1 at the end
   * @throws CorruptWireException if the received bytes are damaged, as the stream then is for good
   */
  public int read(byte[] dst, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (damage != null) {
      throw new CorruptWireException("the stream is damaged: " + damage.getMessage(), damage);
    }
    try {
      return makeAvailable() ? handOut(dst, offset, length) : -1;
    } catch (IOException | RuntimeException | Error e) {
      // A record may be half done.
      damage = e;
      throw e;
    }
  }

  /** Returns the number of bytes received, in whole records or not. */
  public long received() {
    return records.received();
  }

  private int handOut(byte[] dst, int offset, int length) throws IOException {
    int count = Math.min(length, available());
    if (waiting.hasRemaining()) {
      waiting.get(dst, offset, count);
      if (bytesWait) {
        listener.handedOut(dst, offset, count, waiting.remaining());
      }
    } else {
      decoded.get(dst, offset, count);
      dataLeft -= count;
    }
    return count;
  }

  private boolean makeAvailable() throws IOException {
    while (available() == 0) {
      if (summing && decoded.hasRemaining()) {
        sum();
      } else if (!nextRecord()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of bytes that {@link #read} would give without another record. */
  public int available() {
    if (damage != null) {
      return 0;
    }
    if (waiting.hasRemaining()) {
      return waiting.remaining();
    }
    return summing ? 0 : Math.min(dataLeft, decoded.remaining());
  }

  /** Goes on with the packet whose checksums are to be made. */
  private void sum() throws IOException {
    if (summed.isEmpty() && decoded.remaining() >= dataLeft) {
      ByteBuffer data = decoded.duplicate();
      data.limit(data.position() + dataLeft);
      waiting = summed.finish(data);
    } else {
      dataLeft -= summed.gather(decoded);
      if (dataLeft > 0) {
        return;
      }
      waiting = summed.finish();
    }
    summing = false;
    listener.checksums(summed.checksums(), summed.digest());
  }

  private boolean nextRecord() throws IOException {
    if (!records.next()) {
      if (dataLeft > 0) {
        throw new EOFException("the stream ends inside of a packet");
      }
      return false;
    }
    ByteBuffer body = records.body();
    boolean wantsFrame = dataLeft > 0;
    boolean first = !begun;
    begun = true;
    bytesWait = records.type() == WireFormat.BYTES;
    switch (records.type()) {
      case WireFormat.BYTES:
        requireState(!wantsFrame, "bytes inside of a packet");
        decoded = NOTHING;
        listener.bytes(body.duplicate());
        waiting = body;
        break;
      case WireFormat.CHAIN:
        requireState(!decoded.hasRemaining(), "another chain inside of a frame");
        readChain(body);
        break;
      case WireFormat.PACKET:
        requireState(!wantsFrame, "a packet without its data");
        records.expectMuch();
        readPacket(body);
        break;
      case WireFormat.SUMMED:
        requireState(!wantsFrame, "a packet without its data");
        records.expectMuch();
        readSummed(body);
        break;
      case WireFormat.FRAME:
        requireState(wantsFrame, "a frame without a packet");
        readFrame(body);
        break;
      case WireFormat.HELLO:
        requireState(first, "its capabilities late");
        listener.hello(readHello(body));
        break;
      case WireFormat.SESSION:
        joinSession(body);
        break;
      case WireFormat.REFERENCES:
        requireState(
            wantsFrame && !decoded.hasRemaining(), "references where no data are expected");
        readReferences(body);
        break;
      case WireFormat.RELEASE:
        requireState(joined && body.remaining() == 4, "a release without a session");
        if (held != null) {
          held.release(body.getInt());
        }
        break;
      default:
        throw new CorruptWireException("a record of type " + records.type() + " in a stream");
    }
    return true;
  }

  private void joinSession(ByteBuffer body) throws CorruptWireException {
    requireState(
        !joined && body.remaining() == WireFormat.SESSION_ID, "a second session, or half one");
    joined = true;
    listener.session();
    held = sessions.apply(id(body));
  }

  private static byte[] id(ByteBuffer body) {
    byte[] id = new byte[WireFormat.SESSION_ID];
    body.get(id);
    return id;
  }

  private void readReferences(ByteBuffer body) throws CorruptWireException {
    requireState(
        held != null && body.remaining() == WireFormat.REFERENCES_LENGTH,
        "references without a session that is here");
    ByteBuffer bytes =
        held.resolve(
            body.getInt(), body.getShort() & 0xFFFF, body.getShort() & 0xFFFF, body.getInt());
    requireState(bytes.remaining() <= dataLeft, "references beyond the packet's end");
    listener.references(bytes.remaining());
    decoded = bytes;
  }

  private static void requireState(boolean valid, String violation) throws CorruptWireException {
    if (!valid) {
      throw new CorruptWireException("the peer sent " + violation);
    }
  }

  private static Capabilities readHello(ByteBuffer body) throws IOException {
    byte[] bytes = new byte[body.remaining()];
    body.get(bytes);
    return Capabilities.read(new ByteArrayInputStream(bytes));
  }

  private void readChain(ByteBuffer body) throws IOException {
    requireState(body.remaining() % 2 == 0, "half an id of a scheme");
    int[] ids = new int[body.remaining() / 2];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = body.getShort() & 0xFFFF;
    }
    try {
      chain = chains.get(ids);
    } catch (SchemeNotFoundException e) {
      throw new CorruptWireException("the peer sends what can't be decoded here", e);
    }
    chainIds = ids;
  }

  private void readPacket(ByteBuffer body) throws IOException {
    requireState(body.remaining() >= WireFormat.PACKET_PREFIX, "a packet without length");
    int length = readPacketLength(body, 0);
    listener.packet(length, body.duplicate(), false);
    waiting = body;
    dataLeft = length;
  }

  private void readSummed(ByteBuffer body) throws IOException {
    requireState(body.remaining() >= WireFormat.SUMMED_PREFIX, "a packet without length");
    int length = readPacketLength(body, 1);
    if (summed == null) {
      summed = new ChecksummedPacket(memory);
    }
    listener.packet(length, summed.begin(length, body.getLong(), body), true);
    summing = true;
    dataLeft = length;
  }

  private int readPacketLength(ByteBuffer body, int least) throws CorruptWireException {
    int length = body.getInt();
    requireState(
        length >= least && length <= WireFormat.MAX_PACKET, "a packet of " + length + " bytes");
    return length;
  }

  private void readFrame(ByteBuffer body) throws IOException {
    requireState(chain != null, "a frame before its chain");
    requireState(body.remaining() >= WireFormat.FRAME_PREFIX, "a frame without length");
    int length = body.getInt();
    int stages = body.get();
    requireState(
        length > 0 && length <= WireFormat.MAX_FRAME && body.remaining() <= length,
        "a frame of " + length + " bytes in " + body.remaining());
    if (frameBuffer == null || frameBuffer.capacity() < length) {
      giveFrameBuffer();
      frameBuffer = memory.take(length);
    }
    decoded = NOTHING;
    frameBuffer.clear();
    frameBuffer.limit(length);
    try {
      chain.decode(stages, body.duplicate(), frameBuffer);
    } catch (CorruptFrameException e) {
      throw new CorruptWireException("the peer sent a frame that can't be decoded", e);
    }
    frameBuffer.flip();
    decoded = frameBuffer;
    listener.frame(chainIds, length, stages, body, frameBuffer);
  }

  private void giveFrameBuffer() {
    if (frameBuffer != null) {
      memory.give(frameBuffer);
      frameBuffer = null;
    }
  }

  @Override
  public void close() {
    records.close();
    if (held != null) {
      held.leave();
      held = null;
    }
    giveFrameBuffer();
    if (summed != null) {
      summed.close();
      summed = null;
    }
    summing = false;
    decoded = NOTHING;
    waiting = NOTHING;
  }
}
