/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;

/**
 * Reduces every block, whatever its content and length, to a few bytes: the content goes to a file
 * of the scheme's store, which is never deleted. For tests that need reduced blocks.
 */
public final class StoreScheme implements BlockScheme {

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "store";
  }

  @Override
  public int id() {
    return 65000;
  }

  @Override
  public boolean keepsContentInStore() {
    return true;
  }

  @Override
  public boolean framesPassTail() {
    return false;
  }

  @Override
  public BlockCodec open(SchemeContext context) throws IOException {
    return new StoreCodec(context);
  }
}
