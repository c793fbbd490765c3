/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GoldenStreamTest {

  /** Plays a stream from some byte on. */
  private static Playback played(byte[] stream, int from) throws IOException {
    Playback playback = new Playback();
    InputStream in = new ByteArrayInputStream(stream, from, stream.length - from);
    try (WireChains chains = Tape.newChains()) {
      playback.run(in, chains, () -> 50, GoldenStream.sessions());
    }
    return playback;
  }

  /** Returns the positions and the text of the events, without checksums. */
  private static List<String> eventsOf(Playback playback) {
    return playback.events.stream()
        .map(event -> event.at() + " " + event.what().replaceAll(":.*", ""))
        .collect(Collectors.toList());
  }

  @Test
  void oldStreamsStayReadable() throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(GoldenStream.read(GoldenStream.STREAM));
    Preamble preamble = Preamble.read(in);
    assertThat(preamble.isHdrf()).isTrue();
    assertThat(preamble.version()).isEqualTo(1);
    assertThat(preamble.kind()).isEqualTo(WireFormat.STREAM);
    Playback playback = new Playback();
    playback.run(in, () -> 50);
    try (Tape tape = GoldenStream.tape()) {
      assertThat(playback.events).isEqualTo(tape.events);
      assertThat(playback.plain()).isEqualTo(tape.plain());
    }
  }

  /** Without the model that wrote it. */
  @Test
  void theOldStreamIsWhatItWas() throws IOException {
    Playback playback = played(GoldenStream.read(GoldenStream.STREAM), 8);
    assertThat(eventsOf(playback))
        .containsExactly(
            "0 hello HDRF wire 1 with schemes [1, 2, 4660, 60000, 65535]",
            "0 bytes 6",
            "6 packet 6 26",
            "32 frame [60000] 100 1 10",
            "38 packet 90 27",
            "155 packet 20 28",
            "187 frame [60000] 16 0 16",
            "203 packet 0 0",
            "203 bytes 1",
            "204 packet 153 30",
            "234 frame [60001, 60000] 21 1 5",
            "255 frame [60001, 60000] 31 2 5",
            "286 frame [60001, 60000] 100 3 9",
            "386 frame [60001, 60000] 2 0 2");
    assertThat(HexFormat.of().formatHex(playback.plain(), 0, 6)).isEqualTo("001c50010203");
  }

  @Test
  void oldAnswersStayReadable() throws IOException {
    Capabilities read =
        Capabilities.read(new ByteArrayInputStream(GoldenStream.read(GoldenStream.CAPABILITIES)));
    assertThat(read.version()).isEqualTo(1);
    assertThat(read.frameSchemes()).containsExactly(1, 2, 0x1234, 60000, 0xFFFF);
  }

  @Test
  void oldReferencesStayReadable() throws IOException {
    Playback playback = played(GoldenStream.read(GoldenStream.REFERENCES), 8);
    assertThat(eventsOf(playback))
        .containsExactly(
            "0 hello HDRF wire 1 with schemes [1, 2], can be asked for chunks",
            "0 packet 2 26",
            "26 session",
            "26 references 2",
            "28 packet 7 27",
            "55 references 2",
            "57 frame [60000] 1 0 1",
            "58 references 4",
            "62 packet 0 28");
    String plain = HexFormat.of().formatHex(playback.plain());
    assertThat(plain)
        .isEqualTo(
            "01".repeat(26)
                + "0001"
                + "02".repeat(27)
                + "0304"
                + "63"
                + "05060708"
                + "03".repeat(28));
  }

  @Test
  void oldCopiesStayReadable() throws IOException {
    Playback playback = played(GoldenStream.read(GoldenStream.COPY), 0);
    assertThat(eventsOf(playback))
        .containsExactly(
            "0 bytes 2",
            "2 packet 2 26",
            "28 session",
            "28 references 2",
            "30 packet 0 27",
            "57 bytes 2");
    assertThat(HexFormat.of().formatHex(playback.plain()))
        .isEqualTo("0800" + "01".repeat(26) + "0001" + "02".repeat(27) + "0064");
  }

  @Test
  void oldPacketsWithoutChecksumsStayReadable() throws IOException {
    Playback playback = played(GoldenStream.read(GoldenStream.SUMMED), 0);
    assertThat(eventsOf(playback))
        .containsExactly(
            "0 session",
            "0 packet 600 34",
            "0 frame [60000] 700 1 4",
            "0 checksums 8",
            "634 packet 101 31",
            "634 frame [60000] 1 0 1",
            "634 checksums 4",
            "766 packet 2 32",
            "766 references 2",
            "766 checksums 4",
            "800 packet 0 30");
    assertThat(HexFormat.of().formatHex(playback.plain()))
        .matches(
            ("01".repeat(26) + "[0-9a-f]{16}" + "00".repeat(600))
                + ("02".repeat(27) + "[0-9a-f]{8}" + "00".repeat(101))
                + ("03".repeat(28) + "[0-9a-f]{8}" + "0001")
                + "05".repeat(30));
    Capabilities read =
        Capabilities.read(
            new ByteArrayInputStream(GoldenStream.read(GoldenStream.CAPABILITIES_SUMMING)));
    assertThat(read.frameSchemes()).containsExactly(1, 2);
    assertThat(read.makesChecksums()).isTrue();
  }

  /**
   * The specification, followed by hand; only the record's CRCs are taken over. The digests are of
   * {@code java.util.zip.CRC32C}'s and {@code MessageDigest}'s results.
   */
  @Test
  void packetsWithoutChecksumsByteByByte() throws IOException {
    String crc = "[0-9a-f]{8}";
    String digest = "[0-9a-f]{16}";
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.SUMMED)))
        .matches(
            ("06" + "10000000" + crc + "00".repeat(16))
                + ("02" + "02000000" + crc + "60ea")
                + ("0a" + "26000000" + crc + "58020000" + digest + "01".repeat(26))
                + ("04" + "09000000" + crc + "bc020000" + "01" + "bc020000")
                + ("0a" + "27000000" + crc + "65000000" + digest + "02".repeat(27))
                + ("04" + "06000000" + crc + "01000000" + "00" + "00")
                + ("0a" + "28000000" + crc + "02000000" + digest + "03".repeat(28))
                + ("07" + "0c000000" + crc + "03000000" + "0000" + "0100" + "00000000")
                + ("03" + "22000000" + crc + "00000000" + "05".repeat(30)));
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.CAPABILITIES_SUMMING)))
        .matches(crc + "0900" + "01" + "0200" + "01000200" + "00" + "02");
  }

  @Test
  void oldAnswersOfWhoCanBeInvitedStayReadable() throws IOException {
    Capabilities read =
        Capabilities.read(
            new ByteArrayInputStream(GoldenStream.read(GoldenStream.CAPABILITIES_INVITABLE)));
    assertThat(read.frameSchemes()).containsExactly(1, 2);
    assertThat(read.dialects()).containsExactly(-2L);
    assertThat(read.encode()).hasSize(6 + 3 + 2 * 2 + 1 + 8);
  }

  /** The bytes follow the specification, written by hand; only the CRCs are copied. */
  @Test
  void copiesByteByByte() throws IOException {
    String crc = "[0-9a-f]{8}";
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.COPY)))
        .matches(
            ("01" + "02000000" + crc + "0800")
                + ("03" + "1e000000" + crc + "02000000" + "01".repeat(26))
                + ("06" + "10000000" + crc + "00".repeat(16))
                + ("07" + "0c000000" + crc + "03000000" + "0000" + "0100" + "00000000")
                + ("03" + "1f000000" + crc + "00000000" + "02".repeat(27))
                + ("01" + "02000000" + crc + "0064"));
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.CAPABILITIES_INVITABLE)))
        .matches(crc + "1100" + "01" + "0200" + "01000200" + "01" + "feffffffffffffff" + "01");
  }

  @Test
  void oldQuestionsStayReadable() throws IOException {
    try (ChunkQueryStream in =
        new ChunkQueryStream(
            new ByteArrayInputStream(GoldenStream.read(GoldenStream.ASKING)),
            java.io.OutputStream.nullOutputStream())) {
      ChunkQueryStream.Opening opening = in.readOpening();
      assertThat(opening.dialect()).isEqualTo(0x0102030405060708L);
      assertThat(opening.poolId()).isEqualTo("BP-1");
      assertThat(in.readReply().challenge()).hasSize(32).containsOnly(1);
      ChunkQueryStream.Proof proof = in.readProof();
      assertThat(proof.code()).hasSize(32).containsOnly(2);
      assertThat(proof.identifier()).containsExactly(3, 3, 3, 3, 3);
      assertThat(in.readGrant()).hasSize(16).containsOnly(4);
      assertThat(in.readGrant()).isNull();
      ChunkBatch batch = in.readQuestion();
      assertThat(batch.number()).isEqualTo(3);
      assertThat(batch.ends()).containsExactly(2, 0x10004);
      assertThat(batch.fingerprints()).hasSize(64).containsOnly(5);
      ChunkQueryStream.Answer answer = in.readAnswer();
      assertThat(answer.batch()).isEqualTo(3);
      assertThat(answer.held().toLongArray()).containsExactly(2);
    }
  }

  @Test
  void oldAnswersToAskStayReadable() throws IOException {
    Capabilities read =
        Capabilities.read(
            new ByteArrayInputStream(GoldenStream.read(GoldenStream.CAPABILITIES_TO_ASK)));
    assertThat(read.frameSchemes()).containsExactly(1, 2);
    assertThat(read.dialects()).containsExactly(-2L, 0x0102030405060708L);
  }

  /** The bytes follow the specification, written by hand; only the CRCs are copied. */
  @Test
  void questionsByteByByte() throws IOException {
    String crc = "[0-9a-f]{8}";
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.ASKING)))
        .matches(
            ("10" + "0c000000" + crc + "0807060504030201" + "42502d31")
                + ("11" + "20000000" + crc + "01".repeat(32))
                + ("12" + "25000000" + crc + "02".repeat(32) + "03".repeat(5))
                + ("13" + "10000000" + crc + "04".repeat(16))
                + ("13" + "00000000" + crc)
                + ("14" + "4e000000" + crc + "03000000" + "0200")
                + ("02000000" + "05".repeat(32) + "02000100" + "05".repeat(32))
                + ("15" + "07000000" + crc + "03000000" + "0200" + "02"));
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.CAPABILITIES_TO_ASK)))
        .matches(
            crc
                + "1800"
                + "01"
                + "0200"
                + "01000200"
                + "02"
                + "feffffffffffffff"
                + "0807060504030201");
    assertThat(HexFormat.of().formatHex(GoldenStream.read(GoldenStream.REFERENCES)))
        .contains("06" + "10000000")
        .contains("03000000" + "0100" + "0100" + "01000000")
        .matches("4844.*" + ("08" + "04000000" + crc + "03000000") + "03" + "20000000.*");
  }

  /** The bytes may change one day, but only by a decision. */
  @Test
  void theSameIsWrittenToday() throws IOException {
    try (Tape tape = GoldenStream.tape()) {
      assertThat(tape.stream()).isEqualTo(GoldenStream.read(GoldenStream.STREAM));
    }
    assertThat(GoldenStream.references()).isEqualTo(GoldenStream.read(GoldenStream.REFERENCES));
    assertThat(GoldenStream.asking()).isEqualTo(GoldenStream.read(GoldenStream.ASKING));
    assertThat(GoldenStream.copy()).isEqualTo(GoldenStream.read(GoldenStream.COPY));
    assertThat(GoldenStream.summed()).isEqualTo(GoldenStream.read(GoldenStream.SUMMED));
    assertThat(GoldenStream.ANSWER_SUMMING.encode())
        .isEqualTo(GoldenStream.read(GoldenStream.CAPABILITIES_SUMMING));
    assertThat(GoldenStream.ANSWER_TO_ASK.encode())
        .isEqualTo(GoldenStream.read(GoldenStream.CAPABILITIES_TO_ASK));
    assertThat(GoldenStream.ANSWER.encode())
        .isEqualTo(GoldenStream.read(GoldenStream.CAPABILITIES));
  }

  /** The bytes follow the specification, written by hand; only the CRCs are copied. */
  @Test
  void theStreamByteByByte() throws IOException {
    String stream = HexFormat.of().formatHex(GoldenStream.read(GoldenStream.STREAM));
    String answer = HexFormat.of().formatHex(GoldenStream.read(GoldenStream.CAPABILITIES));
    String crc = "[0-9a-f]{8}";
    assertThat(answer).matches(crc + "0d00" + "01" + "0500" + "01000200341260eaffff");
    assertThat(stream)
        .matches(
            ("48445246" + "01" + "01" + "[0-9a-f]{4}")
                + ("05" + "13000000" + crc + answer)
                + ("01" + "06000000" + crc + "001c50010203")
                + ("02" + "02000000" + crc + "60ea")
                + ("03" + "1e000000" + crc + "06000000" + "01".repeat(26))
                + ("04" + "0f000000" + crc + "64000000" + "01" + "5e000000" + "616263646566")
                + ("03" + "1f000000" + crc + "5a000000" + "02".repeat(27))
                + ("03" + "20000000" + crc + "14000000" + "03".repeat(28))
                + ("04" + "15000000" + crc + "10000000" + "00")
                + "696e636f6d707265737369626c650000"
                + ("03" + "04000000" + crc + "00000000")
                + ("01" + "01000000" + crc + "09")
                + ("03" + "22000000" + crc + "99000000" + "05".repeat(30))
                + ("02" + "04000000" + crc + "61ea60ea")
                + ("04" + "0a000000" + crc + "15000000" + "01" + "14000000" + "78")
                + ("04" + "0a000000" + crc + "1f000000" + "02" + "1e000000" + "79")
                + ("04" + "0e000000" + crc + "64000000" + "03" + "36000000" + "35000000" + "32")
                + ("04" + "07000000" + crc + "02000000" + "00" + "7a7a"));
  }
}
