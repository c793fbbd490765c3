/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;

/** Reads a stream of records and keeps all output, even if it ends with an error. */
final class Playback implements WireInput.Listener {

  final List<Tape.Event> events = new ArrayList<>();

  /** For each read, the number of bytes output after it. */
  final List<Integer> reads = new ArrayList<>();

  private final ByteArrayOutputStream plain = new ByteArrayOutputStream();

  /** Reads to the end, by pieces of 1000 bytes. */
  void run(byte[] records) throws IOException {
    run(new ByteArrayInputStream(records), () -> 1000);
  }

  /** How many bytes to ask for. */
  interface Lengths {
    int next() throws IOException;
  }

  void run(InputStream in, Lengths lengths) throws IOException {
    try (WireChains chains = Tape.newChains()) {
      run(in, chains, lengths);
    }
  }

  void run(InputStream in, WireChains chains, Lengths lengths) throws IOException {
    run(in, chains, lengths, id -> null);
  }

  void run(
      InputStream in, WireChains chains, Lengths lengths, Function<byte[], RetainedChunks> sessions)
      throws IOException {
    try (WireInput input = new WireInput(in, chains, this, sessions)) {
      while (true) {
        byte[] piece = new byte[lengths.next() + 7];
        int length = piece.length - 7;
        int available = input.available();
        int count = input.read(piece, 7, length);
        if (count < 0) {
          return;
        }
        if (count > length || (length > 0 && count == 0)) {
          throw new AssertionError(count + " bytes where " + length + " were asked for");
        }
        if (available > 0 && count != Math.min(available, length)) {
          throw new AssertionError(count + " bytes where " + available + " were available");
        }
        plain.write(piece, 7, count);
        reads.add(plain.size());
      }
    }
  }

  byte[] plain() {
    return plain.toByteArray();
  }

  private void add(String what) {
    events.add(new Tape.Event(what, plain.size()));
  }

  @Override
  public void hello(Capabilities peer) {
    add("hello " + peer);
  }

  @Override
  public void bytes(ByteBuffer bytes) {
    add("bytes " + Tape.crc(bytes));
  }

  @Override
  public void packet(int dataLength, ByteBuffer head, boolean summed) {
    add("packet " + dataLength + " " + Tape.crc(head));
  }

  @Override
  public void frame(
      int[] chainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded) {
    add(Tape.frameEvent(chainIds, originalLength, stages, stored));
  }

  @Override
  public void checksums(ByteBuffer checksums, long digest) {
    byte[] sums = new byte[checksums.remaining()];
    checksums.get(sums);
    if (digest != Tape.digest(sums)) {
      throw new AssertionError("another digest");
    }
    add("checksums " + Tape.crc(ByteBuffer.wrap(sums)));
  }

  @Override
  public void references(int originalLength) {
    add("references " + originalLength);
  }

  @Override
  public void session() {
    add("session");
  }

  /** Returns a stream whose reads give any number of bytes, at least one. */
  static InputStream shortReads(byte[] bytes, IntUnaryOperator random) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] dst, int offset, int length) {
        return super.read(dst, offset, Math.min(length, 1 + random.applyAsInt(length)));
      }
    };
  }

  /** As the other, but read as a channel. */
  static InputStream shortChannelReads(byte[] bytes, IntUnaryOperator random) {
    return new ChannelInput(bytes) {
      @Override
      int limit(ByteBuffer dst, int position) {
        return 1 + random.applyAsInt(dst.remaining());
      }
    };
  }
}
