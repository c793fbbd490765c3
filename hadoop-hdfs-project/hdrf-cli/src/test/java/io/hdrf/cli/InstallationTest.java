/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    Path home = directory.resolve("hdrf-" + content);
    String sums = "";
    for (String path : List.of("bin/hdrf", Distribution.PROFILE, "plugins/a.jar")) {
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

  @ParameterizedTest
  @ValueSource(strings = {"3.3.6", "2.10.2", "3.10.0"})
  void anotherLineOfHadoopIsRefused(String version) throws IOException {
    writeVersion(version);
    assertThatThrownBy(() -> HadoopHome.of(hadoop))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("is Hadoop " + version)
        .hasMessageContaining("3.1.x only");
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
    assertThat(old).doesNotExist();
    assertThat(installation().install(newer)).isEmpty();
    installation().uninstall();
    assertThat(hadoop.toFile().list()).containsExactlyInAnyOrder("bin", "libexec", "share");
  }

  @Test
  void pathsOutOfTheDirectoryAreRefused() throws IOException {
    Path home = directory.resolve("hdrf-1");
    Files.writeString(home.resolve(Distribution.SUMS), "0".repeat(64) + "  ../../evil\n");
    assertThatThrownBy(() -> Distribution.unpacked(home, "1.0"))
        .hasMessageContaining("Can't understand this line");
  }
}
