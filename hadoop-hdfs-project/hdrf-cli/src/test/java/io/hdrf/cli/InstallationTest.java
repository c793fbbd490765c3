/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.ClusterException;
import io.hdrf.conf.UsedDirectories;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstallationTest {
  @TempDir private Path directory;
  private Path hadoop;
  private Distribution distribution;

  @BeforeEach
  void make() throws IOException {
    hadoop = directory.resolve("hadoop");
    for (String path :
        List.of("bin", "libexec/shellprofile.d", "share/hadoop/common", "share/hadoop/hdfs")) {
      Files.createDirectories(hadoop.resolve(path));
    }
    Files.createFile(hadoop.resolve("bin/hdfs"));
    Files.createFile(hadoop.resolve("libexec/hadoop-functions.sh"));
    writeVersion("3.1.4");
    distribution = distribution("1");
  }

  private void writeVersion(String version) throws IOException {
    Path jar = hadoop.resolve("share/hadoop/common/hadoop-common-x.jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new ZipEntry("common-version-info.properties"));
      out.write(("version=" + version + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private Distribution distribution(String content) throws IOException {
    return distribution(content, "a.jar");
  }

  private Distribution distribution(String content, String... plugins) throws IOException {
    Path home = directory.resolve("hdrf-" + content);
    String sums = "";
    List<String> paths = new ArrayList<>(List.of("bin/hdrf", Distribution.PROFILE));
    List.of(plugins).forEach(jar -> paths.add("plugins/" + jar));
    for (String path : paths) {
      byte[] bytes = ("# HDRF's shell profile, " + content).getBytes(StandardCharsets.UTF_8);
      Distribution.write(home.resolve(path), false, bytes);
      sums += Distribution.sha256(bytes) + "  " + path + "\n";
    }
    Files.writeString(home.resolve(Distribution.SUMS), sums);
    return Distribution.unpacked(home, "1.0");
  }

  private Installation installation() throws IOException {
    return new Installation(HadoopHome.of(hadoop));
  }

  /** Everybody may write there, and could turn a path below elsewhere while root deletes. */
  @Test
  void nothingBelowADirectoryOfOthersIsDeleted() throws IOException {
    installation().install(distribution);
    Path notes = hadoop.resolve(UsedDirectories.NAME);
    UsedDirectories.record(hadoop, List.of());
    Files.writeString(Files.createDirectory(notes.resolve("first")).resolve("passwd"), "x");
    Files.writeString(Files.createDirectory(notes.resolve("second")).resolve("passwd"), "x");
    assertThat(installation().uninstall())
        .anyMatch(
            line -> line.startsWith("left ") && line.matches(".*(first.*second|second.*first).*"));
    assertThat(notes.resolve("first/passwd")).exists();
    assertThat(notes.resolve("second/passwd")).exists();
    // What DataNodes wrote is gone, wherever it lies between those.
    assertThat(notes.toFile().list()).containsExactlyInAnyOrder("first", "second");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.10.2", "3.1.1", "3.1.3"})
  void anOlderHadoopIsRefused(String version) throws IOException {
    writeVersion(version);
    HadoopHome home = HadoopHome.of(hadoop);
    assertThatThrownBy(() -> home.requireVersion(true))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("is Hadoop " + version)
        .hasMessageContaining("3.1.4 or later");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.3.4", "3.2.4", "3.10.0", "3.1.5-SNAPSHOT", "3.4.1-amzn-2"})
  void anUntestedHadoopIsTakenIfAskedFor(String version) throws IOException {
    writeVersion(version);
    HadoopHome home = HadoopHome.of(hadoop);
    assertThatThrownBy(() -> home.requireVersion(false))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("is Hadoop " + version)
        .hasMessageContaining("tested with 3.1.4, 3.3.6")
        .hasMessageContaining("--untested");
    home.requireVersion(true);
    assertThat(new Installation(home).site()).contains("<value>" + version + "</value>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.1.1", "3.1.2", "3.1.3", "3.2.0", "3.2.4", "3.4.1-amzn-2"})
  void theCommandRefusesThemAndWritesNothing(String version) throws IOException {
    writeVersion(version);
    assertThat(Main.commandLine().execute("install", hadoop.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
    assertThat(hadoop.resolve("libexec/shellprofile.d")).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.1.4", "3.3.6", "3.4.1", "3.4.2", "3.4.3", "3.5.0"})
  void testedOnesAreTaken(String version) throws IOException {
    writeVersion(version);
    HadoopHome.of(hadoop).requireVersion(false);
    assertThat(installation().site()).doesNotContain("hdrf.hadoop");
  }

  @Test
  void aDirectoryWithoutAVersionIsRefused() throws IOException {
    Files.delete(hadoop.resolve("share/hadoop/common/hadoop-common-x.jar"));
    assertThatThrownBy(() -> HadoopHome.of(hadoop)).hasMessageContaining("Can't tell the version");
  }

  @Test
  void somebodyElsesProfileStays() throws IOException {
    Path profile = hadoop.resolve(Installation.PROFILE);
    Files.writeString(profile, "theirs");
    assertThatThrownBy(() -> installation().install(distribution))
        .hasMessageContaining("hdrf.sh was not made by 'hdrf install'");
    assertThatThrownBy(() -> installation().uninstall()).hasMessageContaining("hdrf.sh");
    assertThat(profile).hasContent("theirs");
    assertThat(hadoop.resolve(Installation.LINK)).doesNotExist();
  }

  /**
   * A DataNode that starts at any time finds a whole version: here the link still names the old.
   */
  @Test
  void anInterruptedUpgradeIsFinishedByTheNext() throws IOException {
    installation().install(distribution);
    Path old = hadoop.resolve(Installation.LINK).toRealPath();
    Distribution newer = distribution("2");
    newer.copyTo(hadoop.resolve(newer.name()));
    assertThat(hadoop.resolve(Installation.LINK).toRealPath()).isEqualTo(old);
    assertThat(installation().install(newer)).isNotEmpty();
    assertThat(hadoop.resolve("hdrf/plugins/a.jar")).content().endsWith(", 2");
    assertThat(hadoop.resolve(Installation.PROFILE)).content().endsWith(", 2");
    assertThat(hadoop.resolve(newer.name())).as("never in use").doesNotExist();
    assertThat(installation().install(newer)).isEmpty();
    installation().uninstall();
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
  }

  /** Anybody with write access to the Hadoop may put a link there before root installs. */
  @Test
  void linksAreReplacedAndNeverWrittenThrough() throws IOException {
    Path precious = Files.writeString(directory.resolve("precious"), "precious");
    Files.createSymbolicLink(hadoop.resolve("libexec/shellprofile.d/.hdrf.sh.part"), precious);
    Path part = Files.createDirectories(hadoop.resolve(distribution.name() + ".part/bin"));
    Files.createSymbolicLink(part.resolve("hdrf"), precious);
    installation().install(distribution);
    assertThat(precious).hasContent("precious");
    assertThat(hadoop.resolve(Installation.PROFILE)).content().contains("HDRF's shell profile");
  }

  /** A volume of a DataNode with one block that only looks reduced, which counts as damaged. */
  private Path volumeWithReducedBlock(String name) throws IOException {
    Path volume = directory.resolve(name);
    Path finalized =
        Files.createDirectories(volume.resolve("current/BP-1-127.0.0.1-2/current/finalized"));
    Files.writeString(volume.resolve("current/VERSION"), "storageID=DS-5\n");
    byte[] block = new byte[1000];
    System.arraycopy(new byte[] {(byte) 0x89, 'H', 'R', 'B', 1}, 0, block, 0, 5);
    Files.write(finalized.resolve("blk_1"), block);
    return volume;
  }

  private Path conf(String name, Path volume) throws IOException {
    return conf(volume.toUri().toString(), name);
  }

  private Path conf(String locations, String name) throws IOException {
    Path conf = Files.createDirectories(directory.resolve(name));
    Files.writeString(conf.resolve("core-site.xml"), "<configuration/>");
    Files.writeString(
        conf.resolve("hdfs-site.xml"),
        "<configuration><property><name>dfs.datanode.data.dir</name><value>"
            + locations
            + "</value></property></configuration>");
    return conf;
  }

  private int uninstall(String... options) {
    List<String> arguments = new ArrayList<>(List.of("uninstall", hadoop.toString()));
    arguments.addAll(List.of(options));
    return Main.commandLine().execute(arguments.toArray(new String[0]));
  }

  @Test
  void everyDataNodeThatWasStartedIsAskedBeforeRemoval() throws IOException {
    installation().install(distribution);
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    Path other = volumeWithReducedBlock("other");
    UsedDirectories.record(hadoop, List.of(other));
    UsedDirectories.record(hadoop, List.of(other));
    Path conf = conf("conf-a", plain);
    assertThat(uninstall("--conf", conf.toString())).isEqualTo(ExitCode.DIFFERENT);
    assertThat(uninstall("--force", "--conf", conf.toString())).isEqualTo(ExitCode.DIFFERENT);
    assertThat(hadoop.resolve("hdrf")).exists();
    Path block = other.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1");
    Files.delete(block);
    assertThat(uninstall("--conf", conf.toString())).isEqualTo(ExitCode.OK);
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
  }

  @Test
  void severalConfigurationsMayBeNamed() throws IOException {
    installation().install(distribution);
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    Path other = volumeWithReducedBlock("other");
    assertThat(
            uninstall("--conf", conf("a", plain).toString(), "--conf", conf("b", other).toString()))
        .isEqualTo(ExitCode.DIFFERENT);
    assertThat(hadoop.resolve("hdrf")).exists();
  }

  @Test
  void providedStorageIsNoDirectoryOfTheNode() throws IOException {
    installation().install(distribution);
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    Path conf = conf("[DISK]" + plain.toUri() + ",[PROVIDED]hdfs://remote/x", "a");
    assertThat(uninstall("--conf", conf.toString())).isEqualTo(ExitCode.OK);
  }

  @Test
  void aNotedDirectoryThatIsGoneIsNotTakenForPlain() throws IOException {
    installation().install(distribution);
    UsedDirectories.record(hadoop, List.of(directory.resolve("unmounted")));
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    String conf = conf("a", plain).toString();
    assertThat(uninstall("--conf", conf)).isEqualTo(ExitCode.FAILED);
    assertThat(hadoop.resolve("hdrf")).exists();
    assertThat(uninstall("--force", "--conf", conf)).isEqualTo(ExitCode.OK);
  }

  @Test
  void whatIsNoListOfDirectoriesIsAnObstacle() throws Exception {
    installation().install(distribution);
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    Path pipe = hadoop.resolve(UsedDirectories.NAME).resolve("a.dirs");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path other = volumeWithReducedBlock("other");
    UsedDirectories.record(hadoop, List.of(other));
    String conf = conf("a", plain).toString();
    assertThat(uninstall("--force", "--conf", conf)).isEqualTo(ExitCode.DIFFERENT);
    Files.delete(other.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    assertThat(uninstall("--conf", conf)).isEqualTo(ExitCode.FAILED);
    assertThat(hadoop.resolve("hdrf")).exists();
    assertThat(uninstall("--force", "--conf", conf)).isEqualTo(ExitCode.OK);
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
  }

  @Test
  void theHadoopInWhichItLiesIsTheDefault() throws IOException {
    installation().install(distribution);
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    String conf = conf("a", plain).toString();
    Path unpacked = directory.resolve("unpacked/hdrf-1");
    Files.createDirectories(unpacked);
    assertThat(uninstallFrom(unpacked, conf)).isEqualTo(ExitCode.USAGE);
    assertThat(hadoop.resolve(Installation.LINK)).exists();
    Path another = volumeWithReducedBlock("another");
    assertThat(uninstallFrom(hadoop.resolve("hdrf"), conf("b", another).toString()))
        .isEqualTo(ExitCode.DIFFERENT);
    assertThat(hadoop.resolve(Installation.LINK)).exists();
    assertThat(uninstallFrom(hadoop.resolve("hdrf"), conf)).isEqualTo(ExitCode.OK);
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
  }

  /** Runs uninstall like {@code bin/hdrf} of a distribution. */
  private static int uninstallFrom(Path dist, String conf) {
    System.setProperty("hdrf.distribution", "true");
    System.setProperty("hdrf.dist", dist.toString());
    try {
      return Main.commandLine().execute("uninstall", "--conf", conf);
    } finally {
      System.clearProperty("hdrf.distribution");
      System.clearProperty("hdrf.dist");
    }
  }

  @Test
  void pathsOutOfTheDirectoryAreRefused() throws IOException {
    Path home = directory.resolve("hdrf-1");
    Files.writeString(home.resolve(Distribution.SUMS), "0".repeat(64) + "  ../../evil\n");
    assertThatThrownBy(() -> Distribution.unpacked(home, "1.0"))
        .hasMessageContaining("Can't understand this line");
  }

  private static void awaitSuccess(Process process) throws Exception {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  /** Installs by the command in a JVM of its own. */
  private void installUnder(String umask, String content) throws Exception {
    awaitSuccess(
        new ProcessBuilder(
                "sh",
                "-c",
                "umask " + umask + "; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx64m",
                "-Dhdrf.distribution=true",
                "-Dhdrf.dist=" + directory.resolve("hdrf-" + content),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "install",
                hadoop.toString())
            .redirectErrorStream(true)
            .start());
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private void assertEverybodyMayEnter() throws IOException {
    try (Stream<Path> tree = Files.walk(hadoop.resolve("hdrf").toRealPath())) {
      for (Path path : tree.filter(Files::isDirectory).toList()) {
        assertThat(mode(path)).as(path.toString()).isEqualTo("rwxr-xr-x");
      }
    }
    assertThat((int) Files.getAttribute(hadoop.resolve(UsedDirectories.NAME), "unix:mode") & 07777)
        .isEqualTo(01777);
  }

  /** DataNodes need not run as the user who installs. */
  @Test
  void everybodyMayEnterWhateverTheUmask() throws Exception {
    installUnder("077", "1");
    assertEverybodyMayEnter();
    assertThat(mode(hadoop.resolve("hdrf/plugins/a.jar"))).isEqualTo("rw-r--r--");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plugins", "bin"})
  void directoriesThatOthersCannotEnterAreMended(String path) throws IOException {
    installation().install(distribution);
    Files.setPosixFilePermissions(
        hadoop.resolve("hdrf").resolve(path), PosixFilePermissions.fromString("rwx--x--x"));
    assertThat(installation().install(distribution)).isNotEmpty();
    assertEverybodyMayEnter();
    assertThat(installation().install(distribution)).isEmpty();
  }

  /** As after an interrupt between its creation and the change of its mode. */
  @Test
  void theModeOfTheDirectoryForDataNodesIsMended() throws IOException {
    installation().install(distribution);
    Files.setAttribute(hadoop.resolve(UsedDirectories.NAME), "unix:mode", 0700);
    assertThat(installation().install(distribution))
        .singleElement()
        .asString()
        .contains(UsedDirectories.NAME);
    assertEverybodyMayEnter();
    assertThat(installation().install(distribution)).isEmpty();
  }

  /** Returns the names of the plug-ins in use. */
  private String[] plugins() {
    return hadoop.resolve("hdrf/plugins").toFile().list();
  }

  private Path plugin(String name) {
    return hadoop.resolve("hdrf/plugins").resolve(name);
  }

  private Path inUse() throws IOException {
    return hadoop.resolve("hdrf").toRealPath();
  }

  /** What the link named is not known any more, so nothing takes the operator's jar over. */
  @Test
  void aJarThatNoVersionTookIsNotDeleted() throws IOException {
    installation().install(distribution);
    Files.writeString(plugin("own.jar"), "own");
    Path old = inUse();
    Files.delete(hadoop.resolve(Installation.PROFILE));
    Files.delete(hadoop.resolve("hdrf"));
    assertThat(installation().install(distribution("2")))
        .anyMatch(line -> line.contains(old.toString()) && line.contains("own.jar"));
    assertThat(old.resolve("plugins/own.jar")).hasContent("own");
    assertThat(old.resolve("bin/hdrf")).doesNotExist();
  }

  /** A jar of the same name is no copy. */
  @Test
  void aJarThatDiffersFromTheOneInUseIsNotDeleted() throws IOException {
    installation().install(distribution);
    Files.writeString(plugin("own.jar"), "own");
    Path old = inUse();
    installation().install(distribution("2"));
    Files.writeString(plugin("own.jar"), "newer");
    installation().install(distribution("3"));
    assertThat(old.resolve("plugins/own.jar")).hasContent("own");
    assertThat(plugin("own.jar")).hasContent("newer");
  }

  /** A DataNode opens native libraries from the jars that it started with, later, by path. */
  @Test
  void theVersionThatWasReplacedStaysUntilTheNextReplacement() throws IOException {
    installation().install(distribution);
    Path first = inUse();
    Files.writeString(plugin("own.jar"), "own");
    Distribution two = distribution("2");
    installation().install(two);
    Path second = inUse();
    assertThat(installation().install(two)).isEmpty();
    assertThat(first.resolve("plugins/a.jar")).content().endsWith(", 1");
    assertThat(first.resolve("plugins/own.jar")).hasContent("own");
    assertThat(first.resolve(Distribution.SUMS)).exists();
    installation().install(distribution("3"));
    assertThat(first).doesNotExist();
    assertThat(second.resolve("plugins/a.jar")).content().endsWith(", 2");
    Path third = inUse();
    installation().uninstall();
    assertThat(second).doesNotExist();
    assertThat(third.resolve("plugins").toFile().list()).containsExactly("own.jar");
  }

  @Test
  void aSchemeThatTheOperatorReplacedStaysReplaced() throws IOException {
    Distribution one = distribution("1", "x-lz4-1.0.jar", "x-zstd-1.0.jar");
    installation().install(one);
    Files.writeString(plugin("x-lz4-1.1.jar"), "the operator's");
    Files.delete(plugin("x-lz4-1.0.jar"));
    Installation installation = installation();
    assertThat(installation.install(one)).isEmpty();
    assertThat(installation.differences()).singleElement().asString().contains("x-lz4-1.0.jar");
    assertThat(plugins()).containsExactlyInAnyOrder("x-lz4-1.1.jar", "x-zstd-1.0.jar");

    for (String next : List.of("2", "3")) {
      String shipped = "x-lz4-" + next + ".0.jar";
      installation.install(distribution(next, shipped, "x-zstd-" + next + ".0.jar"));
      assertThat(installation.differences()).singleElement().asString().contains(shipped);
      assertThat(plugins()).containsExactlyInAnyOrder("x-lz4-1.1.jar", "x-zstd-" + next + ".0.jar");
    }
    Files.delete(hadoop.resolve("hdrf/bin/hdrf"));
    Distribution three = distribution("3", "x-lz4-3.0.jar", "x-zstd-3.0.jar");
    assertThat(installation.install(three)).as("mended").isNotEmpty();
    assertThat(plugins()).containsExactlyInAnyOrder("x-lz4-1.1.jar", "x-zstd-3.0.jar");
  }

  @Test
  void aSchemeThatTheOperatorChangedInPlaceStays() throws IOException {
    Distribution one = distribution("1", "x-lz4-1.0.jar");
    installation().install(one);
    Files.writeString(plugin("x-lz4-1.0.jar"), "the operator's");
    Installation installation = installation();
    assertThat(installation.install(one)).isEmpty();
    assertThat(installation.differences()).singleElement().asString().contains("x-lz4-1.0.jar");
    assertThat(plugin("x-lz4-1.0.jar")).hasContent("the operator's");

    installation.install(distribution("2", "x-lz4-2.0.jar"));
    assertThat(plugins()).containsExactly("x-lz4-1.0.jar");
    assertThat(plugin("x-lz4-1.0.jar")).hasContent("the operator's");
    Path last = inUse();
    installation.uninstall();
    assertThat(last.resolve("plugins/x-lz4-1.0.jar")).hasContent("the operator's");
  }

  @Test
  void aJarThatTheOperatorChangedIsNotRemoved() throws IOException {
    installation().install(distribution);
    Files.writeString(plugin("a.jar"), "the operator's");
    Path version = inUse();
    assertThat(installation().uninstall())
        .anyMatch(line -> line.contains(version.toString()) && line.contains("a.jar"));
    assertThat(version.resolve("plugins/a.jar")).hasContent("the operator's");
    assertThat(version.resolve("bin")).doesNotExist();
    assertThat(installation().exists()).isFalse();
  }

  @Test
  void whatWasNeverFinishedIsRemovedWithoutAReplacement() throws IOException {
    installation().install(distribution);
    Path part = Files.createDirectories(hadoop.resolve("hdrf-0.0.1-01234567.part/lib"));
    assertThat(installation().install(distribution))
        .singleElement()
        .asString()
        .contains("never finished");
    assertThat(part.getParent()).doesNotExist();
  }

  /** An earlier distribution may lack a jar that the operator has added under the same name. */
  @Test
  void anOperatorsJarIsPreferredToAShippedOneOfItsName() throws IOException {
    installation().install(distribution);
    Files.writeString(plugin("b.jar"), "the operator's");
    Distribution two = distribution("2", "a.jar", "b.jar");
    installation().install(two);
    assertThat(installation().install(two)).isEmpty();
    assertThat(plugin("b.jar")).hasContent("the operator's");
  }

  @Test
  void withoutAnyPlugInsTheShippedOnesComeBack() throws IOException {
    installation().install(distribution);
    Files.delete(plugin("a.jar"));
    Files.delete(hadoop.resolve("hdrf/plugins"));
    assertThat(installation().install(distribution)).isNotEmpty();
    assertThat(plugins()).containsExactly("a.jar");
  }

  @ParameterizedTest
  @ValueSource(strings = {"version", "unfinished", UsedDirectories.NAME})
  void anInterruptedUninstallCanBeFinished(String left) throws IOException {
    installation().install(distribution);
    Path version = inUse();
    Files.delete(hadoop.resolve(Installation.PROFILE));
    Files.delete(hadoop.resolve("hdrf"));
    if (!left.equals("version")) {
      new Installation(HadoopHome.of(hadoop)).uninstall();
    }
    if (left.equals("unfinished")) {
      Files.createDirectories(version.resolveSibling(version.getFileName() + ".part/lib"));
    } else if (left.equals(UsedDirectories.NAME)) {
      Files.createDirectory(hadoop.resolve(UsedDirectories.NAME));
    }
    Path plain = volumeWithReducedBlock("plain");
    Files.delete(plain.resolve("current/BP-1-127.0.0.1-2/current/finalized/blk_1"));
    assertThat(uninstall("--conf", conf("a", plain).toString())).isEqualTo(ExitCode.OK);
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
  }

  /** Runs install like {@code bin/hdrf} of a distribution, and returns what it prints. */
  private String installFrom(String content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setProperty("hdrf.distribution", "true");
    System.setProperty("hdrf.dist", directory.resolve("hdrf-" + content).toString());
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      assertThat(Main.commandLine().execute("install", "--untested", hadoop.toString()))
          .isEqualTo(ExitCode.OK);
    } finally {
      System.setOut(out);
      System.clearProperty("hdrf.distribution");
      System.clearProperty("hdrf.dist");
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** The Hadoop may be another one than at the last time. */
  @Test
  void theLinesForTheConfigurationAreAlwaysPrinted() throws IOException {
    String must = "hdfs-site.xml must have:";
    assertThat(installFrom("1")).contains(must, "<name>hdrf.plugins.dir</name>");
    writeVersion("3.4.1-amzn-2");
    String untested = "<value>3.4.1-amzn-2</value>";
    assertThat(installFrom("1")).contains("nothing to do", must, untested);
    distribution("2");
    assertThat(installFrom("2")).contains("next restart", must, untested);
    Files.writeString(plugin("a.jar"), "the operator's");
    assertThat(installFrom("2")).contains("nothing to do", "a.jar");
  }

  @Test
  void aHadoopWithoutAVersionHasTheNameThatTheDataNodeGivesIt() throws IOException {
    Path jar = hadoop.resolve("share/hadoop/common/hadoop-common-x.jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new ZipEntry("common-version-info.properties"));
      out.write("user=x\n".getBytes(StandardCharsets.UTF_8));
    }
    HadoopHome.of(hadoop).requireVersion(true);
    assertThat(installation().site()).contains("<value>Unknown</value>");
  }
}
