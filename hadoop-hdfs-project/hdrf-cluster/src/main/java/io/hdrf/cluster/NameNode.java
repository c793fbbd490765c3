/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The NameNode of a {@link LocalCluster}. */
public final class NameNode extends Daemon {
  private static final String MAIN = "org.apache.hadoop.hdfs.server.namenode.NameNode";

  private final LocalCluster cluster;
  private HadoopRuntime runtime;

  NameNode(LocalCluster cluster) {
    super("NameNode", cluster.config().directory().resolve("namenode"));
    this.cluster = cluster;
    this.runtime = cluster.runtime();
  }

  /** Sets the runtime to use from its next start on. Not kept on disk. */
  public void runOn(HadoopRuntime other) {
    runtime = other;
  }

  private Host host() {
    return cluster.hosts().nameNode();
  }

  Path storage() {
    return directory().resolve("data");
  }

  boolean isFormatted() {
    return Files.exists(storage().resolve("current").resolve("seen_txid"));
  }

  /**
   * Starts it, after formatting its storage if that never was; returns before it answers.
   *
   * @param options of its command line, such as {@code -rollingUpgrade started}
   */
  public void start(String... options) throws IOException {
    List<String> flags = List.of("-Xmx" + cluster.config().nameNodeHeap(), "-Dproc_namenode");
    String classPath = runtime.classPath(cluster.conf());
    if (!isFormatted()) {
      // -force: an interrupt may have left an unfinished format behind.
      Job format = new Job("Formatting the NameNode", directory(), cluster);
      format.start(
          host(),
          flags,
          MAIN,
          List.of("-format", "-force", "-nonInteractive", "-clusterId", "hdrf"));
      format.awaitSuccess(line -> {});
    }
    List<String> program = new ArrayList<>(List.of(MAIN));
    program.addAll(List.of(options));
    launch(host(), runtime, classPath, flags, program);
  }

  public Jmx jmx() throws IOException {
    return new Jmx(host().address(), cluster.port("namenode.http"));
  }

  /** Returns its RPC address as a file-system URI. */
  public String uri() throws IOException {
    return "hdfs://" + host().address() + ":" + cluster.port("namenode.rpc");
  }

  /** Returns the version of Hadoop that it runs. */
  public String version() throws IOException {
    return jmx().bean("Hadoop:service=NameNode,name=NameNodeInfo").path("SoftwareVersion").asText();
  }

  /**
   * Returns the number of DataNodes that it counts as alive. A killed one counts for ten minutes
   * more.
   */
  public int liveDataNodes() throws IOException {
    return jmx()
        .bean("Hadoop:service=NameNode,name=FSNamesystemState")
        .path("NumLiveDataNodes")
        .asInt(0);
  }

  /** Returns whether it answers and has left safe mode. */
  public boolean isServing() {
    try {
      JsonNode safeMode = jmx().bean("Hadoop:service=NameNode,name=NameNodeInfo").path("Safemode");
      return safeMode.isTextual() && safeMode.textValue().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }
}
