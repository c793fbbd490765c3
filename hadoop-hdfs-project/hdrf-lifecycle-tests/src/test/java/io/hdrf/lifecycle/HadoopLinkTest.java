/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * HDRF's jars, compiled against one release of each line, fit every release that HDRF says to run
 * in: all that they refer to in Hadoop is there, and all that they override.
 */
class HadoopLinkTest {

  private static final Path SOURCE = Path.of(System.getProperty("hdrf.test.source"));
  private static final Path HADOOP = Path.of(System.getProperty("hdrf.test.hadoop.lines"));

  private static final List<String> BASE =
      List.of(
          "native",
          "hdrf-core",
          "hadoop-hdfs-project/hdrf-client",
          "hadoop-hdfs-project/hadoop-hdfs-hdrf");

  private static final String DATASET =
      "org/apache/hadoop/hdfs/server/datanode/fsdataset/impl/FsDatasetImpl";

  private static final String BLOCK = "Lorg/apache/hadoop/hdfs/protocol/Block;";

  private static ClassFiles hadoop(String version) throws IOException {
    return ClassFiles.ofJars(HADOOP.resolve(version));
  }

  /**
   * The overlay's classes for a line: those of other lines, which end in their numbers, left out.
   */
  private static ClassFiles overlay(String... lines) throws IOException {
    ClassFiles all = new ClassFiles();
    for (String module : BASE) {
      all.addDirectory(SOURCE.resolve(module).resolve("target/classes"));
    }
    for (String line : lines) {
      if (!line.equals("3.1")) {
        all.addDirectory(bridge(line));
      }
    }
    List<String> suffixes = List.of(lines).stream().map(line -> line.replace(".", "")).toList();
    return all.without(
        name ->
            name.matches(".*/Hdrf[A-Za-z]*3\\d(\\$.*)?")
                && suffixes.stream().noneMatch(suffix -> name.matches(".*" + suffix + "(\\$.*)?")));
  }

  private static Path bridge(String line) {
    return SOURCE.resolve("hadoop-hdfs-project/hadoop-hdfs-hdrf-" + line + "/target/classes");
  }

  @ParameterizedTest
  @CsvSource({
    "3.1.4, 3.1, 3.1.4",
    "3.2.4, 3.1 3.3, 3.3.6",
    "3.3.6, 3.1 3.3, 3.3.6",
    "3.4.1, 3.4, 3.4.3",
    "3.4.2, 3.4, 3.4.3",
    "3.4.3, 3.4, 3.4.3",
    "3.5.0, 3.4, 3.4.3",
  })
  void everyReferenceAndOverrideIsThere(String version, String lines, String compiledWith)
      throws IOException {
    ClassFiles overlay = overlay(lines.split(" "));
    ClassFiles hadoop = hadoop(version);
    SortedSet<String> missing = overlay.missing(hadoop);
    SortedSet<String> expected = new TreeSet<>(overlay.overrides(hadoop("3.1.4")));
    expected.addAll(overlay.overrides(hadoop(compiledWith)));
    if (version.equals("3.2.4")) {
      // It came with 3.3.5, and nothing asks for it before.
      missing.removeIf(member -> member.contains("getVolumeList"));
      expected.removeIf(member -> member.contains("getVolumeList"));
    }
    assertThat(missing).isEmpty();
    assertThat(overlay.overrides(hadoop)).containsAll(expected);
    assertThat(expected).hasSizeGreaterThan(40);
  }

  /** A line may have a new method through which a replica goes of which HDRF has a record. */
  @ParameterizedTest
  @CsvSource({
    "3.1.4, 3.1",
    "3.2.4, 3.1 3.3",
    "3.3.6, 3.1 3.3",
    "3.4.1, 3.4",
    "3.4.2, 3.4",
    "3.4.3, 3.4",
    "3.5.0, 3.4"
  })
  void noReplicaLeavesTheMapUnnoticed(String version, String lines) throws IOException {
    ClassFiles hadoop = hadoop(version);
    SortedSet<String> removing =
        hadoop.callers(DATASET, DATASET.replace("FsDatasetImpl", "ReplicaMap"), "remove");
    Set<String> overridden =
        overlay(lines.split(" ")).overrides(hadoop).stream()
            .filter(member -> member.contains("/HdrfDataset"))
            .map(member -> member.substring(member.indexOf('.') + 1))
            .collect(Collectors.toSet());
    assertThat(removing).isNotEmpty();
    // Only overridden methods call the first two; the last one removes what is not finalized.
    assertThat(removing)
        .filteredOn(method -> !overridden.contains(method))
        .allMatch(
            method ->
                method.equals("invalidate(Ljava/lang/String;[" + BLOCK + "Z)V")
                    || method.equals("invalidateMissingBlock(Ljava/lang/String;" + BLOCK + "Z)V")
                    || method.startsWith("unfinalizeBlock("));
  }

  @Test
  void whatIsMissingIsFound() throws IOException {
    assertThat(overlay("3.1").missing(hadoop("3.4.3")))
        .anyMatch(missing -> missing.contains("FsDatasetImpl.acquireDatasetLock"))
        .anyMatch(missing -> missing.contains(".moveBlock("));
    assertThat(overlay("3.4").missing(hadoop("3.1.4")))
        .anyMatch(missing -> missing.contains("DataNodeLockManager"));
    assertThat(overlay("3.1").overrides(hadoop("3.4.3")))
        .noneMatch(override -> override.contains("moveBlock"));
  }
}
