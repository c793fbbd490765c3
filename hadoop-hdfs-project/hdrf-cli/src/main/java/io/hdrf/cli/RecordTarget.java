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
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import picocli.CommandLine.Option;

/** The DataNodes of a command, and the way to reach them. */
final class RecordTarget {
  private static final int MAX_TIMEOUT = 24 * 3600;
  private static final String IPC_ADDRESS = "dfs.datanode.ipc.address";
  private static final String IPC_DEFAULT = "0.0.0.0:9867";
  private static final String DEFAULTS = "hdfs-default.xml";
  private static final String DATA_DIRECTORIES = "dfs.datanode.data.dir";
  private static final String PROVIDED = "[PROVIDED]";

  @Option(
      names = "--datanode",
      paramLabel = "HOST:PORT",
      description = "IPC address of a running DataNode; may be given several times.")
  private List<String> addresses = List.of();

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description = {
        "Directory with core-site.xml and hdfs-site.xml. Without --datanode: those of the DataNode"
            + " on this host, which is asked if it runs; if not, its volumes are opened. Default,"
            + " where HDRF is installed in a Hadoop: that Hadoop's."
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

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "How long a DataNode may leave a question unanswered. Default: ${DEFAULT-VALUE}.")
  private int timeout;

  /** Returns the time-out of {@code --timeout}. */
  int timeoutMillis() {
    if (timeout < 1 || timeout > MAX_TIMEOUT) {
      throw new IllegalArgumentException(
          "--timeout is " + timeout + ", accepted is 1 to " + MAX_TIMEOUT);
    }
    return timeout * 1000;
  }

  /** Returns a DataNode and one of its volumes, for people. */
  static String label(RecordSource source, VolumeInfo volume) {
    return label(source.name(), volume.directory());
  }

  /**
   * As the method above.
   *
   * @param directory HDRF's directory of a pool on the volume
   */
  static String label(String dataNode, String directory) {
    return dataNode + " " + directory.replaceFirst("/current/BP-[^/]*/hdrf$", "");
  }

  /** The address of a DataNode. */
  record Address(String name, InetSocketAddress ipc, Configuration conf) {
    RunningDataNode connect(int timeoutMillis) throws IOException {
      return RunningDataNode.connect(ipc, conf, timeoutMillis);
    }
  }

  /**
   * Returns the named DataNodes, or else all that the NameNode knows.
   *
   * @param troubles receives those that the NameNode considers dead, and that should not be
   */
  List<Address> everywhere(Troubles troubles) throws IOException {
    List<Address> all = new ArrayList<>();
    if (!addresses.isEmpty()) {
      Configuration conf = new Configuration();
      Path files = configurationDirectory();
      if (files != null) {
        addFiles(conf, files);
        Login.use(conf);
      }
      for (String address : addresses) {
        all.add(new Address(address, NetUtils.createSocketAddr(address), conf));
      }
      return all;
    }
    Configuration conf = ofCluster();
    FileSystem fileSystem = FileSystem.get(conf);
    if (!(fileSystem instanceof DistributedFileSystem)) {
      throw new IOException(
          "fs.defaultFS is " + fileSystem.getUri() + ", but must be an HDFS; give --conf DIR");
    }
    DistributedFileSystem hdfs = (DistributedFileSystem) fileSystem;
    for (DatanodeInfo info : hdfs.getDataNodeStats(HdfsConstants.DatanodeReportType.LIVE)) {
      all.add(address(info, conf));
    }
    for (DatanodeInfo info : hdfs.getDataNodeStats(HdfsConstants.DatanodeReportType.DEAD)) {
      if (!info.isDecommissioned()) {
        troubles.add(address(info, conf).name() + " is dead for the NameNode");
      }
    }
    return all;
  }

  /**
   * Returns the configuration of the cluster, for which no DataNode may be named.
   *
   * @throws IllegalArgumentException if one is
   */
  Configuration ofCluster() throws IOException {
    if (!addresses.isEmpty()) {
      throw new IllegalArgumentException(
          "--datanode can't be given here: the NameNode tells which DataNodes to ask");
    }
    Path files = configurationDirectory();
    Configuration conf = new Configuration();
    addFiles(conf, files == null ? cluster().conf() : files);
    Login.use(conf);
    return conf;
  }

  /** Returns the address of a DataNode as the NameNode knows it. */
  static Address address(DatanodeInfo info, Configuration conf) {
    boolean byName =
        UserGroupInformation.isSecurityEnabled()
            || conf.getBoolean("dfs.client.use.datanode.hostname", false);
    // Not from one string, as a URI: a host's name may have an underscore, which theirs may not.
    return new Address(
        info.getHostName() + ":" + info.getIpcPort(),
        NetUtils.createSocketAddrForHost(
            byName ? info.getHostName() : info.getIpAddr(), info.getIpcPort()),
        conf);
  }

  private Path configurationDirectory() {
    return configuration != null || directory != null
        ? configuration
        : Home.installedConfiguration().orElse(null);
  }

  /** Opens the DataNodes; the caller closes them. */
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
        sources.add(
            RunningDataNode.connect(NetUtils.createSocketAddr(address), conf, timeoutMillis()));
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

  /** Work on one DataNode. */
  interface Action {

    /**
     * Does the work.
     *
     * @param troubles receives what can't be checked, so that the rest is
     * @return false if something was found that differs
     */
    boolean run(RecordSource source, Troubles troubles) throws IOException;
  }

  /**
   * Runs an action for each DataNode, one after the other; a failure does not stop the others.
   *
   * @return whether nothing differs
   */
  boolean each(Troubles troubles, Action action) throws IOException {
    boolean same = true;
    for (RecordSource source : open()) {
      boolean[] result = {true};
      troubles.attempt(
          source.name(),
          () -> {
            try (source) {
              result[0] = action.run(source, troubles);
            }
          });
      same &= result[0];
    }
    return same;
  }

  /** Returns whether no volume is missing; each missing one is a trouble. */
  static boolean isComplete(RecordSource source, Troubles troubles) throws IOException {
    List<String> leftOut = source.leftOut();
    leftOut.forEach(line -> troubles.add(source.name() + ": " + line));
    return leftOut.isEmpty();
  }

  /** Returns the volumes with records; each missing one is a trouble. */
  static List<VolumeInfo> volumes(RecordSource source, Troubles troubles) throws IOException {
    boolean complete = isComplete(source, troubles);
    List<VolumeInfo> volumes = source.volumes();
    if (volumes.isEmpty() && complete) {
      troubles.add(
          source.name()
              + ": there are no records: hdrf.metadata.store is none, or no pool with HDRF is in"
              + " service");
    }
    return volumes;
  }

  private RecordSource local(Configuration conf) throws IOException {
    InetSocketAddress address =
        NetUtils.getConnectAddress(
            NetUtils.createSocketAddr(conf.getTrimmed(IPC_ADDRESS, IPC_DEFAULT)));
    RunningDataNode running = RunningDataNode.connect(address, conf, timeoutMillis());
    try {
      running.volumes();
      return running;
    } catch (SocketTimeoutException e) {
      running.close();
      throw e;
    } catch (ConnectException e) {
      running.close();
      return new StoppedDataNode("DataNode on this host", conf, volumes(conf));
    }
  }

  /**
   * Returns the directories of a DataNode on this host.
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
      if (location.regionMatches(true, 0, PROVIDED, 0, PROVIDED.length())) {
        continue; // no directory of this host
      }
      String plain = location.replaceFirst("^\\[\\w+\\]", "");
      volumes.add(plain.startsWith("file:") ? Path.of(URI.create(plain)) : Path.of(plain));
    }
    if (volumes.isEmpty()) {
      throw new IOException(DATA_DIRECTORIES + " is not set");
    }
    return volumes;
  }

  private LocalCluster cluster() throws IOException {
    Path where = (directory == null ? Home.cluster() : directory).toAbsolutePath().normalize();
    if (!ClusterConfig.exists(where)) {
      throw new ClusterException(
          "No cluster in " + where + "; give --datanode, --conf or --data-dir");
    }
    return LocalCluster.open(where, Home.runtime());
  }

  private void addCluster(Configuration conf, List<RecordSource> sources) throws IOException {
    LocalCluster cluster = cluster();
    addFiles(conf, cluster.conf());
    for (DataNode dataNode : cluster.dataNodes()) {
      Configuration own = new Configuration(conf);
      cluster.config().dataNodeSite(dataNode.index()).forEach(own::set);
      sources.add(
          dataNode.isAlive()
              ? RunningDataNode.connect(dataNode.ipcAddress(), own, timeoutMillis())
              : new StoppedDataNode(dataNode.name(), own, dataNode.volumes()));
    }
  }
}
