/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContainerInspectionTest {

  private static final long ID = 9;
  private static final int HEADER = 64;
  private static final int FOOTER = 96;
  private static final int VERSION = 4;

  @TempDir Path directory;

  private final Map<String, Object> facts = new LinkedHashMap<>();

  /** Eight chunks of 300 bytes in two groups; those with odd numbers are differences. */
  private static byte[] differences() throws IOException {
    try (var in =
        ContainerInspectionTest.class.getResourceAsStream("container-v2-differences.golden")) {
      return in.readAllBytes();
    }
  }

  private Path file(String suffix, byte[] bytes) throws IOException {
    return Files.write(ContainerNames.file(directory, ID, suffix), bytes);
  }

  private boolean inspect(Path file) throws IOException {
    facts.clear();
    return ContainerInspection.inspect(file, true, facts);
  }

  @SuppressWarnings("unchecked")
  private List<Map<String, Object>> list(String name) {
    return (List<Map<String, Object>>) facts.get(name);
  }

  private void assertGroupsAndChunks(String fingerprintOfFirst) {
    assertThat(facts)
        .containsEntry("version", 2)
        .containsEntry("container", "000000000009")
        .containsEntry("created", "2023-11-14T22:13:20Z")
        .containsEntry("schemes", new int[0])
        .containsEntry("logicalBytes", 8 * 300L)
        .containsEntry("groups", 2)
        .containsEntry("chunks", 8L)
        .containsEntry("chunksAsDifferences", 4L)
        .containsEntry("bytesAsDifferences", 4 * 300L)
        .containsEntry("bases", 4L)
        .containsEntry("containersOfBases", List.of("000000000009"));
    assertThat(list("groupList")).extracting("chunks").containsExactly(4, 4);
    assertThat(list("groupList")).extracting("differences").containsExactly(2, 2);
    assertThat(list("groupList")).extracting("logicalLength").containsExactly(1200L, 1200L);
    assertThat(list("chunkList")).extracting("chunk").containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(list("chunkList")).extracting("group").containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
    assertThat(list("chunkList")).extracting("length").containsOnly(300);
    assertThat(list("chunkList"))
        .extracting("base")
        .containsExactly(
            "", "000000000009:0", "", "000000000009:2", "", "000000000009:4", "", "000000000009:6");
    assertThat(list("chunkList").get(0)).containsEntry("fingerprint", fingerprintOfFirst);
    long kept =
        list("chunkList").stream()
            .filter(chunk -> !chunk.get("base").equals(""))
            .mapToLong(chunk -> (Integer) chunk.get("keptLength"))
            .sum();
    assertThat(facts).containsEntry("bytesOfDifferences", kept);
    assertThat(kept).isLessThan(4 * 300L / 5);
  }

  private static String firstFingerprint() throws IOException {
    byte[] chunk = new byte[300];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = (byte) ((i * i * 3) >>> 4);
    }
    return java.util.HexFormat.of().formatHex(Chunks.fingerprint(chunk));
  }

  @Test
  void groupsChunksAndBasesAreTold() throws IOException {
    byte[] bytes = differences();
    assertThat(inspect(file(ContainerNames.SEALED, bytes))).isTrue();
    assertGroupsAndChunks(firstFingerprint());
    assertThat(facts)
        .containsEntry("form", "container")
        .containsEntry("sealed", "2023-11-14T22:15:23.456Z")
        .containsEntry("storedBytes", (long) bytes.length);
    assertThat(list("groupList")).extracting("state").containsOnly("sound");
  }

  /** As long as the process writes to it, or after that ended: it has no directory. */
  @Test
  void whatIsNotSealedIsToldUpToItsLastWholeGroup() throws IOException {
    byte[] bytes = differences();
    inspect(file(ContainerNames.SEALED, bytes));
    int end = bytes.length - ((Long) facts.get("bytesBehindGroups")).intValue();
    for (int tail : new int[] {0, 1, 44, bytes.length - end}) {
      inspect(file(ContainerNames.OPEN, Arrays.copyOf(bytes, end + tail)));
      assertGroupsAndChunks("unknown");
      assertThat(facts)
          .containsEntry("form", "container that is not sealed")
          .containsEntry("bytesBehindGroups", (long) tail);
    }
    inspect(file(ContainerNames.OPEN, Arrays.copyOf(bytes, end - 1)));
    assertThat(facts).containsEntry("groups", 1).containsEntry("chunks", 4L);
  }

  /** It can't be in the making if another follows. */
  @Test
  void aDamagedGroupOfWhatIsNotSealedIsDamage() throws IOException {
    byte[] bytes = differences();
    inspect(file(ContainerNames.SEALED, bytes));
    int end = bytes.length - ((Long) facts.get("bytesBehindGroups")).intValue();
    long second = (Long) list("groupList").get(1).get("position");
    for (int at = HEADER; at < second; at++) {
      byte[] damaged = Arrays.copyOf(bytes, end + 1);
      damaged[at] ^= 1;
      Path file = file(ContainerNames.OPEN, damaged);
      assertThatThrownBy(() -> inspect(file))
          .as("byte " + at)
          .isInstanceOf(CorruptFileException.class)
          .hasMessageContaining(file.toString());
      assertThat(facts)
          .containsEntry("damagedGroups", 1)
          .containsEntry("groups", 1)
          .containsEntry("chunks", 4L)
          .containsEntry("bytesBehindGroups", 1L);
      assertThat(list("chunkList")).extracting("chunk").containsExactly(4, 5, 6, 7);
    }
  }

  /** All of it was written, so it is not in the making. */
  @Test
  void aDamagedLastGroupOfWhatIsNotSealedIsDamage() throws IOException {
    byte[] bytes = differences();
    inspect(file(ContainerNames.SEALED, bytes));
    int end = bytes.length - ((Long) facts.get("bytesBehindGroups")).intValue();
    int second = ((Long) list("groupList").get(1).get("position")).intValue();
    byte[] damaged = Arrays.copyOf(bytes, end);
    damaged[end - 1] ^= 1;
    assertThatThrownBy(() -> inspect(file(ContainerNames.OPEN, damaged)))
        .isInstanceOf(CorruptFileException.class);
    assertThat(facts).containsEntry("damagedGroups", 1).containsEntry("groups", 1);
    damaged[second - 1] ^= 1;
    assertThatThrownBy(() -> inspect(file(ContainerNames.OPEN, damaged)))
        .isInstanceOf(CorruptFileException.class);
    assertThat(facts).containsEntry("damagedGroups", 2).containsEntry("groups", 0);
  }

  /** The process ended while it was made. */
  @Test
  void aTornHeaderOfWhatIsNotSealedIsNoDamage() throws IOException {
    byte[] bytes = differences();
    for (int length : new int[] {0, 1, HEADER - 1, HEADER}) {
      assertThat(inspect(file(ContainerNames.OPEN, Arrays.copyOf(bytes, length)))).isTrue();
    }
  }

  @Test
  void aCopyOfWhatIsNotSealedIsNotSealed() throws IOException {
    byte[] bytes = differences();
    inspect(file(ContainerNames.SEALED, bytes));
    int end = bytes.length - ((Long) facts.get("bytesBehindGroups")).intValue();
    for (String suffix : List.of(ContainerNames.OPEN, ContainerNames.TEMPORARY)) {
      assertThat(inspect(file(suffix + ".bak", Arrays.copyOf(bytes, end)))).isTrue();
      assertGroupsAndChunks("unknown");
      assertThat(facts).containsEntry("form", "container that is not sealed");
    }
    assertThat(inspect(file(ContainerNames.SEALED + ".bak", bytes))).isTrue();
    assertThat(facts).containsEntry("form", "container");
  }

  @ParameterizedTest
  @MethodSource("io.hdrf.codec.dedup.container.GoldenContainers#all")
  void everyVersionIsTold(GoldenContainers golden) throws IOException {
    for (int version = 1; version <= 2; version++) {
      Path file = ContainerNames.file(directory, golden.id, ContainerNames.SEALED);
      inspect(Files.write(file, golden.read(version)));
      assertThat(facts)
          .containsEntry("version", version)
          .containsEntry("chunks", (long) golden.numbers.length)
          .containsEntry("chunksAsDifferences", 0L)
          .doesNotContainKey("bases");
      assertThat(list("chunkList").stream().mapToInt(chunk -> (Integer) chunk.get("chunk")))
          .containsExactly(Arrays.stream(golden.numbers).boxed().toArray(Integer[]::new));
    }
  }

  /** Each byte of the file is in a structure with a CRC32C. */
  @Test
  void everyDamagedByteIsSeenAndTheFileIsNamed() throws IOException {
    byte[] bytes = differences();
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      Path file = file(ContainerNames.SEALED, damaged);
      assertThatThrownBy(() -> inspect(file))
          .as("byte " + i)
          .isInstanceOf(CorruptFileException.class)
          .hasMessageContaining(file.toString());
      // Whatever is damaged, the rest is told.
      assertThat((Integer) facts.get("groups")).as("byte " + i).isEqualTo(2);
    }
  }

  @Test
  void aDamagedGroupIsShownAmongTheOthers() throws IOException {
    byte[] bytes = differences();
    bytes[HEADER + 120] ^= 1;
    Path file = file(ContainerNames.SEALED, bytes);
    assertThatThrownBy(() -> inspect(file)).isInstanceOf(CorruptFileException.class);
    assertGroupsAndChunks(firstFingerprint());
    assertThat(facts).containsEntry("damagedGroups", 1);
    assertThat(list("groupList")).extracting("state").containsExactly("damaged", "sound");
  }

  @Test
  void whatIsCutOffIsDamaged() throws IOException {
    byte[] bytes = differences();
    for (int length : new int[] {0, 3, 63, 64, 65, 300, bytes.length - 1}) {
      Path file = file(ContainerNames.SEALED, Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> inspect(file))
          .as(length + " bytes")
          .isInstanceOf(CorruptFileException.class)
          .hasMessageContaining(file.toString());
    }
  }

  @Test
  void aLaterVersionIsNoDamage() throws IOException {
    byte[] bytes = differences();
    ByteBuffer all = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.LITTLE_ENDIAN);
    all.put(bytes);
    int footer = bytes.length - FOOTER;
    for (int part : new int[] {0, footer}) {
      int length = part == 0 ? HEADER : FOOTER;
      all.put(part + VERSION, (byte) 3);
      all.putInt(part + length - 4, Crc32c.update(0, all.slice(part, length - 4)));
    }
    byte[] later = new byte[bytes.length];
    all.flip().get(later);
    Path file = file(ContainerNames.SEALED, later);
    assertThatThrownBy(() -> inspect(file))
        .isInstanceOf(UnknownFormatVersionException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("format version 3 is too new");
  }

  @Test
  void anotherContainersNameIsSaid() throws IOException {
    Path other = ContainerNames.file(directory, ID + 1, ContainerNames.SEALED);
    Files.write(other, differences());
    assertThatThrownBy(() -> inspect(other))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("container id");
    // A copy may have any name.
    assertThat(inspect(Files.write(directory.resolve("copy"), differences()))).isTrue();
    assertGroupsAndChunks(firstFingerprint());
  }

  @Test
  void otherFilesAreNoContainers() throws IOException {
    assertThat(inspect(Files.write(directory.resolve("text"), new byte[200]))).isFalse();
    assertThat(inspect(Files.write(directory.resolve("short"), new byte[2]))).isFalse();
    assertThat(facts).isEmpty();
  }
}
