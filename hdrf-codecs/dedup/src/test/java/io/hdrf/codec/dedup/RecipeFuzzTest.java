/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads any bytes as a recipe. Runs on the kept inputs; with {@code JAZZER_FUZZ=1}, it looks for
 * new ones.
 */
class RecipeFuzzTest {

  /** The most chunks of a recipe that is written again. */
  private static final int MOST = 1 << 12;

  private static void checkRun(long container, int first, int count) {
    ChunkRef.pack(container, first);
    ChunkRef.pack(container, first + count - 1);
    check(count >= 1);
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new AssertionError();
    }
  }

  /** The chunks and bases of a recipe, or as many as are written again. */
  private static void read(ByteBuffer in, List<Long> chunks, Set<Long> bases) throws IOException {
    Recipe.parse(
        in,
        (container, first, count) -> {
          checkRun(container, first, count);
          for (int i = 0; i < count && chunks.size() <= MOST; i++) {
            chunks.add(ChunkRef.pack(container, first + i));
          }
        },
        (container, first, count) -> {
          checkRun(container, first, count);
          for (int i = 0; i < count && bases.size() <= MOST; i++) {
            bases.add(ChunkRef.pack(container, first + i));
          }
        });
  }

  /**
   * Any bytes are refused, or give runs that are in range, and the same ones when they are written
   * again.
   */
  @FuzzTest(maxDuration = "10s")
  void anyBytes(byte[] bytes) throws IOException {
    try {
      List<Long> chunks = new ArrayList<>();
      Set<Long> bases = new TreeSet<>();
      read(ByteBuffer.wrap(bytes), chunks, bases);
      if (chunks.size() <= MOST && bases.size() <= MOST) {
        Recipe recipe = new Recipe();
        chunks.forEach(ref -> recipe.add(ref, 1));
        bases.forEach(recipe::addBase);
        ByteBuffer out = ByteBuffer.allocate(recipe.maxLength());
        recipe.write(out);
        List<Long> sameChunks = new ArrayList<>();
        Set<Long> sameBases = new TreeSet<>();
        read(out.flip(), sameChunks, sameBases);
        check(sameChunks.equals(chunks) && sameBases.equals(bases));
      }
    } catch (CorruptFrameException e) {
      return;
    } catch (IOException e) {
      if (!isOfALaterVersion(bytes)) {
        throw e;
      }
    }
  }

  private static boolean isOfALaterVersion(byte[] bytes) {
    return (bytes[0] & 0xFF) > Recipe.VERSION;
  }
}
