/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.metadata.BaseMetadataStoreTestCase;
import io.hdrf.metadata.MetadataStoreProvider;
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
