/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ChunkGroupsTest {

  private static FrameChain plain() throws IOException {
    return FrameChain.of(List.of(), new Configuration(false));
  }

  @Test
  void aGroupHasAsManyChunksAsFit() throws IOException {
    ChunkGroups groups = new ChunkGroups(plain(), 100, 150);
    for (int length : new int[] {50, 50, 1, 150, 100}) {
      groups.add(ByteBuffer.allocate(length));
    }
    groups.end();
    groups.end();
    assertThat(groups.count()).isEqualTo(4);
    assertThat(groups.originalBytes()).isEqualTo(351);
    assertThat(groups.storedBytes()).isEqualTo(351);
  }

  @Test
  void aGroupOfDifferencesMakesNoMoreThanItsLimit() throws IOException {
    ChunkGroups groups = new ChunkGroups(plain(), 100, 500, 150);
    int[] numbers = new int[4];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = groups.add(ByteBuffer.allocate(10), 250);
    }
    assertThat(numbers).containsExactly(0, 0, 1, 1);
    groups.end();
    assertThat(groups.count()).isEqualTo(2);
    assertThat(groups.originalBytes()).isEqualTo(1000);
    assertThat(groups.storedBytes()).isEqualTo(40);
  }
}
