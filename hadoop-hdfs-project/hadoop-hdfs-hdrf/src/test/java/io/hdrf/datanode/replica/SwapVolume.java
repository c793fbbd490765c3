/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.OneBlockDataNode;
import io.hdrf.datanode.volume.DirectoryVolume;
import io.hdrf.datanode.volume.IoTimes;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;

/**
 * A volume with one finalized block and the classes that swap and open its file, assembled by hand
 * so that a test can intervene. Only the dataset and its volume are simulated; they record calls.
 */
final class SwapVolume extends DirectoryVolume implements AutoCloseable {

  static final String POOL = OneBlockDataNode.POOL;
  static final BlockRef BLOCK = new BlockRef(POOL, OneBlockDataNode.BLOCK);
  static final long STAMP = OneBlockDataNode.STAMP;

  final byte[] data;
  final HookedScheme scheme = new HookedScheme("hooked", 65100, Integer.MAX_VALUE);
  final SchemeRegistry registry = SchemeRegistry.of(List.of(scheme));
  final ReducerCounters counters = new ReducerCounters();
  final Set<BlockRef> cached = new HashSet<>();
  final DelayedTasks later = new DelayedTasks();
  final PoolSlices volumes;
  final BlockOpener opener;
  final DatasetAccess dataset;
  final DurableFiles files;
  final Replicas replicas;
  final Inflater inflater;
  final BlockRecords records;

  /** The operations on the volume and its files, in order. */
  final List<String> events = new ArrayList<>();

  StorageType storageType = StorageType.DISK;
  boolean isTransient;
  boolean leaves;
  long available = 1L << 40;
  int references;
  long reserved;
  long used;
  ReplicaInfo current;
  private int lockDepth;
  private boolean lookedUnderLock;

  SwapVolume(Path directory, byte[] data) throws IOException {
    super("DS-1", directory);
    this.data = data;
    OneBlockDataNode.format(directory, data);
    files = new Watched();
    Configuration conf = new Configuration(false);
    conf.set(HdrfKeys.SCHEMES, scheme.name());
    HdrfConf hdrf = new HdrfConf(conf);
    volumes =
        new PoolSlices(
            hdrf,
            registry,
            Map.of(StorageType.DISK, SchemeChain.parse("chain", scheme.name(), registry)),
            LocalDurableFiles.INSTANCE,
            MemoryBudget.unlimited(),
            (volume, pool, bytes) -> {},
            (volume, pool) -> (file, blockId, why) -> {});
    volumes.open(this, POOL);
    opener = new BlockOpener(volumes, counters, new IoTimes(conf, List::of));
    dataset = dataset();
    records = new BlockRecords(hdrf, files);
    replicas = new Replicas(dataset, files, records);
    inflater = new Inflater(replicas, opener, counters);
    current = finalized(data.length);
  }

  /** The block's replica, of a length that may be a wrong one. */
  FinalizedReplica finalized(long length) {
    return new FinalizedReplica(
        BLOCK.blockId(), length, STAMP, this, blockFile().getParent().toFile());
  }

  Path blockFile() {
    return OneBlockDataNode.blockFile(directory);
  }

  Path metaFile() {
    return OneBlockDataNode.metaFile(directory);
  }

  /** HDRF's part of the volume, for a look. */
  PoolSlice poolSlice() {
    return volumes.find(getStorageID(), POOL);
  }

  ReplicaSnapshot snapshot() throws IOException {
    return ReplicaSnapshot.of(BLOCK, current);
  }

  /** Opens the block as the Reducer has it opened. */
  FinalizedPlainBlock openPlain(EncodedBlock encoded) throws IOException {
    FsVolumeReference reference = obtainReference();
    reserveSpaceForReplica(data.length);
    return new FinalizedPlainBlock(
        snapshot(), encoded, volumes.use(this, POOL), reference, replicas, later);
  }

  /** Writes the block's reduced form to its temporary file, and returns how long it is. */
  long encode(PlainBlock block) throws IOException {
    return encode(block, data);
  }

  private static long encode(PlainBlock block, byte[] content) throws IOException {
    ChainCodec codec = block.codec();
    ByteBuffer rest = ByteBuffer.wrap(content);
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE,
            block.temporaryFile(),
            block.identity(),
            content.length,
            codec.chain().ids(),
            block.tagKey(),
            content.length)) {
      codec.encode(
          content.length,
          dst -> {
            int count = Math.min(dst.remaining(), rest.remaining());
            dst.put(rest.slice().limit(count));
            rest.position(rest.position() + count);
            return count;
          },
          writer);
      return writer.finish();
    }
  }

  /** Has the block reduced, and returns how long its file's used part is. */
  long reduce() throws IOException {
    return reduce(data);
  }

  /** Like the other one, with a file of another, unverified content. */
  long reduce(byte[] content) throws IOException {
    try (FinalizedPlainBlock block = openPlain(null)) {
      block.recordSchemes();
      long length = encode(block, content);
      block.swap(block.temporaryFile(), length);
      return length;
    } finally {
      events.clear();
      used = 0;
    }
  }

  /** Whether the block's file begins like a reduced one. */
  boolean isReduced() throws IOException {
    return BlockHeader.hasMagic(ByteBuffer.wrap(Files.readAllBytes(blockFile())));
  }

  /** Names of unfinished files. */
  List<String> temporaries() throws IOException {
    try (Stream<Path> names = Files.list(poolSlice().directory().resolve("tmp"))) {
      return names.map(name -> name.getFileName().toString()).toList();
    }
  }

  /** Whether nobody uses HDRF's part of the volume any more; takes it out of service. */
  boolean isUnusedAfterClose() {
    PoolSlice volume = poolSlice();
    volumes.closeAll();
    return !volume.beginUse();
  }

  @Override
  public void close() throws IOException {
    later.close();
    records.close();
    volumes.closeAll();
  }

  @Override
  public FsVolumeReference obtainReference() throws ClosedChannelException {
    if (leaves) {
      throw new ClosedChannelException();
    }
    references++;
    return super.obtainReference();
  }

  @Override
  protected void released() {
    references--;
  }

  @Override
  public long getAvailable() {
    return available;
  }

  @Override
  public void reserveSpaceForReplica(long bytes) {
    reserved += bytes;
  }

  @Override
  public void releaseReservedSpace(long bytes) {
    reserved -= bytes;
  }

  @Override
  public StorageType getStorageType() {
    return storageType;
  }

  @Override
  public boolean isTransientStorage() {
    return isTransient;
  }

  private DatasetAccess dataset() {
    return (DatasetAccess)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DatasetAccess.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "lock":
                  require(arguments[0] == this && arguments[1].equals(POOL), "its own lock");
                  lockDepth++;
                  lookedUnderLock = false;
                  return (Hold) () -> lockDepth--;
                case "replica":
                  lookedUnderLock = lockDepth == 1;
                  return arguments[0].equals(BLOCK) ? current : null;
                case "adjustUsed":
                  require(lockDepth == 1, "the dataset lock is held");
                  used += (long) arguments[2];
                  break;
                case "revokeDescriptors":
                  require(lockDepth == 0, "the dataset lock is free");
                  break;
                case "isCached":
                  return cached.contains(new BlockRef((String) arguments[0], (long) arguments[1]));
                case "handleDamaged":
                  events.add("damaged " + arguments[2]);
                  return null;
                case "reportDamaged":
                  events.add("reported " + arguments[2]);
                  return null;
                default:
                  throw new AssertionError(method);
              }
              events.add(method.getName());
              return null;
            });
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError("not so: " + what);
    }
  }

  /** The local files; keeps what is made durable or gets another name. */
  private final class Watched extends ForwardingFiles {
    Watched() {
      super(LocalDurableFiles.INSTANCE);
    }

    @Override
    public DurableFile create(Path file) throws IOException {
      return new ForwardingFile(super.create(file)) {
        @Override
        public void force() throws IOException {
          super.force();
          events.add("force");
        }
      };
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      require(lockDepth == 1, "the dataset lock is held");
      require(lookedUnderLock, "the replica was looked up under the lock");
      super.rename(from, to);
      events.add(replicas.locks().isEmpty() ? "rename" : "rename under the block lock");
    }

    @Override
    public void forceDirectory(Path forced) throws IOException {
      super.forceDirectory(forced);
      events.add("force " + forced.getFileName());
    }
  }
}
