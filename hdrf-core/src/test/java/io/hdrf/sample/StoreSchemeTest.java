/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.scheme.BaseSchemeTestCase;
import io.hdrf.scheme.ReductionScheme;

class StoreSchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new StoreScheme();
  }
}
