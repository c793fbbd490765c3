/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.ReducedBlock;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.scheme.PluginJars;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;

/** A MiniDFSCluster under HDRF, seen from below: replicas, files, volumes. */
final class RuleCluster implements AutoCloseable {

  private final MiniDFSCluster cluster;

  private RuleCluster(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  static RuleCluster start(Configuration conf, int datanodes, int volumes) throws IOException {
    return start(conf, builder -> builder.numDataNodes(datanodes).storagesPerDatanode(volumes));
  }

  static RuleCluster start(Configuration conf, Consumer<MiniDFSCluster.Builder> customizer)
      throws IOException {
    File directory = Files.createTempDirectory(testData(), "cluster").toFile();
    MiniDFSCluster.Builder builder = new MiniDFSCluster.Builder(conf, directory);
    customizer.accept(builder);
    MiniDFSCluster cluster = builder.build();
    cluster.waitActive();
    return new RuleCluster(cluster);
  }

  static Path testData() throws IOException {
    Path target = Paths.get(System.getProperty("test.build.data", "target/test-data"));
    return Files.createDirectories(target);
  }

  /** A new plug-in directory with the jar of lz4 and one with these schemes, of one package. */
  @SafeVarargs
  @SuppressWarnings("varargs") // the array is only read
  static Path plugins(Class<? extends ReductionScheme>... schemes) throws IOException {
    Path plugins = Files.createTempDirectory(testData(), "plugins");
    try (Stream<Path> jars = Files.list(Paths.get(System.getProperty("hdrf.test.plugins")))) {
      for (Path jar : jars.toList()) {
        Files.copy(jar, plugins.resolve(jar.getFileName()));
      }
    }
    if (schemes.length > 0) {
      PluginJars.of(plugins, schemes);
    }
    return plugins;
  }

  static Configuration configuration(Path plugins, String chain) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, plugins.toString());
    conf.set(HdrfKeys.SCHEMES, chain);
    return conf;
  }

  MiniDFSCluster mini() {
    return cluster;
  }

  DistributedFileSystem fs() throws IOException {
    return cluster.getFileSystem();
  }

  String pool() {
    return cluster.getNamesystem().getBlockPoolId();
  }

  DataNode datanode(int index) {
    return cluster.getDataNodes().get(index);
  }

  FsDatasetSpi<?> dataset(int index) {
    return datanode(index).getFSDataset();
  }

  HdrfService service(int index) {
    return HdrfDatasets.service(datanode(index));
  }

  void write(String path, byte[] data, int replication) throws IOException {
    try (FSDataOutputStream out =
        fs().create(new org.apache.hadoop.fs.Path(path), (short) replication)) {
      out.write(data);
    }
  }

  void append(String path, byte[] data) throws IOException {
    try (FSDataOutputStream out = fs().append(new org.apache.hadoop.fs.Path(path))) {
      out.write(data);
    }
  }

  byte[] read(String path) throws IOException {
    try (FSDataInputStream in = fs().open(new org.apache.hadoop.fs.Path(path))) {
      return in.readAllBytes();
    }
  }

  List<LocatedBlock> blocks(String path) throws IOException {
    return DFSTestUtil.getAllBlocks(fs(), new org.apache.hadoop.fs.Path(path));
  }

  /** A file's first block. */
  ExtendedBlock block(String path) throws IOException {
    return blocks(path).get(0).getBlock();
  }

  /** The replica as the DataNode has it, or null. */
  @SuppressWarnings("deprecation")
  ReplicaInfo replica(int datanode, ExtendedBlock block) {
    return (ReplicaInfo) dataset(datanode).getReplica(block.getBlockPoolId(), block.getBlockId());
  }

  /** The file of a replica. */
  File file(int datanode, ExtendedBlock block) {
    return new File(replica(datanode, block).getBlockURI());
  }

  boolean isReduced(int datanode, ExtendedBlock block) {
    ReplicaInfo replica = replica(datanode, block);
    return replica != null && HdrfCluster.isReduced(new File(replica.getBlockURI()));
  }

  void awaitReduced(int datanode, ExtendedBlock block) throws InterruptedException {
    HdrfCluster.await(block + " to be reduced", () -> isReduced(datanode, block));
    awaitIdle();
  }

  /** Waits until the first DataNodes holding a file's blocks have reduced all of them. */
  void awaitReduced(String path) throws Exception {
    for (LocatedBlock located : blocks(path)) {
      for (int datanode = 0; datanode < cluster.getDataNodes().size(); datanode++) {
        if (replica(datanode, located.getBlock()) != null) {
          int index = datanode;
          HdrfCluster.await(located + " to be reduced", () -> isReduced(index, located.getBlock()));
        }
      }
    }
    awaitIdle();
  }

  void awaitIdle() throws InterruptedException {
    for (int i = 0; i < cluster.getDataNodes().size(); i++) {
      HdrfService service = service(i);
      HdrfCluster.await("the Reducer to be idle", () -> service.pending() == 0);
    }
  }

  /** All bytes of a replica, as the DataNode would send them. */
  byte[] replicaBytes(int datanode, ExtendedBlock block) throws IOException {
    try (InputStream in = dataset(datanode).getBlockInputStream(block, 0)) {
      return in.readAllBytes();
    }
  }

  List<FsVolumeImpl> volumes(int datanode) throws IOException {
    List<FsVolumeImpl> found = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences references = dataset(datanode).getFsVolumeReferences()) {
      for (FsVolumeSpi volume : references) {
        found.add((FsVolumeImpl) volume);
      }
    }
    return found;
  }

  FsVolumeImpl volume(int datanode, ExtendedBlock block) {
    return (FsVolumeImpl) replica(datanode, block).getVolume();
  }

  static Path poolDirectory(FsVolumeSpi volume, String pool) {
    return new File(volume.getBaseURI()).toPath().resolve("current").resolve(pool);
  }

  Path hdrfDirectory(FsVolumeSpi volume) {
    return poolDirectory(volume, pool()).resolve("hdrf");
  }

  /** What du would add up for the volume's finalized blocks, without rounding. */
  long physicalBytes(FsVolumeSpi volume) throws IOException {
    Path finalized = poolDirectory(volume, pool()).resolve("current").resolve("finalized");
    while (true) {
      long sum = 0;
      try (Stream<Path> files = Files.walk(finalized)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          sum += physicalLength(file.toFile());
        }
        return sum;
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e;
        }
        // A file was deleted during the walk: once more.
      }
    }
  }

  static long physicalLength(File file) throws IOException {
    if (!Block.isBlockFilename(file) || !HdrfCluster.isReduced(file)) {
      return file.length();
    }
    try (ReducedBlock block =
        ReducedBlock.openUntrusted(file.toPath(), ChannelFile.open(file.toPath()))) {
      return block.physicalLength();
    }
  }

  /** Fails with the place of the first difference, and not with megabytes. */
  static void assertSame(String what, byte[] found, byte[] expected) {
    int difference = Arrays.mismatch(found, expected);
    if (difference >= 0) {
      throw new AssertionError(
          what
              + ": "
              + found.length
              + " of "
              + expected.length
              + " bytes, differ at "
              + difference);
    }
  }

  /** How many descriptors of this process are open on files below a directory. */
  static long openFiles(String... parts) throws IOException {
    long count = 0;
    try (Stream<Path> descriptors = Files.list(Paths.get("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          String name = Files.readSymbolicLink(descriptor).toString();
          if (Stream.of(parts).allMatch(name::contains)) {
            count++;
          }
        } catch (IOException e) {
          continue; // closed meanwhile, as the listing's own descriptor is
        }
      }
    }
    return count;
  }

  @Override
  public void close() {
    cluster.shutdown(true);
  }
}
