/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.nio.ByteBuffer;

/** Ignores events that every stream may have; refuses the others by default. */
public class QuietListener implements WireInput.Listener {

  @Override
  public void hello(Capabilities peer) {}

  @Override
  public void bytes(ByteBuffer bytes) {}

  @Override
  public void packet(int dataLength, ByteBuffer head, boolean summed) {}

  @Override
  public void frame(
      int[] chainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded) {}
}
