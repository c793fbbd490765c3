/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.store.BaseMetadataStoreTestCase;
import io.hdrf.spi.store.MetadataStoreProvider;
import java.util.List;
import java.util.Map;

class EmbeddedStoreTest extends BaseMetadataStoreTestCase {

  @Override
  protected MetadataStoreProvider provider() {
    return new EmbeddedStoreProvider();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of("hdrf.metadata.embedded.memory", List.of("7m", "2g", "-1", "much"));
  }
}
