/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.metadata.BaseMetadataStoreTestCase;
import io.hdrf.metadata.MetadataStoreProvider;

class MapStoreTest extends BaseMetadataStoreTestCase {
  @Override
  protected MetadataStoreProvider provider() {
    return new MapStoreProvider();
  }
}
