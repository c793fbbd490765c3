/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.sample.StoreScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules that decide whether a block is reduced, their order and their counters. */
class ReductionRulesTest {

  private SchemeChain hooked;
  private SchemeChain store;
  private SchemeChain other;

  @BeforeEach
  void parseChains() throws Exception {
    SchemeRegistry registry =
        SchemeRegistry.of(
            List.of(
                new HookedScheme("hooked", 65100, 1),
                new HookedScheme("other", 65101, 1),
                new StoreScheme()));
    hooked = SchemeChain.parse("chain", "hooked", registry);
    other = SchemeChain.parse("chain", "other", registry);
    store = SchemeChain.parse("chain", "store", registry);
  }

  private static ReductionRules rules(int minBlockSize) throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.setInt("hdrf.reduce.min.block.size", minBlockSize);
    return new ReductionRules(new HdrfConf(conf));
  }

  @ParameterizedTest
  @CsvSource({
    "4097, 0, 1",
    "16384, 16384, 12288",
    "81939, 16384, 77843",
    "81940, 16384, 77843",
    "200000, 16384, 190000",
    "1099511627776, 16384, 1044536046388"
  })
  void aBlockSavesAFileSystemBlockAndFivePerCent(long length, int least, long limit)
      throws Exception {
    assertThat(rules(least).limit(hooked, length)).isEqualTo(limit);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 0", "4096, 0", "16383, 16384"})
  void aShortBlockStaysPlain(long length, int least) {
    assertThatThrownBy(() -> rules(least).limit(hooked, length))
        .isInstanceOfSatisfying(
            BlockSkippedException.class, e -> assertThat(e.reason()).isEqualTo(SkipReason.SMALL))
        .hasMessageContaining("it has " + length + " bytes");
  }

  @Test
  void whereTheContentIsElsewhereAnyLengthWillDo() throws Exception {
    assertThat(rules(0).limit(store, 1)).isEqualTo(1);
    assertThat(rules(16384).limit(store, 16384)).isEqualTo(16384);
    assertThatThrownBy(() -> rules(0).limit(store, 0)).isInstanceOf(BlockSkippedException.class);
    assertThatThrownBy(() -> rules(16384).limit(store, 16383))
        .isInstanceOf(BlockSkippedException.class);
  }

  @Test
  void aBlockIsOldEnoughToTheMillisecond() throws Exception {
    Configuration conf = new Configuration(false);
    ReductionRules any = new ReductionRules(new HdrfConf(conf));
    assertThat(any.isAgeLimited()).isFalse();
    any.checkAge(1000, 1000);
    conf.setInt("hdrf.filter.min.age", 60);
    ReductionRules rules = new ReductionRules(new HdrfConf(conf));
    assertThat(rules.isAgeLimited()).isTrue();
    rules.checkAge(1000, 61_000);
    assertThatThrownBy(() -> rules.checkAge(1001, 61_000))
        .isInstanceOfSatisfying(
            BlockSkippedException.class,
            e -> assertThat(e.reason()).isEqualTo(SkipReason.TOO_YOUNG))
        .hasMessageContaining("59999 ms ago");
  }

  /** Records contain them. */
  @Test
  void theNumbersOfReasonsNeverChange() {
    assertThat(Arrays.stream(SkipReason.values()).map(r -> r.code() + " " + r.metricName()))
        .containsExactly(
            "1 Small",
            "2 Incompressible",
            "3 Declined",
            "4 AlreadyReduced",
            "5 ChecksumsIncomplete",
            "6 Mismatch",
            "7 VerificationFailed",
            "8 Changed",
            "9 HeldPlain",
            "10 Linked",
            "11 QueueFull",
            "12 Upgrade",
            "13 NoSpace",
            "14 Stopping",
            "15 Failed",
            "16 TooYoung",
            "17 ExcludedByKeyword",
            "18 ExcludedByRegex",
            "19 NotIncluded",
            "24 KeptPlain");
    for (SkipReason reason : SkipReason.values()) {
      assertThat(SkipReason.ofCode(reason.code())).isEqualTo(reason);
    }
    assertThat(SkipReason.ofCode(0)).isNull();
    assertThat(SkipReason.ofCode(20)).isNull();
    assertThat(
            Arrays.stream(SkipReason.values())
                .filter(SkipReason::isLasting)
                .mapToInt(SkipReason::code))
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 17, 18, 19);
  }

  @Test
  void blocksPutAsideComeInOrderAsTheirChainsAreFree() {
    ConcurrencyLimits limits = new ConcurrencyLimits(ReductionScheme::maxConcurrentBlocks);
    ParkedBlocks parked = new ParkedBlocks(limits, 3);
    assertThat(limits.tryAcquire(hooked)).isTrue();
    BlockRef[] blocks = new BlockRef[4];
    Arrays.setAll(blocks, id -> new BlockRef("BP-1", id));
    assertThat(parked.park(blocks[0], hooked)).isTrue();
    assertThat(parked.park(blocks[1], hooked)).isTrue();
    assertThat(parked.park(blocks[2], other)).isTrue();
    assertThat(parked.park(blocks[3], other)).isFalse();
    assertThat(parked.size()).isEqualTo(3);
    assertThat(limits.waiting()).isEqualTo(Map.of("hooked", 2, "other", 1));
    assertThat(parked.takeReady().block()).isEqualTo(blocks[2]);
    assertThat(parked.takeReady()).isNull();
    assertThat(limits.waiting()).isEqualTo(Map.of("hooked", 2, "other", 0));
    limits.release(hooked);
    ParkedBlocks.Parked first = parked.takeReady();
    assertThat(first.block()).isEqualTo(blocks[0]);
    assertThat(first.chain()).isEqualTo(hooked);
    assertThat(parked.takeReady()).isNull();
    assertThat(parked.drain()).containsExactly(blocks[1]);
    assertThat(parked.size()).isZero();
    assertThat(parked.drain()).isEmpty();
    assertThat(limits.waiting()).isEqualTo(Map.of("hooked", 0, "other", 0));
  }

  @Test
  void everythingIsCountedUnderItsName() {
    ReducerCounters counters = new ReducerCounters();
    counters.reduced("lz4", 1000, 100, 1, 2, 3);
    counters.reduced("lz4", 2000, 200, 10, 20, 30);
    counters.reduced("zstd", 4000, 300, 100, 200, 300);
    counters.frameEncoded();
    counters.adopted(7);
    counters.adopted(8);
    counters.adoptionFailed();
    counters.inflated(500);
    counters.inflated(600);
    counters.read();
    counters.decoded(50, 5);
    counters.decoded(60, 6);
    counters.frameCacheHit();
    counters.corruptBlock();
    counters.skipped(SkipReason.LINKED);
    Map<String, Long> values = counters.values();
    assertThat(values)
        .containsEntry("blocksReduced", 3L)
        .containsEntry("bytesReducedLogical", 7000L)
        .containsEntry("bytesReducedPhysical", 600L)
        .containsEntry("encodeNanos", 111L)
        .containsEntry("verifyNanos", 222L)
        .containsEntry("forceNanos", 333L)
        .containsEntry("framesEncoded", 1L)
        .containsEntry("blocksAdopted", 2L)
        .containsEntry("framesAdopted", 15L)
        .containsEntry("adoptionsFailed", 1L)
        .containsEntry("blocksInflated", 2L)
        .containsEntry("bytesInflated", 1100L)
        .containsEntry("reads", 1L)
        .containsEntry("framesDecoded", 2L)
        .containsEntry("bytesDecoded", 110L)
        .containsEntry("decodeNanos", 11L)
        .containsEntry("frameCacheHits", 1L)
        .containsEntry("corruptBlocks", 1L)
        .containsEntry("skippedLinked", 1L)
        .containsEntry("skippedSmall", 0L)
        .hasSize(18 + SkipReason.values().length);
    assertThat(counters.byChain()).containsOnlyKeys("lz4", "zstd");
    assertThat(counters.byChain().get("lz4").blocks()).isEqualTo(2);
    assertThat(counters.byChain().get("lz4").logicalBytes()).isEqualTo(3000);
    assertThat(counters.byChain().get("lz4").physicalBytes()).isEqualTo(300);
  }
}
