/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.spi.scheme.TestSeed;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkRefTest {

  @Test
  void unpackedAsPacked() {
    Random random = TestSeed.random("chunk references");
    long[] containers = new long[100];
    int[] numbers = new int[100];
    for (int i = 0; i < containers.length; i++) {
      containers[i] = random.nextLong() & ChunkRef.MAX_CONTAINER;
      numbers[i] = random.nextInt(ChunkRef.MAX_NUMBER + 1);
    }
    containers[0] = 0;
    numbers[1] = 0;
    containers[2] = ChunkRef.MAX_CONTAINER;
    numbers[3] = ChunkRef.MAX_NUMBER;
    for (long container : containers) {
      for (int number : numbers) {
        long ref = ChunkRef.pack(container, number);
        assertThat(ChunkRef.container(ref)).isEqualTo(container);
        assertThat(ChunkRef.number(ref)).isEqualTo(number);
      }
    }
    assertThat(ChunkRef.toString(ChunkRef.pack(0xABC, 17))).isEqualTo("000000000abc:17");
  }

  @Test
  void whatDoesNotFitIsRefused() {
    long[][] wrong = {{-1, 0}, {ChunkRef.MAX_CONTAINER + 1, 0}, {0, -1}, {0, 1 << 24}};
    for (long[] parts : wrong) {
      assertThatThrownBy(() -> ChunkRef.pack(parts[0], (int) parts[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void namesOfFiles() {
    assertThat(ContainerNames.id("0000000000ff.hdc", ContainerNames.SEALED)).isEqualTo(255);
    assertThat(ContainerNames.id("00ffffffffff.hdc.open", ContainerNames.OPEN))
        .isEqualTo(ChunkRef.MAX_CONTAINER);
    String[] others = {
      "0000000000FF.hdc", "00000000000.hdc", "0000000000000.hdc", "010000000000.hdc",
      "0000000000ff.hdc.open", "+000000000ff.hdc", "0000000000fg.hdc", "quarantine"
    };
    for (String other : others) {
      assertThat(ContainerNames.id(other, ContainerNames.SEALED)).as(other).isEqualTo(-1);
    }
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    ContainerSettings settings = ContainerSettings.of(5);
    assertThat(settings.identity()).isEqualTo(5);
    assertThat(settings.containerSize()).isEqualTo(256 << 20);
    assertThat(settings.groupSize()).isEqualTo(128 << 10);
    assertThatThrownBy(() -> settings.containerSize(0)).hasMessageContaining("container size");
    assertThatThrownBy(() -> settings.groupSize(ContainerFormat.MAX_GROUP_LENGTH + 1))
        .hasMessageContaining("group size");
    assertThatThrownBy(() -> settings.maxChunks(ContainerFormat.MAX_CHUNKS + 1))
        .hasMessageContaining("chunks");
    assertThatThrownBy(() -> settings.maxOpenFiles(0)).hasMessageContaining("files");
    assertThatThrownBy(() -> settings.directoryMemory(-1)).hasMessageContaining("directory");
    assertThatThrownBy(() -> settings.groupMemory(-1)).hasMessageContaining("group");
  }
}
