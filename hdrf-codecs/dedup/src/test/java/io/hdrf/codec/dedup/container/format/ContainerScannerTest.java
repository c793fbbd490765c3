/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.Chunks;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.io.InMemory;
import io.hdrf.jni.Crc32c;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the groups found in damaged files with those that were not damaged. */
class ContainerScannerTest {

  private static final int SECTOR = 4 << 10;
  private static final int WINDOW = 1 << 20;
  private static final String DISK_ERROR = "Input/output error";

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("container scanner");
  private Path file;
  private ContainerHeader header;
  private ContainerDirectory content;

  /** The header and all groups, one behind the other. */
  private byte[] bytes;

  private void fill(FrameChain tail, int groupSize, int chunks) throws IOException {
    Path dir = scratch.resolve("containers");
    try (ContainerStore store =
        ContainerStore.open(
            dir,
            LocalDurableFiles.INSTANCE,
            Chunks.settings().containerSize(1 << 20).groupSize(groupSize),
            ids -> tail,
            Chunks::fingerprint)) {
      try (ChunkAppender appender = store.appender(tail)) {
        for (int i = 0; i < chunks; i++) {
          Chunks.append(appender, Chunks.chunk(i, 100 + i));
        }
      }
      assertThat(store.sealIdle(0)).isTrue();
    }
    file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
    try (ChannelFile opened = ChannelFile.open(file)) {
      header = ContainerHeader.read(file, opened);
      content = ContainerFooter.read(file, opened).readDirectory(file, opened);
    }
    int end = (int) content.groupEnd(content.groupCount() - 1);
    bytes = Arrays.copyOf(Files.readAllBytes(file), end);
    assertThat(content.groupPosition(0)).isEqualTo(ContainerHeader.LENGTH);
    assertThat(content.groupCount()).isGreaterThan(4);
  }

  /** A file with an unreadable part. */
  private static final class Disk implements ReadableFile {
    private final byte[] bytes;
    private final long badStart;
    private final long badEnd;

    Disk(byte[] bytes, long badStart, long badEnd) {
      this.bytes = bytes;
      this.badStart = badStart;
      this.badEnd = badEnd;
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      int count = (int) Math.max(0, Math.min(dst.remaining(), bytes.length - position));
      if (position < badEnd && position + count > badStart) {
        throw new IOException(DISK_ERROR);
      }
      dst.put(bytes, (int) Math.min(position, bytes.length), count);
      return count;
    }

    @Override
    public long length() {
      return bytes.length;
    }

    @Override
    public void close() {}
  }

  private ContainerScanner scan(byte[] damaged) throws IOException {
    return scan(new Disk(damaged, 0, 0), Chunks.DEFLATE);
  }

  private ContainerScanner scan(ReadableFile disk, FrameChain chain) throws IOException {
    ContainerScanner scanner =
        new ContainerScanner(file, disk, header, chain, Chunks::fingerprint, disk.length());
    scanner.scan();
    return scanner;
  }

  /**
   * What was found must be all groups but those that are lost.
   *
   * @param from the first group that lies elsewhere than before
   * @param shift how much further behind it and all others lie
   */
  private void assertFound(ContainerScanner scanner, BitSet lost, int from, long shift) {
    ContainerDirectory found = scanner.directory();
    long end = ContainerHeader.LENGTH;
    int index = 0;
    int group = 0;
    for (int g = 0; g < content.groupCount(); g++) {
      if (lost.get(g)) {
        continue;
      }
      long moved = g >= from ? shift : 0;
      assertThat(found.groupPosition(group)).isEqualTo(content.groupPosition(g) + moved);
      assertThat(found.headerLength(group)).isEqualTo(content.headerLength(g));
      assertThat(found.storedLength(group)).isEqualTo(content.storedLength(g));
      assertThat(found.stages(group)).isEqualTo(content.stages(g));
      assertThat(found.firstChunk(group)).isEqualTo(index);
      for (int i = content.firstChunk(g); i < content.endChunk(g); i++) {
        byte[] fingerprint = new byte[Fingerprinter.LENGTH];
        content.fingerprint(i, fingerprint, 0);
        assertThat(found.number(index)).isEqualTo(content.number(i));
        assertThat(found.length(index)).isEqualTo(content.length(i));
        byte[] chunk = Chunks.chunk(content.number(i), content.length(i));
        assertThat(found.checksum(index)).isEqualTo(Crc32c.update(0, ByteBuffer.wrap(chunk)));
        assertThat(found.hasFingerprint(index, fingerprint, 0)).isTrue();
        index++;
      }
      group++;
      end = content.groupEnd(g) + moved;
    }
    assertThat(found.groupCount()).isEqualTo(group);
    assertThat(found.chunkCount()).isEqualTo(index);
    assertThat(scanner.endOfGroups()).isEqualTo(end);
  }

  private static BitSet lost(int... groups) {
    BitSet lost = new BitSet();
    for (int group : groups) {
      lost.set(group);
    }
    return lost;
  }

  private int groupAt(int position) {
    int group = 0;
    while (content.groupEnd(group) <= position) {
      group++;
    }
    return group;
  }

  /** In a header at the end it looks like a torn write. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWrongByteCostsItsGroupAlone(boolean encoded) throws IOException {
    fill(encoded ? Chunks.DEFLATE : Chunks.PLAIN, 600, 24);
    assertFound(scan(bytes), lost(), 0, 0);
    assertThat(scan(bytes).hasDamage()).isFalse();
    for (int position = ContainerHeader.LENGTH; position < bytes.length; position++) {
      byte[] damaged = bytes.clone();
      damaged[position] ^= (byte) (1 << random.nextInt(8));
      int group = groupAt(position);
      boolean inHeader = position < content.groupPosition(group) + content.headerLength(group);
      ContainerScanner scanner = scan(damaged);
      assertFound(scanner, lost(group), 0, 0);
      assertThat(scanner.hasDamage())
          .as("byte %s of group %s", position, group)
          .isEqualTo(!inHeader || group + 1 < content.groupCount());
      assertThat(scanner.hasUnreadable()).isFalse();
      assertThat(scanner.undecodable()).isNull();
    }
  }

  @Test
  void aFileThatWasCutOffHoldsTheGroupsBeforeTheCut() throws IOException {
    fill(Chunks.DEFLATE, 600, 24);
    for (int length = ContainerHeader.LENGTH; length < bytes.length; length++) {
      BitSet lost = new BitSet();
      lost.set(groupAt(length), content.groupCount());
      ContainerScanner scanner = scan(Arrays.copyOf(bytes, length));
      assertFound(scanner, lost, 0, 0);
      assertThat(scanner.hasDamage()).isFalse();
      assertThat(scanner.hasUnreadable()).isFalse();
    }
  }

  private byte[] insert(int position, int length) {
    byte[] longer = new byte[bytes.length + length];
    byte[] garbage = new byte[length];
    random.nextBytes(garbage);
    System.arraycopy(bytes, 0, longer, 0, position);
    System.arraycopy(garbage, 0, longer, position, length);
    System.arraycopy(bytes, position, longer, position + length, bytes.length - position);
    return longer;
  }

  /** Also where the next group begins at the end of what is searched at once. */
  @Test
  void groupsAreFoundBehindWhatIsNone() throws IOException {
    fill(Chunks.DEFLATE, 600, 24);
    for (int n = 0; n < 100; n++) {
      int length = n < 50 ? 1 + n : WINDOW - 75 + n;
      ContainerScanner scanner = scan(insert((int) content.groupPosition(2), length));
      assertFound(scanner, lost(), 2, length);
      assertThat(scanner.hasDamage()).isTrue();
      assertThat(scanner.undecodable()).isNull();
    }
    for (int length = 1; length < 100; length++) {
      ContainerScanner scanner = scan(insert(bytes.length, length));
      assertFound(scanner, lost(), 0, 0);
      assertThat(scanner.hasDamage()).isFalse();
    }
  }

  /** Of an earlier use of the disk's sectors, say. */
  @Test
  void aGroupWithEarlierNumbersDoesNotCount() throws IOException {
    fill(Chunks.DEFLATE, 600, 24);
    byte[] twice = insert(bytes.length, content.groupLength(1));
    System.arraycopy(
        bytes, (int) content.groupPosition(1), twice, bytes.length, content.groupLength(1));
    ContainerScanner scanner = scan(twice);
    assertFound(scanner, lost(), 0, 0);
    assertThat(scanner.hasDamage()).isFalse();
  }

  @Test
  void badSectorsCostTheGroupsThatTheyTouch() throws IOException {
    fill(Chunks.PLAIN, 3000, 300);
    assertThat(bytes.length).isGreaterThan(15 * SECTOR);
    for (int start = 0; start < bytes.length; start += SECTOR) {
      int end = start + SECTOR * (1 + random.nextInt(3));
      BitSet lost = new BitSet();
      for (int g = 0; g < content.groupCount(); g++) {
        if (content.groupPosition(g) < end && content.groupEnd(g) > start) {
          lost.set(g);
        }
      }
      ContainerScanner scanner = scan(new Disk(bytes, start, end), Chunks.PLAIN);
      assertFound(scanner, lost, 0, 0);
      assertThat(scanner.hasUnreadable()).isTrue();
      assertThat(scanner.readError()).hasMessage(DISK_ERROR);
    }
  }

  /** Returns a Deflate chain that fails for frames of that original length, or always. */
  private static FrameChain failing(int originalLength) throws IOException {
    return chain(failing(Chunks.DEFLATE_ID, originalLength));
  }

  private static HookedScheme failing(int id, int originalLength) {
    HookedScheme scheme = new HookedScheme("deflate", id, 1);
    scheme.afterDecode =
        frame -> {
          if (originalLength < 0 || frame.remaining() == originalLength) {
            throw new CorruptFrameException("as the test wants it");
          }
        };
    return scheme;
  }

  private static FrameChain chain(FrameScheme... schemes) throws IOException {
    return FrameChain.of(List.of(schemes), new Configuration(false));
  }

  /** Makes no frame of an odd length shorter. */
  private static final class EvenScheme extends HookedScheme {
    EvenScheme(int id) {
      super("even", id, 1);
    }

    @Override
    public FrameCodec newCodec(PluginSettings settings) {
      FrameCodec deflate = super.newCodec(settings);
      return new FrameCodec() {
        @Override
        public int maxEncodedLength(int length) {
          return deflate.maxEncodedLength(length);
        }

        @Override
        public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
          if (src.remaining() % 2 == 0) {
            deflate.encode(src, dst);
          } else {
            dst.put(src).put((byte) 0);
          }
        }

        @Override
        public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
          deflate.decode(src, dst);
        }
      };
    }
  }

  /** The library of one may be broken: all DataNodes that have it would report what they hold. */
  @Test
  void whereOneOfTwoSchemesDecodesNothingItFails() throws IOException {
    FrameScheme second = new HookedScheme("deflate", Chunks.DEFLATE_ID, 1);
    int first = Chunks.DEFLATE_ID + 1;
    fill(chain(new EvenScheme(first), second), 600, 24);
    assertThat(IntStream.range(0, content.groupCount()).map(content::stages)).contains(1, 2);
    ContainerScanner scanner = scan(new Disk(bytes, 0, 0), chain(failing(first, -1), second));
    assertThat(scanner.directory().chunkCount()).isPositive();
    assertThat(scanner.undecodable()).hasMessageContaining("whole, but can't be decoded");
  }

  /** No disk damages all groups and leaves their CRCs right. */
  @Test
  void whereNothingCanBeDecodedTheSchemeFails() throws IOException {
    fill(Chunks.DEFLATE, 600, 24);
    ContainerScanner scanner = scan(new Disk(bytes, 0, 0), failing(-1));
    assertThat(scanner.undecodable()).hasMessageContaining("whole, but can't be decoded");
    assertThat(scanner.directory().chunkCount()).isZero();
    for (int group : new int[] {0, 2, content.groupCount() - 1}) {
      scanner = scan(new Disk(bytes, 0, 0), failing(content.originalLength(group)));
      assertFound(scanner, lost(group), 0, 0);
      assertThat(scanner.undecodable()).isNull();
      assertThat(scanner.hasDamage()).isTrue();
    }
  }

  @Test
  void allBuffersAreGivenBack() throws IOException {
    fill(Chunks.DEFLATE, 600, 24);
    byte[] damaged = insert((int) content.groupPosition(2), 100);
    damaged[(int) content.groupEnd(0) - 1] ^= 1;
    scan(damaged);
    long idle = BufferPool.shared().idleBytes();
    assertThat(idle).isPositive();
    scan(damaged);
    assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle);
  }
}
