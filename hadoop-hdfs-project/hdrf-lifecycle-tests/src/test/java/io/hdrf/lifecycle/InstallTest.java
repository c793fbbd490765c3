/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packed distribution in an assembled HADOOP_HOME, without any daemon. */
class InstallTest {

  @TempDir private static Path shared;
  private static Path tarball;
  private static Path unpacked;

  @TempDir private Path directory;
  private AssembledHome home;

  @BeforeAll
  static void pack() throws Exception {
    Path dist = Unpacked.copyOfBuild(shared.resolve("build"));
    tarball = Unpacked.pack(dist, Files.createDirectories(shared.resolve("first")));
    unpacked = Unpacked.unpack(tarball, shared.resolve("unpacked"));
  }

  @BeforeEach
  void assemble() throws IOException {
    home = AssembledHome.in(directory.resolve("hadoop-3.1.4"));
  }

  private static Command.Result hdrf(Path where, String... arguments) throws Exception {
    return new Command(where.resolve("bin/hdrf"), arguments).run();
  }

  private String install(Path where) throws Exception {
    Command.Result result = hdrf(where, "install", home.directory().toString());
    assertThat(result.status()).as(result.output()).isZero();
    return result.output();
  }

  /** Returns every file and link below the home with its content. */
  private Map<String, String> snapshot() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> tree = Files.walk(home.directory())) {
      for (Path path : tree.toList()) {
        String name = home.directory().relativize(path).toString();
        if (Files.isSymbolicLink(path)) {
          files.put(name, "-> " + Files.readSymbolicLink(path));
        } else if (Files.isRegularFile(path)) {
          files.put(name, new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
        } else {
          files.put(name, "directory");
        }
      }
    }
    return files;
  }

  private List<String> classPath(String subcommand) throws Exception {
    return List.of(home.hdfs(subcommand).with("PRINT_CLASSPATH", "1").output().strip().split(":"));
  }

  @Test
  void theSameFilesGiveTheSameTarball() throws Exception {
    // Other times, another order of creation, other permissions.
    Path copy = Unpacked.copyOfBuild(directory.resolve("copy"));
    new Command(Path.of("chmod"), "-R", "u+rwX,go-rwx", copy.toString()).output();
    Path second = Unpacked.pack(copy, Files.createDirectories(directory.resolve("second")));
    assertThat(second).hasSameBinaryContentAs(tarball);
    assertThat(Path.of(second + ".sha256")).hasSameBinaryContentAs(Path.of(tarball + ".sha256"));
    Command check = new Command(Path.of("sha256sum"), "-c", tarball.getFileName() + ".sha256");
    check.builder().directory(tarball.getParent().toFile());
    assertThat(check.output()).contains("OK");
  }

  @Test
  void theTarballHoldsWhatItNames() throws Exception {
    Command check = new Command(Path.of("sha256sum"), "-c", "--quiet", "SHA256SUMS");
    check.builder().directory(unpacked.toFile());
    assertThat(check.output()).isEmpty();
    assertThat(unpacked.resolve("bin/hdrf")).isExecutable();
    for (String path :
        List.of("LICENSE", "NOTICE", "README.md", "docs/install.md", "conf/hdrf-default.xml")) {
      assertThat(unpacked.resolve(path)).isNotEmptyFile();
    }
    assertThat(unpacked.resolve("THIRD-PARTY.md"))
        .content()
        .contains("lib/picocli-")
        .contains("lz4-java")
        .contains("licenses/")
        .doesNotContain("hadoop-hdfs-hdrf");
    try (Stream<Path> jars = Files.list(unpacked.resolve("datanode"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString().replaceFirst("-\\d.*", "")))
          .as("nothing that Hadoop has, too, in another version")
          .containsExactlyInAnyOrder(
              "hadoop-hdfs-hdrf", // and two more, for lines of Hadoop
              "hadoop-hdfs-hdrf",
              "hadoop-hdfs-hdrf",
              "hdrf-core",
              "hdrf-native");
    }
  }

  @Test
  void installsForDataNodesOnlyAndTakesItBack() throws Exception {
    Map<String, String> before = snapshot();
    String output = install(unpacked);
    Path link = home.directory().resolve("hdrf");
    assertThat(output)
        .contains("wrote " + home.directory().resolve("libexec/shellprofile.d/hdrf.sh"))
        .contains("made " + link + " a link")
        .contains("<value>" + link.resolve("plugins") + "</value>")
        .contains("HdrfDatasetFactory");
    Map<String, String> installed = snapshot();
    assertThat(installed).containsAllEntriesOf(before);

    assertThat(classPath("namenode")).noneMatch(path -> path.contains("/hdrf"));
    assertThat(classPath("dfs")).noneMatch(path -> path.contains("/hdrf"));
    List<String> dataNode = classPath("datanode");
    assertThat(dataNode.get(1)).isEqualTo(link.toRealPath().resolve("datanode") + "/*");
    assertThat(dataNode).filteredOn(path -> path.contains("/hdrf")).hasSize(1);

    assertThat(install(unpacked)).contains("nothing to do", "<name>hdrf.plugins.dir</name>");
    assertThat(snapshot()).isEqualTo(installed);

    Command.Result help = home.hdfs("help").run();
    assertThat(help.output()).contains("  hdrf  ");
    assertThat(home.hdfs("hdrf", "--version").output()).startsWith("hdrf ");

    // There is no DataNode here, so its blocks can't be counted.
    Path own = link.resolve("bin/hdrf");
    Command.Result refused = new Command(own, "uninstall", home.directory().toString()).run();
    assertThat(refused.status()).isEqualTo(3);
    assertThat(refused.output()).contains("Can't tell").contains("core-site.xml");
    Command.Result unknown = hdrf(unpacked, "uninstall", "--force");
    assertThat(unknown.status()).isEqualTo(2);
    assertThat(unknown.output()).contains("Which Hadoop?").contains("it lies in " + unpacked);
    assertThat(snapshot()).isEqualTo(installed);
    Command.Result removed = home.hdfs("hdrf", "uninstall", "--force").run();
    assertThat(removed.status()).as(removed.output()).isZero();
    assertThat(removed.output())
        .contains(home.directory() + " is the Hadoop in which this command is installed")
        .contains("warning")
        .contains("removed " + link);
    assertThat(snapshot()).isEqualTo(before);
    assertThat(hdrf(unpacked, "uninstall", home.directory().toString()).output())
        .contains("nothing to do");
  }

  @Test
  void replacesAnotherVersionAndKeepsTheOperatorsPlugIns() throws Exception {
    install(unpacked);
    Path link = home.directory().resolve("hdrf");
    Path old = link.toRealPath();
    Files.writeString(link.resolve("plugins").resolve("theirs.jar"), "a jar");

    Path newer = directory.resolve("newer");
    new Command(Path.of("cp"), "-r", unpacked.toString(), newer.toString()).output();
    Files.writeString(newer.resolve("README.md"), "newer");
    new Command(
            Path.of("sh"),
            "-c",
            "cd " + newer + " && f=$(sed 's/^.\\{66\\}//' SHA256SUMS) && sha256sum $f > SHA256SUMS")
        .output();
    // The state after an interrupt.
    Files.createDirectories(home.directory().resolve("hdrf-0.0.1-01234567.part/lib"));
    String output = install(newer);
    assertThat(output)
        .contains("with your plug-ins theirs.jar")
        .contains("kept " + old)
        .contains("restart")
        .contains("was never finished");
    assertThat(link.toRealPath()).isNotEqualTo(old);
    assertThat(link.resolve("README.md")).hasContent("newer");
    assertThat(link.resolve("plugins/theirs.jar")).hasContent("a jar");
    assertThat(old.resolve("plugins/theirs.jar")).hasContent("a jar");

    // Missing or changed files are restored.
    Files.delete(link.resolve("LICENSE"));
    assertThat(install(newer)).contains("wrote");
    assertThat(link.resolve("LICENSE")).exists();
    assertThat(old).as("replaced once more").doesNotExist();
    assertThat(install(newer)).contains("nothing to do");

    Path last = link.toRealPath();
    Command.Result removed = hdrf(newer, "uninstall", "--force", home.directory().toString());
    assertThat(removed.output()).contains("not HDRF's: theirs.jar");
    assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
    try (Stream<Path> left = Files.walk(last)) {
      assertThat(left.filter(Files::isRegularFile))
          .containsExactly(last.resolve("plugins/theirs.jar"));
    }
  }

  @Test
  void aDamagedDistributionIsNotInstalled() throws Exception {
    Map<String, String> before = snapshot();
    Path damaged = directory.resolve("damaged");
    new Command(Path.of("cp"), "-r", unpacked.toString(), damaged.toString()).output();
    Files.writeString(damaged.resolve("README.md"), "other");
    Command.Result result = hdrf(damaged, "install", home.directory().toString());
    assertThat(result.status()).isEqualTo(3);
    assertThat(result.output()).contains("README.md is not as SHA256SUMS says");
    assertThat(snapshot()).isEqualTo(before);
  }

  @Test
  void refusesWhatIsNoHadoopOfItsLine() throws Exception {
    Command.Result result = hdrf(unpacked, "install", directory.toString());
    assertThat(result.status()).isEqualTo(3);
    assertThat(result.output()).contains(directory.toString()).contains("no bin/hdfs in it");
    result = hdrf(unpacked, "blocks");
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.output()).contains("HADOOP_HOME");

    Path file = home.directory().resolve("hdrf");
    Files.writeString(file, "mine");
    result = hdrf(unpacked, "install", home.directory().toString());
    assertThat(result.status()).isEqualTo(3);
    assertThat(result.output()).contains("hdrf was not made by 'hdrf install'");
    assertThat(file).hasContent("mine");
  }
}
