/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The space of recipes when hardly any neighbouring chunks of a block lie beside each other. */
class RecipeOverheadTest {

  private static final int LENGTH = 8 << 20;
  private static final int VERSIONS = 30;
  private static final int EDITS = 128;
  private static final double LIMIT = 0.003;

  @TempDir Path directory;

  private final Random random = TestSeed.random("recipe overhead");
  private final Configuration conf = new Configuration(false);
  private final MetadataStore store = DedupVolume.newStore();

  /** Overwrites some bytes at positions spread over the whole block. */
  private void edit(byte[] block) {
    byte[] piece = new byte[20];
    for (int i = 0; i < EDITS; i++) {
      random.nextBytes(piece);
      System.arraycopy(piece, 0, block, random.nextInt(block.length - piece.length), piece.length);
    }
  }

  private static long bytes(List<StoredFrame> frames) {
    return frames.stream().mapToLong(frame -> frame.bytes().length).sum();
  }

  private static long runs(List<StoredFrame> frames) throws Exception {
    long[] runs = {0};
    for (StoredFrame frame : frames) {
      Recipe.parse(ByteBuffer.wrap(frame.bytes()), (container, first, count) -> runs[0]++);
    }
    return runs[0];
  }

  @Test
  void recipesOfFragmentedVersionsAreSmall() throws Exception {
    conf.set("hdrf.dedup.container.size", "256k");
    conf.set("hdrf.dedup.gc.interval", "0");
    byte[] version = new byte[LENGTH];
    random.nextBytes(version);
    try (DedupVolume volume =
        new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, "dedup", store)) {
      long touched = 0;
      long chunks = 0;
      for (int id = 0; id < VERSIONS; id++) {
        touched = volume.metric("containersTouched");
        chunks = volume.metric("chunksNew") + volume.metric("chunksFound");
        volume.put(id, version, random);
        volume.awaitIndexed();
        if (id < VERSIONS - 1) {
          edit(version);
        }
      }
      touched = volume.metric("containersTouched") - touched;
      chunks = volume.metric("chunksNew") + volume.metric("chunksFound") - chunks;
      long recipes = volume.metric("recipeBytes");
      List<StoredFrame> last = volume.blocks().get(VERSIONS - 1L);
      double all = (double) recipes / volume.metric("bytes");
      double ofLast = (double) bytes(last) / LENGTH;
      System.out.printf(
          Locale.ROOT,
          "recipes of %d versions: %.3f %% of logical bytes; of the last one, of %d chunks in %d"
              + " runs and %d containers: %.3f %%%n",
          VERSIONS,
          100 * all,
          chunks,
          runs(last),
          touched,
          100 * ofLast);
      assertThat(volume.blocks().values().stream().mapToLong(RecipeOverheadTest::bytes).sum())
          .isEqualTo(recipes);
      assertThat(volume.metric("bytes")).isEqualTo((long) VERSIONS * LENGTH);
      assertThat(volume.metric("bytesFound")).isGreaterThan(volume.metric("bytesNew"));
      assertThat(runs(last)).isGreaterThan(chunks / 2);
      assertThat(touched).isGreaterThan(50);
      assertThat(all).isLessThan(LIMIT);
      assertThat(ofLast).isLessThan(LIMIT);
      assertThat(volume.get(VERSIONS - 1, random)).isEqualTo(version);
    }
  }
}
