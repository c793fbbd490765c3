/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.cluster.Jmx;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Ports;
import io.hdrf.cluster.Waiting;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * A NameNode and DataNodes started by {@code bin/hdfs}, each DataNode from its own {@link
 * AssembledHome}, as on separate hosts. Everything is on 127.0.0.1.
 */
final class ShellCluster implements Closeable {

  /** The unit of find's {@code %b}. */
  private static final int ALLOCATION_UNIT = 512;

  /** Also writes warnings of HDRF's own classes to a separate file. */
  private static final String WARNINGS =
      String.join(
          "\n",
          "hdrf.warnings=/dev/null",
          "log4j.logger.io.hdrf=INFO,WARNINGS",
          "log4j.appender.WARNINGS=org.apache.log4j.FileAppender",
          "log4j.appender.WARNINGS.Threshold=WARN",
          "log4j.appender.WARNINGS.File=${hdrf.warnings}",
          "log4j.appender.WARNINGS.layout=org.apache.log4j.PatternLayout",
          "log4j.appender.WARNINGS.layout.ConversionPattern=%d %p %c: %m%n",
          "");

  private static final Pattern SITE = Pattern.compile("<property>.*</property>", Pattern.DOTALL);

  private final Path directory;
  private final String line;
  private final int replication;
  private final AssembledHome nameNodeHome;
  private final List<Node> nodes = new ArrayList<>();
  private final Set<Integer> ports = new HashSet<>();
  private final List<Process> processes = new ArrayList<>();
  private final Thread hook = new Thread(this::killAll);
  private final int rpcPort;
  private final int httpPort;

  /** One DataNode and its Hadoop. */
  final class Node {
    private final int index;
    private final AssembledHome home;
    private final Path volume;
    private final int dataPort;
    private final int ipcPort;
    private final int webPort;
    private Process process;

    Node(int index) throws IOException {
      this.index = index;
      this.home = AssembledHome.in(directory.resolve("host-" + index), line);
      this.volume = directory.resolve("data-" + index);
      this.dataPort = freePort();
      this.ipcPort = freePort();
      this.webPort = freePort();
    }

    AssembledHome home() {
      return home;
    }

    /** Returns its only data directory. */
    Path volume() {
      return volume;
    }

    /** Writes its {@code hdfs-site.xml}, with the given lines behind its own. */
    void configure(String lines) throws IOException {
      Map<String, String> site = site();
      site.put("dfs.datanode.data.dir", volume.toUri().toString());
      site.put("dfs.datanode.address", "127.0.0.1:" + dataPort);
      site.put("dfs.datanode.ipc.address", "127.0.0.1:" + ipcPort);
      site.put("dfs.datanode.http.address", "127.0.0.1:" + webPort);
      site.put("dfs.datanode.hostname", "127.0.0.1");
      writeConf(home, site, lines);
    }

    /**
     * Installs HDRF, and adds the lines that the installation asks for to its {@code
     * hdfs-site.xml}.
     *
     * @param unpacked the distribution
     * @param lines follow
     */
    void install(Path unpacked, String lines) throws IOException, InterruptedException {
      String output =
          new Command(unpacked.resolve("bin/hdrf"), "install", home.directory().toString())
              .output();
      Matcher said = SITE.matcher(output);
      if (!said.find()) {
        throw new AssertionError("Nothing to add to hdfs-site.xml in: " + output);
      }
      configure(said.group() + "\n" + lines);
    }

    void start() throws IOException {
      process = launch(home, "datanode", "host-" + index);
    }

    /** Stops it with {@code hdfs --daemon stop}, and waits. */
    void stop() throws IOException, InterruptedException {
      process.destroy();
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IOException("DataNode " + index + " did not stop");
      }
    }

    Jmx jmx() {
      return new Jmx(webPort);
    }

    private boolean isServing() throws IOException {
      if (!process.isAlive()) {
        throw new IOException("DataNode " + index + " ended; see " + log("host-" + index));
      }
      try {
        return jmx()
            .bean("Hadoop:service=DataNode,name=DataNodeInfo")
            .path("BPServiceActorInfo")
            .toString()
            .contains("RUNNING");
      } catch (IOException e) {
        return false;
      }
    }

    void awaitServing() throws IOException {
      Waiting.until(
          LocalCluster.PATIENCE,
          this::isServing,
          () -> "DataNode " + index + " does not serve; see " + log("host-" + index));
    }

    List<JsonNode> hdrfMetrics() throws IOException {
      return jmx().query("Hadoop:service=DataNode,name=Hdrf*");
    }

    /** Returns the bytes allocated to each finalized block, by name. */
    Map<String, Long> finalizedBlocks() throws IOException {
      Command find =
          new Command(
              Path.of("find"),
              volume.toString(),
              "-path",
              "*/finalized/*",
              "-name",
              "blk_*",
              "!",
              "-name",
              "*.meta",
              "-printf",
              "%f %b\\n");
      Map<String, Long> blocks = new TreeMap<>();
      try {
        find.run()
            .output()
            .lines()
            .map(line -> line.split(" "))
            .filter(fields -> fields.length == 2)
            .forEach(fields -> blocks.put(fields[0], Long.parseLong(fields[1]) * ALLOCATION_UNIT));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Interrupted", e);
      }
      return blocks;
    }

    /** Returns all warnings of HDRF's classes in it so far. */
    String warnings() throws IOException {
      return Files.readString(ShellCluster.this.warnings("host-" + index));
    }

    DiskUsage usage() throws IOException {
      return DiskUsage.of(List.of(volume));
    }
  }

  /** Assembles everything of the first line of Hadoop, and starts nothing. */
  ShellCluster(Path directory, int dataNodes, int replication) throws IOException {
    this(directory, AssembledHome.FIRST_LINE, dataNodes, replication);
  }

  /** Assembles everything of a line of Hadoop, and starts nothing. */
  ShellCluster(Path directory, String line, int dataNodes, int replication) throws IOException {
    this.directory = directory;
    this.line = line;
    this.replication = replication;
    Files.createDirectories(directory);
    Runtime.getRuntime().addShutdownHook(hook);
    rpcPort = freePort();
    httpPort = freePort();
    nameNodeHome = AssembledHome.in(directory.resolve("namenode"), line);
    writeConf(nameNodeHome, site(), "");
    for (int i = 0; i < dataNodes; i++) {
      Node node = new Node(i);
      node.configure("");
      nodes.add(node);
    }
  }

  private int freePort() throws IOException {
    int port = Ports.draw(ports);
    ports.add(port);
    return port;
  }

  private Map<String, String> site() {
    Map<String, String> site = new TreeMap<>();
    site.put("dfs.namenode.name.dir", directory.resolve("name").toUri().toString());
    site.put("dfs.namenode.rpc-address", "127.0.0.1:" + rpcPort);
    site.put("dfs.namenode.http-address", "127.0.0.1:" + httpPort);
    site.put("dfs.namenode.safemode.extension", "1000");
    site.put("dfs.replication", Integer.toString(replication));
    site.put("dfs.blocksize", "1048576");
    site.put("dfs.namenode.fs-limits.min-block-size", "1024");
    return site;
  }

  private void writeConf(AssembledHome home, Map<String, String> site, String lines)
      throws IOException {
    StringBuilder xml = new StringBuilder("<configuration>\n");
    site.forEach(
        (name, value) ->
            xml.append("<property><name>" + name + "</name><value>" + value)
                .append("</value></property>\n"));
    Files.writeString(
        home.conf().resolve("hdfs-site.xml"), xml.append(lines).append("</configuration>\n"));
    Files.writeString(
        home.conf().resolve("core-site.xml"),
        "<configuration><property><name>fs.defaultFS</name><value>"
            + uri()
            + "</value></property><property><name>hadoop.tmp.dir</name><value>"
            + directory.resolve("tmp")
            + "</value></property></configuration>\n");
    Files.writeString(
        home.conf().resolve("hadoop-metrics2.properties"), "*.period=1\n*.periodMillis=500\n");
    try (InputStream in = LocalCluster.class.getResourceAsStream("daemon-log4j.properties")) {
      String log4j = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      Files.writeString(home.conf().resolve("log4j.properties"), log4j + WARNINGS);
    }
  }

  /** Writes {@code hdfs-site.xml} of NameNode and clients, with the given lines. */
  void configureClients(String lines) throws IOException {
    writeConf(nameNodeHome, site(), lines);
  }

  private Path log(String name) {
    return directory.resolve(name + ".log");
  }

  private Path warnings(String name) {
    return directory.resolve(name + ".warnings");
  }

  private Process launch(AssembledHome home, String subcommand, String name) throws IOException {
    Process process =
        home.daemon(
                "-Djava.net.preferIPv4Stack=true -Xmx512m -Dhdrf.log="
                    + log(name)
                    + " -Dhdrf.warnings="
                    + warnings(name)
                    + " -Dhadoop.log.dir="
                    + directory,
                "--config",
                home.conf().toString(),
                subcommand)
            .builder()
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve(name + ".out").toFile()))
            .start();
    processes.add(process);
    return process;
  }

  /** Formats the NameNode, starts all, and returns once they serve. */
  void start() throws IOException, InterruptedException {
    nameNodeHome
        .daemon(
            "-Xmx256m",
            "org.apache.hadoop.hdfs.server.namenode.NameNode",
            "-format",
            "-nonInteractive",
            "-clusterId",
            "hdrf")
        .output();
    launch(nameNodeHome, "namenode", "namenode");
    for (Node node : nodes) {
      node.start();
    }
    for (Node node : nodes) {
      node.awaitServing();
    }
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> nameNode("FSNamesystemState").path("NumLiveDataNodes").asInt() == nodes.size(),
        () -> "Not all DataNodes have registered");
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> nameNode("NameNodeInfo").path("Safemode").asText("?").isEmpty(),
        () -> "Safe mode does not end");
  }

  JsonNode nameNode(String bean) throws IOException {
    return new Jmx(httpPort).bean("Hadoop:service=NameNode,name=" + bean);
  }

  List<Node> nodes() {
    return nodes;
  }

  AssembledHome nameNodeHome() {
    return nameNodeHome;
  }

  String uri() {
    return "hdfs://127.0.0.1:" + rpcPort;
  }

  /** Returns a new client, to be closed by the caller. */
  DistributedFileSystem client() throws IOException {
    Configuration conf = new Configuration();
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(nameNodeHome.conf().resolve(name).toUri()));
    }
    // HDFS advises this where there are as many replicas as DataNodes: a writer that has flushed
    // goes on with fewer, instead of failing because there is no other DataNode to take.
    conf.setBoolean("dfs.client.block.write.replace-datanode-on-failure.best-effort", true);
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(uri()), conf);
  }

  /** Returns the present disk usage of all DataNodes. */
  DiskUsage usage() throws IOException {
    DiskUsage sum = DiskUsage.NONE;
    for (Node node : nodes) {
      sum = sum.plus(node.usage());
    }
    return sum;
  }

  private void killAll() {
    synchronized (processes) {
      processes.forEach(Process::destroyForcibly);
    }
  }

  @Override
  public void close() {
    killAll();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
