/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.QuietListener;
import io.hdrf.wire.WireChains;
import io.hdrf.wire.WireInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The output of the receiving side.
 *
 * @param bytes those of HDFS's protocol
 * @param packets how many there are
 * @param frames the data's length of each frame
 * @param chains the first scheme of each frame
 */
record ReceivedBytes(byte[] bytes, int packets, List<Integer> frames, List<Integer> chains) {

  static ReceivedBytes of(byte[] wire, WireChains wireChains) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<Integer> frames = new ArrayList<>();
    List<Integer> chains = new ArrayList<>();
    int[] packets = new int[1];
    WireInput.Listener listener =
        new QuietListener() {
          @Override
          public void packet(int dataLength, ByteBuffer head, boolean summed) {
            packets[0]++;
          }

          @Override
          public void frame(
              int[] chainIds,
              int originalLength,
              int stages,
              ByteBuffer stored,
              ByteBuffer decoded) {
            frames.add(originalLength);
            chains.add(chainIds[0]);
          }
        };
    try (WireInput in = new WireInput(new ByteArrayInputStream(wire), wireChains, listener)) {
      byte[] piece = new byte[1000];
      for (int count = in.read(piece, 0, 1000); count >= 0; count = in.read(piece, 0, 1000)) {
        bytes.write(piece, 0, count);
      }
    }
    return new ReceivedBytes(bytes.toByteArray(), packets[0], frames, chains);
  }
}
