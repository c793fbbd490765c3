/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.scheme.Guide;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every command of {@code docs/first-day.md}, in its order, on three nodes with a stand-in for
 * Hadoop's shell. What the page says in words between commands, to paste properties, is done here.
 */
@Timeout(900)
class FirstDayTest {
  private static final int NODES = 3;
  private static final int FILES = 3;
  private static final int FILE_LENGTH = 2_500_000;
  private static final Pattern SITE = Pattern.compile("<property>.*</property>", Pattern.DOTALL);
  private static final String DAEMON = "hdfs --daemon ";

  private final Path directory =
      Path.of(System.getProperty("hdrf.test.directory"), "first-day").toAbsolutePath();

  private Path page;
  private Path tarball;
  private ShellCluster cluster;
  private DistributedFileSystem client;
  private Map<org.apache.hadoop.fs.Path, byte[]> files;
  private int ran;

  @BeforeEach
  void start() throws Exception {
    FileUtil.fullyDelete(directory.toFile());
    Path output = Files.createDirectories(directory.resolve("packed"));
    tarball = Unpacked.pack(Unpacked.copyOfBuild(directory.resolve("build")), output);
    page = Unpacked.unpack(tarball, directory.resolve("read")).resolve("docs/first-day.md");
    cluster = new ShellCluster(directory.resolve("cluster"), NODES, NODES);
    cluster.start();
    client = cluster.client();
    files = Traffic.store(client, FILES, FILE_LENGTH);
  }

  @AfterEach
  void stop() throws IOException {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  /** The page's part with this heading, to be followed on one node. */
  private final class Section {
    private final ShellCluster.Node node;
    private final Guide guide;
    private final List<String> blocks = new ArrayList<>();

    Section(String heading, ShellCluster.Node node) throws IOException {
      String[] parts = Files.readString(page).split("(?m)^## ", -1);
      String text = null;
      for (String part : parts) {
        if (part.startsWith(heading + "\n")) {
          text = part;
        }
      }
      assertThat(text).as(heading).isNotNull();
      this.node = node;
      Path host = Files.createDirectories(directory.resolve("at-" + cluster.nodes().indexOf(node)));
      if (!Files.exists(host.resolve(tarball.getFileName()))) {
        Files.copy(tarball, host.resolve(tarball.getFileName()));
      }
      guide = new Guide(Files.writeString(host.resolve("section.md"), text), host);
      guide.commands().forEach(commands -> blocks.add(commands.lines()));
    }

    /** Runs the next block of commands, and returns what it prints. */
    String next() throws Exception {
      ran++;
      StringBuilder printed = new StringBuilder();
      for (String line : blocks.remove(0).lines().toList()) {
        printed.append(line.startsWith(DAEMON) ? daemon(line) : run(line));
      }
      return printed.toString();
    }

    private String daemon(String line) throws Exception {
      switch (line.substring(DAEMON.length())) {
        case "stop datanode" -> node.stop();
        case "start datanode" -> {
          node.start();
          node.awaitServing();
        }
        default -> throw new AssertionError(line);
      }
      return "";
    }

    private String run(String line) throws Exception {
      Path home = node.home().directory();
      Map<String, String> environment = new HashMap<>();
      environment.put("HADOOP_HOME", home.toString());
      environment.put("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
      environment.put("HADOOP_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED -Xmx256m");
      return guide.run(line, environment);
    }

    /** Installs, pastes what that prints, and restarts the DataNode. */
    void installAndRestart() throws Exception {
      Matcher said = SITE.matcher(next());
      assertThat(said.find()).isTrue();
      assertThat(said.group().lines().filter(line -> line.contains("<property>"))).hasSize(3);
      node.configure(said.group());
      next();
      assertThat(node.hdrfMetrics()).isNotEmpty();
    }

    void assertAtEnd() {
      assertThat(blocks).isEmpty();
    }
  }

  private void assertSame() throws IOException {
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : files.entrySet()) {
      Traffic.assertSame(client, file.getKey(), file.getValue());
    }
  }

  @Test
  void whatThePageSaysIsWhatHappens() throws Exception {
    ShellCluster.Node first = cluster.nodes().get(0);
    Section estimate = new Section("What would it save?", first);
    assertThat(estimate.next()).contains("one copy takes", "lz4 ", "dedup,zstd ");
    estimate.assertAtEnd();

    Section one = new Section("One DataNode", first);
    one.installAndRestart();
    assertThat(one.next())
        .contains("Live datanodes (3)", first.volume().toString(), "in step", "no difference");
    assertThat(one.next()).contains(" blocks, ", " reduced", " found sound");
    one.assertAtEnd();
    assertSame();

    for (ShellCluster.Node node : cluster.nodes().subList(1, NODES)) {
      Section other = new Section("Each other DataNode", node);
      assertThat(other.next())
          .contains("HEALTHY")
          .containsPattern("Under-replicated blocks:\\s+0 ")
          .containsPattern("Corrupt blocks:\\s+0")
          .containsPattern("Missing blocks:\\s+0");
      other.installAndRestart();
      other.assertAtEnd();
    }
    assertSame();

    Section whole = new Section("The whole cluster", first);
    assertThat(whole.next())
        .startsWith("Nothing that answers needs attention.")
        .contains("3 DataNodes, 3 volumes", "/input: ");
    whole.assertAtEnd();

    Section back = new Section("The way back", first);
    assertThat(back.next()).contains("Every block is plain.", "Removed HDRF");
    first.configure("");
    back.next();
    back.assertAtEnd();
    assertThat(first.hdrfMetrics()).as("stock").isEmpty();
    assertSame();
    assertThat(cluster.nameNode("FSNamesystem").path("CorruptBlocks").asInt(-1)).isZero();
    // Those of "Each other DataNode" twice.
    assertThat(ran).isEqualTo(new Guide(page, directory).commands().size() + 3);
  }
}
