/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

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

  private GoldenStream() {}

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
    Files.createDirectories(inputs.resolve("anyCapabilities"));
    Files.write(inputs.resolve("anyCapabilities/golden"), ANSWER.encode());
  }
}
