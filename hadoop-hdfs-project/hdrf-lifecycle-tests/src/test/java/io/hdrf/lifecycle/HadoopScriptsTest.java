/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hdrf.cluster.Jmx;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Ports;
import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code docs/install.md} says, from stock to HDRF and back, with the shell scripts of an
 * Apache tarball in place of the stand-in. Their directory, with {@code bin}, {@code sbin}, {@code
 * libexec} and {@code etc}, is in the environment variable {@code HADOOP_SCRIPTS}, without which
 * this is left out. {@code start-dfs.sh} needs an SSH server: {@code /usr/sbin/sshd} is run as the
 * tests' user.
 */
class HadoopScriptsTest {
  private static final String SCRIPTS = System.getenv("HADOOP_SCRIPTS");
  private static final Path SSHD = Path.of("/usr/sbin/sshd");
  private static final Path DIRECTORY =
      Path.of(System.getProperty("hdrf.test.directory"), "scripts").toAbsolutePath();

  /** Some MiB of text, in blocks of one. */
  private static final int LINES = 100_000;

  private static final Pattern SITE = Pattern.compile("<property>.*</property>", Pattern.DOTALL);

  private static Path unpacked;

  private final Set<Integer> ports = new HashSet<>();
  private final String user = System.getProperty("user.name");
  private Path directory;
  private AssembledHome home;
  private Process sshd;
  private int webPort;

  static Stream<String> lines() {
    return Stream.of(System.getProperty("hdrf.test.lines").split(","));
  }

  @BeforeAll
  static void unpack() throws Exception {
    assumeTrue(SCRIPTS != null, "HADOOP_SCRIPTS names no directory with Hadoop's own scripts");
    assertThat(SSHD).as("of the package openssh-server").isExecutable();
    FileUtil.fullyDelete(DIRECTORY.toFile());
    unpacked = Unpacked.in(Files.createDirectories(DIRECTORY));
  }

  private int port() throws IOException {
    int port = Ports.draw(ports);
    ports.add(port);
    return port;
  }

  private void assemble(String line) throws Exception {
    directory = Files.createDirectories(DIRECTORY.resolve(line));
    home = AssembledHome.in(directory.resolve("hadoop"), line);
    home.addScripts(Path.of(SCRIPTS));
    Files.writeString(home.conf().resolve("workers"), "localhost\n");
    Files.writeString(
        home.conf().resolve("hadoop-env.sh"),
        String.join(
            "\n",
            "export JAVA_HOME=" + System.getProperty("java.home"),
            "export HADOOP_OPTS=\"$HADOOP_OPTS --add-opens java.base/java.lang=ALL-UNNAMED\"",
            "export HADOOP_PID_DIR=" + directory,
            "export HADOOP_SSH_OPTS=\"" + startSshd() + "\"",
            "export HDFS_NAMENODE_USER=" + user,
            "export HDFS_SECONDARYNAMENODE_USER=" + user,
            "export HDFS_DATANODE_USER=" + user,
            ""));
    Files.writeString(
        home.conf().resolve("core-site.xml"),
        configuration(
            Map.of(
                "fs.defaultFS",
                "hdfs://localhost:" + port(),
                "hadoop.tmp.dir",
                directory.resolve("tmp").toString())));
    configure("");
  }

  /** Starts an SSH server, and returns the options by which a client gets there. */
  private String startSshd() throws Exception {
    int port = port();
    for (String key : List.of("host", "client")) {
      String file = directory.resolve(key).toString();
      new Command(Path.of("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", file).output();
    }
    if (user.equals("root")) {
      Files.createDirectories(Path.of("/run/sshd"));
    }
    List<String> options = new ArrayList<>(List.of(SSHD.toString(), "-D", "-e", "-f", "/dev/null"));
    for (String option :
        List.of(
            "Port=" + port,
            "ListenAddress=127.0.0.1",
            "HostKey=" + directory.resolve("host"),
            "AuthorizedKeysFile=" + directory.resolve("client.pub"),
            "PidFile=none",
            "StrictModes=no",
            "UsePAM=no")) {
      options.addAll(List.of("-o", option));
    }
    sshd =
        new ProcessBuilder(options)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("sshd.log").toFile())
            .start();
    return "-4 -p "
        + port
        + " -i "
        + directory.resolve("client")
        + " -o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR"
        + " -o UserKnownHostsFile=/dev/null";
  }

  /** Writes {@code hdfs-site.xml}, the given lines behind its own. */
  private void configure(String lines) throws IOException {
    if (webPort == 0) {
      webPort = port();
      Map<String, String> site = new TreeMap<>();
      site.put("dfs.replication", "1");
      site.put("dfs.blocksize", "1048576");
      site.put("dfs.namenode.name.dir", directory.resolve("name").toUri().toString());
      site.put("dfs.datanode.data.dir", directory.resolve("data").toUri().toString());
      site.put("dfs.namenode.http-address", "localhost:" + port());
      site.put("dfs.namenode.secondary.http-address", "localhost:" + port());
      site.put("dfs.datanode.address", "localhost:" + port());
      site.put("dfs.datanode.ipc.address", "localhost:" + port());
      site.put("dfs.datanode.http.address", "localhost:" + webPort);
      Files.writeString(home.conf().resolve("stock.xml"), configuration(site));
    }
    Files.writeString(
        home.conf().resolve("hdfs-site.xml"),
        Files.readString(home.conf().resolve("stock.xml"))
            .replace("</configuration>", lines + "</configuration>"));
  }

  private static String configuration(Map<String, String> properties) {
    StringBuilder xml = new StringBuilder("<configuration>\n");
    properties.forEach(
        (name, value) ->
            xml.append("<property><name>" + name + "</name><value>" + value)
                .append("</value></property>\n"));
    return xml.append("</configuration>\n").toString();
  }

  private Command at(String path, String... arguments) {
    return new Command(home.directory().resolve(path), arguments);
  }

  private String hdfs(String... arguments) throws Exception {
    return at("bin/hdfs", arguments).output();
  }

  private void store(String name) throws Exception {
    Path file = directory.resolve(name);
    List<String> text = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      text.add(name + " has the line " + i);
    }
    Files.write(file, text);
    hdfs("dfs", "-put", file.toString(), "/" + name);
  }

  private void assertSame(String name) throws Exception {
    Path back = directory.resolve(name + ".back");
    Files.deleteIfExists(back);
    hdfs("dfs", "-get", "/" + name, back.toString());
    assertThat(back).hasSameBinaryContentAs(directory.resolve(name));
  }

  private void awaitServing() throws Exception {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          try {
            return new Jmx(webPort)
                .bean("Hadoop:service=DataNode,name=DataNodeInfo")
                .path("BPServiceActorInfo")
                .toString()
                .contains("RUNNING");
          } catch (IOException e) {
            return false;
          }
        },
        () -> "The DataNode does not serve; see " + home.directory().resolve("logs"));
    hdfs("dfsadmin", "-safemode", "wait");
    assertThat(hdfs("dfsadmin", "-report")).contains("Live datanodes (1)");
  }

  private void awaitReduced(int blocks) throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () ->
            new Jmx(webPort)
                    .query("Hadoop:service=DataNode,name=Hdrf*")
                    .get(0)
                    .path("BlocksReduced")
                    .asInt()
                >= blocks,
        () -> "Blocks stay plain");
  }

  /** Returns the class path of a running daemon. */
  private List<String> classPath(String daemon) throws IOException {
    String pid =
        Files.readString(directory.resolve("hadoop-" + user + "-" + daemon + ".pid")).strip();
    String environment =
        Files.readString(Path.of("/proc", pid, "environ"), StandardCharsets.ISO_8859_1);
    return Arrays.stream(environment.split("\0"))
        .filter(variable -> variable.startsWith("CLASSPATH="))
        .flatMap(variable -> Arrays.stream(variable.split("[=:]")))
        .toList();
  }

  private boolean isHdrfs(String jar) {
    return jar.startsWith(home.directory().resolve("hdrf").toString());
  }

  private String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(home.directory().resolve("logs"))) {
      for (Path file : files.filter(name -> name.toString().contains("-datanode-")).toList()) {
        all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    return all.toString();
  }

  @ParameterizedTest
  @MethodSource("lines")
  void fromStockToHdrfAndBack(String line) throws Exception {
    assemble(line);
    hdfs("namenode", "-format", "-nonInteractive");
    at("sbin/start-dfs.sh").output();
    awaitServing();
    store("before");

    Command install =
        new Command(unpacked.resolve("bin/hdrf"), "install", home.directory().toString());
    Matcher said = SITE.matcher(install.output());
    assertThat(said.find()).isTrue();
    configure(said.group());
    hdfs("--daemon", "stop", "datanode");
    hdfs("--daemon", "start", "datanode");
    awaitServing();
    store("after");
    awaitReduced(4);
    assertThat(classPath("datanode")).filteredOn(this::isHdrfs).hasSize(1);
    assertThat(classPath("namenode")).isNotEmpty().noneMatch(this::isHdrfs);
    assertThat(at("bin/hdfs").run().output()).contains("hdrf ");
    assertThat(hdfs("hdrf", "blocks")).contains("in step");
    assertThat(hdfs("hdrf", "fsck")).contains("no difference");
    assertThat(hdfs("hdrf", "report")).contains("1 DataNode, 1 volume: ");
    assertSame("before");
    assertSame("after");

    hdfs("--workers", "--daemon", "stop", "datanode");
    hdfs("--workers", "--daemon", "start", "datanode");
    awaitServing();
    assertSame("before");
    at("sbin/stop-dfs.sh").output();
    at("sbin/start-dfs.sh").output();
    awaitServing();
    assertSame("after");

    assertThat(hdfs("hdrf", "inflate")).contains("Every block is plain.");
    hdfs("--daemon", "stop", "datanode");
    assertThat(hdfs("hdrf", "uninstall")).contains("Removed HDRF");
    configure("");
    hdfs("--daemon", "start", "datanode");
    awaitServing();
    assertThat(new Jmx(webPort).query("Hadoop:service=DataNode,name=Hdrf*")).isEmpty();
    assertSame("before");
    assertSame("after");
    assertThat(logs().lines().filter(text -> text.contains(" io.hdrf.")))
        .isNotEmpty()
        .noneMatch(text -> text.matches(".* (WARN|ERROR|FATAL) io[.]hdrf[.].*"));
  }

  @AfterEach
  void stop() throws Exception {
    if (home != null) {
      at("sbin/stop-dfs.sh").run();
    }
    if (sshd != null) {
      sshd.destroy();
    }
  }
}
