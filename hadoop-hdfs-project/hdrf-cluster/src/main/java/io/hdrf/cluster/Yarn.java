/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A ResourceManager, a NodeManager and a history server beside a {@link LocalCluster}, on the host
 * for clients. Jobs that are submitted to the cluster after {@link #start} run in YARN containers.
 * For one thread at a time.
 */
public final class Yarn {

  /** One process of a YARN cluster. */
  private static final class Service extends Daemon {
    private final String mainClass;
    private final LocalCluster cluster;

    Service(LocalCluster cluster, String name, String directory, String mainClass) {
      super(name, cluster.config().directory().resolve(directory));
      this.cluster = cluster;
      this.mainClass = mainClass;
    }

    void start() throws IOException {
      launch(
          cluster.hosts().client(),
          cluster.runtime(),
          cluster.runtime().classPath(cluster.conf()),
          List.of("-Xmx384m"),
          List.of(mainClass));
    }
  }

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
  private static final String OPENS = "--add-opens java.base/java.lang=ALL-UNNAMED";
  private static final String LIBRARIES = "LD_LIBRARY_PATH";
  private static final String IPV4 = "-Djava.net.preferIPv4Stack=true";

  private final LocalCluster cluster;
  private final Service resourceManager;
  private final Service nodeManager;
  private final Service historyServer;

  public Yarn(LocalCluster cluster) {
    this.cluster = cluster;
    this.resourceManager =
        new Service(
            cluster,
            "ResourceManager",
            "resourcemanager",
            "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager");
    this.nodeManager =
        new Service(
            cluster,
            "NodeManager",
            "nodemanager",
            "org.apache.hadoop.yarn.server.nodemanager.NodeManager");
    this.historyServer =
        new Service(
            cluster,
            "JobHistoryServer",
            "historyserver",
            "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer");
  }

  private List<Service> services() {
    return List.of(resourceManager, nodeManager, historyServer);
  }

  /** Starts it, on a running cluster, and returns once jobs can be submitted. */
  public void start() throws IOException {
    writeConf();
    for (Service service : services()) {
      service.start();
    }
    Jmx manager = new Jmx(address(), cluster.port("yarn.resourcemanager.web"));
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          for (Service service : services()) {
            if (!service.isAlive()) {
              throw new ClusterException(
                  service.name() + " ended while it was starting:\n" + service.lastWords());
            }
          }
          return hasNode(manager);
        },
        () -> "YARN was not ready in time; see " + resourceManager.log());
  }

  private static boolean hasNode(Jmx manager) {
    try {
      return manager
              .bean("Hadoop:service=ResourceManager,name=ClusterMetrics")
              .path("NumActiveNMs")
              .asInt(0)
          > 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Ends it; files of its containers are deleted with the cluster's directory. */
  public void stop() throws IOException {
    for (Service service : services()) {
      service.stop(STOP_PATIENCE);
    }
  }

  private String address() {
    return cluster.hosts().client().address();
  }

  private String at(String port) throws IOException {
    return address() + ":" + cluster.freePort("yarn." + port);
  }

  private void writeConf() throws IOException {
    Path node = nodeManager.directory();
    Map<String, String> yarn = new TreeMap<>();
    yarn.put("yarn.resourcemanager.hostname", address());
    yarn.put("yarn.resourcemanager.address", at("resourcemanager.rpc"));
    yarn.put("yarn.resourcemanager.scheduler.address", at("resourcemanager.scheduler"));
    yarn.put("yarn.resourcemanager.resource-tracker.address", at("resourcemanager.tracker"));
    yarn.put("yarn.resourcemanager.admin.address", at("resourcemanager.admin"));
    yarn.put("yarn.resourcemanager.webapp.address", at("resourcemanager.web"));
    yarn.put("yarn.nodemanager.hostname", address());
    yarn.put("yarn.nodemanager.address", at("nodemanager.rpc"));
    yarn.put("yarn.nodemanager.localizer.address", at("nodemanager.localizer"));
    yarn.put("yarn.nodemanager.webapp.address", at("nodemanager.web"));
    yarn.put("yarn.nodemanager.local-dirs", node.resolve("local").toString());
    yarn.put("yarn.nodemanager.log-dirs", node.resolve("containers").toString());
    yarn.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
    yarn.put("yarn.nodemanager.resource.memory-mb", "4096");
    yarn.put("yarn.nodemanager.resource.cpu-vcores", "4");
    yarn.put("yarn.nodemanager.vmem-check-enabled", "false");
    yarn.put("yarn.nodemanager.pmem-check-enabled", "false");
    // Other files on the tests' disk must not stop the jobs.
    yarn.put("yarn.nodemanager.disk-health-checker.enable", "false");
    yarn.put("yarn.scheduler.minimum-allocation-mb", "256");
    yarn.put(
        "yarn.resourcemanager.scheduler.class",
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler");
    yarn.put("yarn.application.classpath", classPath());
    HadoopXml.write(cluster.conf().resolve("yarn-site.xml"), yarn);

    String environment = "JAVA_HOME=" + System.getProperty("java.home");
    // Containers don't inherit it; it has Hadoop's native library.
    if (System.getenv(LIBRARIES) != null) {
      environment += "," + LIBRARIES + "=" + System.getenv(LIBRARIES);
    }
    Map<String, String> mapReduce = new TreeMap<>();
    mapReduce.put("mapreduce.framework.name", "yarn");
    mapReduce.put("mapreduce.application.classpath", classPath());
    mapReduce.put("mapreduce.jobhistory.address", at("history.rpc"));
    mapReduce.put("mapreduce.jobhistory.admin.address", at("history.admin"));
    mapReduce.put("mapreduce.jobhistory.webapp.address", at("history.web"));
    mapReduce.put("mapreduce.shuffle.port", Integer.toString(cluster.freePort("yarn.shuffle")));
    mapReduce.put("mapreduce.task.io.sort.mb", "64");
    mapReduce.put("yarn.app.mapreduce.am.resource.mb", "768");
    mapReduce.put("yarn.app.mapreduce.am.command-opts", "-Xmx512m " + IPV4 + " " + OPENS);
    mapReduce.put("yarn.app.mapreduce.am.env", environment);
    for (String task : List.of("map", "reduce")) {
      mapReduce.put("mapreduce." + task + ".memory.mb", "768");
      mapReduce.put("mapreduce." + task + ".java.opts", "-Xmx512m " + IPV4);
      mapReduce.put("mapreduce." + task + ".env", environment);
    }
    HadoopXml.write(cluster.conf().resolve("mapred-site.xml"), mapReduce);
  }

  private String classPath() {
    return cluster.runtime().classPath(cluster.conf()).replace(java.io.File.pathSeparator, ",");
  }
}
