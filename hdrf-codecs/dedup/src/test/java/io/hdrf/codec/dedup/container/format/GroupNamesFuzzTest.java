/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.nio.ByteBuffer;

/**
 * Reads any bytes as the names of a group. Runs on the kept inputs; with {@code JAZZER_FUZZ=1}, it
 * looks for new ones.
 */
class GroupNamesFuzzTest {

  /** Any bytes are refused, or name chunks that may be in one group. */
  @FuzzTest(maxDuration = "10s")
  void anyBytes(byte[] bytes) {
    GroupNames names;
    try {
      names = GroupNames.parse(ByteBuffer.wrap(bytes));
    } catch (CorruptFrameException e) {
      return;
    }
    int start = 0;
    for (int end : names.ends()) {
      if (end <= start) {
        throw new AssertionError("a chunk from " + start + " to " + end);
      }
      start = end;
    }
    if (start != names.length()
        || !GroupNames.mayTravel(names.count(), names.length())
        || names.fingerprints().length != names.count() * Fingerprinter.LENGTH) {
      throw new AssertionError(names.count() + " chunks of " + names.length() + " bytes");
    }
  }
}
