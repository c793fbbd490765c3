/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values and keys of metadata stores, and a volume's mark, of version 1: readable for ever. */
class GoldenRecordsTest {

  private static final String PLAIN = "record-v1-plain.golden";
  private static final String WITH_RULES = "record-v2-plain.golden";
  private static final String REDUCED = "record-v1-reduced.golden";
  private static final String IDENTITY = "identity-v1.golden";
  private static final String OWNER = "owner-v1.golden";
  private static final String MARK = "mark-v1.golden";

  private static final BlockRecord PLAIN_RECORD =
      BlockRecord.plain(0x0102030405L, 3, 1_600_000_000_123L, 0x1F0A);
  private static final BlockRecord RECORD_WITH_RULES =
      BlockRecord.plain(0x0102030405L, BlockRecord.reason(2, 0xABCDEF), 1_600_000_000_123L, 0x1F0A);
  private static final BlockRecord REDUCED_RECORD =
      BlockRecord.reduced(
          134_217_728, 7_654_321, new int[] {3, 2, 0xFFFF, 17}, 1_600_000_000_123L, 0x0001);
  private static final StoreIdentity STORE_IDENTITY =
      new StoreIdentity(counting(10), counting(100), 0x0102030405060708L, true);
  private static final String PLACE = "host.example /data/1/current/BP-1/hdrf";

  @TempDir Path directory;

  private static byte[] counting(int from) {
    byte[] bytes = new byte[StoreIdentity.ID_LENGTH];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  private static byte[] read(String name) throws IOException {
    try (var in = GoldenRecordsTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  /** Returns a sound value of another version with the same length. */
  private static byte[] ofVersion(int version, byte[] value) {
    byte[] later = value.clone();
    later[0] = (byte) version;
    ByteBuffer.wrap(later)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(later.length - Integer.BYTES, StoreIdentity.checksum(later));
    return later;
  }

  @Test
  void oldRecordsStayReadable() throws IOException {
    BlockRecord plain = BlockRecord.decode(7, read(PLAIN));
    assertThat(plain).isEqualTo(PLAIN_RECORD);
    assertThat(plain.location()).isEqualTo("subdir31/subdir10");
    assertThat(plain.rules()).isEqualTo(BlockRecord.NO_RULES);
    BlockRecord withRules = BlockRecord.decode(7, read(WITH_RULES));
    assertThat(withRules).isEqualTo(RECORD_WITH_RULES).isNotEqualTo(PLAIN_RECORD);
    assertThat(withRules.agreesWith(PLAIN_RECORD)).isTrue();
    assertThat(withRules.reason()).isEqualTo(2);
    assertThat(withRules.rules()).isEqualTo(0xABCDEF);
    BlockRecord reduced = BlockRecord.decode(7, read(REDUCED));
    assertThat(reduced).isEqualTo(REDUCED_RECORD);
    assertThat(reduced.chain()).containsExactly(3, 2, 0xFFFF, 17);
    assertThat(reduced.modified()).isEqualTo(1_600_000_000_123L);
    assertThat(BlockRecord.blockId(HexFormat.of().parseHex("0000000040000001")))
        .isEqualTo(0x40000001L);
  }

  @Test
  void oldIdentitiesOwnersAndMarksStayReadable() throws IOException {
    StoreIdentity identity = StoreIdentity.decode(read(IDENTITY));
    assertThat(identity).isEqualTo(STORE_IDENTITY);
    assertThat(identity.isOfVolume(counting(10))).isTrue();
    assertThat(identity.isOfSession(counting(100))).isTrue();
    assertThat(identity.isComplete()).isTrue();
    StoreOwner owner = StoreOwner.decode(read(OWNER));
    assertThat(owner.beatMillis()).isEqualTo(12_345);
    assertThat(owner).hasToString(PLACE);
    Files.write(directory.resolve(StoreCheckpoint.NAME), read(MARK));
    StoreCheckpoint mark = StoreCheckpoint.load(directory);
    assertThat(mark.sequence()).isEqualTo(0x0102030405060708L);
    assertThat(mark.vouchesFor("embedded", identity)).isTrue();
    assertThat(mark.vouchesFor("redis", identity)).isFalse();
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    assertThat(PLAIN_RECORD.encode()).isEqualTo(read(PLAIN));
    assertThat(RECORD_WITH_RULES.encode()).isEqualTo(read(WITH_RULES));
    assertThat(REDUCED_RECORD.encode()).isEqualTo(read(REDUCED));
    assertThat(BlockRecord.key(0x40000001L)).asHexString().isEqualTo("0000000040000001");
    assertThat(STORE_IDENTITY.encode()).isEqualTo(read(IDENTITY));
    assertThat(new String(StoreIdentity.key(2), US_ASCII)).isEqualTo("identity");
    assertThat(new String(StoreIdentity.key(3), US_ASCII)).isEqualTo("identity.odd");
    assertThat(new String(StoreOwner.key(), US_ASCII)).isEqualTo("owner");
    assertThat(StoreOwner.decode(read(OWNER)).encode()).isEqualTo(read(OWNER));
    new StoreCheckpoint("embedded", 0x0102030405060708L, true)
        .save(directory, LocalDurableFiles.INSTANCE);
    assertThat(Files.readAllBytes(directory.resolve("metadata.state"))).isEqualTo(read(MARK));
  }

  /** The bytes follow the specification, written by hand; only the CRCs are copied. */
  @Test
  void byteByByte() throws IOException {
    String crc = "[0-9a-f]{8}";
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(read(PLAIN)))
        .matches("01010300" + "0504030201000000".repeat(2) + "7b806e8774010000" + "1f0a" + crc);
    assertThat(hex.formatHex(read(WITH_RULES)))
        .matches(
            ("02010200" + "0504030201000000".repeat(2) + "7b806e8774010000")
                + ("1f0a" + "efcdab" + crc));
    assertThat(hex.formatHex(read(REDUCED)))
        .matches(
            ("01020004" + "0000000800000000" + "b1cb740000000000" + "7b806e8774010000")
                + ("0001" + "0300" + "0200" + "ffff" + "1100" + crc));
    assertThat(hex.formatHex(read(IDENTITY)))
        .matches(
            "01"
                + hex.formatHex(counting(10))
                + hex.formatHex(counting(100))
                + ("0807060504030201" + "01" + crc));
    assertThat(hex.formatHex(read(OWNER)))
        .matches("01" + "3930000000000000" + hex.formatHex(PLACE.getBytes(US_ASCII)) + crc);
    assertThat(hex.formatHex(read(MARK)))
        .matches(
            ("89484d53" + "01" + "01" + "0807060504030201" + "08")
                + (hex.formatHex("embedded".getBytes(US_ASCII)) + crc));
  }

  /** Data of a later version are refused as such, or count as unknown. */
  @Test
  void laterVersionsAreToldFromDamage() throws IOException {
    assertThatThrownBy(() -> BlockRecord.decode(7, ofVersion(3, read(REDUCED))))
        .isInstanceOf(StoreVersionException.class)
        .hasMessageContaining("block 7 has version 3");
    assertThatThrownBy(() -> BlockRecord.decode(7, ofVersion(2, read(PLAIN))))
        .as("a record of version 2 is longer")
        .isInstanceOf(StoreCorruptException.class);
    assertThatThrownBy(() -> BlockRecord.decode(7, ofVersion(1, read(WITH_RULES))))
        .isInstanceOf(StoreCorruptException.class);
    assertThatThrownBy(() -> StoreIdentity.decode(ofVersion(2, read(IDENTITY))))
        .isInstanceOf(StoreVersionException.class)
        .hasMessageContaining("version 2");
    assertThat(StoreOwner.decode(ofVersion(2, read(OWNER)))).hasToString("somebody unknown");
    byte[] mark = read(MARK);
    mark[4] = 2;
    Files.write(directory.resolve(StoreCheckpoint.NAME), mark);
    assertThat(StoreCheckpoint.load(directory).sequence()).isZero();
    assertThat(StoreCheckpoint.load(directory).vouchesFor("embedded", STORE_IDENTITY)).isFalse();
  }

  /** Writes the files; only a new format version gives a reason, and then for new files. */
  public static void main(String[] args) throws IOException {
    Path target = Path.of(args[0]);
    Files.write(target.resolve(PLAIN), PLAIN_RECORD.encode());
    Files.write(target.resolve(REDUCED), REDUCED_RECORD.encode());
    Files.write(target.resolve(IDENTITY), STORE_IDENTITY.encode());
    byte[] place = PLACE.getBytes(US_ASCII);
    ByteBuffer owner =
        ByteBuffer.allocate(1 + Long.BYTES + place.length + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    owner.put((byte) 1).putLong(12_345).put(place);
    owner.putInt(StoreIdentity.checksum(owner.array()));
    Files.write(target.resolve(OWNER), owner.array());
    new StoreCheckpoint("embedded", 0x0102030405060708L, true)
        .save(target, LocalDurableFiles.INSTANCE);
    Files.move(target.resolve(StoreCheckpoint.NAME), target.resolve(MARK));
  }
}
