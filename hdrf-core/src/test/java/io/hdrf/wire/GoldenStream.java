/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;

/**
 * The stream of version 1 that is kept in the resources and must be readable for ever, and an
 * answer to a probe. {@code main} writes them, and the inputs of {@link WireFuzzTest}; only a new
 * version gives a reason to run it, and then for new files.
 */
final class GoldenStream {

  static final String STREAM = "stream-v1.golden";
  static final String CAPABILITIES = "capabilities-v1.golden";

  static final Capabilities ANSWER =
      new Capabilities(1, List.of(1, 2, 0x1234, Tape.TRIM_ZEROS, 0xFFFF));

  /** As {@link #STREAM}, with references. */
  static final String REFERENCES = "references-v1.golden";

  /** All bytes of both sides of a connection for questions. */
  static final String ASKING = "asking-v1.golden";

  static final String CAPABILITIES_TO_ASK = "capabilities-to-ask-v1.golden";

  static final Capabilities ANSWER_TO_ASK =
      new Capabilities(1, List.of(1, 2), List.of(0x0102030405060708L, -2L));

  /** The answer to a request to copy a block from a DataNode. */
  static final String COPY = "copy-v1.golden";

  /** Capabilities of a version that supported invitations, which no later version does. */
  static final String CAPABILITIES_INVITABLE = "capabilities-invitable-v1.golden";

  /** Packets whose checksums the receiver makes. */
  static final String SUMMED = "summed-v1.golden";

  static final String CAPABILITIES_SUMMING = "capabilities-summing-v1.golden";

  static final Capabilities ANSWER_SUMMING = new Capabilities(1, List.of(1, 2)).makingChecksums();

  private GoldenStream() {}

  /** A session with batch 3 of chunks of 2, 3 and 4 bytes, which count upwards from 0. */
  static Function<byte[], RetainedChunks> sessions() {
    ChunkQuerySessions sessions = new ChunkQuerySessions(100, 100, 1, new ManualTimer());
    RetainedChunks held = sessions.open("BP-1");
    ChunkBatch batch = new ChunkBatch(3, new int[] {2, 5, 9}, new byte[3 * 32]);
    try {
      ByteBuffer bytes = held.take(batch);
      for (int i = 0; i < 9; i++) {
        bytes.put(i, (byte) i);
      }
      held.hold(batch, BitSet.valueOf(new byte[] {7}), bytes);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return id ->
        Arrays.equals(id, new byte[WireFormat.SESSION_ID]) ? sessions.join(held.id()) : null;
  }

  /** Packets of references, and of references and frames. */
  static byte[] references() throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (RecordWriter records = new RecordWriter(bytes -> Tape.take(bytes, stream))) {
      records.begin(ANSWER_TO_ASK);
      records.packet(2, head(1), 0, 26);
      records.session(new byte[WireFormat.SESSION_ID]);
      records.references(3, 0, 1, 0);
      records.packet(7, head(2), 0, 27);
      records.references(3, 1, 1, 1);
      records.chain(new int[] {Tape.TRIM_ZEROS});
      records.frame(1, 0, ByteBuffer.allocateDirect(1).put(0, (byte) 99));
      records.references(3, 2, 1, 0);
      records.release(3);
      records.packet(0, head(3), 0, 28);
      records.flush();
    }
    return stream.toByteArray();
  }

  static byte[] copy() throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (RecordWriter records = new RecordWriter(bytes -> Tape.take(bytes, stream))) {
      records.bytes(new byte[] {8, 0}, 0, 2);
      records.packet(2, head(1), 0, 26);
      records.session(new byte[WireFormat.SESSION_ID]);
      records.references(3, 0, 1, 0);
      records.packet(0, head(2), 0, 27);
      records.bytes(new byte[] {0, 'd'}, 0, 2);
      records.flush();
    }
    return stream.toByteArray();
  }

  /** Data in one frame, in a part of one and another, and in references. */
  static byte[] summed() throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (RecordWriter records = new RecordWriter(bytes -> Tape.take(bytes, stream))) {
      records.session(new byte[WireFormat.SESSION_ID]);
      records.chain(new int[] {Tape.TRIM_ZEROS});
      records.summed(600, digest(0, 600), head(1), 0, 26);
      records.frame(700, 1, ByteBuffer.allocateDirect(4).put(0, (byte) 0xBC).put(1, (byte) 2));
      records.summed(101, digest(0, 101), head(2), 0, 27);
      records.frame(1, 0, ByteBuffer.allocateDirect(1));
      records.summed(2, digest(1, 2), head(3), 0, 28);
      records.references(3, 0, 1, 0);
      records.packet(0, head(5), 0, 30);
      records.flush();
    }
    return stream.toByteArray();
  }

  /** Of zeros, or of ones behind zeros. */
  private static long digest(int ones, int length) {
    byte[] data = new byte[length];
    Arrays.fill(data, length - ones, length, (byte) 1);
    return Tape.digest(Tape.checksums(data));
  }

  static byte[] asking() throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (ChunkQueryStream out =
        new ChunkQueryStream(new ByteArrayInputStream(new byte[0]), stream)) {
      out.open(0x0102030405060708L, "BP-1");
      out.challenge(filled(32, 1));
      out.prove(new ChunkQueryStream.Proof(filled(32, 2), filled(5, 3)));
      out.grant(filled(16, 4));
      out.refuse();
      ChunkBatch batch = new ChunkBatch(3, new int[] {2, 0x10004}, filled(64, 5));
      out.ask(batch);
      out.answer(batch, BitSet.valueOf(new byte[] {2}));
      out.flush();
    }
    return stream.toByteArray();
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  static byte[] read(String name) throws IOException {
    try (var in = GoldenStream.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  /** All kinds of records, frames with no, one and two stages, longer and shorter than packets. */
  static Tape tape() throws IOException {
    Tape tape = new Tape();
    tape.begin(ANSWER);
    tape.bytes(new byte[] {0, 28, 80, 1, 2, 3});
    tape.chain(Tape.TRIM_ZEROS);
    tape.packet(head(1), 6, padded("abcdef", 94, 0));
    tape.packet(head(2), 90);
    tape.packet(head(3), 20, padded("incompressible", 2, 0));
    tape.packet(head(4), 0);
    tape.bytes(new byte[] {9});
    tape.packet(
        head(5),
        153,
        new int[] {Tape.TRIM_ONES, Tape.TRIM_ZEROS},
        padded("x", 20, 1),
        padded("y", 30, 0),
        both(),
        padded("zz", 0, 0));
    return tape;
  }

  private static byte[] head(int number) {
    byte[] head = new byte[number == 4 ? 0 : 25 + number];
    Arrays.fill(head, (byte) number);
    return head;
  }

  private static byte[] padded(String text, int count, int value) {
    byte[] begin = text.getBytes(StandardCharsets.US_ASCII);
    byte[] data = Arrays.copyOf(begin, begin.length + count);
    Arrays.fill(data, begin.length, data.length, (byte) value);
    return data;
  }

  /** Ones behind zeros: without the ones, the zeros are at the end. */
  private static byte[] both() {
    byte[] data = new byte[100];
    Arrays.fill(data, 50, data.length, (byte) 1);
    return data;
  }

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    Path inputs = directory.resolve("WireFuzzTestInputs");
    try (Tape tape = tape()) {
      Files.write(directory.resolve(STREAM), tape.stream());
      for (String method : new String[] {"anyStream", "signedRecords"}) {
        Files.createDirectories(inputs.resolve(method));
        Files.write(inputs.resolve(method).resolve("golden"), tape.records());
      }
      Files.createDirectories(inputs.resolve("anyBeginning"));
      Files.write(inputs.resolve("anyBeginning/golden"), tape.stream());
    }
    Files.write(directory.resolve(CAPABILITIES), ANSWER.encode());
    Files.write(directory.resolve(REFERENCES), references());
    Files.write(directory.resolve(ASKING), asking());
    Files.write(directory.resolve(CAPABILITIES_TO_ASK), ANSWER_TO_ASK.encode());
    for (String method : new String[] {"anyStream", "signedRecords"}) {
      Files.write(
          inputs.resolve(method).resolve("references"),
          Arrays.copyOfRange(references(), 8, references().length));
    }
    Files.createDirectories(inputs.resolve("anyQuestions"));
    Files.write(inputs.resolve("anyQuestions/golden"), asking());
    Files.createDirectories(inputs.resolve("anyCapabilities"));
    Files.write(inputs.resolve("anyCapabilities/to-ask"), ANSWER_TO_ASK.encode());
    Files.write(inputs.resolve("anyCapabilities/golden"), ANSWER.encode());
    Files.write(directory.resolve(COPY), copy());
    Files.write(directory.resolve(SUMMED), summed());
    Files.write(directory.resolve(CAPABILITIES_SUMMING), ANSWER_SUMMING.encode());
    for (String method : new String[] {"anyStream", "signedRecords"}) {
      Files.write(inputs.resolve(method).resolve("copy"), copy());
      Files.write(inputs.resolve(method).resolve("summed"), summed());
    }
    Files.write(inputs.resolve("anyCapabilities/summing"), ANSWER_SUMMING.encode());
  }
}
