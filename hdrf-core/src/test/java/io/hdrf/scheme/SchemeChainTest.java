/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.plugin.PluginLoadException;
import io.hdrf.sample.BZip2Scheme;
import io.hdrf.sample.DeflateScheme;
import io.hdrf.sample.DeltaScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.sample.StoreScheme;
import io.hdrf.sample.WholeBlockScheme;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemeChainTest {

  private static final String KEY = "hdrf.schemes.ARCHIVE";

  private final SchemeRegistry registry =
      registry(
          new DeflateScheme(),
          new BZip2Scheme(),
          new DeltaScheme(),
          new RunScheme(),
          new StoreScheme(),
          new WholeBlockScheme(),
          new TrimScheme(0),
          new TrimScheme(1),
          new TrimScheme(2));

  private static SchemeRegistry registry(ReductionScheme... schemes) {
    try {
      return SchemeRegistry.of(List.of(schemes));
    } catch (PluginLoadException e) {
      throw new AssertionError(e);
    }
  }

  private SchemeChain parse(String value) throws IOException {
    return SchemeChain.parse(KEY, value, registry);
  }

  @Test
  void readsNamesInOrder() throws IOException {
    SchemeChain chain = parse(" store , deflate,\n bzip2 ");
    assertThat(chain).hasToString("store,deflate,bzip2");
    assertThat(chain.ids()).containsExactly(65000, 65001, 65002);
    assertThat(chain.schemes())
        .extracting(ReductionScheme::name)
        .containsExactly("store", "deflate", "bzip2");
    assertThat(chain.isEmpty()).isFalse();
    assertThat(chain).isEqualTo(SchemeChain.ofIds(chain.ids(), registry));
    assertThat(chain).hasSameHashCodeAs(parse("store,deflate,bzip2")).isNotEqualTo(parse("store"));
    assertThat(parse("trim0,trim1,trim2,deflate").ids()).hasSize(4);
  }

  @Test
  void noneIsNoReduction() throws IOException {
    for (String value : new String[] {null, "", "  ", "none", " none "}) {
      assertThat(parse(value).isEmpty()).isTrue();
      assertThat(parse(value)).hasToString("none");
      assertThat(parse(value).keepsContentInStore()).isFalse();
    }
  }

  @Test
  void tellsWhatItsSchemesTell() throws IOException {
    assertThat(parse("store,deflate").keepsContentInStore()).isTrue();
    assertThat(parse("run,deflate").keepsContentInStore()).isFalse();
  }

  @Test
  void whatCannotBeAChainIsABadSetting() {
    String[] wrong = {
      "deflate,deflate",
      "deflate,store",
      "store,run",
      "deflate,",
      ",deflate",
      "deflate,,bzip2",
      "none,deflate",
      "trim0,trim1,trim2,deflate,bzip2"
    };
    for (String value : wrong) {
      assertThatThrownBy(() -> parse(value))
          .as(value)
          .isInstanceOf(BadSettingException.class)
          .hasMessageStartingWith(KEY + " is \"" + value + "\", but must be up to 4 different");
    }
  }

  /** It would only take time. */
  @Test
  void aSchemeThatKeepsTheLengthIsNotTheLast() throws IOException {
    for (String value : new String[] {"delta", " delta", "deflate,delta", "store,delta"}) {
      assertThatThrownBy(() -> parse(value))
          .as(value)
          .isInstanceOf(BadSettingException.class)
          .hasMessageStartingWith(
              KEY + " is \"" + value + "\", but must be a chain with a scheme behind \"delta\"")
          .hasMessageEndingWith("as in \"delta,zstd\"");
    }
    for (String value :
        new String[] {"delta,deflate", "store,delta,deflate", "bzip2,delta,trim0"}) {
      assertThat(parse(value)).hasToString(value);
      assertThat(SchemeChain.ofIds(parse(value).ids(), registry)).isEqualTo(parse(value));
    }
    assertThatThrownBy(() -> SchemeChain.ofIds(new int[] {65005}, registry))
        .isInstanceOf(CorruptFrameException.class);
  }

  @Test
  void aSchemeThatIsNotInstalledIsNamedWithTheKey() {
    for (String value : new String[] {"zstd", "deflate,zstd", "deflate,zstd,deflate"}) {
      assertThatThrownBy(() -> parse(value))
          .isInstanceOf(SchemeNotFoundException.class)
          .hasMessageStartingWith(KEY + " is \"" + value + "\", but there is no scheme \"zstd\"")
          .hasMessageContaining("deflate (id 65001)");
    }
  }

  @Test
  void idsOfNoChain() {
    assertThatThrownBy(() -> SchemeChain.ofIds(new int[] {65001, 65001}, registry))
        .isInstanceOf(CorruptFrameException.class);
    assertThatThrownBy(() -> SchemeChain.ofIds(new int[] {65001, 2}, registry))
        .isInstanceOf(SchemeNotFoundException.class)
        .hasMessageContaining("id 2");
  }
}
