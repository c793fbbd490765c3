/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.VolumeInfo;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.ClusterException;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import picocli.CommandLine.Option;

/** Which DataNodes a command is about, and how it gets at them. */
final class RecordTarget {
  private static final String IPC_ADDRESS = "dfs.datanode.ipc.address";
  private static final String IPC_DEFAULT = "0.0.0.0:9867";
  private static final String DEFAULTS = "hdfs-default.xml";
  private static final String DATA_DIRECTORIES = "dfs.datanode.data.dir";

  @Option(
      names = "--datanode",
      paramLabel = "HOST:PORT",
      description = "IPC address of a running DataNode; may be given several times.")
  private List<String> addresses = List.of();

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description = {
        "Directory with core-site.xml and hdfs-site.xml. Without --datanode: those of the DataNode on"
            + " this host, which is asked if it runs; if not, its volumes are opened. Default, where"
            + " HDRF is installed in a Hadoop: that Hadoop's."
      })
  private Path configuration;

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = {
        "A cluster of 'hdrf cluster'. Default, without the options above: .hdrf/cluster in the home"
            + " directory."
      })
  private Path directory;

  /** A DataNode and one of its volumes, for people. */
  static String label(RecordSource source, VolumeInfo volume) {
    return source.name() + " " + volume.directory().replaceFirst("/current/BP-[^/]*/hdrf$", "");
  }

  private Path configurationDirectory() {
    return configuration != null || directory != null
        ? configuration
        : Home.installedConfiguration().orElse(null);
  }

  /** The DataNodes, to be closed by the caller. */
  List<RecordSource> open() throws IOException {
    Configuration conf = new Configuration();
    Path configuration = configurationDirectory();
    if (configuration != null) {
      addFiles(conf, configuration);
      Login.use(conf);
    }
    List<RecordSource> sources = new ArrayList<>();
    if (!addresses.isEmpty()) {
      for (String address : addresses) {
        sources.add(RunningDataNode.connect(NetUtils.createSocketAddr(address), conf));
      }
    } else if (configuration != null) {
      sources.add(local(conf));
    } else {
      addCluster(conf, sources);
    }
    return sources;
  }

  static void addFiles(Configuration conf, Path directory) throws IOException {
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      Path file = directory.resolve(name);
      if (!Files.isRegularFile(file)) {
        throw new IllegalArgumentException("No file " + file);
      }
      conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    }
  }

  private static RecordSource local(Configuration conf) throws IOException {
    InetSocketAddress address =
        NetUtils.getConnectAddress(
            NetUtils.createSocketAddr(conf.getTrimmed(IPC_ADDRESS, IPC_DEFAULT)));
    RunningDataNode running = RunningDataNode.connect(address, conf);
    try {
      running.volumes();
      return running;
    } catch (ConnectException e) {
      running.close();
      return new StoppedDataNode("DataNode on this host", conf, volumes(conf));
    }
  }

  /**
   * The directories of a DataNode on this host.
   *
   * @param files the directory with {@code core-site.xml} and {@code hdfs-site.xml}
   */
  static List<Path> localVolumes(Path files) throws IOException {
    Configuration conf = new Configuration();
    if (conf.getResource(DEFAULTS) != null) {
      conf.addResource(DEFAULTS);
    }
    addFiles(conf, files);
    return volumes(conf);
  }

  private static List<Path> volumes(Configuration conf) throws IOException {
    List<Path> volumes = new ArrayList<>();
    for (String location : conf.getTrimmedStrings(DATA_DIRECTORIES)) {
      String plain = location.replaceFirst("^\\[\\w+\\]", "");
      volumes.add(plain.startsWith("file:") ? Path.of(URI.create(plain)) : Path.of(plain));
    }
    if (volumes.isEmpty()) {
      throw new IOException(DATA_DIRECTORIES + " is not set");
    }
    return volumes;
  }

  private void addCluster(Configuration conf, List<RecordSource> sources) throws IOException {
    Path where =
        directory == null
            ? Path.of(System.getProperty("user.home"), ".hdrf", "cluster")
            : directory.toAbsolutePath().normalize();
    if (!ClusterConfig.exists(where)) {
      throw new ClusterException(
          "No cluster in " + where + "; give --datanode, --conf or --data-dir");
    }
    LocalCluster cluster = LocalCluster.open(where, Home.runtime());
    addFiles(conf, cluster.conf());
    for (DataNode dataNode : cluster.dataNodes()) {
      Configuration own = new Configuration(conf);
      cluster.config().dataNodeSite(dataNode.index()).forEach(own::set);
      sources.add(
          dataNode.isAlive()
              ? RunningDataNode.connect(dataNode.ipcAddress(), own)
              : new StoppedDataNode(dataNode.name(), own, dataNode.volumes()));
    }
  }
}
