/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Look-ups of chunks for another DataNode. */
class StoreLookupTest {

  private static final int LENGTH = 300_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random("lookup");
  private final Configuration conf = new Configuration(false);
  private DedupVolume volume;
  private ChunkFunction function;

  @BeforeEach
  void open() throws Exception {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.group.size", "16k");
    conf.set("hdrf.dedup.container.size", "128k");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    MetadataStore store =
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool"));
    volume = new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, "dedup,deflate", store);
    function = new DedupScheme().chunkFunction(new PluginSettings(conf, "dedup"));
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private byte[] block() {
    byte[] block = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      block[i] = (byte) random.nextInt(16);
    }
    return block;
  }

  /** Asks for a block's chunks in batches, and returns how many were found. */
  private int find(ChunkLookup lookup, byte[] block) throws IOException {
    ByteBuffer data = ByteBuffer.allocateDirect(LENGTH).put(block).flip();
    int[] ends = new int[100];
    int total = 0;
    for (int count = function.cut(data, true, ends);
        data.hasRemaining();
        count = function.cut(data, true, ends)) {
      byte[] names = new byte[100 * 32];
      function.fingerprints(data, ends, count, names);
      BitSet found = new BitSet();
      ByteBuffer dst = ByteBuffer.allocateDirect(ends[count - 1] + 5);
      dst.position(5);
      lookup.find(names, ends, count, found, dst);
      assertThat(dst.position()).isEqualTo(5);
      for (int i = found.nextSetBit(0); i >= 0; i = found.nextSetBit(i + 1)) {
        int start = i == 0 ? 0 : ends[i - 1];
        byte[] copied = new byte[ends[i] - start];
        dst.duplicate().position(5 + start).get(copied);
        int at = data.position() + start;
        assertThat(copied).isEqualTo(Arrays.copyOfRange(block, at, at + copied.length));
      }
      total += found.cardinality();
      data.position(data.position() + ends[count - 1]);
    }
    return total;
  }

  private int chunks(byte[] block) {
    ByteBuffer data = ByteBuffer.allocateDirect(LENGTH).put(block).flip();
    return function.cut(data, true, new int[LENGTH]);
  }

  @Test
  void whatIsStoredIsFound() throws Exception {
    byte[] block = block();
    volume.put(1, block, random);
    volume.put(2, block(), random);
    try (ChunkLookup lookup = volume.dedup().newChunkLookup()) {
      assertThat(find(lookup, block)).isEqualTo(chunks(block));
      assertThat(find(lookup, block())).isZero();
      byte[] edited = block.clone();
      edited[LENGTH / 2] = 100;
      assertThat(find(lookup, edited)).isBetween(chunks(block) - 5, chunks(edited) - 1);
    }
  }

  /** Without the cache, only one chunk of eight has an entry. */
  @Test
  void theSampledIndexIsEnough() throws Exception {
    byte[] block = block();
    volume.put(1, block, random);
    volume.awaitIndexed();
    volume.restart();
    volume.awaitIndexed();
    try (ChunkLookup lookup = volume.dedup().newChunkLookup()) {
      assertThat(find(lookup, block)).isGreaterThan(chunks(block) * 9 / 10);
    }
  }

  @Test
  void whatIsKnownNeedNotBeLookedFor() throws Exception {
    byte[] block = block();
    volume.put(1, block, random);
    ByteBuffer data = ByteBuffer.allocateDirect(LENGTH).put(block).flip();
    int[] ends = new int[10];
    function.cut(data, true, ends);
    byte[] names = new byte[320];
    function.fingerprints(data, ends, 10, names);
    BitSet found = new BitSet();
    found.set(0, 10, true);
    found.clear(3);
    ByteBuffer dst = ByteBuffer.allocateDirect(ends[9]);
    try (ChunkLookup lookup = volume.dedup().newChunkLookup()) {
      lookup.find(names, ends, 10, found, dst);
    }
    assertThat(found.cardinality()).isEqualTo(10);
    byte[] all = new byte[ends[9]];
    dst.get(all);
    byte[] expected = new byte[ends[9]];
    System.arraycopy(block, ends[2], expected, ends[2], ends[3] - ends[2]);
    assertThat(all).isEqualTo(expected);
  }

  /** The asking side may lie about lengths. */
  @Test
  void aWrongLengthIsNotFound() throws Exception {
    byte[] block = block();
    volume.put(1, block, random);
    ByteBuffer data = ByteBuffer.allocateDirect(LENGTH).put(block).flip();
    int[] ends = new int[1];
    function.cut(data, true, ends);
    byte[] names = new byte[32];
    function.fingerprints(data, ends, 1, names);
    try (ChunkLookup lookup = volume.dedup().newChunkLookup()) {
      for (int wrong : new int[] {ends[0] - 1, ends[0] + 1, 1}) {
        BitSet found = new BitSet();
        lookup.find(names, new int[] {wrong}, 1, found, ByteBuffer.allocateDirect(LENGTH));
        assertThat(found.cardinality()).isZero();
      }
    }
  }

  @Test
  void aStoreThatIsLost() throws Exception {
    byte[] block = block();
    volume.put(1, block, random);
    try (ChunkLookup lookup = volume.dedup().newChunkLookup()) {
      find(lookup, block);
      List<Path> containers;
      try (Stream<Path> files = Files.walk(directory)) {
        containers =
            files
                .filter(file -> file.getParent().endsWith("containers"))
                .filter(Files::isRegularFile)
                .collect(Collectors.toList());
      }
      assertThat(containers).isNotEmpty();
      for (Path container : containers) {
        byte[] bytes = Files.readAllBytes(container);
        Arrays.fill(bytes, 64, bytes.length, (byte) 0);
        Files.write(container, bytes);
      }
      assertThat(find(lookup, block)).isLessThan(chunks(block));
    }
  }

  @Test
  void theDialectIsThatOfTheSettings() throws Exception {
    assertThat(function.dialect())
        .isEqualTo(new DedupScheme().chunkFunction(new PluginSettings(conf, "dedup")).dialect());
    conf.set("hdrf.dedup.chunk.size", "2k");
    assertThat(new DedupScheme().chunkFunction(new PluginSettings(conf, "dedup")).dialect())
        .isNotEqualTo(function.dialect());
    conf.set("hdrf.dedup.fingerprint", "sha1");
    assertThat(new DedupScheme().chunkFunction(new PluginSettings(conf, "dedup"))).isNull();
  }

  /** DataNodes send each other this number: it must not change by accident. */
  @Test
  void theDialectOfTheDefaultsStays() throws Exception {
    ChunkFunction defaults =
        new DedupScheme().chunkFunction(new PluginSettings(new Configuration(false), "dedup"));
    assertThat(defaults.maxChunkLength()).isEqualTo(20_480);
    assertThat(Long.toHexString(defaults.dialect())).isEqualTo(expectedDialect());
  }

  private static String expectedDialect() throws Exception {
    String name = "dedup, vhash of 2932 to 20480 bytes, 5120 on average, sha256";
    byte[] digest =
        java.security.MessageDigest.getInstance("SHA-256")
            .digest(name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return Long.toHexString(
        ByteBuffer.wrap(digest).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong());
  }
}
