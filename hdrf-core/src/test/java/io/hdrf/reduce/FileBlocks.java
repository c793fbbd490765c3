/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockReads;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.util.DataChecksum;

/** Blocks in a directory, with checksums, as a DataNode would own them. Thread-safe. */
final class FileBlocks implements BlockOwner {

  static final String POOL = "BP-1-127.0.0.1-1";

  private final Path directory;
  private final Path temporary;
  private final ChainCodec codec;
  private final TagKey key = new TagKey(new byte[TagKey.LENGTH]);
  private final AtomicInteger sequence = new AtomicInteger();

  final AtomicInteger ioErrors = new AtomicInteger();
  final AtomicInteger mismatches = new AtomicInteger();
  final Map<BlockRef, SkipReason> skips = new ConcurrentHashMap<>();

  static final long GENERATION = 1001;

  /** The frames that came with blocks; not closed. */
  final Map<BlockRef, EncodedBlock> encoded = new ConcurrentHashMap<>();

  /** Blocks whose chain differs from the others'. */
  final Map<BlockRef, ChainCodec> otherCodecs = new ConcurrentHashMap<>();

  /** Blocks that the owner expects under another chain than they have when opened. */
  final Map<BlockRef, SchemeChain> expectedChains = new ConcurrentHashMap<>();

  /** The operations on blocks, in order. */
  final List<String> events = new CopyOnWriteArrayList<>();

  volatile BlockSkippedException unwanted;
  volatile IOException recordFailure;
  volatile RuntimeException chainFailure;
  volatile boolean unchanged = true;
  volatile IOException swapFailure;
  volatile Runnable onSwap = () -> {};
  volatile IOException openFailure;

  FileBlocks(Path directory, ChainCodec codec) throws IOException {
    this.directory = directory;
    this.temporary = Files.createDirectories(directory.resolve("tmp"));
    this.codec = codec;
  }

  BlockRef write(long id, byte[] data, DataChecksum.Type type) throws IOException {
    Files.write(file(id), data);
    DataChecksum checksum = DataChecksum.newDataChecksum(type, 512);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(1);
      checksum.writeHeader(out);
      byte[] sums = new byte[(data.length + 511) / 512 * checksum.getChecksumSize()];
      checksum.calculateChunkedSums(data, 0, data.length, sums, 0);
      out.write(sums);
    }
    Files.write(metaFile(id), bytes.toByteArray());
    return new BlockRef(POOL, id);
  }

  Path file(long id) {
    return directory.resolve("blk_" + id);
  }

  Path metaFile(long id) {
    return directory.resolve("blk_" + id + "_1001.meta");
  }

  boolean isReduced(long id) throws IOException {
    return BlockHeader.hasMagic(ByteBuffer.wrap(Files.readAllBytes(file(id))));
  }

  byte[] decoded(long id) throws IOException {
    try (ReducedBlock block =
        ReducedBlock.open(file(id), ChannelFile.open(file(id)), new BlockRef(POOL, id), key)) {
      byte[] data = new byte[(int) block.logicalLength()];
      BlockReads.read(block, 0, ByteBuffer.wrap(data), codec);
      return data;
    }
  }

  List<Path> leftovers() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.toList();
    }
  }

  @Override
  public PlainBlock open(BlockRef block) throws IOException {
    if (openFailure != null) {
      throw openFailure;
    }
    return new FileBlock(block.blockId());
  }

  @Override
  public SchemeChain chainOf(BlockRef block) {
    if (chainFailure != null) {
      throw chainFailure;
    }
    SchemeChain expected = expectedChains.get(block);
    return expected != null ? expected : otherCodecs.getOrDefault(block, codec).chain();
  }

  @Override
  public void skipped(BlockRef block, SkipReason reason) {
    skips.put(block, reason);
  }

  @Override
  public void onIoError(BlockRef block, IOException error) {
    ioErrors.incrementAndGet();
  }

  private final class FileBlock implements PlainBlock {
    private final long id;
    private final long length;
    private final Path reduced;

    FileBlock(long id) throws IOException {
      this.id = id;
      this.length = Files.exists(file(id)) ? Files.size(file(id)) : 1 << 20;
      this.reduced = temporary.resolve(id + "." + sequence.incrementAndGet());
    }

    @Override
    public BlockRef identity() {
      return new BlockRef(POOL, id);
    }

    @Override
    public long generationStamp() {
      return GENERATION;
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public Path dataFile() {
      return file(id);
    }

    @Override
    public Path metaFile() {
      return FileBlocks.this.metaFile(id);
    }

    @Override
    public Path temporaryFile() {
      return reduced;
    }

    @Override
    public TagKey tagKey() {
      return key;
    }

    @Override
    public ChainCodec codec() {
      return otherCodecs.getOrDefault(new BlockRef(POOL, id), codec);
    }

    @Override
    public EncodedBlock encoded() {
      return encoded.get(new BlockRef(POOL, id));
    }

    @Override
    public void checkWanted() throws BlockSkippedException {
      if (unwanted != null) {
        throw unwanted;
      }
    }

    @Override
    public void recordSchemes() throws IOException {
      if (recordFailure != null) {
        throw recordFailure;
      }
      events.add("schemes");
    }

    @Override
    public void swap(Path replacement, long physicalLength) throws IOException {
      if (swapFailure != null) {
        throw swapFailure;
      }
      onSwap.run();
      LocalDurableFiles.INSTANCE.rename(replacement, file(id));
      events.add("swap " + physicalLength);
    }

    @Override
    public void reportMismatch() {
      mismatches.incrementAndGet();
    }

    @Override
    public boolean isUnchanged() {
      return unchanged;
    }

    @Override
    public void close() {}
  }
}
