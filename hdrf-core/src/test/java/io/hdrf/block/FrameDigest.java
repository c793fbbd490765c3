/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.ChannelFile;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The SHA-256 of a reduced block's stored frames, which contain no identity or key of a volume. */
public final class FrameDigest {

  private FrameDigest() {}

  /** In hexadecimal digits. */
  public static String of(Path replica) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
    try (ReducedBlock block = ReducedBlock.openUntrusted(replica, ChannelFile.open(replica))) {
      FrameTable frames = block.frames();
      for (int i = 0; i < frames.frameCount(); i++) {
        ByteBuffer stored = ByteBuffer.allocate(frames.storedLength(i));
        block.readStored(i, stored);
        stored.flip();
        digest.update(stored);
      }
    }
    return new BigInteger(1, digest.digest()).toString(16);
  }
}
