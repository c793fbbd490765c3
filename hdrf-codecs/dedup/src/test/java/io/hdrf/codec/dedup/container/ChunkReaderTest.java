/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ReadableFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChunkReaderTest {

  private static final int[] CHAIN = {1};

  /** Keeps the ranges that were asked for, as {@code position+length}. */
  private static final class Asked implements ReadableFile {
    private final List<String> ranges = new ArrayList<>();

    @Override
    public int read(ByteBuffer dst, long position) {
      throw new AssertionError("nothing is to be read");
    }

    @Override
    public boolean prefetch(long position, long length) {
      ranges.add(position + "+" + length);
      return true;
    }

    @Override
    public long length() {
      return 10_000;
    }

    @Override
    public void close() {}
  }

  private final Asked file = new Asked();
  private final GroupCache cache = new GroupCache(1 << 20);
  private final ChunkReader reader =
      new ChunkReader(cache, new Quarantine(), Chunks::fingerprint, null, Chunks.settings());

  /** Groups of two chunks with even numbers, a thousand bytes apart. */
  private LoadedContainer container() {
    DirectoryBuilder builder = new DirectoryBuilder();
    for (int i = 0; i < 10; i++) {
      builder.addChunk(2 * i, 100, i, new byte[Fingerprinter.LENGTH], 0);
      if (i % 2 == 1) {
        builder.endGroup(1000L * i, 50, 120, 1);
      }
    }
    ContainerDirectory directory = builder.build();
    ContainerHeader header = new ContainerHeader(7, 0, CHAIN, 0, 0);
    return new LoadedContainer(Path.of("7.container"), header, file, () -> directory, ids -> null);
  }

  @Test
  void groupsAreAskedForFromTheFirstToTheLast() {
    LoadedContainer container = container();
    assertThat(reader.prefetch(container, 0, 1)).isTrue();
    assertThat(reader.prefetch(container, 6, 5)).isTrue();
    assertThat(file.ranges).containsExactly("1000+170", "3000+2170");
  }

  @Test
  void aDecodedGroupKeepsNothingOfOthersInMemory() {
    LoadedContainer container = container();
    int[] crcs = {17, 18};
    GroupHeader ofDirectory = container.directory().header(1, crcs);
    GroupCache.DecodedGroup cached =
        cache.put(container, 1, ofDirectory, BufferPool.shared().take(200));
    GroupHeader kept = cached.header();
    // A copy, as a change shows that there would be none otherwise.
    crcs[1] = 0;
    assertThat(kept.checksum(1)).isEqualTo(18);
    for (int i = 0; i < 2; i++) {
      assertThat(kept.number(i)).isEqualTo(ofDirectory.number(i));
      assertThat(kept.indexOf(ofDirectory.number(i))).isEqualTo(i);
      assertThat(kept.chunkLength(i)).isEqualTo(ofDirectory.chunkLength(i));
    }
    assertThat(kept.lastNumber()).isEqualTo(ofDirectory.lastNumber());
    assertThat(kept.lengthOf(0, 2)).isEqualTo(ofDirectory.lengthOf(0, 2));
    cache.release(cached);
    cache.clear();
  }

  @Test
  void whatIsNotThereOrDecodedAlreadyIsNotAskedFor() {
    LoadedContainer container = container();
    assertThat(reader.prefetch(container, 20, 1)).isFalse();
    ByteBuffer decoded = BufferPool.shared().take(200);
    cache.release(cache.put(container, 1, container.directory().header(1), decoded));
    assertThat(reader.prefetch(container, 4, 1)).isFalse();
    assertThat(file.ranges).isEmpty();
    assertThat(reader.prefetch(container, 2, 3)).isTrue();
  }
}
