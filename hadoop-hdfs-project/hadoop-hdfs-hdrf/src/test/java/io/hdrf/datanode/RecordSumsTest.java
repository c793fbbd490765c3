/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.VolumeUse;
import io.hdrf.admin.WorstBlock;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.SkipReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordSumsTest {

  private static VolumeUse.Builder builder() {
    return new VolumeUse.Builder("DS-1", "BP-1", "/data/1", "DISK", 0);
  }

  private static boolean add(RecordSums sums, long id, int... chain) {
    return sums.add(BlockRecord.key(id), BlockRecord.reduced(100, 10, chain, 0, 0).encode());
  }

  @Test
  void recordsAreSummedByChainAndUnreadableOnesCounted() {
    RecordSums sums = new RecordSums(blocks -> true);
    assertThat(add(sums, 1, 7, 9)).isTrue();
    assertThat(add(sums, 2, 7, 9)).isTrue();
    assertThat(sums.add(BlockRecord.key(3), new byte[1])).isTrue();
    VolumeUse.Builder use = builder();
    sums.addTo(use, id -> "s" + id);
    VolumeUse built = use.build();
    assertThat(built.isWhole()).isTrue();
    assertThat(built.chains()).containsOnlyKeys("s7,s9");
    assertThat(built.all()).isEqualTo(new BlockSum(2, 200, 20));
    assertThat(built.unrecorded()).isEqualTo(1);
  }

  @Test
  void theBlocksThatSaveLeastAreNamedInOrder() {
    RecordSums sums = new RecordSums(blocks -> true);
    List<Long> ids = new ArrayList<>();
    for (long id = 0; id < 1000; id++) {
      ids.add(id);
    }
    Collections.shuffle(ids, new Random(3));
    for (long id : ids) {
      byte[] record = BlockRecord.reduced(1000, id, new int[] {7, 9}, 0, 0).encode();
      assertThat(sums.add(BlockRecord.key(id), record)).isTrue();
    }
    int small = SkipReason.SMALL.code();
    sums.add(BlockRecord.key(5000), BlockRecord.plain(50, small, 0, 0).encode());
    sums.add(BlockRecord.key(5001), BlockRecord.plain(60, 0, 0, 0).encode());
    sums.add(BlockRecord.key(5002), BlockRecord.plain(0, small, 0, 0).encode());
    VolumeUse.Builder use = builder();
    sums.addTo(use, id -> "s" + id);
    List<WorstBlock> worst = use.build().worst();
    assertThat(worst)
        .extracting(WorstBlock::id)
        .containsExactly(5001L, 5000L, 999L, 998L, 997L, 996L, 995L, 994L, 993L, 992L);
    assertThat(worst).extracting(WorstBlock::how).startsWith("plain", "plain (Small)", "s7,s9");
  }

  @Test
  void aStoreThatInventsChainsEndsTheSums() {
    RecordSums sums = new RecordSums(blocks -> true);
    for (int i = 1; i <= RecordSums.MAX_CHAINS; i++) {
      assertThat(add(sums, i, i)).isTrue();
    }
    assertThat(add(sums, 1, RecordSums.MAX_CHAINS)).isTrue();
    assertThat(add(sums, 1, RecordSums.MAX_CHAINS + 1)).isFalse();
    VolumeUse.Builder use = builder();
    sums.addTo(use, id -> "s" + id);
    assertThat(use.build().obstacle()).contains("more than 1000 chains");
    assertThat(use.build().chains()).hasSize(RecordSums.MAX_CHAINS);
  }

  @Test
  void aVolumeThatGoesEndsTheSums() {
    List<Long> asked = new ArrayList<>();
    RecordSums sums = new RecordSums(blocks -> !asked.add(blocks));
    long added = 1;
    while (add(sums, added, 7)) {
      added++;
    }
    assertThat(added).isEqualTo(256);
    assertThat(asked).containsExactly(256L);
    VolumeUse.Builder use = builder();
    sums.addTo(use, id -> "s" + id);
    assertThat(use.build().obstacle()).contains("out of service");
  }

  /** A store that is down is not asked for each call anew. */
  @Test
  void aResultWithAnObstacleIsGivenAgain() {
    int[] made = {0};
    SpaceUse use =
        new SpaceUse(null, null, null, null) {
          @Override
          synchronized List<VolumeUse> sum() {
            made[0]++;
            try {
              Thread.sleep(200);
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return Collections.singletonList(builder().obstacle("the store is down").build());
          }
        };
    for (int i = 0; i < 10; i++) {
      assertThat(use.all().get(0).isWhole()).isFalse();
    }
    assertThat(made[0]).isEqualTo(1);
  }
}
