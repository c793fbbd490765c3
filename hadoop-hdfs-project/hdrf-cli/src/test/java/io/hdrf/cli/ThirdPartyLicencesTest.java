/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThirdPartyLicencesTest {
  @TempDir private Path directory;

  /** Entries and texts in turns. */
  private Path jar(String name, String... entries) throws IOException {
    Path jar = directory.resolve(name);
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (int i = 0; i < entries.length; i += 2) {
        out.putNextEntry(new ZipEntry(entries[i]));
        out.write(entries[i + 1].getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  private static String text(Map<String, byte[]> files, String path) {
    assertThat(files).containsKey(path);
    return new String(files.get(path), StandardCharsets.UTF_8);
  }

  @Test
  void takesNoticesAndLicencesFromTheJars() throws IOException {
    ThirdPartyLicences licences = new ThirdPartyLicences();
    licences.add(
        "plugins/scheme-1.jar",
        jar(
            "scheme-1.jar",
            "META-INF/maven/io.hdrf/scheme/pom.properties",
            "artifactId=scheme",
            "META-INF/maven/org.other/lib/pom.properties",
            "groupId=org.other\nartifactId=lib\nversion=7\n",
            "META-INF/LICENSE",
            "ours",
            "META-INF/NOTICE",
            "contains lib",
            "META-INF/licenses/lib.txt",
            "theirs"));
    licences.add(
        "datanode/own-1.jar",
        jar(
            "own-1.jar",
            "META-INF/maven/io.hdrf/own/pom.properties",
            "artifactId=own",
            "META-INF/LICENSE",
            "ours"));
    licences.add("lib/picocli-4.7.6.jar", jar("picocli-4.7.6.jar", "a/Class.class", "x"));
    Map<String, byte[]> files = licences.files();
    assertThat(text(files, "THIRD-PARTY.md"))
        .contains("`plugins/scheme-1.jar` | org.other:lib:7 |")
        .contains("`licenses/scheme-1/lib.txt`")
        .contains("`lib/picocli-4.7.6.jar` |  | Apache-2.0")
        .doesNotContain("own-1")
        .matches("(?s).*`lib/picocli.*`plugins/scheme.*");
    assertThat(text(files, "licenses/scheme-1/lib.txt")).isEqualTo("theirs");
    assertThat(text(files, "NOTICE")).contains("contains lib");
  }

  @Test
  void aJarWithoutALicenceIsNotPacked() throws IOException {
    Path jar = jar("unknown-1.jar", "a/Class.class", "x");
    assertThatThrownBy(() -> new ThirdPartyLicences().add("lib/unknown-1.jar", jar))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("unknown-1.jar says nothing of its licence");
  }
}
