/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of the distribution, with a Java that prints its command line. */
class ShellTest {
  private static final Path TREE = Path.of("../..").toAbsolutePath().normalize();

  @TempDir private Path directory;
  private Path hadoop;

  @BeforeEach
  void prepare() throws IOException {
    directory = directory.toRealPath();
    hadoop = Files.createDirectories(directory.resolve("hadoop"));
    Files.createDirectories(hadoop.resolve("share/hadoop/hdfs"));
    Files.createDirectories(hadoop.resolve("libexec"));
    Path home = Files.createDirectories(hadoop.resolve("hdrf/bin")).getParent();
    Files.copy(TREE.resolve("bin/hdrf"), home.resolve("bin/hdrf"));
    program(
        directory.resolve("java/bin/java"),
        "[ \"$1\" != -version ] || { echo 'openjdk version \"17.0.1\"'; exit; }",
        "for word in \"$@\"; do echo \"<$word>\"; done");
  }

  private static void program(Path file, String... lines) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String bash(Map<String, String> environment, String script) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", script)
            .directory(directory.toFile())
            .redirectErrorStream(true);
    builder.environment().remove("HADOOP_HOME");
    builder.environment().put("HDRF_JAVA_HOME", directory.resolve("java").toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  @Test
  void aRelativePathMeansTheSameWithCdpath() throws Exception {
    Files.createDirectories(directory.resolve("elsewhere/hadoop/share/hadoop/hdfs"));
    String script = "bash hadoop/hdrf/bin/hdrf install hadoop";
    String plain = bash(Map.of(), script);
    assertThat(plain).contains(hadoop + "/share/hadoop/hdfs/*");
    assertThat(bash(Map.of("CDPATH", directory.resolve("elsewhere") + ":."), script))
        .isEqualTo(plain);
  }

  private String homeByProfile(String profile, Map<String, String> environment) throws Exception {
    return bash(
            environment,
            "hadoop_add_profile() { :; }; hadoop_add_subcommand() { :; }; . "
                + profile
                + "; echo \"$_hdrf_home\"")
        .strip();
  }

  @Test
  void theProfileIsFoundWhereItsDirectoryIsALink() throws Exception {
    Path elsewhere = Files.createDirectories(directory.resolve("site/profiles"));
    Files.copy(TREE.resolve("conf/hadoop-shellprofile.sh"), elsewhere.resolve("hdrf.sh"));
    Path linked = hadoop.resolve("libexec/shellprofile.d");
    Files.createSymbolicLink(linked, elsewhere);
    String home = hadoop.resolve("hdrf").toString();
    assertThat(homeByProfile(linked.resolve("hdrf.sh").toString(), Map.of())).isEqualTo(home);
    assertThat(
            homeByProfile(
                "hadoop/libexec/shellprofile.d/hdrf.sh",
                Map.of("CDPATH", directory.resolve("site").toString())))
        .isEqualTo(home);
  }

  /** The version in use is in the Hadoop, like the link to it. */
  @Test
  void hdfsTellsTheCommandWhereItLies() throws Exception {
    Path profile = Files.createDirectories(hadoop.resolve("libexec/shellprofile.d"));
    Files.copy(TREE.resolve("conf/hadoop-shellprofile.sh"), profile.resolve("hdrf.sh"));
    Files.move(hadoop.resolve("hdrf"), hadoop.resolve("hdrf-1"));
    Files.createSymbolicLink(hadoop.resolve("hdrf"), Path.of("hdrf-1"));
    String said =
        bash(
            Map.of("HADOOP_HOME", hadoop.toString()),
            "hadoop_add_profile() { :; }; hadoop_add_subcommand() { :; }; . "
                + profile.resolve("hdrf.sh")
                + "; hdfs_subcommand_hdrf uninstall");
    assertThat(said.lines())
        .contains("<-Dhdrf.distribution=true>", "<-Dhdrf.dist=" + hadoop.resolve("hdrf-1") + ">")
        .last()
        .isEqualTo("<uninstall>");
  }

  /** A link that leads nowhere stands for a directory that the user may not enter: root may. */
  @Test
  void theProfileSaysThatTheVersionInUseCannotBeEntered() throws Exception {
    Path profiles = Files.createDirectories(hadoop.resolve("libexec/shellprofile.d"));
    Files.copy(TREE.resolve("conf/hadoop-shellprofile.sh"), profiles.resolve("hdrf.sh"));
    String script =
        "hadoop_add_profile() { echo profile; }; hadoop_add_subcommand() { :; };"
            + " hadoop_error() { echo \"error: $*\" >&2; };"
            + " . hadoop/libexec/shellprofile.d/hdrf.sh; echo \"<$_hdrf_home>\"";
    assertThat(bash(Map.of(), script)).isEqualTo("profile\n<" + hadoop.resolve("hdrf") + ">\n");
    Files.move(hadoop.resolve("hdrf"), hadoop.resolve("elsewhere"));
    assertThat(bash(Map.of(), script)).isEqualTo("<>\n");
    Files.createSymbolicLink(hadoop.resolve("hdrf"), Path.of("hdrf-1"));
    assertThat(bash(Map.of(), script))
        .startsWith("error: ")
        .contains(hadoop.resolve("hdrf").toString())
        .endsWith("\n<>\n");
  }

  @Test
  void aJavaThatDoesNotRunIsPassedOver() throws Exception {
    program(directory.resolve("broken/bin/java"), "exit 1");
    Map<String, String> environment =
        Map.of(
            "HDRF_JAVA_HOME",
            directory.resolve("broken").toString(),
            "JAVA_HOME",
            directory.resolve("java").toString());
    assertThat(bash(environment, "bash hadoop/hdrf/bin/hdrf blocks")).endsWith("<blocks>\n");
  }
}
