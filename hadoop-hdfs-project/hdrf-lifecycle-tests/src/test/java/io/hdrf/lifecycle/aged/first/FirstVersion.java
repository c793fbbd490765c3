/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle.aged.first;

import io.hdrf.lifecycle.aged.AgedScheme;

/** Version 1. */
public final class FirstVersion extends AgedScheme {
  public FirstVersion() {
    super(1);
  }
}
