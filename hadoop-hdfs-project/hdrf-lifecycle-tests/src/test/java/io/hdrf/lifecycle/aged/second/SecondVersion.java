/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle.aged.second;

import io.hdrf.lifecycle.aged.AgedScheme;

/** Version 2. */
public final class SecondVersion extends AgedScheme {
  public SecondVersion() {
    super(2);
  }
}
