/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.TagKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Superblocks of format versions 1 and 2 that must be readable for ever. */
class GoldenSuperblocksTest {

  private static final String EMPTY = "superblock-v1-no-scheme.golden";
  private static final String FULL = "superblock-v1-schemes.golden";
  private static final String CHECKED = "superblock-v2-schemes.golden";
  private static final String[] ALL = {EMPTY, FULL, CHECKED};

  private static SuperblockContent content(String name) {
    byte[] secret = new byte[TagKey.LENGTH];
    for (int i = 0; i < secret.length; i++) {
      secret[i] = (byte) (200 + i);
    }
    return name.equals(EMPTY)
        ? new SuperblockContent(1, 1_600_000_000_123L, secret, Map.of(), true)
        : new SuperblockContent(
            0x123456789AL,
            1_600_000_000_123L,
            secret,
            new TreeMap<>(Map.of(1, "lz4", 300, "z-std2", 0xFFFF, "a".repeat(32))),
            name.equals(FULL));
  }

  private static byte[] read(String name) throws IOException {
    try (var in = GoldenSuperblocksTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @Test
  void oldFilesStayReadable() throws IOException {
    for (String name : ALL) {
      SuperblockContent read = SuperblockContent.parse(Path.of(name), read(name));
      assertThat(read.sameAs(content(name))).isTrue();
      assertThat(read.secret()[31]).isEqualTo((byte) 231);
      assertThat(read.mayLackChecksums()).isEqualTo(!name.equals(CHECKED));
    }
    assertThat(SuperblockContent.parse(Path.of(FULL), read(FULL)).schemes())
        .containsOnlyKeys(1, 300, 0xFFFF)
        .containsEntry(1, "lz4");
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    for (String name : ALL) {
      assertThat(content(name).encode()).isEqualTo(read(name));
    }
  }

  /** Writes the files; only a new format version gives a reason, and then for new files. */
  public static void main(String[] args) throws IOException {
    for (String name : ALL) {
      Files.write(Path.of(args[0]).resolve(name), content(name).encode());
    }
  }
}
