/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockReads;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ChecksumVerifier;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.StoredBlocks;
import io.hdrf.block.TagKey;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.FaultyFiles;
import io.hdrf.io.WatchedPath;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.Volume;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.Prefetch;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.SpoolFile;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjLongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;

/**
 * A block pool on a volume: HDRF's own classes, and simulations of stock HDFS and the overlay. For
 * many threads.
 */
final class PoolOnVolume implements Closeable, VolumeServices {

  /** Files count as unchanged after a tenth of a second in the place of ten. */
  private static final long SOONER_MILLIS = 9_900;

  private static final Pattern BLOCK_FILE = Pattern.compile("blk_(\\d+)");
  private static final int STAMP = 1001;

  private final FaultyFiles files;
  private final CrashableFiles disk;
  private final String poolId;
  private final long volumeId;
  private final MetadataStore store;
  private final SchemeRegistry registry;
  private final Configuration configuration;
  private final String chain;
  private final MemoryBudget memory;
  private final ObjLongConsumer<PoolOnVolume> suspected;
  private final Elsewhere elsewhere;
  private final Path directory;
  private final Path finalized;
  private final Path hdrf;
  private final Path temporary;
  private final TagKey key;
  private final AtomicInteger sequence = new AtomicInteger();
  private Volume volume;
  private ChainCodec codec;

  /**
   * @param directory of the pool on the volume; made if it is missing
   * @param disk the disk below {@code files}
   * @param suspected gets blocks that collections want to have examined
   * @param elsewhere looks for chunks beyond this volume
   */
  PoolOnVolume(
      Path directory,
      String poolId,
      long volumeId,
      FaultyFiles files,
      CrashableFiles disk,
      MetadataStore store,
      SchemeRegistry registry,
      Configuration configuration,
      String chain,
      MemoryBudget memory,
      ObjLongConsumer<PoolOnVolume> suspected,
      Elsewhere elsewhere) {
    this.directory = files.path(directory);
    this.poolId = poolId;
    this.volumeId = volumeId;
    this.files = files;
    this.disk = disk;
    this.store = store;
    this.registry = registry;
    this.configuration = configuration;
    this.chain = chain;
    this.memory = memory;
    this.suspected = suspected;
    this.elsewhere = elsewhere;
    this.finalized = this.directory.resolve("current").resolve("finalized");
    this.hdrf = this.directory.resolve("hdrf");
    this.temporary = hdrf.resolve("tmp");
    byte[] secret = new byte[TagKey.LENGTH];
    secret[0] = (byte) volumeId;
    this.key = new TagKey(secret);
  }

  /** Opens the store, like a starting DataNode. */
  void open() throws IOException {
    files.createDirectories(finalized);
    files.createDirectories(temporary);
    for (Path left : list(temporary)) {
      files.deleteIfExists(left);
    }
    volume = new Volume(registry, configuration, hdrf, files, this);
    codec = volume.codec(SchemeChain.parse("hdrf.schemes", chain, registry));
  }

  private static List<Path> list(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(found::add);
    }
    return found;
  }

  String poolId() {
    return poolId;
  }

  ChainCodec codec() {
    return codec;
  }

  boolean deduplicates() {
    return codec.chain().keepsContentInStore();
  }

  BlockCodec dedup() {
    return volume.blockCodecs().get("dedup");
  }

  /** Returns the name of the thread that keeps the index. */
  String keeperName() {
    return "hdrf-dedup-index-" + hdrf.resolve("dedup");
  }

  Path file(long id) {
    return finalized.resolve("blk_" + id);
  }

  private Path metaFile(long id) {
    return finalized.resolve("blk_" + id + "_" + STAMP + ".meta");
  }

  /** The blocks that have a file. */
  Set<Long> blockIds() throws IOException {
    Set<Long> ids = new TreeSet<>();
    for (Path file : list(finalized)) {
      Matcher name = BLOCK_FILE.matcher(file.getFileName().toString());
      if (name.matches()) {
        ids.add(Long.parseLong(name.group(1)));
      }
    }
    return ids;
  }

  /** The sealed containers. */
  Set<Long> sealedContainers() throws IOException {
    Set<Long> ids = new TreeSet<>();
    for (Path file : containerFiles(".hdc")) {
      ids.add(Long.parseLong(file.getFileName().toString().substring(0, 12), 16));
    }
    return ids;
  }

  /** Returns the container files whose names end with the suffix; as real paths. */
  List<Path> containerFiles(String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    Path containers = hdrf.resolve("dedup").resolve("containers");
    if (Files.isDirectory(containers)) {
      for (Path file : list(containers)) {
        if (file.getFileName().toString().length() == 12 + suffix.length()
            && file.toString().endsWith(suffix)) {
          found.add(WatchedPath.real(file));
        }
      }
    }
    return found;
  }

  /** The containers that blocks refer to. */
  Set<Long> liveContainers() throws IOException {
    Set<Long> live = new TreeSet<>();
    payloads(dedupId())
        .forEach(
            (block, length, payload) ->
                Recipe.parse(payload, (container, first, count) -> live.add(container)));
    return live;
  }

  private int dedupId() throws IOException {
    return registry.byName("dedup").id();
  }

  /**
   * Puts a plain block in place, or overwrites one, as stock HDFS does. Takes no step: the power
   * can't fail in the middle.
   *
   * @param synced whether it is durable
   */
  void write(long id, byte[] data, boolean synced) throws IOException {
    put(WatchedPath.real(metaFile(id)), sums(data), synced);
    put(WatchedPath.real(file(id)), data, synced);
  }

  private void put(Path file, byte[] bytes, boolean synced) throws IOException {
    // Another inode, so that readers of the old one can continue.
    Files.deleteIfExists(file);
    Files.write(file, bytes);
    if (synced) {
      disk.importDurable(file);
    } else {
      disk.importUnsynced(file);
    }
  }

  private static byte[] sums(byte[] data) throws IOException {
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(1);
      checksum.writeHeader(out);
      byte[] sums = new byte[(data.length + 511) / 512 * checksum.getChecksumSize()];
      checksum.calculateChunkedSums(data, 0, data.length, sums, 0);
      out.write(sums);
    }
    return bytes.toByteArray();
  }

  /** Returns whether a block's checksums exist. */
  boolean hasChecksums(long id, byte[] data) throws IOException {
    Path meta = WatchedPath.real(metaFile(id));
    return Files.exists(meta) && Arrays.equals(Files.readAllBytes(meta), sums(data));
  }

  /** Deletes a block's files, as stock HDFS does: nothing is forced. */
  void delete(long id) throws IOException {
    files.deleteIfExists(file(id));
    files.deleteIfExists(metaFile(id));
  }

  void forceNames() throws IOException {
    files.forceDirectory(finalized);
  }

  boolean isReduced(long id) throws IOException {
    try (ChannelFile file = ChannelFile.open(file(id))) {
      return BlockProbe.examine(file(id), file, new BlockRef(poolId, id), key).kind()
          == BlockProbe.Kind.REDUCED;
    }
  }

  /** Returns a block's bytes, as a client gets them. */
  byte[] read(long id) throws IOException {
    BlockRef identity = new BlockRef(poolId, id);
    try (ChannelFile file = ChannelFile.open(file(id))) {
      BlockProbe probe = BlockProbe.examine(file(id), file, identity, key);
      byte[] data = new byte[(int) file.length()];
      if (probe.kind() != BlockProbe.Kind.REDUCED) {
        file.read(ByteBuffer.wrap(data), 0);
        return data;
      }
      ReducedBlock block = ReducedBlock.open(file(id), file, identity, key);
      ChainCodec stored = volume.codec(block.header().chainIds());
      BlockReads.read(block, 0, ByteBuffer.wrap(data), stored);
      return data;
    }
  }

  /**
   * Writes a block's data, decoded if need be, to a new file, durable and verified.
   *
   * @return false if the block is plain and {@code onlyReduced}
   */
  private boolean writePlain(long id, Path target, boolean onlyReduced) throws IOException {
    BlockRef identity = new BlockRef(poolId, id);
    try (ChannelFile file = ChannelFile.open(file(id));
        ChannelFile meta = ChannelFile.open(metaFile(id));
        BlockChecksums checksums = BlockChecksums.open(metaFile(id), meta)) {
      BlockProbe probe = BlockProbe.examine(file(id), file, identity, key);
      boolean reduced = probe.kind() == BlockProbe.Kind.REDUCED;
      if (!reduced && onlyReduced) {
        return false;
      }
      ReducedBlock block = reduced ? ReducedBlock.open(file(id), file, identity, key) : null;
      ChainCodec stored = reduced ? volume.codec(block.header().chainIds()) : null;
      ByteBuffer data = BufferPool.shared().take((int) file.length());
      try (DurableFile plain = files.create(target)) {
        plain.setLength(file.length());
        if (reduced) {
          BlockReads.read(block, 0, data, stored);
        } else {
          file.read(data, 0);
        }
        data.flip();
        ChecksumVerifier verifier = checksums.verifier();
        verifier.update(data);
        if (!verifier.finish().isOk()) {
          throw new IOException(file(id) + " does not match its checksums");
        }
        data.rewind();
        plain.write(data, 0);
        plain.force();
      } finally {
        BufferPool.shared().give(data);
      }
      return true;
    }
  }

  /**
   * Makes a block plain, as the overlay does before an append. The caller holds its lock.
   *
   * @return whether it was reduced; it is durable then
   */
  boolean inflate(long id) throws IOException {
    Path plain = newTemporary(id);
    boolean inPlace = false;
    try {
      if (writePlain(id, plain, true)) {
        files.copyMode(file(id), plain);
        files.rename(plain, file(id));
        inPlace = true;
      }
    } finally {
      if (!inPlace) {
        files.deleteIfExists(plain);
      }
    }
    if (inPlace) {
      forceNames();
    }
    return inPlace;
  }

  /** Copies a block to another volume of the pool; it is durable there on return. */
  void copyTo(PoolOnVolume other, long id, byte[] data) throws IOException {
    Path copy = other.newTemporary(id);
    boolean inPlace = false;
    try {
      writePlain(id, copy, false);
      files.call();
      other.put(WatchedPath.real(other.metaFile(id)), sums(data), true);
      files.rename(copy, other.file(id));
      inPlace = true;
      other.forceNames();
    } finally {
      if (!inPlace) {
        files.deleteIfExists(copy);
      }
    }
  }

  private Path newTemporary(long id) {
    return temporary.resolve(id + "." + sequence.incrementAndGet());
  }

  /** Returns a block's frames, as another DataNode sends them; long ones lie in a file. */
  EncodedBlock receive(long id, byte[] data) throws IOException {
    Path path = newTemporary(id);
    try (FrameSpool spool = new FrameSpool(STAMP, () -> SpoolFile.create(files, path))) {
      spool.packet(0, data.length);
      ByteBuffer rest = ByteBuffer.wrap(data);
      codec.encode(
          data.length,
          dst -> {
            int count = Math.min(dst.remaining(), rest.remaining());
            dst.put(rest.slice().limit(count));
            rest.position(rest.position() + count);
            return count == 0 ? -1 : count;
          },
          (length, stages, stored) -> {
            spool.frame(codec.chain().ids(), length, stages, stored);
            stored.position(stored.limit());
          });
      return spool.finish();
    }
  }

  /** The owner's view of a block that is being reduced. */
  interface Replica {
    /** Held while the file is replaced. */
    Closeable lock();

    /** Returns whether the block is unchanged. */
    boolean isUnchanged();

    long length();

    EncodedBlock encoded();

    /** Called when the block has another file, with the same data. */
    void replaced();

    /** Called at the end of the reduction, however it ended. */
    void closed();

    void mismatch();
  }

  PlainBlock plainBlock(BlockRef block, Replica replica) {
    long id = block.blockId();
    Path reduced = newTemporary(id);
    return new PlainBlock() {
      @Override
      public BlockRef identity() {
        return new BlockRef(poolId, id);
      }

      @Override
      public long generationStamp() {
        return STAMP;
      }

      @Override
      public long length() {
        return replica.length();
      }

      @Override
      public Path dataFile() {
        return file(id);
      }

      @Override
      public Path metaFile() {
        return PoolOnVolume.this.metaFile(id);
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
        return codec;
      }

      @Override
      public EncodedBlock encoded() {
        return replica.encoded();
      }

      @Override
      public void checkWanted() throws BlockSkippedException {
        if (!replica.isUnchanged()) {
          throw new BlockSkippedException(SkipReason.CHANGED, "it changed");
        }
      }

      @Override
      public void recordSchemes() {}

      @Override
      public void swap(Path replacement, long physicalLength) throws IOException {
        try (Closeable lock = replica.lock()) {
          files.copyMode(file(id), replacement);
          checkWanted();
          files.rename(replacement, file(id));
          replica.replaced();
        }
      }

      @Override
      public void reportMismatch() {
        replica.mismatch();
      }

      @Override
      public boolean isUnchanged() {
        return replica.isUnchanged();
      }

      @Override
      public void close() {
        replica.closed();
      }
    };
  }

  @Override
  public long volumeId() {
    return volumeId;
  }

  @Override
  public MetadataStore metadata() {
    return store;
  }

  @Override
  public MemoryBudget memory() {
    return memory;
  }

  @Override
  public ChunkLookup newLookupElsewhere(String scheme) {
    return (names, ends, count, found, dst) -> elsewhere.find(this, names, ends, count, found, dst);
  }

  /** As {@link ChunkLookup}, for all places. */
  interface Elsewhere {
    void find(PoolOnVolume place, byte[] names, int[] ends, int count, BitSet found, ByteBuffer dst)
        throws IOException;
  }

  private final class Listener implements StoredBlocks.UnreadableListener {
    @Override
    public void unreadable(Path file, long blockId, IOException why) {}

    @Override
    public void damaged(long blockId, StoredBlocks.FileCheck check, IOException why) {
      suspected.accept(PoolOnVolume.this, blockId);
    }
  }

  /** The chunks that a block refers to; none if it is plain. */
  void references(long id, Recipe.RunVisitor visitor) throws IOException {
    BlockRef identity = new BlockRef(poolId, id);
    Path path = WatchedPath.real(file(id));
    try (ChannelFile file = ChannelFile.open(path)) {
      if (BlockProbe.examine(path, file, identity, key).kind() != BlockProbe.Kind.REDUCED) {
        return;
      }
      ReducedBlock block = ReducedBlock.open(path, file, identity, key);
      ChainCodec stored = volume.codec(block.header().chainIds());
      for (int frame = 0; frame < block.frames().frameCount(); frame++) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(block.frames().storedLength(frame));
        block.readStored(frame, bytes);
        bytes.flip();
        stored.addTo(
            new Prefetch() {
              @Override
              public void add(ByteBuffer payload) throws IOException {
                Recipe.parse(payload, visitor);
              }

              @Override
              public void start() {}
            },
            block.frames().stages(frame),
            bytes,
            block.frames().originalLength(frame));
      }
    }
  }

  /** A container's file, relative to the root of all volumes. */
  String containerName(long id) {
    Path real = WatchedPath.real(directory);
    Path file = real.resolve("hdrf/dedup/containers").resolve(String.format("%012x.hdc", id));
    return real.getParent().getParent().relativize(file).toString();
  }

  @Override
  public StoredPayloads payloads(int schemeId) {
    return new StoredBlocks(
            directory, hdrf, poolId, key, (path, file) -> true, files, new Listener())
        .payloads(schemeId, () -> System.currentTimeMillis() + SOONER_MILLIS);
  }

  @Override
  public void close() throws IOException {
    if (volume != null) {
      volume.close();
    }
  }

  @Override
  public String toString() {
    return directory.getParent().getFileName() + "/" + directory.getFileName();
  }
}
