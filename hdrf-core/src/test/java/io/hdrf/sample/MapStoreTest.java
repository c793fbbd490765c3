/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.store.BaseMetadataStoreTestCase;
import io.hdrf.spi.store.MetadataStoreProvider;

class MapStoreTest extends BaseMetadataStoreTestCase {
  @Override
  protected MetadataStoreProvider provider() {
    return new MapStoreProvider();
  }
}
