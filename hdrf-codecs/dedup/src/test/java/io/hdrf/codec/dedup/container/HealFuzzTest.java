/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Containers of both versions, and such with differences, with damage anywhere are checked, healed
 * in part, repaired and compacted: what could be read before can be read behind, and nothing reads
 * as other bytes.
 */
class HealFuzzTest extends OneContainerTestCase {

  private static final int ROUNDS = Integer.getInteger("hdrf.heal.fuzz", 70);

  private final Random random = TestSeed.random("heal fuzz");

  /**
   * "v1", "v2", or "differences": every other chunk is one to the chunk before; "crashed": these
   * have no fingerprints, as the container was open when the process ended.
   */
  private String kind;

  private boolean isDifference(int number) {
    return hasDifferences() && number % 2 == 1;
  }

  private boolean hasDifferences() {
    return kind.equals("differences") || kind.equals("crashed");
  }

  private byte[] bytesOf(int number) {
    return Chunks.chunk(isDifference(number) ? number - 1 : number, 100 + number);
  }

  private void append(ChunkAppender appender, int number) throws IOException {
    byte[] chunk = bytesOf(number);
    if (isDifference(number)) {
      ByteBuffer delta = ByteBuffer.allocateDirect(chunk.length);
      assertThat(
              new ChunkDelta()
                  .encode(Chunks.direct(bytesOf(number - 1)), Chunks.direct(chunk), delta))
          .isTrue();
      ByteBuffer kept = ByteBuffer.allocateDirect(2 * chunk.length);
      DifferenceFormat.put(Chunks.direct(chunk), delta.flip(), kept);
      appender.appendDifference(
          Chunks.fingerprint(chunk), 0, kept.flip(), chunk.length, ChunkRef.pack(0, number - 1));
    } else {
      Chunks.append(appender, chunk);
    }
  }

  /** Returns the chunks that can be read, all of which have to be right. */
  private BitSet readable(ContainerStore store, String when) {
    BitSet readable = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      ByteBuffer bytes = ByteBuffer.allocateDirect(100 + i);
      try {
        store.read(0, i, 1, bytes);
      } catch (IOException e) {
        continue;
      }
      byte[] read = new byte[100 + i];
      bytes.flip();
      bytes.get(read);
      assertThat(read).as("chunk %d %s", i, when).isEqualTo(bytesOf(i));
      readable.set(i);
    }
    return readable;
  }

  @Test
  void nothingGetsWorse() throws IOException {
    int healed = 0;
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      for (String next : List.of("v1", "v2", "differences", "crashed")) {
        kind = next;
        byte[] written;
        try (ContainerStore store = open()) {
          try (ChunkAppender appender = store.appender(tail)) {
            for (int i = 0; i < CHUNKS; i++) {
              append(appender, i);
            }
            appender.force();
            written = Files.readAllBytes(ContainerNames.file(dir, 0, ContainerNames.OPEN));
          }
          store.sealIdle(0);
        }
        if (kind.equals("crashed")) {
          Files.delete(file);
          Files.write(ContainerNames.file(dir, 0, ContainerNames.OPEN), written);
          try (ContainerStore store = open()) {
            assertThat(store.directory(0).lacksFingerprints()).isTrue();
          }
        }
        if (kind.equals("v1")) {
          VersionOneFiles.replace(file);
        }
        byte[] good = Files.readAllBytes(file);
        for (int round = 0; round < ROUNDS; round++) {
          StringBuilder story = new StringBuilder(kind + " " + tail + ": ");
          byte[] bad = good.clone();
          for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(bad.length);
            bad[at] ^= (byte) (1 << random.nextInt(8));
            story.append(at).append(' ');
          }
          boolean before = random.nextBoolean();
          if (before) {
            Files.write(file, bad);
          }
          try (ContainerStore store = open()) {
            readable(store, story + "at first");
            Files.write(file, bad);
            healed += live(store, story) ? 1 : 0;
          } catch (IOException | RuntimeException e) {
            throw new AssertionError(story.toString(), e);
          }
          Files.write(file, good);
        }
        Files.delete(file);
      }
    }
    System.out.println(healed + " healed");
    assertThat(healed).isGreaterThan(ROUNDS);
  }

  private boolean live(ContainerStore store, StringBuilder story) throws IOException {
    store.check(0, Throttle.NONE);
    BitSet can = readable(store, story + "when checked");
    boolean healed = false;
    long now = 0;
    for (int step = 0; step < 4; step++) {
      int what = random.nextInt(4);
      if (what == 0) {
        story.append("mend ");
        store.mendHeaders(0);
        store.mend(now, Throttle.NONE);
        now += TimeUnit.HOURS.toNanos(1);
        store.mend(now, Throttle.NONE);
      } else if (what == 1) {
        CheckedContainer checked = store.check(0, Throttle.NONE);
        story.append("check: ").append(checked.damagedChunks()).append(' ');
      } else {
        healed |= heal(store, story, can);
      }
      BitSet now2 = readable(store, story.toString());
      BitSet lost = (BitSet) can.clone();
      lost.andNot(now2);
      assertThat(lost.isEmpty()).as(story + " lost " + lost).isTrue();
      can = now2;
    }
    return healed;
  }

  private boolean heal(ContainerStore store, StringBuilder story, BitSet can) throws IOException {
    BitSet damaged = store.damagedChunks(Throttle.NONE).getOrDefault(0L, new BitSet());
    boolean lossy;
    try {
      lossy = store.mayHaveMore(0);
    } catch (CorruptFrameException e) {
      return false;
    }
    if (lossy) {
      story.append("lossy ");
      return false;
    }
    ContainerDirectory content = store.directory(0);
    Replacements found = store.newReplacements(1 << 20);
    boolean all = random.nextBoolean();
    for (int n = damaged.nextSetBit(0); n >= 0; n = damaged.nextSetBit(n + 1)) {
      if (content.indexOf(n) >= 0 && (all || random.nextInt(4) > 0)) {
        found.offer(content, content.indexOf(n), Chunks.direct(bytesOf(n)));
      }
    }
    BitSet live = content.numbers();
    BitSet dead = new BitSet();
    if (random.nextInt(3) == 0) {
      // Nobody drops a base and keeps its difference.
      dead.set(random.nextInt(CHUNKS) | (hasDifferences() ? 1 : 0));
    }
    story.append("heal ").append(damaged).append(all ? " all" : " some").append(" without ");
    story.append(dead).append(' ');
    live.andNot(dead);
    store.compact(0, (directory, whole) -> live, found, Throttle.NONE);
    can.andNot(dead);
    // A chunk without a fingerprint can't be replaced.
    if (all && !content.lacksFingerprints()) {
      BitSet now = readable(store, story.toString());
      assertThat(now).as(story.toString()).isEqualTo(live);
    }
    return !damaged.isEmpty();
  }
}
