/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.scheme.BaseSchemeTestCase;
import io.hdrf.scheme.ReductionScheme;

class RunSchemeTest extends BaseSchemeTestCase {
  @Override
  protected ReductionScheme scheme() {
    return new RunScheme();
  }
}
