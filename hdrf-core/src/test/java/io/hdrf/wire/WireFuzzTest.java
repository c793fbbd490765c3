/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Reads any bytes as the stream of a peer. Runs on the kept inputs; with {@code JAZZER_FUZZ=1} and
 * one method chosen, it looks for new ones.
 */
class WireFuzzTest {

  private static final int BUFFER_SIZE = 256 << 10;

  /** Heap that one input may take beyond that in proportion to its length. */
  private static final long MAX_HEAP = 4 << 20;

  private static final WireChains CHAINS = Tape.newChains();

  @FuzzTest(maxDuration = "1m")
  void anyStream(byte[] stream) {
    read(stream);
  }

  /** With right CRCs as far as the lengths fit, to reach the code after this check. */
  @FuzzTest(maxDuration = "1m")
  void signedRecords(byte[] stream) {
    read(RecordSigner.signed(stream));
  }

  /** With right CRCs, as {@link #signedRecords}. */
  @FuzzTest(maxDuration = "1m")
  void anyQuestions(byte[] stream) {
    byte[] signed = RecordSigner.signed(stream);
    for (Asked asked : ASKED) {
      try (ChunkQueryStream in =
          new ChunkQueryStream(new Watched(signed), java.io.OutputStream.nullOutputStream())) {
        asked.read(in);
      } catch (IOException expected) {
        // Refused.
      }
    }
  }

  private interface Asked {
    void read(ChunkQueryStream in) throws IOException;
  }

  private static final List<Asked> ASKED =
      List.of(
          in -> {
            in.readOpening();
            in.readProof();
            while (in.readQuestion() != null) {}
          },
          in -> {
            in.readReply();
            while (in.readAnswer() != null) {}
          },
          ChunkQueryStream::readGrant,
          in -> {
            while (in.readQuestion() != null) {}
          },
          in -> {
            while (in.readAnswer() != null) {}
          });

  /** The bytes read belong to the peer's stream, and none is lost. */
  @FuzzTest(maxDuration = "1m")
  void anyBeginning(byte[] stream) throws IOException {
    InputStream in = new ByteArrayInputStream(stream);
    Preamble preamble = Preamble.read(in);
    int length = preamble.bytes().length;
    if (in.available() != stream.length - length
        || !Arrays.equals(preamble.bytes(), Arrays.copyOf(stream, length))) {
      throw new AssertionError("bytes got lost");
    }
    if (preamble.isHdrf()) {
      read(in.readAllBytes());
    }
  }

  /** Accepted bytes have the same meaning when they are written again. */
  @FuzzTest(maxDuration = "1m")
  void anyCapabilities(byte[] answer) throws IOException {
    Capabilities read;
    try {
      read = Capabilities.read(new ByteArrayInputStream(answer));
    } catch (CorruptWireException | EOFException expected) {
      return;
    }
    Capabilities again = Capabilities.read(new ByteArrayInputStream(read.encode()));
    if (again.version() != read.version()
        || !again.frameSchemes().equals(read.frameSchemes())
        || !again.dialects().equals(read.dialects())
        || again.makesChecksums() != read.makesChecksums()) {
      throw new AssertionError("two forms of one answer");
    }
  }

  /** A first time may load classes. */
  private static void read(byte[] stream) {
    boolean suspect = takesTooMuch(stream);
    if (suspect && takesTooMuch(stream)) {
      throw new AssertionError("too much memory for " + stream.length + " bytes");
    }
  }

  private static boolean takesTooMuch(byte[] stream) {
    long before = allocated();
    Playback playback = new Playback();
    try {
      playback.run(new Watched(stream), CHAINS, new Lengths(), GoldenStream.sessions());
    } catch (IOException expected) {
      // Refused.
    }
    long taken = allocated() - before;
    return taken > MAX_HEAP + 8L * playback.plain().length + 64L * stream.length;
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Stops after a limit: a few bytes may decode to many. */
  private static final class Lengths implements Playback.Lengths {
    private int reads;

    @Override
    public int next() throws IOException {
      if (reads++ == 2048) {
        throw new IOException("enough");
      }
      return 4096;
    }
  }

  /** Observes the size of the buffer for the bytes so far. */
  private static final class Watched extends ChannelInput {
    Watched(byte[] bytes) {
      super(bytes);
    }

    @Override
    int limit(ByteBuffer dst, int position) {
      if (dst.capacity() > Math.max(BUFFER_SIZE, 5L * position / 2)) {
        throw new AssertionError(dst.capacity() + " bytes taken after " + position);
      }
      return Integer.MAX_VALUE;
    }
  }
}
