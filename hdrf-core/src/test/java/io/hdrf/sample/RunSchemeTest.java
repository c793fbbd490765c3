/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.ReductionScheme;

class RunSchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new RunScheme();
  }
}
