/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.reduce.HookedScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class WireChainsTest {

  @Test
  void onlyFramesThatEveryoneDecodesTravel() throws Exception {
    HookedScheme stays =
        new HookedScheme("stays", 65100, 1) {
          @Override
          public boolean framesTravel() {
            return false;
          }
        };
    SchemeRegistry registry =
        SchemeRegistry.of(List.of(stays, new HookedScheme("goes", 65101, 1), new RunScheme()));
    try (WireChains chains = new WireChains(registry, new Configuration(false))) {
      assertThat(chains.usable()).containsExactly(65101);
      assertThat(chains.get(new int[] {65101})).isNotNull();
      for (int id : new int[] {65100, 65004}) {
        assertThatThrownBy(() -> chains.get(new int[] {65101, id}))
            .isInstanceOf(CorruptWireException.class)
            .hasMessageContaining("can't travel");
      }
    }
    assertThat(WireChains.travels(SchemeChain.parse("chain", "goes", registry))).isTrue();
    assertThat(WireChains.travels(SchemeChain.parse("chain", "stays", registry))).isFalse();
    assertThat(WireChains.travels(SchemeChain.parse("chain", "run", registry))).isFalse();
    assertThat(WireChains.travels(SchemeChain.parse("chain", "goes,stays", registry))).isFalse();
  }

  /** As where the directory for its native library is mounted noexec. */
  @Test
  void noPeerIsInvitedToSendWhatCantBeDecodedHere() throws Exception {
    HookedScheme broken =
        new HookedScheme("broken", 65100, 1) {
          @Override
          public FrameCodec newCodec(PluginSettings settings) {
            // As lz4-java does.
            throw new AssertionError("no native library");
          }
        };
    SchemeRegistry registry =
        SchemeRegistry.of(List.of(broken, new HookedScheme("works", 65101, 1)));
    try (WireChains chains = new WireChains(registry, new Configuration(false))) {
      assertThat(chains.usable()).containsExactly(65101);
    }
  }

  @Test
  void aChainHasFromOneToTheMostSchemesAndEachOnce() throws Exception {
    List<HookedScheme> schemes =
        IntStream.rangeClosed(0, SchemeChain.MAX_LENGTH)
            .mapToObj(i -> new HookedScheme("s" + i, 65100 + i, 1))
            .toList();
    int[] ids = schemes.stream().mapToInt(HookedScheme::id).toArray();
    SchemeRegistry registry = SchemeRegistry.of(List.copyOf(schemes));
    try (WireChains chains = new WireChains(registry, new Configuration(false))) {
      int[] most = java.util.Arrays.copyOf(ids, SchemeChain.MAX_LENGTH);
      FrameChain chain = chains.get(most);
      assertThat(chains.get(most.clone())).isSameAs(chain);
      for (int[] wrong : new int[][] {{}, {65100, 65100}, ids}) {
        assertThatThrownBy(() -> chains.get(wrong)).isInstanceOf(CorruptWireException.class);
      }
      chains.close();
      assertThat(chains.get(most)).as("after its codecs were closed").isNotSameAs(chain);
    }
  }
}
