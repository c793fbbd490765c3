/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVisitor;
import java.lang.reflect.Proxy;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** Checks of a store that must not be trusted. */
class RecordCheckTest {

  private static final BlockInventory NO_BLOCKS =
      new BlockInventory() {
        @Override
        public void forEach(LongConsumer ids) {}

        @Override
        public BlockRecord look(long blockId, int reason) {
          return null;
        }
      };

  /** A store that never runs out of keys. */
  private static MetadataStore endless(LongFunction<byte[]> keys) {
    return (MetadataStore)
        Proxy.newProxyInstance(
            MetadataStore.class.getClassLoader(),
            new Class<?>[] {MetadataStore.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("scan");
              StoreVisitor visitor = (StoreVisitor) arguments[2];
              long shown = 0;
              while (visitor.visit(keys.apply(shown), new byte[1])) {
                shown++;
                assertThat(shown).isLessThan(2L * RecordCheck.MAX_STRANGERS);
              }
              return null;
            });
  }

  private static void assertDamaged(LongFunction<byte[]> keys, String how) {
    RecordCheck check =
        new RecordCheck(endless(keys), NO_BLOCKS, true, () -> false, (done, total) -> {});
    assertThatThrownBy(check::run)
        .isInstanceOf(StoreCorruptException.class)
        .hasMessageContaining(how);
  }

  @Test
  void keysThatAStoreInventsAreNotAllTakenIntoMemory() {
    byte[] noKey = new byte[3];
    assertDamaged(number -> noKey, "rebuild-metadata");
    assertDamaged(BlockRecord::key, "rebuild-metadata");
  }

  /** They could not even be deleted. */
  @Test
  void keysThatNoStoreMayHaveAreDamage() {
    for (int length : new int[] {0, MetadataStore.MAX_KEY_LENGTH + 1}) {
      assertDamaged(number -> new byte[length], "a key of " + length + " bytes");
    }
  }
}
